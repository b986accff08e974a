import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { TestBrowser, type DashboardPage } from '../../test/support/browser.js';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark } from '../measure.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';
import { size } from '../brief.js';

const BUILT = join('dist', 'dashboard');

/** The dashboard's first page of the cluster, in a real browser that has never seen it. */
export const dashboardFirstView = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'dashboard-first-view',
  unit: 'ms',
  target: { absolute: 1000 },
  about:
    "from the navigation to the number of nodes on the cluster's page, in a real browser with an empty cache; reference: the request for its overview",
  rounds: 5,
  prepare: async () => {
    const [service, browser] = await Promise.all([bed.service(), TestBrowser.start()]);
    const nodes = String(cluster.shape.nodes);
    return {
      subject: async () => {
        const page = await browser.page(service.url);
        const started = performance.now();
        await page.open(`clusters/${CLUSTER}/overview`);
        await page.sees(nodes);
        const taken = performance.now() - started;
        if (page.faults.length > 0) throw new Error(page.faults.join('\n'));
        await page.close();
        return taken;
      },
      reference: async () => {
        const started = performance.now();
        await service.read(`/clusters/${CLUSTER}/overview`);
        return performance.now() - started;
      },
      teardown: () => browser.close(),
    };
  },
});

/** The matrix while it is dragged. */
export const dashboardPanning = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'dashboard-panning',
  unit: 'ms',
  target: { absolute: 50 },
  about: `the longest of 300 frames while the taint matrix of ${cluster.shape.nodes} nodes and ${cluster.shape.pods} pods is dragged; reference: that of the page at rest`,
  rounds: 3,
  prepare: async () => {
    const { page, close } = await matrixPage(bed);
    return {
      subject: async () => Number(await page.page.evaluate(longestFrame(true))),
      reference: async () => Number(await page.page.evaluate(longestFrame(false))),
      teardown: close,
    };
  },
});

/** The matrix's filter, letter by letter. */
export const dashboardFilter = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'dashboard-filter',
  unit: 'ms',
  target: { absolute: 100 },
  about: `from a letter in the filter of the taint matrix of ${cluster.shape.pods} pods to the frame after its count has changed, the longest of six; reference: a frame`,
  rounds: 3,
  prepare: async () => {
    const { page, close } = await matrixPage(bed);
    return {
      subject: async () => Number(await page.page.evaluate(LONGEST_FILTER)),
      reference: async () =>
        Number(
          await page.page.evaluate(
            'new Promise((done) => { const from = performance.now(); requestAnimationFrame(() => done(performance.now() - from)); })',
          ),
        ),
      teardown: close,
    };
  },
});

/** What comes in an hour if something changes every 15 seconds. */
const LIVE_CHANGES = size(240, 2);
const SETTLING_CHANGES = size(40, 2);

/** The page's memory, when changes keep coming. */
export const dashboardLiveMemory = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'dashboard-live-memory',
  unit: 'MB',
  target: { ratio: 0.9 },
  about: `the page's JavaScript heap, after a collection, with the taint matrix of ${cluster.shape.nodes} nodes and ${cluster.shape.pods} pods open, after ${LIVE_CHANGES} more live changes, an hour's; reference: after the first ${SETTLING_CHANGES}`,
  rounds: 1,
  warmUp: false,
  prepare: async () => {
    const { page, close } = await matrixPage(bed);
    const service = await bed.service();
    const devtools = await page.page.createCDPSession();
    let read = 0;
    page.page.on('response', (response) => {
      if (response.url().includes('/node-matrix')) read += 1;
    });
    let turn = 0;
    const heapAfter = async (changes: number): Promise<number> => {
      for (let change = 0; change < changes; change += 1) {
        const taint = turn++ % 2 === 0 ? 'live=yes:PreferNoSchedule' : 'live:PreferNoSchedule-';
        const before = read;
        await service.ask(`/clusters/${CLUSTER}/taint-changes`, {
          nodes: [cluster.state.nodes.name(0)],
          taints: [taint],
          reason: 'a benchmark',
        });
        while (read === before) await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await page.page.waitForNetworkIdle({ concurrency: 1 });
      await devtools.send('HeapProfiler.collectGarbage');
      const { JSHeapUsedSize = Number.NaN } = await page.page.metrics();
      return JSHeapUsedSize / 1e6;
    };
    const first = await heapAfter(SETTLING_CHANGES);
    return { subject: () => heapAfter(LIVE_CHANGES), reference: () => first, teardown: close };
  },
});

interface OpenPage {
  readonly page: DashboardPage;
  readonly close: () => Promise<void>;
}

async function matrixPage(bed: TestBed): Promise<OpenPage> {
  const [service, browser] = await Promise.all([bed.service(), TestBrowser.start()]);
  const page = await browser.page(service.url);
  await page.open(`clusters/${CLUSTER}/matrix`);
  await page.page.waitForSelector('canvas');
  return { page, close: () => browser.close() };
}

/** Milliseconds of the longest of 300 frames. */
const longestFrame = (isDragged: boolean): string => `new Promise((done) => {
  const canvas = document.querySelector('canvas');
  const { x, y } = canvas.getBoundingClientRect();
  const send = (type, clientX, clientY) =>
    ${String(isDragged)} && canvas.dispatchEvent(
      new PointerEvent(type, { clientX, clientY, pointerId: 1, bubbles: true, isPrimary: true, buttons: 1 }));
  canvas.setPointerCapture = () => {};
  send('pointerdown', x + 700, y + 400);
  let frames = 0, longest = 0, last;
  const step = (now) => {
    if (last !== undefined) longest = Math.max(longest, now - last);
    last = now;
    const way = (frames % 200 < 100 ? frames % 200 : 200 - (frames % 200)) * 9;
    send('pointermove', x + 700 - way, y + 400 - way / 3);
    frames += 1;
    if (frames <= 300) return requestAnimationFrame(step);
    send('pointerup', x, y);
    done(longest);
  };
  requestAnimationFrame(step);
})`;

const LONGEST_FILTER = `(async () => {
  const field = document.querySelectorAll('main input[type=search]')[1];
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const count = () => document.querySelector('.matrix-count').textContent;
  let longest = 0;
  for (const word of ['w', 'we', 'web', 'web-1', 'web-12', '']) {
    const before = count();
    const started = performance.now();
    set.call(field, word);
    field.dispatchEvent(new Event('input', { bubbles: true }));
    // A letter that narrows nothing changes nothing.
    while (count() === before && performance.now() - started < 2000) await new Promise((done) => setTimeout(done, 0));
    if (count() === before) continue;
    await frame();
    longest = Math.max(longest, performance.now() - started);
    for (let rest = 0; rest < 10; rest += 1) await frame();
  }
  if (longest === 0) throw new Error('no letter changed the count');
  return longest;
})()`;

/** The JavaScript that the page's first view loads, compressed. */
export const dashboardScript = (): Benchmark => ({
  name: 'dashboard-script',
  unit: 'KB',
  target: { absolute: 250 },
  about: 'the JavaScript before the first view, with gzip; reference: all JavaScript of the dashboard',
  rounds: 1,
  warmUp: false,
  prepare: async () => {
    await (await TestBrowser.start()).close();
    const page = await readFile(join(BUILT, 'index.html'), 'utf8');
    const first = [...page.matchAll(/(?:src|href)="\.\/assets\/([^"]+\.js)"/g)].map(([, name]) => name!);
    const all = (await readdir(join(BUILT, 'assets'))).filter((name) => name.endsWith('.js'));
    return { subject: () => compressed(first), reference: () => compressed(all) };
  },
});

/** @returns KB */
async function compressed(names: readonly string[]): Promise<number> {
  const files = await Promise.all(names.map((name) => readFile(join(BUILT, 'assets', name))));
  return files.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0) / 1000;
}
