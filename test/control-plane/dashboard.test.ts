import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { TestBrowser, type DashboardPage } from '../support/browser.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { createAllKinds } from './all-kinds.js';
import { missingAssets, startControlPlane, type ControlPlane } from './control-plane.js';
import { becomesEqual } from './mirror.js';

const missing = missingAssets(process.env);
if (missing !== undefined)
  process.stderr.write(`skipped: a maintenance of a running control plane in the dashboard; ${missing}\n`);
jest.setTimeout(240_000);

const AT = '/api/v1/clusters/live';
const NAMES = ['root', 'alice', 'bob'] as const;
type Name = (typeof NAMES)[number];
const tokens = Object.fromEntries(NAMES.map((name) => [name, newToken()])) as Record<Name, string>;
const AUTH_FILE = {
  tokens: NAMES.map((name) => ({ name, sha256: tokenHash(tokens[name]).toString('hex') })),
  bindings: [
    { subjects: ['token:root'], clusters: ['*'], roles: ['admin'] },
    { subjects: ['token:alice'], clusters: ['*'], roles: ['apply', 'approve', 'audit'] },
    { subjects: ['token:bob'], clusters: ['*'], roles: ['approve'] },
  ],
};
const GUARDRAILS = {
  apiVersion: 'kube-placement/v1',
  kind: 'Guardrails',
  guardrails: [
    {
      name: 'production is approved',
      require: 'change.nodes.all(n, n.labels["env"] != "prod")',
      action: 'requireApproval',
      message: 'changes of production nodes need an approval',
    },
  ],
};

(missing === undefined ? describe : describe.skip)('a maintenance of a running, followed control plane', () => {
  let plane: ControlPlane;
  let service: TestService;
  let folder: string;
  let browser: TestBrowser;

  const as = (name: Name, method: string, path: string, body?: object): Promise<Answer> =>
    service.request(method, AT + path, body, { authorization: `Bearer ${tokens[name]}` });
  const taints = async (): Promise<unknown> => {
    const { spec } = (await plane.api.must('GET', '/api/v1/nodes/p1')) as { spec: { taints?: { key: string }[] } };
    return (spec.taints ?? []).map(({ key }) => key).filter((key) => key === 'hold');
  };
  const pageOf = async (name: Name): Promise<DashboardPage> => {
    const page = await browser.page(service.url);
    const set = `sessionStorage.setItem('kube-placement.token', ${JSON.stringify(tokens[name])})`;
    await page.page.evaluateOnNewDocument(set);
    return page;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'approving-'));
    await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
    await writeFile(join(folder, 'auth.json'), JSON.stringify(AUTH_FILE));
    [plane, browser, service] = await Promise.all([
      startControlPlane(),
      TestBrowser.start(),
      startTestService({
        CONNECTION_KEY_FILE: join(folder, 'keys'),
        AUTH_FILE: join(folder, 'auth.json'),
        FOLLOW_COALESCE_MS: '50',
        RATE_LIMIT: '0',
      }),
    ]);
    const metadata = { name: 'p1', labels: { env: 'prod' } };
    await plane.api.must('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata });
    await createAllKinds(plane.api);
    await as('root', 'PUT', '', {});
    const { url, token, ca } = plane.access;
    const kubeconfig = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': ca } }],
      users: [{ name: 'u', user: { token } }],
    };
    const connected = await as('root', 'PUT', '/connection', { kubeconfig, follow: true, writes: true });
    expect(connected.status).toBe(200);
    await becomesEqual(plane.api, service.databaseUrl, () => Promise.resolve(service.logLines().slice(-3000)));
  });
  afterAll(async () => {
    if (missing !== undefined) return;
    await browser.close();
    await service.close();
    await plane.stop();
    await rm(folder, { recursive: true });
  });

  it('is planned, approved, written, confirmed by the watch and reverted in the browser', async () => {
    expect((await as('root', 'PUT', '/guardrails', GUARDRAILS)).status).toBe(200);
    const alice = await pageOf('alice');
    await alice.open('clusters/live/changes');
    await alice.fill('Node names', 'p1');
    await alice.fill('Taints, as kubectl taint takes them', 'hold=x:NoSchedule');
    await alice.click('button', 'Preview');
    await alice.sees('changes of production nodes need an approval');
    await alice.click('button', 'Ask the API server (dry run)');
    await alice.sees('admitted');
    expect(await taints()).toEqual([]);
    await alice.fill('Reason', 'a kernel update');
    await alice.click('button', 'Ask for approval, then apply');
    await alice.sees('waits for approval');
    const bob = await pageOf('bob');
    await bob.open(`clusters/live/changes${new URL(alice.page.url()).search}`);
    await bob.sees('waiting: 0 approvals of 1 needed');
    await bob.fill('Why you approve or reject it', 'seen');
    await bob.click('button', 'Approve');
    // Nobody sends a snapshot: the watch shows it, and the page follows.
    await alice.sees('1 written');
    await alice.sees('1 node: 1 confirmed');
    expect(await taints()).toEqual(['hold']);

    await alice.page.locator('summary ::-p-text(Revert it)').click();
    await alice.fill('Why it is reverted', 'done');
    await alice.click('button', 'Revert in the cluster, too');
    await alice.click('link', 'The revert');
    await alice.sees('as a revert');
    await bob.open(`clusters/live/changes${new URL(alice.page.url()).search}`);
    await bob.sees('as a revert');
    await bob.fill('Why you approve or reject it', 'seen');
    await bob.click('button', 'Approve');
    await alice.sees('1 node: 1 confirmed');
    expect(await taints()).toEqual([]);
    expect([...alice.faults, ...bob.faults]).toEqual([]);
  });
});
