import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, node, send } from '../support/dumps.js';
import { sql } from '../support/sql.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const API = 'admissionregistration.k8s.io/v1';
const PODS = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };

const policy = (name: string, expression: string): object => ({
  apiVersion: API,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    matchConstraints: { resourceRules: [PODS] },
    validations: [{ expression, messageExpression: '"limit of " + params.metadata.name' }],
  },
});
const binding = (namespace: string, of: string, paramRef: object): object => ({
  apiVersion: API,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: namespace },
  spec: {
    policyName: of,
    paramRef,
    validationActions: ['Deny'],
    matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
  },
});
const configMap = (namespace: string, name: string, data: object, labels: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace,
    labels,
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ data }) },
  },
  data,
});

const LIMIT = 'object.spec.containers.size() <= int(params.data.max)';
const NAMED = { name: 'limits', parameterNotFoundAction: 'Deny' };

/** ConfigMaps stand before the policies that need them, and after. */
const CLUSTER = [
  node('n1'),
  configMap('own', 'limits', { max: '1', why: 'kept-own' }),
  configMap('own', 'app', { password: 'secret-own-app' }),
  ...['own', 'shared', 'selected', 'missing', 'free', 'central'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  })),
  ...['own', 'shared', 'selected', 'missing', 'free'].map((namespace) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace },
  })),
  // Of kinds that were never loaded, it is not known whether they change the pod.
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'none', namespace: 'central' },
    spec: { limits: [] },
  },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1 },
  policy('limit', LIMIT),
  binding('own', 'limit', NAMED),
  binding('shared', 'limit', { ...NAMED, namespace: 'central' }),
  binding('missing', 'limit', NAMED),
  binding('free', 'limit', { name: 'nothing', parameterNotFoundAction: 'Allow' }),
  binding('selected', 'limit', {
    selector: { matchLabels: { policy: 'limit' } },
    parameterNotFoundAction: 'Deny',
  }),
  { ...configMap('central', 'limits', { max: '1', why: 'kept-central' }), binaryData: { key: 'a2VwdA==' } },
  configMap('central', 'app', { password: 'secret-central-app' }),
  configMap('selected', 'a', { max: '3', why: 'kept-a' }, { policy: 'limit' }),
  configMap('selected', 'b', { max: '1', why: 'kept-b' }, { policy: 'limit' }),
  configMap('selected', 'limits-old', { password: 'secret-unselected' }, { policy: 'other' }),
];

const pod = (namespace: string, count: number): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x', namespace },
  spec: { containers: Array.from({ length: count }, (_, index) => ({ name: `c${index}`, image: 'app:v1' })) },
});

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'params', CLUSTER);
});
afterAll(() => service.close());

const review = (namespace: string, count: number, cluster = 'params'): Promise<Answer> =>
  service.request('POST', `/api/v1/clusters/${cluster}/admission-reviews`, { pod: pod(namespace, count) });
const policyDoubt = (answer: Answer) =>
  (answer.at('undecided') as { plugin: string; why: string }[])
    .filter(({ plugin }) => plugin === 'ValidatingAdmissionPolicy')
    .map(({ why }) => why);

/** The tables with a row that contains the text. */
async function tablesWith(text: string): Promise<readonly string[]> {
  const tables = await sql<{ name: string }>(
    service.databaseUrl,
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await sql(service.databaseUrl, `select 1 from "${name}" t where t::text like '%${text}%' limit 1`);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

describe('ConfigMaps as params of policies', () => {
  it.each<[string, string, number, string | null]>([
    ['by name in the namespace of the pod', 'own', 2, 'limit of limits'],
    ['by name, and meets it', 'own', 1, null],
    ['by name in another namespace', 'shared', 2, 'limit of limits'],
    ['by labels, each of them', 'selected', 2, 'limit of b'],
    ['by labels, and meets each of them', 'selected', 1, null],
    ['that do not exist, and must', 'missing', 1, 'no params found for policy binding'],
    ['that do not exist, and need not', 'free', 9, null],
  ])('judge a pod: %s', async (_, namespace, count, says) => {
    const answer = await review(namespace, count);
    expect(policyDoubt(answer)).toEqual([]);
    if (says === null) expect(answer.at('refusal')).toBeNull();
    else expect(answer.at('refusal.message')).toContain(says);
  });

  it('are stored with their data only if a binding refers to them', async () => {
    for (const kept of ['kept-own', 'kept-central', 'kept-a', 'kept-b']) {
      expect([kept, await tablesWith(kept)]).toEqual([kept, ['object_versions']]);
    }
    expect(await tablesWith('secret-')).toEqual([]);
    const rows = await sql(
      service.databaseUrl,
      "select count(*)::int as count from object_versions where kind = 'ConfigMap'",
    );
    expect(rows).toEqual([{ count: 7 }]);
  });

  it('are the same in the next snapshot, and get their data once a binding that refers to them is stored', async () => {
    const again = await send(service, '/api/v1/clusters/params/snapshots', list(CLUSTER));
    expect(again.json).toMatchObject({ unchanged: true });

    const [maps, others] = [true, false].map((isMap) =>
      CLUSTER.filter((object) => ((object as { kind: string }).kind === 'ConfigMap') === isMap),
    );
    await store(service, 'apart', [node('n1'), ...maps!]);
    await store(service, 'apart', others!);
    expect(policyDoubt(await review('own', 2, 'apart'))).toEqual([
      'ValidatingAdmissionPolicy "limit" depends on something that is not known or not evaluated: the data of ConfigMap "own/limits"',
    ]);
    await store(service, 'apart', maps!);
    expect((await review('own', 2, 'apart')).at('refusal.message')).toContain('limit of limits');
    expect(await tablesWith('secret-')).toEqual([]);
  });
});
