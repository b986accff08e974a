import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import { ApiClient } from '../../demo/api-client.js';
import { DEMO_CLUSTERS, loadDemoCluster } from '../../demo/demo-clusters.js';
import { TestBrowser, type ColorScheme, type DashboardPage } from '../support/browser.js';
import { startTestService, type TestService } from '../support/service.js';

/** With `PICTURES=docs/pictures`, the pictures of the documentation are taken again. */
const PICTURES = process.env['PICTURES'] ?? '';
const SCHEMES: readonly ColorScheme[] = ['light', 'dark'];

/** The cluster whose picture says most of a view. */
const PICTURED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['overview', 'matrix', 'explorer', 'what-if', 'changes', 'trail', 'evictions', 'capacity', 'node'].map((view) => [
      view,
      'demo-eks',
    ]),
  ),
  pending: 'demo-minikube',
};

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

/** What the views are asked, where without a question they show only its form. */
async function questionsOf(cluster: string, node: string): Promise<Readonly<Record<string, string>>> {
  const pods = await service.request('GET', `/api/v1/clusters/${cluster}/pods?limit=1`);
  const stored = `Pod ${String(pods.at('items.0.namespace'))}/${String(pods.at('items.0.name'))}`;
  const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value));
  const draft = json({ by: 'all', taints: 'maintenance=true:NoExecute' });
  const changes = [
    { editNodes: { nodes: [node], taints: ['maintenance=true:NoExecute'] } },
    { addNodes: { like: node, count: 2 } },
  ];
  return {
    changes: `?draft=${draft}`,
    evictions: `?draft=${draft}&landing=true`,
    upgrade: '?to=1.31',
    explorer: `?stored=${encodeURIComponent(stored)}`,
    'what-if': `?scenario=${json(changes)}`,
  };
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
      const questions = await questionsOf(cluster, node);
      const pages = [
        ...paths.filter((path) => !path.endsWith('/what-if')),
        ...paths.flatMap((path) => {
          const question = questions[path.split('/').at(-1)!];
          return question === undefined ? [] : [`${path}${question}`];
        }),
        `/ui/clusters/${cluster}/node?node=${node}`,
      ];
      const problems: unknown[] = [];
      for (const path of pages) {
        const view = path.split('/').at(-1)!.split('?')[0]!;
        await page.open(path.replace(/^\/ui\//, ''));
        await settled(page);
        if (view === 'matrix') {
          await page.page.locator('[role=table] button').click();
          await page.page.waitForSelector('.matrix-sides');
          await page.page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
        }
        if (cluster === PICTURED[view]) await picture(page, `${view}-${scheme}`);
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
    await page.page.waitForFunction("!document.body.innerText.includes('still to be counted')");
    expect(
      await page.page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.vtable'))",
      ),
    ).toBe(0);
    await picture(page, `fleet-${scheme}`);
    expect(await page.violations()).toEqual([]);
    expect(page.faults).toEqual([]);
    await page.close();
  });
});
