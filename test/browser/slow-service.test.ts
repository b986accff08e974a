import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { SlowProxy } from '../support/slow-proxy.js';
import { store } from '../support/small-cluster.js';

let service: TestService;
let proxy: SlowProxy;
let browser: TestBrowser;
let page: DashboardPage;

const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value));
const DRAFT = json({ by: 'all', taints: 'x:NoExecute' });

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  const objects = [node('a'), pod('t/runs', 'a'), pod('t/waits', '', { nodeSelector: { none: 'such' } })];
  await store(service, 'c', objects);
  await store(service, 'c', [...objects, node('b')]);
  proxy = await SlowProxy.to(service.url);
  page = await browser.page(proxy.url);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await proxy.close();
  await service.close();
});

/** Presses the button that says this. */
async function press(text: string): Promise<void> {
  await page.page.waitForFunction(
    `[...document.querySelectorAll('main button')].some((one) => one.innerText === ${JSON.stringify(text)})`,
  );
  await page.page.evaluate(
    `[...document.querySelectorAll('main button')].find((one) => one.innerText === ${JSON.stringify(text)}).click()`,
  );
}

const settled = (): Promise<unknown> =>
  page.page.waitForFunction("document.querySelector('h1') !== null && document.querySelector('.pending') === null");

describe('a question that takes long', () => {
  it.each([
    ['overview', '/node-groups', 'Reading the nodes…', 'no taint'],
    ['pending', '/queue-runs', 'Reading the pods that wait…', '1 pod waits for default-scheduler'],
    ['matrix', '/node-matrix', 'Reading the matrix…', '2 nodes in 1 group'],
    [`changes?draft=${DRAFT}`, '/taint-changes', 'Reading what the change would do…', '2 nodes change'],
    [`changes?draft=${DRAFT}`, '/eviction-schedules', 'Reading where the pods go…', 'Of 1 evicted pods'],
    ['trail', '/taint-trail', 'Reading the fights…', 'Nobody undoes'],
    ['evictions', '/eviction-schedules', 'Reading when pods are evicted…', '0 leave now'],
    [`evictions?tab=drains&drain=${json({ nodes: 'a' })}`, '/drains', 'Reading the drain…', 'No budget blocks it.'],
    ['evictions?tab=budgets', '/disruption-budgets', 'Reading the budgets…', 'The cluster has none'],
    ['capacity', '/capacities', 'Reading the capacity…', 'replicas of a pod without tolerations fit'],
    ['node?node=a', '/summary', 'Reading the node…', 'may stay, and come'],
    ['explorer?stored=Pod%20t/waits', '/placements', 'The service is evaluating…', '0 of 2 nodes can take it'],
  ])('says so, is cancelled and asked again: %s, %s', async (path, question, progress, answer) => {
    proxy.hold((asked) => asked.includes(question));
    proxy.abandoned.length = 0;
    await page.open(`clusters/c/${path}`);
    await page.sees(progress);
    await page.page.waitForFunction(
      "[...document.querySelectorAll('main button')].some((one) => one.innerText === 'Cancel')",
    );
    expect(await page.violations()).toEqual([]);
    await press('Cancel');
    await page.sees('Cancelled.');
    expect(await page.page.evaluate('document.body.innerText')).not.toContain(answer);
    // The service is told, and asked no more.
    await until(() => proxy.abandoned.some((asked) => asked.includes(question)));
    expect(await page.violations()).toEqual([]);
    proxy.release();
    await press('Ask again');
    await page.sees(answer);
    expect(page.faults).toEqual([]);
  });

  it('leaves the answer before where it is, and says that it is not the one that was asked for', async () => {
    await page.open('clusters/c/pending');
    await page.sees('0/2 nodes are available');
    await settled();
    proxy.hold((asked) => asked.includes('/queue-runs'));
    await page.click('button', 'Earlier revision');
    await page.sees('Reading the pods that wait… Until then you see the answer before.');
    await page.sees('0/2 nodes are available');
    await press('Cancel');
    await page.sees('Cancelled. You see the answer before.');
    expect(await page.violations()).toEqual([]);
    proxy.release();
    await press('Ask again');
    await page.sees('0/1 nodes are available');
    expect(await page.page.evaluate('document.body.innerText')).not.toContain('the answer before');
    expect(page.faults).toEqual([]);
  });

  it('is not cancelled by changes that come faster than its answer, and is asked again after them', async () => {
    const nodes = (...names: readonly string[]) =>
      store(service, 'live', [...names.map((name) => node(name)), pod('t/p', 'a')]);
    await nodes('a');
    await page.open('clusters/live/matrix');
    await page.sees('1 node in 1 group');
    await until(() => proxy.asked.some((asked) => asked.includes('/events')));
    proxy.abandoned.length = 0;
    const count = (question: string): number => proxy.asked.filter((asked) => asked.includes(question)).length;
    proxy.hold((asked) => asked.includes('/node-matrix'));
    const before = { matrix: count('/node-matrix'), revisions: count('/snapshots') };
    await nodes('a', 'b');
    await until(() => count('/node-matrix') === before.matrix + 1 && count('/snapshots') === before.revisions + 1);
    await nodes('a', 'b', 'c');
    await until(() => count('/snapshots') === before.revisions + 2);
    expect(proxy.abandoned).toEqual([]);
    expect(count('/node-matrix')).toBe(before.matrix + 1);
    proxy.release();
    await page.sees('3 nodes in 1 group');
    expect(count('/node-matrix')).toBe(before.matrix + 2);
    expect(page.faults).toEqual([]);
  });

  it('is cancelled in the verification of the trail, too', async () => {
    await page.open('clusters/c/trail');
    await page.sees('Nobody undoes');
    proxy.hold((asked) => asked.includes('/verify'));
    proxy.abandoned.length = 0;
    await press('Verify the trail');
    await page.sees('Verifying the trail…');
    await press('Cancel');
    await page.page.waitForFunction("!document.body.innerText.includes('Verifying the trail…')");
    await until(() => proxy.abandoned.some((asked) => asked.includes('/verify')));
    proxy.release();
    await press('Verify the trail');
    await page.sees('holds');
    expect(page.faults).toEqual([]);
  });
});

/** Waits for what the page has brought about elsewhere. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
