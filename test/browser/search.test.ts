import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

const SET = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web', namespace: 'web' },
  spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } },
};

let service: TestService;
let browser: TestBrowser;
let page: DashboardPage;
const HOSTILE = '<img src=x onerror=alert(1)>\u202etxt';

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  await store(service, 'small', SMALL_CLUSTER);
  await store(service, 'small', [...SMALL_CLUSTER, node('later')]);
  await store(
    service,
    'other',
    [
      node('web-1', { spec: { taints: [{ key: HOSTILE, value: 'x', effect: 'NoSchedule' }] } }),
      pod('web/web-0', 'web-1', {}, { kind: 'StatefulSet', name: 'web' }),
      SET,
    ],
    '&invalid=keep',
  );
  page = await browser.page(service.url);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

const keys = async (...names: readonly string[]): Promise<void> => {
  for (const name of names) await page.page.keyboard.press(name as 'Enter');
};
async function open(text: string): Promise<void> {
  await page.page.keyboard.down('Control');
  await keys('k');
  await page.page.keyboard.up('Control');
  await page.page.waitForSelector('dialog[open] input:focus');
  await page.page.keyboard.type(text);
}
const address = (): string => decodeURIComponent(new URL(page.page.url()).pathname + new URL(page.page.url()).search);
const chosen = (): Promise<string> =>
  page.page.$eval(
    '[role=option][aria-selected=true]',
    (one) => (one as unknown as { readonly innerText: string }).innerText,
  );
const seesFocus = (selector: string): Promise<unknown> =>
  page.page.waitForFunction(`document.activeElement?.matches(${JSON.stringify(selector)})`);

describe('the search', () => {
  it('leads to a node by keyboard alone, and to its heading', async () => {
    await page.open('clusters/small/overview');
    await page.sees('6 of 6 nodes');
    await open('later');
    await page.sees('1 hit in 2 clusters');
    expect(await chosen()).toContain('later');
    await keys('Enter');
    await page.sees('Node later');
    expect(address()).toBe('/ui/clusters/small/node?node=later');
    await seesFocus('h1');
    expect(page.faults).toEqual([]);
  });

  it('goes through what was found with arrows, and is closed by Escape, back where one was', async () => {
    await page.page.focus('nav.views a');
    await open('web');
    await page.sees('Workloads');
    const first = await chosen();
    await keys('ArrowDown');
    expect(await chosen()).not.toBe(first);
    await keys('ArrowUp', 'ArrowUp');
    expect(await chosen()).toContain('web');
    await keys('Escape');
    await seesFocus('nav.views a');
    expect(await page.page.$('dialog[open]')).toBeNull();
  });

  it('leads to another cluster, to a workload in the explorer, to a taint in the matrix, and to a view', async () => {
    await open('web/web');
    await page.sees('web/web');
    await page.sees('StatefulSet');
    await keys('Enter');
    await page.page.waitForFunction('location.pathname.endsWith("/other/explorer")');
    await page.sees('Nodes for');
    expect(address()).toContain('stored=StatefulSet');
    await open('a100');
    await page.sees('gpu=a100:NoSchedule');
    await keys('Enter');
    await page.page.waitForFunction('location.pathname.endsWith("/small/matrix")');
    expect(address()).toContain('nodes=gpu=a100:NoSchedule');
    await open('pend');
    await page.sees('Views');
    await page.page.waitForFunction(
      'document.querySelector("[role=option][aria-selected=true]")?.innerText.includes("Pending")',
    );
    await keys('Enter');
    await page.page.waitForFunction('location.pathname.endsWith("/small/pending")');
    await seesFocus('h1');
    expect(page.faults).toEqual([]);
  });

  it('searches the state of the moment that the page shows', async () => {
    await page.open('clusters/small/overview?revision=1');
    await page.sees('5 nodes');
    await open('later');
    await page.sees('0 hits in 2 clusters');
    await keys('Escape');
    await open('a100');
    await page.sees('2 nodes');
    await keys('Enter');
    await page.page.waitForFunction('location.search.includes("revision=1")');
  });

  it.each(['light', 'dark'] as const)(
    'is accessible, shows names as text, and fits a small screen, %s',
    async (scheme) => {
      await page.colors(scheme);
      await page.open('clusters/other/overview');
      await page.page.waitForSelector('button.search-open');
      await page.click('button', 'Search Ctrl K');
      await page.page.waitForSelector('dialog[open] input:focus');
      await page.page.keyboard.type('web img');
      await page.sees('0 hits');
      await page.page.keyboard.down('Control');
      await keys('a');
      await page.page.keyboard.up('Control');
      await page.page.keyboard.type('onerror');
      await page.sees('<img src=x onerror=alert(1)>');
      expect(await page.violations()).toEqual([]);
      await page.page.setViewport({ width: 390, height: 844 });
      expect(
        await page.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      ).toBe(0);
      await page.page.setViewport({ width: 1280, height: 900 });
      expect(await page.violations()).toEqual([]);
      expect(page.faults).toEqual([]);
    },
  );
});
