import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';

const TOKENS = {
  writer: 'a-token-of-256-bits-for-the-writer-of-taints',
  auditor: 'a-token-of-256-bits-for-the-auditor-without-values',
  reader: 'a-token-of-256-bits-for-the-reader-of-no-values',
};
const SECRET = 'quokka-team';
const AUTH = `
tokens:
${Object.entries(TOKENS)
  .map(([name, token]) => `  - {name: ${name}, sha256: ${createHash('sha256').update(token).digest('hex')}}`)
  .join('\n')}
bindings:
  - {subjects: ['token:writer'], clusters: ['*'], roles: [admin]}
  - {subjects: ['token:auditor'], clusters: ['*'], roles: [evaluate, audit], taintValues: false}
  - {subjects: ['token:reader'], clusters: ['*'], roles: [read], taintValues: false}
`;
const authorization = { authorization: `Bearer ${TOKENS.writer}` };

let folder: string;
let service: TestService;
let browser: TestBrowser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'masked-'));
  await writeFile(join(folder, 'auth.yaml'), AUTH);
  [service, browser] = await Promise.all([
    startTestService({ AUTH_FILE: join(folder, 'auth.yaml') }),
    TestBrowser.start(),
  ]);
  const taint = (effect: string) => ({ key: 'dedicated', value: SECRET, effect });
  const toleration = {
    key: 'dedicated',
    operator: 'Equal',
    value: SECRET,
    effect: 'NoExecute',
    tolerationSeconds: 300,
  };
  const items = [
    node('a', { spec: { taints: [taint('NoSchedule')] } }),
    node('b'),
    pod('default/tolerates', 'a', { tolerations: [toleration] }),
    pod('default/plain', 'b'),
    pod('default/waits', '', { nodeSelector: { none: 'such' } }),
  ];
  const list = { apiVersion: 'v1', kind: 'List', items };
  const path = '/api/v1/clusters/guarded';
  const sent = await service.request('POST', `${path}/snapshots?createCluster=true`, list, authorization);
  expect(sent.status).toBe(201);
  const change = { nodes: ['a'], taints: [`dedicated=${SECRET}:NoExecute`], reason: 'for the team' };
  expect((await service.request('POST', `${path}/taint-changes`, change, authorization)).status).toBe(201);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
  await rm(folder, { recursive: true });
});

/** The paths of all views of the cluster. */
async function viewsOf(page: DashboardPage): Promise<readonly string[]> {
  const links = await page.page.$$eval('nav.views a', (all) =>
    all.map((link) => (link as unknown as { readonly pathname: string }).pathname),
  );
  expect(links.length).toBeGreaterThan(6);
  return links.map((path) => path.replace(/^\/ui\//, ''));
}

/** Waits until nothing is being read. */
const settled = (page: DashboardPage): Promise<unknown> =>
  page.page.waitForFunction(
    "document.querySelector('h1') !== null && document.querySelector('.pending, [aria-busy=true]') === null",
  );

describe('every view, for a caller who may not see the values of taints', () => {
  it('shows them as masked, in what the service answers and on the page', async () => {
    const page = await browser.page(service.url);
    await page.page.evaluateOnNewDocument(`sessionStorage.setItem('kube-placement.token', '${TOKENS.auditor}')`);
    const answers: Promise<string>[] = [];
    page.page.on('response', (response) => {
      if (response.url().includes('/api/') && !response.url().includes('/events')) {
        answers.push(response.text().catch(() => ''));
      }
    });
    await page.open('clusters/guarded/overview');
    await page.sees('dedicated=***');
    const views = await viewsOf(page);
    const problems: unknown[] = [];
    for (const path of views) {
      await page.open(path);
      await settled(page);
      if ((await page.page.content()).includes(SECRET)) problems.push({ path, shows: SECRET });
      for (const violation of await page.violations()) problems.push({ path, violation });
    }
    expect(problems).toEqual([]);
    const texts = await Promise.all(answers);
    expect(texts.length).toBeGreaterThan(views.length);
    expect(texts.filter((text) => text.includes(SECRET))).toEqual([]);
    expect(texts.some((text) => text.includes('***'))).toBe(true);
    expect(page.faults).toEqual([]);
    await page.close();
  }, 180_000);

  it('says which permission is missing, below its own heading', async () => {
    const page = await browser.page(service.url);
    page.expectFaults(/^403: /, /status of 403/);
    await page.page.evaluateOnNewDocument(`sessionStorage.setItem('kube-placement.token', '${TOKENS.reader}')`);
    await page.open('clusters/guarded/overview');
    await page.sees('dedicated=***');
    const problems: unknown[] = [];
    for (const path of await viewsOf(page)) {
      await page.open(path);
      await settled(page);
      for (const violation of await page.violations()) problems.push({ path, violation });
      const failures = (await page.page.evaluate(
        "[...document.querySelectorAll('.failure p')].map((one) => one.textContent)",
      )) as readonly string[];
      const others = failures.filter((text) => !/requires the "\w+" permission for cluster "guarded"/.test(text));
      if (others.length > 0) problems.push({ path, others });
    }
    expect(problems).toEqual([]);
    await page.open('clusters/guarded/pending');
    await page.sees(
      'This operation requires the "evaluate" permission for cluster "guarded", which reader does not have.',
    );
    expect(page.faults).toEqual([]);
    await page.close();
  }, 180_000);

  it('shows them to callers who may', async () => {
    const page = await browser.page(service.url);
    await page.page.evaluateOnNewDocument(`sessionStorage.setItem('kube-placement.token', '${TOKENS.writer}')`);
    await page.open('clusters/guarded/overview');
    await page.sees(`dedicated=${SECRET}:NoExecute`);
    expect(page.faults).toEqual([]);
    await page.close();
  });
});
