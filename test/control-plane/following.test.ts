import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { sql } from '../support/sql.js';
import { TlsProxy } from '../support/tls-proxy.js';
import { changeAllKinds, createAllKinds } from './all-kinds.js';
import { missingAssets, startControlPlane, type ControlPlane } from './control-plane.js';
import { becomesEqual as isMirrored } from './mirror.js';
import { compactEtcd, isReady, killed, variable } from './plane-faults.js';
import { Reader, type PolicyRule } from './reader.js';

const missing = missingAssets(process.env);
if (missing !== undefined) process.stderr.write(`skipped: following a running control plane; ${missing}\n`);
const AT = '/api/v1/clusters/live';

let plane: ControlPlane;
let reader: Reader;
let folder: string;
let service: TestService;
let proxy: TlsProxy;

beforeAll(async () => {
  if (missing !== undefined) return;
  plane = await startControlPlane();
  reader = new Reader(plane.api);
  folder = await mkdtemp(join(tmpdir(), 'following-'));
  await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
  const ca = await readFile(join(plane.folder!, 'pki', 'ca.crt'), 'utf8');
  proxy = await TlsProxy.start(await variable(plane, 'APISERVER_URL'), ca);
  service = await startTestService({ CONNECTION_KEY_FILE: join(folder, 'keys'), FOLLOW_COALESCE_MS: '50' });
}, 180_000);
afterAll(async () => {
  if (missing !== undefined) return;
  await service.close();
  await proxy.stop();
  await plane.stop();
  await rm(folder, { recursive: true });
}, 60_000);

/** Waits until what is stored is what the API server has, in every object and field that is kept. */
const becomesEqual = (): Promise<number> =>
  isMirrored(plane.api, service.databaseUrl, async () => {
    const { json } = await service.request('GET', `${AT}/connection`);
    return `${JSON.stringify(json)}\n${service.logLines().slice(-3000)}`;
  });

/** Kinds that were listed; a policy that changed may take a ConfigMap as params, so these are always read again then. */
const listedSince = (before: number): readonly string[] =>
  proxy.asked.slice(before).filter((asked) => asked.includes('limit=') && !asked.includes('/configmaps?'));
const node = (name: string): object => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
const taint = (name: string, key: string): Promise<unknown> =>
  plane.api.must('PATCH', `/api/v1/nodes/${name}`, { spec: { taints: [{ key, effect: 'NoSchedule' }] } });
const connect = async (): Promise<Answer> =>
  service.request('PUT', `${AT}/connection`, {
    kubeconfig: await reader.kubeconfig(proxy.url, proxy.ca),
    follow: true,
  });

interface ShownKind {
  readonly kind: string;
  readonly state: string;
  readonly rule: object | null;
}

const shown = async (): Promise<readonly ShownKind[]> =>
  ((await service.request('GET', `${AT}/connection`)).at('following.kinds') ?? []) as readonly ShownKind[];

/** Waits until the state of a kind is shown. */
const isShown = (kind: string, state: string): Promise<ShownKind> =>
  plane.api.until(`${kind} ${state}`, async () =>
    (await shown()).find((one) => one.kind === kind && one.state === state),
  );

describe('a followed cluster', () => {
  const live = missing === undefined ? it : it.skip;
  let rules: readonly PolicyRule[];

  live(
    'says which permissions are missing, and is stored as one revision once it has them',
    async () => {
      for (const name of ['n1', 'n2']) await plane.api.must('POST', '/api/v1/nodes', node(name));
      await createAllKinds(plane.api);
      await reader.create();
      await service.request('PUT', AT, {});
      expect((await connect()).at('follow')).toBe(true);
      const { rule } = await isShown('Pod', 'denied');
      expect(rule).toEqual({ apiGroups: [''], resources: ['pods'], verbs: ['list'] });
      rules = (await service.request('GET', `${AT}/connection`)).at('following.rules') as typeof rules;
      await reader.bind(rules);
      // The next try of each kind may take a while; another connection asks at once.
      await connect();
      expect(await becomesEqual()).toBeGreaterThan(50);
      const [first] = await sql<{ source: string; kinds: string[] }>(
        service.databaseUrl,
        'select source, loaded_kinds as kinds from revisions order by number limit 1',
      );
      expect(first!.source).toBe('follower');
      await isShown('Pod', 'watching');
      expect((await shown()).filter(({ state }) => state !== 'watching')).toEqual([]);
    },
    240_000,
  );

  live(
    'follows what changes, through connections that are cut and events that are garbled, without a new list',
    async () => {
      const before = proxy.asked.length;
      await plane.api.must('DELETE', '/api/v1/nodes/n2');
      await taint('n1', 'a');
      await changeAllKinds(plane.api, 'whole');
      await becomesEqual();
      for (const harm of ['cutEvent', 'garbleEvent'] as const) {
        proxy.harmNext(harm);
        await taint('n1', harm);
        await plane.api.until(harm, () => Promise.resolve(proxy.hasHarmed || undefined));
        await changeAllKinds(plane.api, harm);
        await becomesEqual();
      }
      proxy.cutAll();
      await plane.api.must('POST', '/api/v1/nodes', node('n3'));
      await changeAllKinds(plane.api, 'cut');
      await becomesEqual();
      expect(listedSince(before)).toEqual([]);
    },
    240_000,
  );

  live(
    'goes on after its rights were taken away and given back, and with another token',
    async () => {
      const without = rules.map((one) => ({ ...one, resources: one.resources.filter((name) => name !== 'nodes') }));
      await reader.allow(without);
      proxy.cutAll();
      const { rule } = await isShown('Node', 'denied');
      expect(rule).toEqual({ apiGroups: [''], resources: ['nodes'], verbs: ['watch'] });
      await taint('n1', 'unseen');
      await changeAllKinds(plane.api, 'denied');
      await reader.allow(rules);
      await becomesEqual();
      const before = proxy.asked.length;
      await connect();
      await taint('n1', 'rotated');
      await changeAllKinds(plane.api, 'rotated');
      await becomesEqual();
      expect(listedSince(before)).toEqual([]);
    },
    240_000,
  );

  live(
    'is equal again after the API server was killed and etcd compacted, also if a page is cut then',
    async () => {
      // Whoever watched nodes does not know this version, and the new server knows none before it.
      await plane.api.must('POST', '/api/v1/namespaces/default/configmaps', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'later' },
      });
      const start = await killed(plane, 'kube-apiserver');
      await compactEtcd(plane);
      proxy.harmNext('cutPage');
      start();
      await isReady(plane);
      await taint('n1', 'b');
      await changeAllKinds(plane.api, 'compacted');
      await plane.api.must('DELETE', '/api/v1/nodes/n3');
      await becomesEqual();
      expect(proxy.hasHarmed).toBe(true);
      const removals = await sql<{ count: string }>(
        service.databaseUrl,
        `select count(*) from object_versions where kind = 'Node' and name = 'n1' and valid_to is not null
         and not exists (select 1 from object_versions o where o.kind = 'Node' and o.name = 'n1' and o.valid_from = object_versions.valid_to)`,
      );
      // It was never gone in between.
      expect(Number(removals[0]!.count)).toBe(0);
    },
    240_000,
  );
});
