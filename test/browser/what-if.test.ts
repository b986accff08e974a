import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const ZONE = 'topology.kubernetes.io/zone';
const HOSTILE = '<img src=x onerror=alert(1)>';
const RIGHT_TO_LEFT = '\u202Eedon';

let service: TestService;
let browser: TestBrowser;

const zoned = (name: string, zone: string): object =>
  node(name, {
    metadata: { name, labels: { [ZONE]: zone } },
    status: {
      allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  });
const running = (name: string, on: string, cpu: string, more: object = {}): object =>
  pod(
    `default/${name}`,
    on,
    { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu, memory: '1Gi' } } }], ...more },
    { kind: 'ReplicaSet', name: 'web' },
  );
const kata = { runtimeClassName: 'kata', overhead: { cpu: '250m', memory: '128Mi' } };
const runtimeClass = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'kata' },
  handler: 'kata',
  overhead: { podFixed: { cpu: '250m', memory: '128Mi' } },
};

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  const items = [
    zoned('a', 'a'),
    zoned('b', 'b'),
    running('vm', 'a', '1', kata),
    running('big', 'b', '3'),
    runtimeClass,
  ];
  await store(service, 'zones', items);
  await store(service, 'grown', items);
  await store(service, 'grown', [...items, zoned('c', 'c')]);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

const sumsOf = async (page: DashboardPage): Promise<string> =>
  String(await page.page.evaluate("document.querySelector('.what-if-sums').textContent"));

describe('what if', () => {
  it('is put together by clicking, side by side with now, and kept in the address', async () => {
    const page = await browser.page(service.url);
    await page.open('clusters/zones/what-if');
    await page.sees('Add a change to see what it does.');

    await page.fill('Lose nodes (names or labels)', `${ZONE}=b`);
    await page.click('button', 'Lose nodes');
    await page.sees(`lose the nodes with ${ZONE}=b`);
    // The pod of b does not fit beside that of a: 4 - 1.25 CPUs.
    await page.sees('0/1 nodes are available: 1 Insufficient cpu.');
    await page.sees('displaced, finds none');
    expect(await sumsOf(page)).toContain('Nodes21−1');

    await page.fill('nodes like', 'a');
    await page.click('button', 'Add nodes');
    await page.sees('add 5 nodes like a');
    await page.sees('displaced, finds a node');
    expect(await sumsOf(page)).toContain('Nodes26+4');

    await page.click('button', 'Change overhead');
    await page.sees('overhead of RuntimeClass kata: times 2');
    await page.sees('recreate the pods of RuntimeClass kata');
    await page.sees('cpu requested');
    const sums = await sumsOf(page);
    // 1.25 + 3 CPUs now; the pod of b waits, and that of a has 0.25 more.
    expect(sums).toContain('cpu requested4.251.5−2.75');

    const other = await browser.page(service.url);
    await other.open(page.page.url().replace(/^.*\/ui\//, ''));
    await other.sees('overhead of RuntimeClass kata: times 2');
    await other.page.waitForSelector('.what-if-sums');
    expect(await sumsOf(other)).toBe(sums);

    await page.click('button', `Take back: lose the nodes with ${ZONE}=b`);
    await page.page.waitForFunction("document.querySelectorAll('.what-if-changes li').length === 3");
    await page.click('button', 'Start over');
    await page.sees('Add a change to see what it does.');
    expect([...page.faults, ...other.faults]).toEqual([]);
    await other.close();
    await page.close();
  }, 120_000);

  it('shows whom a NoExecute taint evicts, when, and where they go', async () => {
    const page = await browser.page(service.url);
    await page.open('clusters/zones/what-if');
    // The names of the nodes, and their labels with the number of nodes, are proposed.
    await page.page.waitForFunction("document.querySelectorAll('#what-if-nodes option').length === 4");
    await page.fill('Taint (a minus at the end takes it away)', 'maintenance=true:NoExecute');
    await page.fill('on nodes', 'a');
    await page.click('button', 'Taint nodes');
    await page.sees('taint maintenance=true:NoExecute: nodes a');
    await page.sees('When pods are evicted');
    await page.sees('Of 2 pods, 0 are being deleted, 1 leave now, 0 later');
    await page.sees('Where the pods go');
    expect(await sumsOf(page)).toContain('Pods that a taint evicts now01+1');
    await page.fill('Taint (a minus at the end takes it away)', 'maintenance-');
    await page.fill('on nodes', 'a b');
    await page.page.keyboard.press('Enter');
    await page.sees('taint maintenance-: nodes a, b');
    // Only a has the taint: kubectl refuses to remove it from b.
    await page.page.waitForSelector('.failure');
    await page.sees('taint "maintenance" not found');
    await page.close();
  });

  it('cordons, and adds replicas of what runs', async () => {
    const page = await browser.page(service.url);
    await page.open('clusters/zones/what-if');
    await page.fill('the nodes', 'a');
    await page.click('button', 'Change scheduling');
    await page.sees('cordon: nodes a');
    await page.fill('pods like', 'default/big');
    await page.click('button', 'Add pods');
    await page.sees('add 3 pods like default/big');
    // b has one CPU left, and takes none of three CPUs.
    await page.sees('0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable');
    expect(await sumsOf(page)).toContain('Cordoned nodes01+1');
    expect(await sumsOf(page)).toContain('Pods without a node03+3');
    expect(page.faults).toEqual([]);
    await page.close();
  });

  it('is put together and taken back by keyboard alone', async () => {
    const page = await browser.page(service.url);
    await page.open('clusters/zones/what-if');
    await page.sees('Add a change to see what it does.');
    const { keyboard } = page.page;
    const focused = async (name: string): Promise<void> => {
      for (let tabs = 0; tabs < 60; tabs++) {
        await keyboard.press('Tab');
        const now = String(
          await page.page.evaluate(
            "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]?.innerText ?? document.activeElement.innerText ?? '').trim()",
          ),
        );
        if (now.startsWith(name)) return;
      }
      throw new Error(`no Tab leads to ${name}`);
    };
    await focused('nodes like');
    await keyboard.type('a');
    await keyboard.press('Enter');
    await page.sees('add 5 nodes like a');
    await focused('Take back: add 5 nodes like a');
    await keyboard.press('Enter');
    await page.sees('Add a change to see what it does.');
    expect(page.faults).toEqual([]);
    await page.close();
  });

  it('says in words of the service what cannot be, and shows names as text', async () => {
    const page = await browser.page(service.url);
    page.expectFaults(/^4\d\d: /, /status of 4/);
    await page.open('clusters/zones/what-if');
    for (const name of [HOSTILE, RIGHT_TO_LEFT]) {
      await page.open('clusters/zones/what-if');
      await page.fill('nodes like', name);
      await page.click('button', 'Add nodes');
      // A name that turns the direction of the text stands apart from the words around it.
      await page.page.waitForFunction(
        `[...document.querySelectorAll('.what-if-changes bdi')].some(({ textContent }) => textContent === ${JSON.stringify(`add 5 nodes like ${name}`)})`,
      );
    }
    await page.page.waitForSelector('.failure');
    expect(await page.page.$('main img')).toBeNull();
    await page.open('clusters/zones/what-if?scenario=rubbish');
    await page.sees('The address holds no list of changes');
    await page.open(`clusters/zones/what-if?scenario=${encodeURIComponent('[{"explode":{}}]')}`);
    await page.page.waitForSelector('.failure');
    expect(page.faults).toEqual([]);
    await page.close();
  });

  it.each(['light', 'dark'] as const)('is accessible, %s, as of the past, and fits a small screen', async (scheme) => {
    const page = await browser.page(service.url);
    await page.colors(scheme);
    const scenario = JSON.stringify([
      { removeNodes: { labelSelector: `${ZONE}=b` } },
      { addNodes: { like: 'a', count: 2000 } },
    ]);
    await page.open(`clusters/grown/what-if?revision=1&scenario=${encodeURIComponent(scenario)}`);
    await page.sees('+1,999');
    // The second revision has a node more.
    expect(await sumsOf(page)).toContain('Nodes22,001');
    await page.sees('displaced, finds a node');
    expect(await page.violations()).toEqual([]);
    await page.page.setViewport({ width: 390, height: 844 });
    expect(
      await page.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    ).toBeLessThanOrEqual(0);
    expect(page.faults).toEqual([]);
    await page.close();
  });
});
