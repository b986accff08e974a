import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '../../demo/api-client.js';
import { DEMO_CLUSTERS, loadDemoCluster } from '../../demo/demo-clusters.js';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { startTestService, type TestService } from '../support/service.js';

const POD = `# kept
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web
    image: nginx
`;

let service: TestService;
let browser: TestBrowser;
let page: DashboardPage;

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  await loadDemoCluster(new ApiClient(service.url), DEMO_CLUSTERS[0]!, process.cwd());
  page = await browser.page(service.url);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

const parameters = (): URLSearchParams => new URL(page.page.url()).searchParams;

/** All at once, as a browser pastes. */
async function paste(text: string): Promise<void> {
  await page.page.waitForSelector('textarea');
  await page.page.evaluate(
    `(() => { const area = document.querySelector('textarea');
      area.focus();
      area.select();
      document.execCommand('insertText', false, ${JSON.stringify(text)}); })()`,
  );
}

describe('the placement explorer', () => {
  it('says why a manifest fits nowhere, and asks again with what would change it', async () => {
    await page.open('clusters/demo-eks/explorer');
    await paste(POD);
    await page.click('button', 'Ask');
    await page.sees('0 of 2 nodes can take it.');
    await page.sees('1 of 1 pod finds no node');
    await page.sees('+   - key: type');
    expect(await page.violations()).toEqual([]);
    const link = page.page.url();

    await page.click('button', 'Ask again with it');
    await page.sees('2 of 2 nodes can take it.');
    await page.sees('Ranking');
    const text = await page.page.$eval('textarea', (area) => (area as unknown as { readonly value: string }).value);
    expect(text).toBe(
      `${POD}  tolerations:\n  - key: type\n    operator: Equal\n    value: hound\n    effect: NoSchedule\n`,
    );
    expect(await page.violations()).toEqual([]);

    const colleague = await browser.page(service.url);
    await colleague.page.goto(link, { waitUntil: 'domcontentloaded' });
    await colleague.sees('0 of 2 nodes can take it.');
    expect([...page.faults, ...colleague.faults]).toEqual([]);
  });

  it('links to the recorded decision where a manifest is too long for an address', async () => {
    // Numbers that no compression shortens enough.
    let seed = 1;
    const noise = (): string => String((seed = (seed * 48_271) % 2_147_483_647));
    const annotations = Array.from({ length: 900 }, (_, at) => `    k${at}: '${noise()}'\n`).join('');
    await page.open('clusters/demo-eks/explorer');
    await paste(POD.replace('  name: web\nspec', `  name: web\n  annotations:\n${annotations}spec`));
    await page.click('button', 'Ask');
    await page.sees('The manifest is too long for a link.');
    await page.click('button', 'Link to the recorded decision');
    await page.page.waitForFunction("location.search.includes('decision=')");
    const link = page.page.url();
    const colleague = await browser.page(service.url);
    await colleague.page.goto(link, { waitUntil: 'domcontentloaded' });
    await colleague.sees('0 of 2 nodes can take it.');
    expect([...page.faults, ...colleague.faults]).toEqual([]);
  });

  it('places what is stored', async () => {
    await page.open('clusters/demo-eks/explorer');
    await page.page.waitForSelector('select[aria-label="Kind"]');
    await page.page.select('select[aria-label="Kind"]', 'DaemonSet');
    await page.fill('Namespace and name', 'kube-system/none');
    page.expectFaults(/404/);
    await page.click('button', 'Ask about it');
    await page.sees('kube-system/none');
    await page.page.waitForSelector('.failure');
    expect(parameters().get('stored')).toBe('DaemonSet kube-system/none');
    expect(page.faults).toEqual([]);
  });

  it('refuses what is no manifest in the words of the service, with line and pointer', async () => {
    page.expectFaults(/400|422/);
    await page.open('clusters/demo-eks/explorer');
    await paste('a: [1\nb: 2\n');
    await page.click('button', 'Ask');
    await page.sees('must be sufficiently indented and end with a ] at line 2, column 1');
    await page.open('clusters/demo-eks/explorer');
    await paste(POD.replace('\n  - name: web\n    image: nginx', ' none'));
    await page.click('button', 'Ask');
    await page.sees('/pod/spec/containers');
    await page.open('clusters/demo-eks/explorer?manifest=damaged');
    await page.sees('the link is not whole');
    expect(page.faults).toEqual([]);
  });

  it('is readable in the dark, and on a small screen', async () => {
    await page.colors('dark');
    await page.page.setViewport({ width: 390, height: 800 });
    await page.open('clusters/demo-eks/explorer');
    await paste(POD);
    await page.click('button', 'Ask');
    await page.sees('+   - key: type');
    expect(await page.violations()).toEqual([]);
    expect(await page.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(page.faults).toEqual([]);
  });
});
