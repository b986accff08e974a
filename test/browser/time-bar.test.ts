import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';
import { sql } from '../support/sql.js';

let service: TestService;
let browser: TestBrowser;
let page: DashboardPage;

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  for (let from = 0; from < 4; from++) await store(service, 'small', SMALL_CLUSTER.slice(from), '&allowRemovals=true');
  const kept = await service.request('POST', '/api/v1/clusters/small/retention', { keepRevisions: 3 });
  expect(kept.status).toBe(200);
  // A cluster with 2,500 revisions, one a minute: those in the middle are like the first.
  const captured = (number: number): string => new Date(Date.UTC(2026, 4, 4, 0, number - 1)).toISOString();
  await store(service, 'long', SMALL_CLUSTER.slice(1), `&capturedAt=${captured(1)}`);
  await sql(
    service.databaseUrl,
    `insert into revisions select (jsonb_populate_record(r, jsonb_build_object(
       'number', n, 'captured_at', r.captured_at + (n - 1) * interval '1 minute'))).*
     from revisions r join clusters c on c.id = r.cluster_id and c.name = 'long', generate_series(2, 2499) n`,
  );
  await sql(service.databaseUrl, "update clusters set head_revision = 2499 where name = 'long'");
  await store(service, 'long', SMALL_CLUSTER, `&capturedAt=${captured(2500)}`);
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

describe('the time bar of a cluster with thousands of revisions', () => {
  it('says what the slider has, and reaches every revision, step by step and by number', async () => {
    await page.open('clusters/long/overview');
    await page.sees('2500, snapshot, captured');
    await page.sees('2,500 stored, the slider has 1,501 to 2,500');
    await page.page.focus('input[type="range"]');
    await page.page.keyboard.press('Home');
    await page.sees('1501, snapshot, captured');
    await page.click('button', 'Earlier revision');
    await page.sees('1500, snapshot, captured');
    await page.sees('2,500 stored, the slider has 1,001 to 2,000');
    await page.click('button', 'Later revision');
    await page.sees('1501, snapshot, captured');
    await page.sees('the slider has 1,501 to 2,500');
    await page.fill('or revision', '1');
    await page.click('button', 'Go to the revision');
    await page.sees('1, snapshot, captured');
    await page.sees('the slider has 1 to 1,000');
    expect(search()).toBe('?revision=1');
    await page.page.waitForSelector('button[aria-label="Earlier revision"]:disabled');
    await page.page.focus('input[type="range"]');
    await page.page.keyboard.press('End');
    await page.sees('1000, snapshot, captured');
    await page.click('button', 'Later revision');
    await page.sees('1001, snapshot, captured');
    await page.sees('the slider has 1,001 to 2,000');
    for (const scheme of ['light', 'dark'] as const) {
      await page.colors(scheme);
      expect(await page.violations()).toEqual([]);
    }
    await page.page.setViewport({ width: 390, height: 844 });
    expect(
      await page.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    ).toBe(0);
    await page.page.setViewport({ width: 1280, height: 900 });
    expect(page.faults).toEqual([]);
  });

  it('shows where a moment is, far from the newest', async () => {
    await page.open('clusters/long/overview?at=2026-05-04T04:59:30Z');
    await page.sees('300, snapshot, captured');
    await page.sees('the slider has 1 to 1,000');
    expect(await page.page.$eval('input[type="range"]', (one) => (one as unknown as { value: string }).value)).toBe(
      '299',
    );
    expect(page.faults).toEqual([]);
  });

  it('compares with the state of the day before, which the slider does not have', async () => {
    await page.open('clusters/long/overview');
    await page.sees('Against revision 1060, captured');
    expect(page.faults).toEqual([]);
  });
});
