import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';

/** Up to 1.32 its template is valid. */
const NIGHTLY = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'nightly', namespace: 'default' },
  spec: {
    schedule: '0 3 * * *',
    jobTemplate: {
      spec: {
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'i' }],
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: {
                  nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'In', values: ['-'] }] }],
                },
              },
            },
          },
        },
      },
    },
  },
};

let service: TestService;
let browser: TestBrowser;
let page: DashboardPage;

async function take(cluster: string, version: string, items: readonly object[]): Promise<void> {
  const path = `/api/v1/clusters/${cluster}/snapshots?createCluster=true&apiServerVersion=${version}`;
  expect((await service.request('POST', path, { apiVersion: 'v1', kind: 'List', items })).status).toBe(201);
}

beforeAll(async () => {
  [service, browser] = await Promise.all([startTestService(), TestBrowser.start()]);
  await take('old', 'v1.32.13', [node('a'), pod('default/runs', 'a'), NIGHTLY]);
  await take('ancient', 'v1.30.2', [node('a'), pod('default/runs', 'a')]);
  page = await browser.page(service.url);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

describe('the upgrade view', () => {
  it('shows what another version refuses and does otherwise, by kind, and keeps the question in the address', async () => {
    await page.open('clusters/old/upgrade');
    await page.fill('Version to compare with', 'v1.34.1-eks-113cf36');
    await page.click('button', 'Compare');
    await page.sees('v1.32.13 → v1.34.1');
    await page.sees('A pod of its template is refused.');
    await page.click('button', 'refused 1');
    await page.page.waitForFunction('document.querySelectorAll("[role=row]").length === 2');
    const other = await browser.page(service.url);
    await other.open(page.page.url().replace(/^.*\/ui\//, ''));
    await other.sees('CronJob default/nightly');
    expect(await other.page.evaluate("document.body.innerText.includes('FeatureGate')")).toBe(false);
    await other.click('button', 'all');
    await other.sees('FeatureGate');
    expect([...page.faults, ...other.faults]).toEqual([]);
  });

  it('says what is not known, and why a version cannot be compared with', async () => {
    const { json } = await service.request('POST', '/api/v1/clusters/ancient/upgrade-reviews', { to: '1.32' });
    const { ruleDifferences } = json as { readonly ruleDifferences: readonly { readonly message: string }[] };
    expect(ruleDifferences).not.toEqual([]);
    await page.open('clusters/ancient/upgrade?to=1.32');
    await page.sees('→ v1.32.13');
    await page.sees('Not known');
    for (const { message } of ruleDifferences) await page.sees(message);
    await page.fill('Version to compare with', '1.40');
    await page.click('button', 'Compare');
    await page.sees('the rules of Kubernetes 1.40 are not known');
    expect(page.page.url()).toMatch(/\?to=1\.40$/);
    const other = await browser.page(service.url);
    await other.open('clusters/ancient/upgrade?to=1.40');
    await other.sees('the rules of Kubernetes 1.40 are not known');
  });
});
