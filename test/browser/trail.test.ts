import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeWrite } from '../support/audit-event.js';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { list, node } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

let service: TestService;
let browser: TestBrowser;
let page: DashboardPage;
const BASE = '/api/v1/clusters/prod';
/** A tag, and a mark that turns text around. */
const HOSTILE = '<b>why</b>\u202Enot';

const tainted = (taints: readonly object[]): object => node('n1', { spec: { taints } });
const at = (minute: number): string => new Date(Date.UTC(2026, 4, 4, 3, minute)).toISOString();
const snapshot = async (minute: number, taints: readonly object[]): Promise<void> => {
  const path = `${BASE}/snapshots?createCluster=true&capturedAt=${at(minute)}`;
  const answer = await service.request('POST', path, list([tainted(taints), node('n2')]));
  expect(answer.status).toBe(201);
};
const change = (body: object): Promise<Answer> => service.request('POST', `${BASE}/taint-changes`, body);

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  await snapshot(0, []);
  await snapshot(10, [{ key: 'gpu', value: 'a100', effect: 'NoSchedule' }]);
  await snapshot(20, []);
  const made = await change({ nodes: ['n1', 'n2'], taints: ['hold=x:NoExecute'], reason: HOSTILE });
  expect(made.status).toBe(201);
  page = await browser.page(service.url);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

describe('the trail', () => {
  it('shows who changed what, in lists and as intervals, and what proves it', async () => {
    await page.open('clusters/prod/trail');
    await page.sees('added gpu=a100:NoSchedule');
    await page.sees(HOSTILE);
    await page.sees('Nobody undoes the changes of another.');
    expect(await page.violations()).toEqual([]);
    await page.fill('Node', 'n1');
    await page.click('button', 'Show');
    await page.sees('Taints and cordons of n1');
    // Between two snapshots, and by nobody that is known.
    await page.sees('between 4 May 2026, 03:00:00 UTC and 4 May 2026, 03:10:00 UTC');
    await page.sees('still there');
    await page.sees('not confirmed');
    expect(new URL(page.page.url()).searchParams.get('node')).toBe('n1');
    await page.fill('Taint key', 'gpu');
    await page.click('button', 'Show');
    await page.page.waitForFunction(`!document.body.innerText.includes('hold=x')`);
    await page.page.locator('button[aria-label^="Record "]').click();
    await page.sees('Proves:');
    await page.sees('Does not prove:');
    await page.click('button', 'What it did to pods');
    await page.sees('No pod is evicted');
    expect(await page.violations()).toEqual([]);
    expect(page.faults).toEqual([]);
  }, 120_000);

  it('is verified with one button, also against a checkpoint', async () => {
    await page.colors('dark');
    await page.open('clusters/prod/trail');
    await page.click('button', 'Verify the trail');
    await page.sees('holds');
    await page.click('button', 'A checkpoint to keep');
    await page.sees('"sequence"');
    await page.page.locator('summary ::-p-text(Against a checkpoint)').click();
    await page.fill(
      'Checkpoint',
      '{"sequence": 1, "hash": "0000000000000000000000000000000000000000000000000000000000000000"}',
    );
    await page.click('button', 'Verify the trail');
    await page.sees('is broken');
    expect(await page.violations()).toEqual([]);
    expect(page.faults).toEqual([]);
  }, 120_000);

  it('is exported as far as the filters let it through', async () => {
    await page.open('clusters/prod/trail?key=gpu');
    await page.sees('added gpu=a100:NoSchedule');
    const asked = String(await page.page.evaluate(`document.querySelector('a[download$=".csv"]').href`));
    expect(new URL(asked).search).toBe('?key=gpu&format=csv');
    const exported = await fetch(asked);
    expect([exported.status, (await exported.text()).split('\r\n').filter((line) => line !== '').length]).toEqual([
      200, 3,
    ]);
  }, 120_000);

  it('is exported as NDJSON, one record a line', async () => {
    const asked = String(await page.page.evaluate(`document.querySelector('a[download$=".ndjson"]').href`));
    const lines = (await (await fetch(asked)).text()).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(JSON.parse(line)).toEqual(expect.any(Object));
    expect(page.faults).toEqual([]);
  });

  it('shows writers who undo each other’s changes', async () => {
    const path = '/api/v1/clusters/fight';
    const taken = await service.request('POST', `${path}/snapshots?createCluster=true`, list([node('a')]));
    expect(taken.status).toBe(201);
    const started = Date.now();
    for (let turn = 0; turn < 6; turn += 1) {
      const [user, taints] = turn % 2 === 0 ? ['alice', [{ key: 'dedicated', effect: 'NoSchedule' }]] : [HOSTILE, []];
      const at = new Date(started + turn * 1000).toISOString();
      const write = nodeWrite({ id: `turn-${turn}`, node: 'a', at, user, taints });
      expect((await service.request('POST', `${path}/audit-events`, write)).status).toBe(200);
    }
    await page.open('clusters/fight/trail');
    await page.sees('dedicated:NoSchedule');
    await page.page.waitForFunction("document.querySelector('caption.sr-only') !== null");
    await page.sees('alice ×3');
    await page.sees(`${HOSTILE} ×3`);
    expect(await page.violations()).toEqual([]);
    expect(page.faults).toEqual([]);
  }, 60_000);

  it('is black on white on paper, also in the dark', async () => {
    await page.colors('dark');
    await page.open('clusters/prod/trail?node=n1');
    await page.sees('still there');
    await page.page.emulateMediaType('print');
    expect(await page.page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(0, 0, 0)');
    expect(String(await page.page.evaluate('document.body.innerText'))).not.toContain('Verify the trail');
    await page.page.emulateMediaType('screen');
    expect(page.faults).toEqual([]);
  }, 120_000);

  it('is shown as of the past', async () => {
    await page.open('clusters/prod/trail?revision=2&node=n1');
    await page.sees('What was on n1 at that moment');
    await page.sees('gpu=a100:NoSchedule');
    await page.page.waitForFunction(`!document.body.innerText.includes('hold=x')`);
    expect(page.faults).toEqual([]);
  }, 120_000);
});
