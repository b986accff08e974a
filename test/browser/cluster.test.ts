import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

let service: TestService;
let browser: TestBrowser;
let page: DashboardPage;

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  const objects = [
    node('a', { spec: { taints: [{ key: 'gpu', value: 'a100', effect: 'NoSchedule' }] } }),
    { ...pod('t/waits', '', {}), status: { phase: 'Pending' } },
    { ...pod('t/runs', 'a', { tolerations: [{ key: 'nvidia', operator: 'Exists' }] }), status: { phase: 'Running' } },
  ];
  const two = [...objects, node('b', { spec: { taints: [{ key: 'new', effect: 'NoExecute' }] } })];
  await store(service, 'small', objects, '&capturedAt=2026-05-01T00:00:00Z');
  await store(service, 'small', two, '&capturedAt=2026-05-03T00:00:00Z');
  page = await browser.page(service.url);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

describe('the page of a cluster', () => {
  it('has its nodes by taints, what is odd, and what changed since the day before', async () => {
    await page.open('clusters/small/overview');
    await page.sees('new:NoExecute');
    await page.sees('gpu=a100:NoSchedule');
    await page.sees('Against revision 1');
    await page.sees('1 node added');
    await page.sees('worth knowing');
    for (const scheme of ['light', 'dark'] as const) {
      await page.colors(scheme);
      expect(await page.violations()).toEqual([]);
    }
    expect(page.faults).toEqual([]);
  });

  it('is that of the past', async () => {
    await page.open('clusters/small/overview?revision=1');
    await page.sees('of 1 nodes are ready');
    await page.sees('No state from before');
    expect(await page.page.evaluate('document.body.innerText.includes("new:NoExecute")')).toBe(false);
    expect(page.faults).toEqual([]);
  });
});

describe('the pods that wait', () => {
  it('are grouped by what keeps them, with the single changes that would free the most', async () => {
    await page.open('clusters/small/overview');
    await page.click('link', 'Pending');
    await page.sees('1 pod waits for default-scheduler: 0 would find a node now, 1 would not.');
    await page.sees('0/2 nodes are available');
    await page.sees('Single changes that would free the most');
    await page.sees('gpu');
    for (const scheme of ['light', 'dark'] as const) {
      await page.colors(scheme);
      expect(await page.violations()).toEqual([]);
    }
    await page.open('clusters/small/pending?revision=1');
    await page.sees('0/1 nodes are available');
    expect(page.faults).toEqual([]);
  });
});
