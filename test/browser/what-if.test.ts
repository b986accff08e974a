import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';

const ZONE = 'topology.kubernetes.io/zone';
const HOSTILE = '<img src=x onerror=alert(1)>';

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
  const list = { apiVersion: 'v1', kind: 'List', items };
  const sent = await service.request('POST', '/api/v1/clusters/zones/snapshots?createCluster=true', list);
  expect(sent.status).toBe(201);
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

    await page.fill('Lose nodes with labels', `${ZONE}=b`);
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
    await page.sees('overhead of RuntimeClass kata: cpu 500m, memory 268435456');
    await page.sees('recreate the pods');
    await page.sees('cpu requested');
    const sums = await sumsOf(page);
    // 1.25 + 3 CPUs now; the pod of b waits, and that of a has 0.25 more.
    expect(sums).toContain('cpu requested4.251.5−2.75');

    const other = await browser.page(service.url);
    await other.open(page.page.url().replace(/^.*\/ui\//, ''));
    await other.sees('overhead of RuntimeClass kata: cpu 500m');
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

  it('says in words of the service what cannot be, and shows names as text', async () => {
    const page = await browser.page(service.url);
    page.expectFaults(/^4\d\d: /, /status of 4/);
    await page.open('clusters/zones/what-if');
    await page.fill('nodes like', HOSTILE);
    await page.click('button', 'Add nodes');
    await page.sees(`add 5 nodes like ${HOSTILE}`);
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
    await page.open(`clusters/zones/what-if?revision=1&scenario=${encodeURIComponent(scenario)}`);
    await page.sees('+1,999');
    await page.sees('displaced, finds a node');
    expect(await page.violations()).toEqual([]);
    await page.page.screenshot({ path: `/tmp/what-if-${scheme}.png` });
    await page.page.setViewport({ width: 390, height: 844 });
    expect(
      await page.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    ).toBeLessThanOrEqual(0);
    expect(page.faults).toEqual([]);
    await page.close();
  });
});
