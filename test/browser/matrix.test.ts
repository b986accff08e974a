import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '../../demo/api-client.js';
import { DEMO_CLUSTERS, loadDemoCluster } from '../../demo/demo-clusters.js';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { list, node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';

const HOSTILE = '<img src=x onerror="document.title=1">\u202egpj';

let service: TestService;
let browser: TestBrowser;
let page: DashboardPage;

async function store(cluster: string, objects: readonly object[], capturedAt: string): Promise<void> {
  const path = `/api/v1/clusters/${cluster}/snapshots?createCluster=true&capturedAt=${capturedAt}`;
  const { status, text } = await service.request('POST', path, list(objects));
  expect({ status, text }).toMatchObject({ status: 201 });
}

const tainted = (name: string, ...taints: readonly object[]): object => node(name, { spec: { taints } });
const gpu = { key: 'gpu', value: 'a100', effect: 'NoSchedule' };
const drain = { key: 'drain', effect: 'NoExecute' };
const slow = { key: 'slow', effect: 'PreferNoSchedule' };
const plain = [pod('shop/web-1', 'free', {}, { kind: 'ReplicaSet', name: 'web' }), pod('shop/job', 'free')];
const tolerant = pod('ml/train', 'gpu-1', {
  tolerations: [
    { key: 'other', operator: 'Exists' },
    { key: 'gpu', operator: 'Exists' },
    { key: 'drain', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
  ],
});

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  await loadDemoCluster(new ApiClient(service.url), DEMO_CLUSTERS[0]!, process.cwd());
  const first = [
    node('free'),
    tainted('gpu-1', gpu),
    tainted('gpu-2', gpu),
    tainted('slow-1', slow),
    ...plain,
    tolerant,
  ];
  await store('matrix', first, '2026-05-04T03:00:00Z');
  await store('matrix', [...first, tainted('gone-1', gpu, drain)], '2026-05-04T04:00:00Z');
  // Names of owners are kept as they are.
  const owned = pod('shop/web-1', 'n', {}, { kind: 'StatefulSet', name: HOSTILE });
  await store('hostile', [node('n'), owned], '2026-05-04T03:00:00Z');
  page = await browser.page(service.url);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

/** Of the explanation beside the matrix. */
const why = async (): Promise<string> =>
  String(await page.page.evaluate('document.querySelector(\'section[aria-label="Why"]\').innerText'));

describe('the taint matrix', () => {
  it('says of every pair of nodes and pods what taints decide, and why', async () => {
    await page.open('clusters/matrix/matrix');
    await page.sees('5 nodes in 4 groups, 3 pods in 2 groups');
    // The groups of nodes from top to bottom are: gpu, free, gone, slow; the second column is `ml/train`.
    await page.page.focus('canvas');
    await page.page.keyboard.press('ArrowDown');
    await page.sees('A taint is not tolerated: the scheduler places no new pod there; running pods stay.');
    expect(await why()).toContain('none matches');
    await page.page.keyboard.press('ArrowRight');
    await page.sees('No taint keeps these pods off these nodes.');
    expect(await why()).toMatch(/gpu=a100:NoSchedule\s+spec\.taints\[0\]\s+gpu Exists[^\n]*\s+spec\.tolerations\[1\]/);
    expect(await page.violations()).toEqual([]);

    const link = page.page.url();
    expect(new URL(link).searchParams.get('workload')).toBe('ml/Pod/train');
    await page.page.goto(link, { waitUntil: 'domcontentloaded' });
    await page.sees('spec.tolerations[1]');
    expect(page.faults).toEqual([]);
  });

  it('filters by names, taints, tolerations and verdicts, in the address too', async () => {
    await page.open('clusters/matrix/matrix');
    await page.sees('5 nodes in 4 groups');
    await page.fill('Nodes', 'gpu-2');
    await page.sees('1 node in 1 group, 3 pods in 2 groups');
    await page.fill('Pods', 'web');
    await page.sees('1 node in 1 group, 1 pod in 1 group');
    expect(new URL(page.page.url()).search).toContain('pods=web');
    await page.sees('ReplicaSet shop/web');
    await page.open('clusters/matrix/matrix');
    await page.sees('5 nodes in 4 groups, 3 pods in 2 groups');
    await page.page.locator('::-p-text(would be evicted)').click();
    await page.sees('1 node in 1 group, 3 pods in 2 groups');
    expect(new URL(page.page.url()).search).toContain('verdict=evicted');
    await page.page.locator('[role=table] button').click();
    await page.sees('Running pods are evicted at once, and no new pod is placed there.');
    await page.fill('Nodes', 'nothing-like-it');
    await page.sees('No pair of nodes and pods is like that.');
    expect(page.faults).toEqual([]);
  });

  it('opens a group of nodes to each of them with the keyboard', async () => {
    await page.open('clusters/matrix/matrix?nodes=gpu-');
    await page.sees('2 nodes in 1 group');
    await page.page.focus('canvas');
    await page.page.keyboard.press('ArrowDown');
    await page.page.keyboard.press('Enter');
    await page.page.waitForFunction("document.querySelector('canvas').ariaLabel.includes('3 rows')");
    await page.page.keyboard.press('ArrowDown');
    await page.page.keyboard.press('ArrowDown');
    await page.page.waitForFunction("document.querySelector('.matrix-sides').innerText.includes('gpu-2')");
    expect(new URL(page.page.url()).searchParams.get('open')).toBe('gpu-1');
    expect(page.faults).toEqual([]);
  });

  it('is that of the past', async () => {
    await page.open('clusters/matrix/matrix?revision=1');
    await page.sees('4 nodes in 3 groups, 3 pods in 2 groups');
    await page.sees('as of the past');
    expect(page.faults).toEqual([]);
  });

  it('shows markup in names as text', async () => {
    await page.open('clusters/hostile/matrix');
    await page.sees('<img src=x');
    expect(await page.page.title()).toBe('Taint matrix · hostile · kube-placement');
    expect(await page.page.$('main img')).toBeNull();
    expect(page.faults).toEqual([]);
  });

  it.each([
    ['dark', 'light', [24, 32, 42]],
    ['light', 'dark', [255, 255, 255]],
  ] as const)('has the colours that one chooses, on the page and on the canvas: %s', async (chosen, system, panel) => {
    await page.colors(system);
    await page.open('clusters/matrix/matrix');
    await page.sees('5 nodes in 4 groups');
    await page.page.select('.theme select', chosen);
    await page.page.waitForFunction(
      `getComputedStyle(document.querySelector('.panel')).backgroundColor === 'rgb(${panel.join(', ')})'`,
    );
    await page.page.waitForFunction(`(() => {
      const read = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
      read.drawImage(document.querySelector('canvas'), 0, 0);
      return read.getImageData(0, 0, 1, 1).data.slice(0, 3).join() === '${panel.join()}';
    })()`);
    expect(await page.violations()).toEqual([]);
    await page.page.select('.theme select', 'system');
    expect(page.faults).toEqual([]);
  });

  it('is readable in the dark, and on a small screen', async () => {
    await page.colors('dark');
    await page.page.setViewport({ width: 390, height: 800 });
    await page.open('clusters/demo-eks/matrix');
    await page.sees('2 nodes in 1 group');
    await page.page.locator('[role=table] button').click();
    await page.sees('Taint by taint');
    expect(await page.violations()).toEqual([]);
    expect(await page.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(page.faults).toEqual([]);
  });
});
