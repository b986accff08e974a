import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { TestBrowser } from '../../test/support/browser.js';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark } from '../measure.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';

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
