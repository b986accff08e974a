import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

let service: TestService;
let browser: TestBrowser;
let page: DashboardPage;

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  for (let from = 0; from < 4; from++) await store(service, 'small', SMALL_CLUSTER.slice(from), '&allowRemovals=true');
  const kept = await service.request('POST', '/api/v1/clusters/small/retention', { keepRevisions: 3 });
  expect(kept.status).toBe(200);
  page = await browser.page(service.url);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

const search = (): string => new URL(page.page.url()).search;

describe('the time bar', () => {
  it('goes through the revisions that are stored, by keyboard, and the address keeps the one that is shown', async () => {
    await page.open('clusters/small/overview');
    await page.sees('4, snapshot, captured');
    await page.sees('3 stored');
    await page.page.focus('input[type="range"]');
    await page.page.keyboard.press('ArrowLeft');
    await page.sees('3, snapshot, captured');
    expect(search()).toBe('?revision=3');
    await page.page.keyboard.press('Home');
    await page.sees('2, snapshot, captured');
    await page.click('link', 'Trail');
    await page.page.waitForFunction('location.pathname.endsWith("/trail")');
    expect(search()).toContain('revision=2');
    await page.click('button', 'Back to now');
    await page.sees('4, snapshot, captured');
    expect(search()).not.toContain('revision');
    expect(page.faults).toEqual([]);
  });

  it('says that a revision is no more, and how to go on', async () => {
    page.expectFaults(/404/);
    await page.open('clusters/small/overview?revision=1');
    await page.sees('Revision 1 of small is not stored: retention removed it, or it never existed.');
    expect(await page.violations()).toEqual([]);
    await page.click('button', 'Go to revision 2, the oldest that is listed');
    await page.sees('2, snapshot, captured');
    expect(search()).toBe('?revision=2');
    for (const scheme of ['light', 'dark'] as const) {
      await page.colors(scheme);
      expect(await page.violations()).toEqual([]);
    }
  });
});
