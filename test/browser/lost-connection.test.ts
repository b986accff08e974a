import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '../../demo/api-client.js';
import { DEMO_CLUSTERS, loadDemoCluster } from '../../demo/demo-clusters.js';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { startTestService, type TestService } from '../support/service.js';
import { TcpLine } from '../support/tcp-line.js';

let service: TestService;
let line: TcpLine;
let browser: TestBrowser;

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  const client = new ApiClient(service.url);
  for (const cluster of DEMO_CLUSTERS) await loadDemoCluster(client, cluster, process.cwd());
  line = await TcpLine.to(service.url);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await line.cut();
  await service.close();
});

const contentOf = async (page: DashboardPage): Promise<string> =>
  String(await page.page.evaluate("document.querySelector('main').innerText"));

/** Waits until nothing is being read. */
const settled = (page: DashboardPage): Promise<unknown> =>
  page.page.waitForFunction(
    "document.querySelector('h1') !== null && document.querySelector('.pending, [aria-busy=true]') === null",
  );

describe('a lost connection', () => {
  it('is said in every view, which keeps what it shows and is live again by itself', async () => {
    const page = await browser.page(line.url);
    page.expectFaults(/ERR_CONNECTION_REFUSED|^failed: /, /ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE/);
    await page.open('clusters/demo-eks/overview');
    await page.sees('live');
    const links = await page.page.$$eval('nav.views a', (all) =>
      all.map((link) => (link as unknown as { readonly pathname: string }).pathname),
    );
    expect(links.length).toBeGreaterThan(6);
    const problems: unknown[] = [];
    for (const path of links) {
      await page.open(path.replace(/^\/ui\//, ''));
      await page.page.waitForFunction("document.querySelector('[data-state=live]') !== null");
      await settled(page);
      const before = await contentOf(page);
      await line.cut();
      await page.sees('connection lost, trying again');
      const after = await contentOf(page);
      if (after !== before) problems.push({ path, before, after });
      for (const violation of await page.violations()) problems.push({ path, violation });
      await line.mend();
      await page.page.waitForFunction("document.querySelector('[data-state=live]') !== null");
      await settled(page);
      const again = await contentOf(page);
      if (again !== before) problems.push({ path, before, again });
    }
    expect(problems).toEqual([]);
    expect(page.faults).toEqual([]);
    await page.close();
  }, 180_000);

  it('keeps the answer that cannot be renewed, with its age, and one asks again by hand', async () => {
    const page = await browser.page(line.url);
    page.expectFaults(/ERR_CONNECTION_REFUSED|^failed: /, /ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE/);
    await page.open('');
    await page.sees('demo-minikube');
    await line.cut();
    await page.sees('The service does not answer.');
    await page.sees('demo-minikube');
    await line.mend();
    // Unless the page has just asked again by itself.
    await page.page.evaluate("document.querySelector('.stale button:not([disabled])')?.click()");
    await page.page.waitForFunction("document.querySelector('.stale') === null");
    await page.sees('demo-minikube');
    expect(page.faults).toEqual([]);
    await page.close();
  }, 90_000);
});
