import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';

const HOSTILE = '<img src=x onerror=alert(1)>\u202Etxt';
const AT = '/api/v1/clusters';

let service: TestService;
let browser: TestBrowser;

const sized = (name: string, pool: string, taints: readonly object[] = []): object =>
  node(name, {
    metadata: { name, labels: { 'eks.amazonaws.com/nodegroup': pool } },
    spec: { taints },
    status: {
      allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  });

const requests = { requests: { cpu: '1', memory: '1Gi' } };
const quota = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { namespace: 'default', name: 'team-quota' },
  spec: { hard: { 'requests.cpu': '20' } },
  status: { hard: { 'requests.cpu': '20' }, used: { 'requests.cpu': '1' } },
};
const runtimeClass = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'kata' },
  handler: 'kata',
  overhead: { podFixed: { cpu: '250m', memory: '128Mi' } },
};
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '3', memory: '1Gi' } } }] },
    },
  },
};

async function take(cluster: string, items: readonly object[], query = ''): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items };
  const sent = await service.request('POST', `${AT}/${cluster}/snapshots?createCluster=true${query}`, list);
  expect(sent.status).toBe(201);
}

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  await take('sized', [
    sized('a', 'plain'),
    sized('b', 'plain'),
    sized('c', 'gpu', [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }]),
    pod('default/runs', 'a', {
      runtimeClassName: 'kata',
      overhead: { cpu: '250m', memory: '128Mi' },
      containers: [{ name: 'c', image: 'i', resources: requests }],
    }),
    quota,
    runtimeClass,
    deployment,
  ]);
  await take('none', [sized('a', 'plain')]);
  await take(
    'hostile',
    [
      sized(HOSTILE, `${HOSTILE}pool`, [{ key: `${HOSTILE}taint`, value: 'x', effect: 'NoSchedule' }]),
      pod('default/runs', HOSTILE, { runtimeClassName: `${HOSTILE}class`, overhead: { cpu: '250m' } }),
      { ...quota, metadata: { namespace: 'default', name: `${HOSTILE}quota` } },
    ],
    '&invalid=keep',
  );
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

const settled = (page: DashboardPage): Promise<unknown> =>
  page.page.waitForFunction("document.querySelector('.pending, [aria-busy=true]') === null");

describe('the capacity view', () => {
  it('shows how many replicas fit, by pool, what stops the next, and what each taint costs', async () => {
    const page = await browser.page(service.url);
    const asked = page.page.waitForRequest((request) => request.url().endsWith('/capacities?limit=1'));
    await page.open('clusters/sized/capacity?cpu=1&memory=1Gi');
    // The labels in which the service finds the pools, and no others.
    const { groupBy } = JSON.parse((await (await asked).fetchPostData()) ?? '') as { readonly groupBy: unknown };
    expect(groupBy).toEqual(['topology.kubernetes.io/zone', 'eks.amazonaws.com/nodegroup']);
    // 4 CPUs on b, 2.75 left on a.
    await page.sees('6 replicas of a pod without tolerations fit');
    await page.sees('Insufficient cpu');
    await page.sees('dedicated=gpu:NoSchedule');
    await page.sees('+4');
    await page.sees('eks.amazonaws.com/nodegroup=plain');
    expect(await page.page.content()).not.toContain('no topology.kubernetes.io/zone');
    await page.click('button', 'large');
    await page.sees('0 replicas of a pod without tolerations fit, each with cpu 4, memory 16Gi');
    expect(page.faults).toEqual([]);
    await page.close();
  });

  it('counts the replicas of a stored workload, and keeps the question in the address', async () => {
    const page = await browser.page(service.url);
    await page.open('clusters/sized/capacity');
    await settled(page);
    await page.fill('or workload', 'Deployment default/web');
    await page.click('button', 'Count replicas');
    await page.sees('replica of Deployment default/web fits with cpu 3');
    const other = await browser.page(service.url);
    await other.open(page.page.url().replace(/^.*\/ui\//, ''));
    await other.sees('replica of Deployment default/web fits with cpu 3');
    expect([...page.faults, ...other.faults]).toEqual([]);
    await other.close();
    await page.close();
  });

  it('compares what quotas allow with what the nodes have, and says the share of overhead', async () => {
    const page = await browser.page(service.url);
    await page.open('clusters/sized/capacity');
    await page.sees('team-quota requests.cpu');
    await page.sees('team-quota allows 20 requests.cpu');
    await page.sees('1 pod on nodes with overhead (cpu 0.25 (20%), memory 128Mi (11.1%) of what pods request); 0 wait');
    await page.sees('kata');
    expect(page.faults).toEqual([]);
    await page.close();
  });

  it('says what there is none of', async () => {
    const page = await browser.page(service.url);
    await page.open('clusters/none/capacity');
    await page.sees('No taint keeps these replicas off a node.');
    await page.sees('No namespace has a quota on what nodes limit.');
    await page.sees('0 pods on nodes with overhead; 0 wait for a node.');
    expect(page.faults).toEqual([]);
    await page.close();
  });

  it('says what is wrong with a question of the address, as text', async () => {
    const page = await browser.page(service.url);
    page.expectFaults(/^4\d\d: /, /status of 4/);
    await page.open(`clusters/sized/capacity?cpu=${encodeURIComponent(HOSTILE)}&memory=1Gi`);
    await page.sees('resources');
    await page.page.waitForSelector('.failure');
    expect(await page.page.$('img')).toBeNull();
    await page.open('clusters/sized/capacity?workload=Deployment%20default/none');
    await page.page.waitForSelector('.failure');
    await page.sees('none');
    expect(page.faults).toEqual([]);
    await page.close();
  });

  it.each(['light', 'dark'] as const)('shows markup and marks of direction in names as text, %s', async (scheme) => {
    const page = await browser.page(service.url);
    await page.colors(scheme);
    for (const [by, name] of [
      ['runtimeClass', `${HOSTILE}class`],
      ['node', HOSTILE],
    ] as const) {
      await page.open(`clusters/hostile/capacity?by=${by}`);
      for (const text of [`${HOSTILE}pool`, `${HOSTILE}taint`, `${HOSTILE}quota`]) await page.sees(text);
      await page.page.waitForFunction(
        `[...document.querySelectorAll('[aria-label="Overhead by group"] bdi')].some((one) => one.innerText === ${JSON.stringify(name)})`,
      );
      // A mark of direction does not reach beyond its name.
      const loose = await page.page.evaluate(`(() => {
        const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
        const found = [];
        while (texts.nextNode()) {
          const { data, parentElement } = texts.currentNode;
          if (data.includes('\u202e') && parentElement.closest('bdi') === null) found.push(parentElement.outerHTML);
        }
        return found;
      })()`);
      expect(loose).toEqual([]);
      expect(await page.page.$('main img')).toBeNull();
      expect(await page.violations()).toEqual([]);
    }
    await page.click('link', HOSTILE);
    await page.sees(`Node ${HOSTILE}`);
    expect(page.faults).toEqual([]);
    await page.close();
  });

  it.each(['light', 'dark'] as const)('is accessible, %s, and fits a small screen', async (scheme) => {
    const page = await browser.page(service.url);
    await page.colors(scheme);
    await page.open('clusters/sized/capacity?revision=1');
    await page.sees('team-quota allows 20 requests.cpu');
    await settled(page);
    expect(await page.violations()).toEqual([]);
    await page.page.setViewport({ width: 390, height: 844 });
    expect(
      await page.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    ).toBeLessThanOrEqual(0);
    expect(page.faults).toEqual([]);
    await page.close();
  });
});
