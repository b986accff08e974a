import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { list, node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
let browser: TestBrowser;
let page: DashboardPage;

const TAINT = { key: 'maintenance', operator: 'Exists', effect: 'NoExecute' };
const running = (key: string, on: string, tolerations: readonly object[] = []): object => {
  const { metadata, ...rest } = pod(key, on, { tolerations }, { kind: 'ReplicaSet', name: 'web' }) as {
    metadata: object;
  };
  const conditions = [{ type: 'Ready', status: 'True' }];
  return { ...rest, metadata: { ...metadata, labels: { app: 'web' } }, status: { phase: 'Running', conditions } };
};
/** Pods that leave at once, after 300 s, and never; a budget that allows none of them to leave. */
const CLUSTER = [
  node('n1'),
  node('n2'),
  running('shop/web-1', 'n1'),
  running('shop/web-2', 'n1', [{ ...TAINT, tolerationSeconds: 300 }]),
  running('shop/web-3', 'n2', [TAINT]),
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { namespace: 'shop', name: 'web', uid: 'web' },
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } } },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: 'shop', name: 'web' },
    spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'web' } } },
  },
];

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  const path = '/api/v1/clusters/prod/snapshots?createCluster=true';
  expect((await service.request('POST', path, list(CLUSTER))).status).toBe(201);
  page = await browser.page(service.url);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

const shows = (text: string): Promise<unknown> =>
  page.page.waitForFunction(
    `[...document.querySelectorAll('[role=table]')].some((table) => table.innerText.replaceAll(/\\s+/g, ' ').includes(${JSON.stringify(text)}))`,
  );

describe('evictions by taints', () => {
  it('are on a time axis: of a planned change, and of events after it', async () => {
    await page.open('clusters/prod/evictions');
    await page.sees('0 leave now, 0 later');
    await page.page.locator('summary ::-p-text(A planned change)').click();
    await page.fill('Node names', 'n1');
    await page.fill('Taints, as kubectl taint takes them', 'maintenance=true:NoExecute');
    await page.click('checkbox', 'and where the pods go');
    await page.click('button', 'Compute');
    await page.sees('1 leave now, 1 later');
    await shows('shop/web-2');
    await shows('later +5 min');
    await page.sees('Where the pods go');
    await page.sees('shop/web: 2 healthy pods leave');
    expect(await page.violations()).toEqual([]);
    // The taint goes after a minute: the timer is cancelled.
    await page.page.locator('summary ::-p-text(Events and outages)').click();
    await page.click('button', 'Add an event');
    await page.fill('Event 1: where', 'n1');
    await page.click('button', 'Compute');
    await page.sees('1 leave now, 0 later');
    // A link shows the same.
    await page.page.reload({ waitUntil: 'domcontentloaded' });
    await page.sees('1 leave now, 0 later');
    expect(await page.violations()).toEqual([]);
    expect(page.faults).toEqual([]);
  }, 120_000);

  it('follow from an outage', async () => {
    await page.colors('dark');
    const assumed = encodeURIComponent(JSON.stringify([{ after: 0, do: 'outage', on: 'n1', what: '' }]));
    await page.open(
      `clusters/prod/evictions?assumed=${assumed}&start=${encodeURIComponent(JSON.stringify(new Date().toISOString()))}`,
    );
    await page.sees('The outage evicts pods: yes');
    await page.sees('0 leave now, 2 later');
    expect(await page.violations()).toEqual([]);
    expect(page.faults).toEqual([]);
  }, 120_000);
});

describe('a drain', () => {
  it('shows its order, and what blocks it', async () => {
    await page.open('clusters/prod/evictions?tab=drains');
    await page.fill('Nodes in order, or a label selector', 'n2 n1');
    await page.click('button', 'Plan the drain');
    await page.sees('shop/web blocks');
    await shows('n2 blocked');
    await page.sees('maxUnavailable 0 of 3 expected pods');
    expect(await page.violations()).toEqual([]);
    expect(page.faults).toEqual([]);
  }, 120_000);

  it('of a node that does not exist is refused in the service’s words', async () => {
    await page.open('clusters/prod/evictions?tab=drains');
    await page.fill('Nodes in order, or a label selector', 'nowhere');
    page.expectFaults(/40[04]/);
    await page.click('button', 'Plan the drain');
    await page.page.waitForSelector('.failure');
    await page.sees('nowhere');
  }, 120_000);
});

describe('a small screen', () => {
  it('shows each view without scrolling sideways', async () => {
    await page.page.setViewport({ width: 390, height: 800 });
    for (const path of ['evictions', 'evictions?tab=drains', 'evictions?tab=budgets', 'changes', 'trail?node=n1']) {
      await page.open(`clusters/prod/${path}`);
      await page.page.waitForSelector('.panel h2');
      expect([path, await page.page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 390]);
    }
    await page.page.setViewport({ width: 1280, height: 900 });
    expect(page.faults).toEqual([]);
  }, 120_000);
});

describe('disruption budgets', () => {
  it('say how many pods may leave, and why', async () => {
    await page.colors('light');
    await page.open('clusters/prod/evictions?tab=budgets');
    await shows('shop/web maxUnavailable 0');
    await page.sees('maxUnavailable 0 of 3 expected pods');
    expect(await page.violations()).toEqual([]);
    expect(page.faults).toEqual([]);
  }, 120_000);
});
