import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startTestService, type TestService } from '../support/service.js';
import { missingAssets, startControlPlane, type ControlPlane } from './control-plane.js';
import { becomesEqual } from './mirror.js';

const run = promisify(execFile);
const KUBECTL = join(process.env['KUBEBUILDER_ASSETS'] ?? '', 'kubectl');
const missing = missingAssets(process.env) ?? (existsSync(KUBECTL) ? undefined : 'KUBEBUILDER_ASSETS has no kubectl');
if (missing !== undefined)
  process.stderr.write(`skipped: who changed a taint of a followed control plane; ${missing}\n`);
jest.setTimeout(240_000);

const AT = '/api/v1/clusters/live';

interface ShownRecord {
  readonly summary: string;
  readonly channel: string;
  readonly actor: object;
  readonly when: { readonly kind: string; readonly from: string | null; readonly to: string };
}

(missing === undefined ? describe : describe.skip)('the trail of a followed control plane', () => {
  let plane: ControlPlane;
  let service: TestService;
  let folder: string;
  const records = async (current = true): Promise<readonly ShownRecord[]> =>
    (await service.request('GET', `${AT}/taint-trail/records?node=n1&kind=change&current=${current}`)).at(
      'items',
    ) as readonly ShownRecord[];
  const kubectl = (...args: readonly string[]): Promise<unknown> =>
    run(KUBECTL, ['--kubeconfig', join(plane.folder!, 'kubeconfig'), ...args]);
  const recorded = (summary: string, when: 'point' | 'interval'): Promise<ShownRecord> =>
    plane.api.until(summary, async () =>
      (await records()).find((one) => one.summary.includes(summary) && one.when.kind === when),
    );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'attribution-'));
    await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
    service = await startTestService({ CONNECTION_KEY_FILE: join(folder, 'keys'), FOLLOW_COALESCE_MS: '50' });
    await service.request('PUT', AT, {});
    plane = await startControlPlane({ AUDIT_WEBHOOK_URL: `${service.url}${AT}/audit-events` });
    // A node that is created without any field has no managedFields, then or later.
    const metadata = { name: 'n1', labels: { 'kubernetes.io/hostname': 'n1' } };
    await plane.api.must('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata });
    const { url, token, ca } = plane.access;
    const kubeconfig = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': ca } }],
      users: [{ name: 'u', user: { token } }],
    };
    await service.request('PUT', `${AT}/connection`, { kubeconfig, follow: true });
    await becomesEqual(plane.api, service.databaseUrl, () => Promise.resolve(service.logLines().slice(-3000)));
  });
  afterAll(async () => {
    if (missing !== undefined) return;
    await plane.stop();
    await service.close();
    await rm(folder, { recursive: true });
  });

  it('has a kubectl taint once, with user and moment, from the audit event and the watch', async () => {
    const before = new Date();
    await kubectl('taint', 'node', 'n1', 'dedicated=ml:NoSchedule', '--as', 'alice', '--as-group', 'system:masters');
    const after = new Date();
    const change = await recorded('added dedicated=ml:NoSchedule', 'point');
    if (process.env['SHOW'] !== undefined) process.stdout.write(`${JSON.stringify(await records(false), null, 1)}\n`);
    expect(change).toMatchObject({ by: { username: 'alice', impersonatedBy: 'admin' }, channel: 'auditEvent' });
    // The API server's clock is that of this machine.
    expect(change.when.from).toBe(change.when.to);
    expect(change.when.to >= before.toISOString() && change.when.to <= after.toISOString()).toBe(true);
    const superseded = (await records(false)).filter(({ channel }) => channel === 'snapshot');
    for (const { summary, actor } of superseded) {
      if (summary.includes('added dedicated=ml')) expect(actor).toMatchObject({ program: 'kubectl-taint' });
    }
    // Whatever came first, of the audit event and the watch, the change is there once.
    expect((await records()).filter(({ summary }) => summary.includes('added dedicated=ml'))).toHaveLength(1);
    await becomesEqual(plane.api, service.databaseUrl);
    expect((await service.request('GET', `${AT}/taint-trail/verify`)).at('holds')).toBe(true);
  });
});
