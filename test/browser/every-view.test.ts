import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import { ApiClient } from '../../demo/api-client.js';
import { DEMO_CLUSTERS, loadDemoCluster } from '../../demo/demo-clusters.js';
import { TestBrowser, type ColorScheme, type DashboardPage } from '../support/browser.js';
import { startTestService, type TestService } from '../support/service.js';

/** With `PICTURES=docs/pictures`, the pictures of the documentation are taken again. */
const PICTURES = process.env['PICTURES'] ?? '';
const SCHEMES: readonly ColorScheme[] = ['light', 'dark'];

let service: TestService;
let browser: TestBrowser;

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  const client = new ApiClient(service.url);
  for (const cluster of DEMO_CLUSTERS) await loadDemoCluster(client, cluster, process.cwd());
  if (PICTURES !== '') await mkdir(PICTURES, { recursive: true });
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

/** Waits until nothing is being read. */
async function settled(page: DashboardPage): Promise<void> {
  await page.page.waitForFunction(
    "document.querySelector('h1') !== null && document.querySelector('.pending, [aria-busy=true]') === null",
  );
}

/** The name of a node of a cluster. */
async function firstNode(cluster: string): Promise<string> {
  const nodes = await service.request('GET', `/api/v1/clusters/${cluster}/nodes?limit=1`);
  return (nodes.at('items') as readonly { readonly name: string }[])[0]!.name;
}

async function picture(page: DashboardPage, name: string): Promise<void> {
  if (PICTURES === '') return;
  await writeFile(`${PICTURES}/${name}.png`, await page.page.screenshot({ type: 'png' }));
}

describe.each(SCHEMES)('every view, %s', (scheme) => {
  it.each(['demo-eks', 'demo-minikube'])(
    'of %s is accessible, fits a small screen, and has no fault',
    async (cluster) => {
      const page = await browser.page(service.url);
      await page.colors(scheme);
      await page.open(`clusters/${cluster}/overview`);
      await page.sees(cluster);
      const paths = (await page.page.$$eval('nav.views a', (links) =>
        links.map((link) => (link as unknown as { readonly pathname: string }).pathname),
      )) as readonly string[];
      expect(paths.length).toBeGreaterThan(1);
      const node = await firstNode(cluster);
      const changes = [
        { editNodes: { nodes: [node], taints: ['maintenance=true:NoExecute'] } },
        { addNodes: { like: node, count: 2 } },
      ];
      const pages = [
        ...paths.filter((path) => !path.endsWith('/what-if')),
        `/ui/clusters/${cluster}/what-if?scenario=${encodeURIComponent(JSON.stringify(changes))}`,
        `/ui/clusters/${cluster}/node?node=${node}`,
      ];
      const problems: unknown[] = [];
      for (const path of pages) {
        const view = path.split('/').at(-1)!.split('?')[0]!;
        await page.open(path.replace(/^\/ui\//, ''));
        await settled(page);
        if (cluster === 'demo-eks') await picture(page, `${view}-${scheme}`);
        for (const violation of await page.violations()) problems.push({ view, violation });
        await page.page.setViewport({ width: 390, height: 844 });
        const overflow = Number(
          await page.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
        );
        if (overflow > 0) problems.push({ view, overflow });
        await page.page.setViewport({ width: 1280, height: 900 });
      }
      expect(problems).toEqual([]);
      expect(page.faults).toEqual([]);
      await page.close();
    },
    180_000,
  );

  it('of the search is, too', async () => {
    const page = await browser.page(service.url);
    await page.colors(scheme);
    await page.open('clusters/demo-eks/overview');
    await page.sees('What is odd');
    await settled(page);
    await page.click('button', 'Search Ctrl K');
    await page.page.waitForSelector('dialog[open] input:focus');
    await page.page.keyboard.type('du');
    await page.sees('in 4 clusters');
    await picture(page, `search-${scheme}`);
    expect(await page.violations()).toEqual([]);
    expect(page.faults).toEqual([]);
    await page.close();
  });

  it('of the fleet is, too', async () => {
    const page = await browser.page(service.url);
    await page.colors(scheme);
    await page.open('');
    await page.sees('demo-minikube');
    await settled(page);
    await picture(page, `fleet-${scheme}`);
    expect(await page.violations()).toEqual([]);
    expect(page.faults).toEqual([]);
    await page.close();
  });
});
