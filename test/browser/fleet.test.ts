import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '../../demo/api-client.js';
import { DEMO_CLUSTERS, loadDemoCluster } from '../../demo/demo-clusters.js';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { startTestService, type TestService } from '../support/service.js';
import { sql } from '../support/sql.js';

let service: TestService;
let browser: TestBrowser;
let page: DashboardPage;

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  const client = new ApiClient(service.url);
  for (const cluster of DEMO_CLUSTERS) await loadDemoCluster(client, cluster, process.cwd());
  page = await browser.page(service.url);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

describe('the fleet', () => {
  it('shows every cluster, and leads to each', async () => {
    await page.open('');
    for (const { name } of DEMO_CLUSTERS) await page.sees(name);
    await page.sees('4 clusters, 4 to look at');
    await page.sees('pods wait');
    expect(await page.violations()).toEqual([]);
    await page.click('link', 'demo-eks');
    await page.sees('type=hound:NoSchedule');
    expect(new URL(page.page.url()).pathname).toBe('/ui/clusters/demo-eks/overview');
    expect(await page.page.title()).toBe('Cluster · demo-eks · kube-placement');
    expect(await page.violations()).toEqual([]);
    expect(page.faults).toEqual([]);
  });

  it('opens clusters as of the moment of the address, which stays until one goes back to now', async () => {
    await page.colors('dark');
    await page.open('?at=2099-01-01T00:00:00Z');
    await page.sees('The fleet is shown as it is now; the clusters open as of 1 Jan 2099');
    expect(await page.violations()).toEqual([]);
    await page.click('link', 'demo-eks');
    await page.sees('as of the past');
    await page.sees('type=hound:NoSchedule');
    const { pathname, searchParams } = new URL(page.page.url());
    expect([pathname, searchParams.get('at')]).toEqual(['/ui/clusters/demo-eks/overview', '2099-01-01T00:00:00Z']);
    await page.click('link', 'kube-placement');
    await page.sees('the clusters open as of 1 Jan 2099');
    await page.click('link', 'Back to now');
    await page.page.waitForFunction("!document.body.innerText.includes('the clusters open as of')");
    await page.click('link', 'demo-eks');
    await page.sees('live');
    expect(new URL(page.page.url()).search).toBe('');
    // A revision is that of one cluster.
    await page.open('clusters/demo-eks/overview?revision=1');
    await page.sees('as of the past');
    await page.click('link', 'kube-placement');
    await page.sees('4 clusters, 4 to look at');
    expect(new URL(page.page.url()).search).toBe('');
    expect(page.faults).toEqual([]);
  });

  it('is readable in the dark', async () => {
    await page.colors('dark');
    await page.open('');
    await page.sees('demo-eks');
    expect(await page.violations()).toEqual([]);
    expect(page.faults).toEqual([]);
  });
});

describe('the fleet of thousands', () => {
  const HOSTILE = { note: '<b onmouseover=alert(1)>\u202Eevil</b>' };

  it('is filtered and scrolled, with only the rows in sight in the page', async () => {
    await sql(
      service.databaseUrl,
      `insert into clusters (name, labels) select 'many-' || n, '${JSON.stringify(HOSTILE)}' from generate_series(1, 10000) n`,
    );
    await page.open('');
    await page.sees('10,004 clusters');
    const rows = "[...document.querySelectorAll('.vtable-body > [role=row]')].map((row) => Number(row.ariaRowIndex))";
    expect(await page.page.evaluate(`${rows}.length`)).toBeLessThan(80);
    expect(await page.page.evaluate("document.querySelector('[role=table]').ariaRowCount")).toBe('10005');
    // Further pages come as one scrolls.
    for (let reached = 0; reached < 1000;) {
      await page.page.evaluate("document.querySelector('.vtable').scrollTop = 1e9");
      await page.page.waitForFunction(`Math.max(...${rows}) > ${reached}`);
      reached = Number(await page.page.evaluate(`Math.max(...${rows})`));
    }
    await page.fill('Name', 'many-99');
    await page.sees('111 clusters');
    expect(new URL(page.page.url()).search).toBe('?q=many-99');
    await page.page.select('.select-field select', 'podsUnscheduled');
    await page.sees('No cluster matches.');
    expect(await page.violations()).toEqual([]);
    expect(page.faults).toEqual([]);
  });
});

describe('the page', () => {
  it('is what a browser gets at the root, with a policy that lets nothing from elsewhere in', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const root = await fetch(service.url, { headers: { accept }, redirect: 'manual' });
    expect([root.status, root.headers.get('location')]).toEqual([302, 'ui/']);
    const served = await fetch(`${service.url}/ui/clusters/demo-eks/overview`, { headers: { accept } });
    expect(served.status).toBe(200);
    expect(served.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(await served.text()).toContain('<base href="../../"');
    expect((await fetch(service.url)).headers.get('content-type')).toContain('application/json');
  });
});
