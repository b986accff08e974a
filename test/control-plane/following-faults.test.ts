import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { json } from '../support/applied-cluster.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { ServiceProcess } from '../support/service-process.js';
import { sql } from '../support/sql.js';
import { TlsProxy } from '../support/tls-proxy.js';
import { changeAllKinds, createAllKinds } from './all-kinds.js';
import { missingAssets, startControlPlane, type ControlPlane } from './control-plane.js';
import { becomesEqual } from './mirror.js';
import { isReady, killed, variable } from './plane-faults.js';
import { Reader, type PolicyRule } from './reader.js';

const missing = missingAssets(process.env);
if (missing !== undefined) process.stderr.write(`skipped: faults while a control plane is followed; ${missing}\n`);
jest.setTimeout(240_000);

interface Shown {
  readonly following: {
    readonly rules: readonly PolicyRule[];
    readonly kinds: readonly { readonly kind: string; readonly state: string; readonly rule: object | null }[];
  };
}

(missing === undefined ? describe : describe.skip)('a followed control plane', () => {
  let plane: ControlPlane;
  let postgres: TestPostgres;
  let proxy: TlsProxy;
  let service: ServiceProcess;
  let databaseUrl: string;
  let folder: string;
  let reader: Reader;
  const at = (): string => `${service.url}/api/v1/clusters/live`;
  const shown = async (): Promise<Shown> => (await json(`${at()}/connection`)) as unknown as Shown;
  const connect = async (): Promise<unknown> =>
    json(`${at()}/connection`, 'PUT', { kubeconfig: await reader.kubeconfig(proxy.url, proxy.ca), follow: true });
  const isMirrored = (): Promise<number> =>
    becomesEqual(
      plane.api,
      databaseUrl,
      async () => `${JSON.stringify(await shown())}\n${service.output.slice(-3000)}`,
    );
  const taint = (key: string): Promise<unknown> =>
    plane.api.must('PATCH', '/api/v1/nodes/all-kinds', { spec: { taints: [{ key, effect: 'NoSchedule' }] } });
  const listedSince = (before: number): readonly string[] =>
    proxy.asked.slice(before).filter((asked) => asked.includes('limit=') && !asked.includes('/configmaps?'));
  /** The changes of the taints of the node in the trail, oldest first. */
  const trail = async (): Promise<readonly string[]> => {
    const { items } = await json(`${at()}/taint-trail/records?node=all-kinds&kind=change&limit=500`);
    return (items as readonly { readonly summary: string }[]).map(({ summary }) => summary).reverse();
  };

  beforeAll(async () => {
    await promisify(execFile)('node', ['scripts/build.mjs', '--bundle']);
    [plane, postgres, folder] = await Promise.all([
      startControlPlane(),
      startTestPostgres(),
      mkdtemp(join(tmpdir(), 'following-faults-')),
    ]);
    const ca = await readFile(join(plane.folder!, 'pki', 'ca.crt'), 'utf8');
    proxy = await TlsProxy.start(await variable(plane, 'APISERVER_URL'), ca);
    await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
    databaseUrl = await postgres.createEmptyDatabase();
    service = new ServiceProcess('service', databaseUrl, {
      CONNECTION_KEY_FILE: join(folder, 'keys'),
      FOLLOW_COALESCE_MS: '50',
    });
    await service.run();
    await createAllKinds(plane.api);
    reader = new Reader(plane.api);
    await reader.create();
    await json(at(), 'PUT', {});
    await connect();
    await reader.bind((await shown()).following.rules);
    await connect();
    await isMirrored();
    // All kinds were listed once, also those whose first try came before the rights.
    await plane.api.until('all kinds watched', async () =>
      (await shown()).following.kinds.every(({ state }) => state === 'watching') ? true : undefined,
    );
  });
  afterAll(async () => {
    if (missing !== undefined) return;
    await service.kill();
    await proxy.stop();
    await plane.stop();
    await postgres.stop();
    await rm(folder, { recursive: true });
  });

  it('is equal after Postgres was killed twice, without a new list', async () => {
    const before = proxy.asked.length;
    for (const round of ['1', '2']) {
      await taint(`postgres-${round}`);
      process.kill(postgres.server.pid, 'SIGKILL');
      await changeAllKinds(plane.api, `postgres-${round}`);
      expect(await isMirrored()).toBeGreaterThan(50);
    }
    expect(listedSince(before)).toEqual([]);
  });

  it('is equal after the service was killed twice, from the stored positions, without a new list', async () => {
    const before = proxy.asked.length;
    for (const round of ['1', '2']) {
      await taint(`service-${round}`);
      await service.kill();
      await changeAllKinds(plane.api, `service-${round}`);
      // As if the 10 s of the lease of the dead had passed.
      await sql(databaseUrl, `update cluster_follows set leased_until = now() - interval '1 second'`);
      await service.run();
      await isMirrored();
    }
    expect(listedSince(before)).toEqual([]);
  });

  it('says that its token is invalid, and is equal with a new one, without a new list', async () => {
    const before = proxy.asked.length;
    await reader.delete();
    // The API server remembers for seconds that a token was valid.
    await plane.api.until('the token to be refused', async () => {
      proxy.cutAll();
      const nodes = (await shown()).following.kinds.find(({ kind }) => kind === 'Node');
      return nodes?.state === 'denied' && nodes.rule === null ? true : undefined;
    });
    await taint('unseen');
    await changeAllKinds(plane.api, 'unseen');
    await reader.create();
    await connect();
    await isMirrored();
    expect(listedSince(before)).toEqual([]);
  });

  it('is equal after Postgres, the service and the API server were killed at once', async () => {
    await taint('everything');
    const start = await killed(plane, 'kube-apiserver');
    process.kill(postgres.server.pid, 'SIGKILL');
    await service.kill();
    start();
    await isReady(plane);
    await changeAllKinds(plane.api, 'everything');
    await plane.api.until('a database', async () =>
      sql(databaseUrl, `update cluster_follows set leased_until = now() - interval '1 second'`).then(
        () => true,
        () => undefined,
      ),
    );
    await service.run();
    await isMirrored();
  });

  it('has each change of taints once in the trail, and nothing that was not', async () => {
    const keys = ['postgres-1', 'postgres-2', 'service-1', 'service-2', 'unseen', 'everything'];
    const summaries = await trail();
    for (const key of keys) expect(summaries.filter((one) => one.includes(`added ${key}:`))).toHaveLength(1);
    expect(summaries.filter((one) => /deleted|created|gone/.test(one))).toEqual([]);
    expect(await json(`${at()}/taint-trail/verify`)).toMatchObject({ holds: true });
  });
});
