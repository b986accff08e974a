import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KINDS, type KindInfo } from '../../src/core/kubernetes/kinds.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { sql } from '../support/sql.js';
import { TlsProxy } from '../support/tls-proxy.js';
import { missingAssets, startControlPlane, type ControlPlane } from './control-plane.js';

const missing = missingAssets(process.env);
if (missing !== undefined) process.stderr.write(`skipped: following a running control plane; ${missing}\n`);
const AT = '/api/v1/clusters/live';

/** What is compared of each object: who it is, in which version. Versions of objects that change in nothing that is kept are not stored. */
type Identities = ReadonlyMap<string, string>;

let plane: ControlPlane;
let folder: string;
let service: TestService;
let proxy: TlsProxy;

/** Of the scripts that started the control plane. */
async function variable(name: string): Promise<string> {
  const text = await readFile(join(plane.folder!, 'env'), 'utf8');
  return new RegExp(`${name}=(\\S+)`).exec(text)![1]!;
}

/** Through the gateway of etcd. */
async function compactEtcd(): Promise<void> {
  const etcd = await variable('ETCD_URL');
  const ask = async (path: string, body: object): Promise<{ readonly header: { readonly revision: string } }> =>
    (await fetch(`${etcd}/v3/kv/${path}`, { method: 'POST', body: JSON.stringify(body) })).json() as never;
  const { header } = await ask('range', { key: 'AA==' });
  await ask('compaction', { revision: header.revision, physical: true });
}

beforeAll(async () => {
  if (missing !== undefined) return;
  plane = await startControlPlane();
  folder = await mkdtemp(join(tmpdir(), 'following-'));
  await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
  const ca = await readFile(join(plane.folder!, 'pki', 'ca.crt'), 'utf8');
  proxy = await TlsProxy.start(await variable('APISERVER_URL'), ca);
  service = await startTestService({ CONNECTION_KEY_FILE: join(folder, 'keys'), FOLLOW_COALESCE_MS: '50' });
}, 180_000);
afterAll(async () => {
  if (missing !== undefined) return;
  await service.close();
  await proxy.stop();
  await plane.stop();
  await rm(folder, { recursive: true });
}, 60_000);

const pathOf = ({ apiVersions: [version], plural, kind }: KindInfo): string => {
  const root = version.includes('/') ? `/apis/${version}` : `/api/${version}`;
  return kind === 'Lease' ? `${root}/namespaces/kube-node-lease/leases` : `${root}/${plural}`;
};

interface Listed {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string };
  readonly spec?: object;
}

async function truth(): Promise<Identities> {
  const found = new Map<string, string>();
  for (const info of KINDS) {
    const { code, body } = await plane.api.ask('GET', pathOf(info));
    if (code !== 200) continue;
    for (const { metadata, spec } of body['items'] as unknown as readonly Listed[]) {
      const taints = info.kind === 'Node' ? JSON.stringify((spec as { taints?: unknown }).taints ?? null) : '';
      found.set(`${info.kind} ${metadata.namespace ?? ''}/${metadata.name}`, `${metadata.uid} ${taints}`);
    }
  }
  return found;
}

async function stored(): Promise<Identities> {
  const rows = await sql<{ kind: string; namespace: string; name: string; uid: string; content: string }>(
    service.databaseUrl,
    'select kind, namespace, name, uid, content from object_versions where valid_to is null',
  );
  return new Map(
    rows.map(({ kind, namespace, name, uid, content }) => {
      const taints =
        kind === 'Node'
          ? JSON.stringify((JSON.parse(content) as { spec?: { taints?: object[] } }).spec?.taints?.map(inOrder) ?? null)
          : '';
      return [`${kind} ${namespace}/${name}`, `${uid} ${taints}`];
    }),
  );
}

/** Members as the API server writes them. */
function inOrder(taint: object): object {
  const { key, value, effect, timeAdded } = taint as Record<string, string>;
  return { key, ...(value !== undefined && { value }), effect, ...(timeAdded !== undefined && { timeAdded }) };
}

function differences(a: Identities, b: Identities): readonly string[] {
  return [
    ...[...a].filter(([key, value]) => b.get(key) !== value).map(([key, value]) => `${key}: ${value} ≠ ${b.get(key)}`),
    ...[...b.keys()].filter((key) => !a.has(key)).map((key) => `${key} is not there`),
  ];
}

/** Waits until what is stored is what the API server has. */
async function becomesEqual(): Promise<void> {
  const end = Date.now() + 90_000;
  for (;;) {
    const odd = differences(await truth(), await stored());
    if (odd.length === 0) return;
    if (Date.now() > end) {
      const { json } = await service.request('GET', `${AT}/connection`);
      throw new Error(`${odd.slice(0, 5).join('\n')}\n${JSON.stringify(json)}\n${service.logLines().slice(-3000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const node = (name: string): object => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
const taint = (name: string, key: string): Promise<unknown> =>
  plane.api.must('PATCH', `/api/v1/nodes/${name}`, { spec: { taints: [{ key, effect: 'NoSchedule' }] } });
async function killed(name: string): Promise<() => void> {
  const pid = Number(await readFile(join(plane.folder!, 'pids', name), 'utf8'));
  const [command = '', ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').slice(0, -1);
  process.kill(pid, 'SIGKILL');
  return () => {
    const log = openSync(join(plane.folder!, 'logs', `${name}.again.log`), 'a');
    const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log], cwd: plane.folder });
    child.unref();
    void writeFile(join(plane.folder!, 'pids', name), String(child.pid));
  };
}

/** A kubeconfig of a ServiceAccount that has a new token, through the proxy. */
async function serviceAccount(): Promise<object> {
  const path = '/api/v1/namespaces/default/serviceaccounts/reader/token';
  const spec = { expirationSeconds: 3600 };
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  const { status } = await plane.api.must('POST', path, body);
  const { token } = status as { readonly token: string };
  return {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [
      {
        name: 'c',
        cluster: { server: proxy.url, 'certificate-authority-data': Buffer.from(proxy.ca).toString('base64') },
      },
    ],
    users: [{ name: 'u', user: { token } }],
  };
}

const connect = async (): Promise<Answer> =>
  service.request('PUT', `${AT}/connection`, { kubeconfig: await serviceAccount(), follow: true });

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

const role = (rules: unknown): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'reader' },
  rules,
});
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';

describe('a followed cluster', () => {
  const live = missing === undefined ? it : it.skip;
  let rules: readonly { readonly resources: readonly string[] }[];

  live(
    'says which permissions are missing, and is stored as one revision once it has them',
    async () => {
      for (const name of ['n1', 'n2']) await plane.api.must('POST', '/api/v1/nodes', node(name));
      await plane.api.must('POST', '/api/v1/namespaces/default/serviceaccounts', {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'reader' },
      });
      await service.request('PUT', AT, {});
      expect((await connect()).at('follow')).toBe(true);
      const { rule } = await isShown('Pod', 'denied');
      expect(rule).toEqual({ apiGroups: [''], resources: ['pods'], verbs: ['list'] });
      rules = (await service.request('GET', `${AT}/connection`)).at('following.rules') as typeof rules;
      await plane.api.must('POST', ROLES, role(rules));
      await plane.api.must('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'reader' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
        subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
      });
      // The next try of each kind may take a while; another connection asks at once.
      await connect();
      await becomesEqual();
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
      await becomesEqual();
      for (const harm of ['cutEvent', 'garbleEvent'] as const) {
        proxy.harmNext(harm);
        await taint('n1', harm);
        await plane.api.until(harm, () => Promise.resolve(proxy.hasHarmed || undefined));
        await becomesEqual();
      }
      proxy.cutAll();
      await plane.api.must('POST', '/api/v1/nodes', node('n3'));
      await becomesEqual();
      expect(proxy.asked.slice(before).filter((asked) => asked.includes('limit='))).toEqual([]);
    },
    240_000,
  );

  live(
    'goes on after its rights were taken away and given back, and with another token',
    async () => {
      const without = rules.map((one) => ({ ...one, resources: one.resources.filter((name) => name !== 'nodes') }));
      await plane.api.must('PUT', `${ROLES}/reader`, role(without));
      proxy.cutAll();
      const { rule } = await isShown('Node', 'denied');
      expect(rule).toEqual({ apiGroups: [''], resources: ['nodes'], verbs: ['watch'] });
      await taint('n1', 'unseen');
      await plane.api.must('PUT', `${ROLES}/reader`, role(rules));
      await becomesEqual();
      const before = proxy.asked.length;
      await connect();
      await taint('n1', 'rotated');
      await becomesEqual();
      expect(proxy.asked.slice(before).filter((asked) => asked.includes('limit='))).toEqual([]);
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
      const start = await killed('kube-apiserver');
      await compactEtcd();
      proxy.harmNext('cutPage');
      start();
      await plane.api.until('ready', async () =>
        plane.api.ask('GET', '/api/v1/nodes').then(
          ({ code }) => (code === 200 ? true : undefined),
          () => undefined,
        ),
      );
      await taint('n1', 'b');
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
