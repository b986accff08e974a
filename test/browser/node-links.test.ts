import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeWrite } from '../support/audit-event.js';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

let service: TestService;
let browser: TestBrowser;
let page: DashboardPage;
/** The id of a change that was made. */
let made: string;

const overhead = { runtimeClassName: 'kata', overhead: { cpu: '250m' } };
const CLUSTER = [
  node('worker-1', { spec: { taints: [{ key: 'drained', effect: 'NoExecute' }] } }),
  pod('shop/stays', 'worker-1', { ...overhead, tolerations: [{ operator: 'Exists' }] }),
  pod('shop/leaves', 'worker-1'),
  pod('shop/loses', 'worker-1', { tolerations: [{ key: 'drained', operator: 'Exists' }] }),
  pod('shop/waits', '', { tolerations: [{ operator: 'Exists' }] }),
  { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'kata' }, handler: 'kata' },
];

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  await store(service, 'c', [node('worker-1')], '&capturedAt=2026-05-04T03:00:00Z');
  await store(service, 'c', CLUSTER, '&capturedAt=2026-05-04T04:00:00Z&allowRemovals=true');
  for (let turn = 0; turn < 6; turn += 1) {
    const [user, taints] = turn % 2 === 0 ? ['alice', []] : ['bob', [{ key: 'drained', effect: 'NoExecute' }]];
    const at = new Date(Date.UTC(2026, 4, 4, 3, 10, turn)).toISOString();
    const write = nodeWrite({ id: `turn-${turn}`, node: 'worker-1', at, user, taints });
    expect((await service.request('POST', '/api/v1/clusters/c/audit-events', write)).status).toBe(200);
  }
  await store(service, 'c', [...CLUSTER, node('later')]);
  const change = { nodes: ['worker-1'], taints: ['x:NoExecute'], reason: 'a new kernel' };
  const answer = await service.request('POST', '/api/v1/clusters/c/taint-changes', change);
  expect(answer.status).toBe(201);
  made = String(answer.at('change.id'));
  page = await browser.page(service.url);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value));

describe('the name of a node leads to its page as of the moment that is shown', () => {
  it.each([
    ['the nodes in groups of the cluster', 'overview?', 'Nodes of the group'],
    ['the matrix as a table', 'matrix?', 'Pods against nodes'],
    ['where a pod goes that waits', 'pending?', 'Pods with the same outcome'],
    ['the matrix, beside a cell', `matrix?node=worker-1%2B&workload=${encodeURIComponent('shop/Pod/leaves')}&`, 'Why'],
    [
      'the matrix, in the nodes of a row',
      `matrix?node=worker-1%2B&workload=${encodeURIComponent('shop/Pod/leaves')}&`,
      'Nodes with these taints',
    ],
    ['the nodes in groups of a placement', 'explorer?stored=Pod%20shop/waits&', 'Nodes of the group'],
    ['the ranking of a placement', 'explorer?stored=Pod%20shop/waits&', 'ranking'],
    ['the nodes of a change', 'changes?change=MADE&', 'The change, node by node'],
    ['the nodes that workloads lose', 'changes?change=MADE&', 'change-effects'],
    ['the records of the trail', 'trail?', 'Records of the trail'],
    ['the fights of the trail', 'trail?', 'fights'],
    ['the pods that are evicted', 'evictions?', 'Pods by when they are evicted'],
    [
      'the drained nodes',
      `evictions?tab=drains&drain=${json({ nodes: 'worker-1' })}&`,
      'Nodes in the order of the drain',
    ],
    ['the overhead by node', 'capacity?by=node&', 'Overhead by group'],
  ])('in %s', async (_where, path, part) => {
    await page.open(`clusters/c/${path.replace('MADE', made)}revision=2`);
    const inPart = `[aria-label=${JSON.stringify(part)}], [aria-labelledby=${JSON.stringify(part)}]`;
    await page.page.waitForFunction(`(() => {
      for (const one of document.querySelectorAll('main details')) one.open = true;
      return [...document.querySelectorAll(${JSON.stringify(inPart)})].some((one) =>
        [...one.querySelectorAll('a')].some((link) => link.innerText === 'worker-1'));
    })()`);
    await page.page.evaluate(`[...document.querySelectorAll(${JSON.stringify(inPart)})]
      .flatMap((one) => [...one.querySelectorAll('a')]).find((link) => link.innerText === 'worker-1').click()`);
    await page.sees('Node worker-1');
    const { pathname, searchParams } = new URL(page.page.url());
    expect(pathname).toBe('/ui/clusters/c/node');
    expect(Object.fromEntries(searchParams)).toEqual({ revision: '2', node: 'worker-1' });
    expect(await page.violations()).toEqual([]);
    expect(page.faults).toEqual([]);
  });
});
