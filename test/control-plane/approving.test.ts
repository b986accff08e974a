import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { createAllKinds } from './all-kinds.js';
import { missingAssets, startControlPlane, type ControlPlane } from './control-plane.js';
import { becomesEqual } from './mirror.js';

const missing = missingAssets(process.env);
if (missing !== undefined) process.stderr.write(`skipped: approving changes of a running control plane; ${missing}\n`);
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

interface ApiNode {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly managedFields: readonly { readonly manager: string; readonly fieldsV1: { readonly 'f:spec'?: object } }[];
  };
  readonly spec: { readonly taints?: readonly { readonly key: string }[] };
}

(missing === undefined ? describe : describe.skip)('a change of a running, followed control plane', () => {
  let plane: ControlPlane;
  let service: TestService;
  let folder: string;

  const as = (name: Name, method: string, path: string, body?: object): Promise<Answer> =>
    service.request(method, AT + path, body, { authorization: `Bearer ${tokens[name]}` });
  const node = async (): Promise<ApiNode> => (await plane.api.must('GET', '/api/v1/nodes/p1')) as unknown as ApiNode;
  const held = async (): Promise<boolean> => ((await node()).spec.taints ?? []).some(({ key }) => key === 'hold');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'approving-'));
    await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
    await writeFile(join(folder, 'auth.json'), JSON.stringify(AUTH_FILE));
    [plane, service] = await Promise.all([
      startControlPlane(),
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
    await service.close();
    await plane.stop();
    await rm(folder, { recursive: true });
  });

  it('is held by a guardrail, approved by another, written, confirmed by the watch, and on the record', async () => {
    expect((await as('root', 'PUT', '/guardrails', GUARDRAILS)).status).toBe(200);
    const asked = await as('alice', 'POST', '/taint-changes', {
      nodes: ['p1'],
      taints: ['hold=x:NoSchedule'],
      reason: 'a kernel update',
      apply: true,
    });
    expect([asked.status, asked.at('change.status'), asked.at('guardrails')]).toMatchObject([
      202,
      'awaitingApproval',
      [{ rule: 'production is approved', outcome: 'approvalNeeded', approvalsNeeded: 1 }],
    ]);
    const id = asked.at('change.id') as string;
    const approve = (name: Name): Promise<Answer> =>
      as(name, 'POST', `/taint-changes/${id}/approve`, { reason: 'seen' });
    const own = await approve('alice');
    expect(own.text).toContain('alice asked for the change');
    expect(await held()).toBe(false);

    const approved = await approve('bob');
    expect([approved.status, approved.at('change.application.by.name')]).toEqual([201, 'alice']);
    const read = (): Promise<Answer> => as('alice', 'GET', `/taint-changes/${id}`);
    await plane.api.until('applied', async () =>
      (await read()).at('change.application.state') === 'done' ? true : undefined,
    );
    // Nobody sends a snapshot: the watch shows it.
    await plane.api.until('confirmed', async () =>
      (await read()).at('change.status') === 'confirmed' ? true : undefined,
    );
    expect(await held()).toBe(true);
    const { metadata } = await node();
    const owner = metadata.managedFields.find(({ fieldsV1 }) => 'f:taints' in (fieldsV1['f:spec'] ?? {}));
    expect(owner?.manager).toBe('kube-placement');
    expect((await read()).at('nodes.0.application')).toMatchObject({ state: 'written', code: 200, attempts: 1 });
    await becomesEqual(plane.api, service.databaseUrl);

    const records = await as('alice', 'GET', `/taint-trail/records?change=${id}&current=false`);
    const items = (records.at('items') as readonly { kind: string; author: string | null; summary: string }[]).map(
      ({ kind, summary }) => `${kind}: ${summary}`,
    );
    const expected = ['approval', 'approval', 'request', 'change', 'application', 'applied', 'application', 'intent'];
    expect(items.map((one) => one.slice(0, one.indexOf(':'))).sort()).toEqual([...expected].sort());
    expect((await as('alice', 'GET', '/taint-trail/verify')).at('holds')).toBe(true);
  });
});
