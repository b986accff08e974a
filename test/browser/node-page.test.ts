import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

let service: TestService;
let browser: TestBrowser;
let page: DashboardPage;
const HOSTILE = '<b onclick=alert(1)>\u202ex';
const TAINTS = [{ key: 'gpu', value: 'a100', effect: 'NoExecute' }];
const PODS = Array.from({ length: 150 }, (_, at) => pod(`t/web-${at}`, 'a', { tolerations: [{ operator: 'Exists' }] }));

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  await store(service, 'c', [node('a'), ...PODS]);
  await store(
    service,
    'c',
    [node('a', { spec: { unschedulable: true, taints: TAINTS } }), node(HOSTILE), ...PODS, pod('t/evicted', 'a')],
    '&invalid=keep',
  );
  const many = Array.from({ length: 5000 }, (_, at) => {
    const name = `n-${String(at).padStart(4, '0')}`;
    return node(name, { metadata: { name, labels: { 'karpenter.sh/nodepool': 'batch' } } });
  });
  await store(service, 'many', many);
  page = await browser.page(service.url);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

const address = (): string => decodeURIComponent(page.page.url());

describe('the page of a node', () => {
  it('has its taints with who set them, what they mean for its pods, its pods, conditions and trail', async () => {
    await page.open('clusters/c/node?node=a');
    await page.sees('gpu=a100:NoExecute');
    await page.sees('cordoned');
    await page.sees('1 pod ✕ evicted at once');
    await page.sees('150 pods ● may stay, and come');
    await page.sees('Taints and cordons of a');
    await page.page.waitForSelector(
      '[role=table][aria-label="Pods of the node"][aria-rowcount="152"][data-virtual=true]',
    );
    await page.page.waitForSelector('[role=table][aria-label="Taints and cordons as intervals"]');
    expect(page.faults).toEqual([]);
  });

  it.each([
    ['Change its taints', 'changes'],
    ['When its pods are evicted', 'evictions'],
    ['Drain it', 'evictions'],
    ['Which pods it repels', 'matrix'],
    ['Its trail', 'trail'],
  ])('leads on with the node chosen: %s', async (link, view) => {
    await page.open('clusters/c/node?node=a');
    await page.click('link', link);
    await page.page.waitForFunction(`location.pathname.endsWith('/c/${view}')`);
    await page.page.waitForFunction('document.activeElement?.tagName === "H1"');
    expect(address()).toMatch(/nodes?"?[=:]"?a/);
    expect(page.faults).toEqual([]);
  });

  it('shows the node as of the past', async () => {
    await page.open('clusters/c/node?node=a&revision=1');
    await page.sees('It has no taint');
    await page.sees('What was on a at that moment');
    await page.open(`clusters/c/node?node=${encodeURIComponent(HOSTILE)}&revision=1`);
    page.expectFaults(/404/);
    await page.sees('does not exist in this revision');
  });

  it.each(['light', 'dark'] as const)('is accessible, and fits a small screen, %s', async (scheme) => {
    await page.colors(scheme);
    for (const name of ['a', HOSTILE]) {
      await page.open(`clusters/c/node?node=${encodeURIComponent(name)}`);
      await page.sees(`Node ${name}`);
      await page.sees('Conditions');
      expect(await page.violations()).toEqual([]);
    }
    await page.open('clusters/c/node?node=a');
    await page.sees('1 pod ✕ evicted at once');
    await page.page.setViewport({ width: 390, height: 844 });
    expect(
      await page.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    ).toBe(0);
    await page.page.setViewport({ width: 1280, height: 900 });
  });
});

describe('the nodes of a cluster', () => {
  it('come by taints or by pool, in groups that open to all nodes, of which the page holds those in sight', async () => {
    await page.open('clusters/many/overview');
    await page.sees('5,000 nodes');
    await page.page.select('.select-field select', 'pool');
    await page.sees('by the label karpenter.sh/nodepool');
    expect(address()).toContain('by=pool');
    await page.page.click('details summary');
    await page.page.waitForSelector('[role=table][aria-label="Nodes of the group"][aria-rowcount="5001"]');
    await page.sees('n-0000');
    expect((await page.page.$$('[aria-label="Nodes of the group"] [role=row]')).length).toBeLessThan(100);
    expect(await page.violations()).toEqual([]);
    await page.click('link', 'n-0001');
    await page.sees('Node n-0001');
  });
});
