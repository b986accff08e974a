import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KindTotal } from '../../src/storage/kind-total.js';
import { node, pod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { sql } from '../support/sql.js';

interface Meta {
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let made = 0;
let cluster: string;
const path = (rest: string): string => `/api/v1/clusters/${cluster}/${rest}`;

/** An object as the API server has it. */
function at(version: number, object: object, metadata: object = {}): object & { metadata: Meta } {
  const given = (object as { metadata: Meta }).metadata;
  return {
    ...object,
    metadata: { ...given, uid: `uid-of-${given.name}`, ...metadata, resourceVersion: String(version) },
  };
}

const listOf = (kind: string, version: number, items: readonly object[]): object => ({
  apiVersion: 'v1',
  kind: `${kind}List`,
  metadata: { resourceVersion: String(version) },
  items,
});

async function snapshot(lists: readonly object[], capturedAt: string): Promise<Answer> {
  const body = lists.map((one) => JSON.stringify(one)).join('\n');
  const answer = await service.request('POST', path(`snapshots?createCluster=true&capturedAt=${capturedAt}`), body);
  expect(answer.status).toBe(201);
  return answer;
}

const position = (kind: string, version: number, objects: readonly { metadata: Meta }[]): object => {
  const total = KindTotal.empty();
  for (const { metadata } of objects) total.add({ namespace: '', ...metadata });
  return { kind, resourceVersion: String(version), count: total.count, hash: total.hash };
};

const send = (body: object): Promise<Answer> => service.request('POST', path('deltas'), body);

const NODES = [at(1, node('a')), at(2, node('b'))];
const PODS = [at(3, pod('shop/web', 'a'))];
const MINUTE = (minute: number): string => `2026-06-01T00:${String(minute).padStart(2, '0')}:00.000Z`;

beforeEach(async () => {
  cluster = `c${++made}`;
  await snapshot([listOf('Node', 10, NODES), listOf('Pod', 10, PODS)], MINUTE(0));
});

describe('a delta over HTTP', () => {
  it('is stored, answers and questions know it, and the positions can be read', async () => {
    const second = at(11, pod('shop/web-2', 'b'));
    const answer = await send({
      stream: 's',
      sequence: 1,
      capturedAt: MINUTE(1),
      upserts: [second, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x', namespace: 'shop' } }],
      deletions: [{ kind: 'Pod', namespace: 'shop', name: 'web', uid: 'uid-of-web', resourceVersion: '12' }],
      positions: [position('Pod', 12, [second]), position('Node', 12, NODES)],
    });
    expect(answer.json).toMatchObject({
      basis: { cluster, revision: 2, capturedAt: MINUTE(1) },
      next: 2,
      repeated: false,
      revision: 2,
      head: 2,
      unchanged: false,
      ignored: { upserts: 0, deletions: 0, notKept: 1 },
      positions: [
        { kind: 'Pod', agrees: true, resourceVersion: '12', count: 1 },
        { kind: 'Node', agrees: true, resourceVersion: '12', count: 2 },
      ],
      snapshotNeeded: [],
    });
    const pods = await service.request('GET', path('pods'));
    expect(pods.at('items.0.name')).toBe('web-2');
    expect(pods.at('items.1')).toBeUndefined();
    const revision = await service.request('GET', path('snapshots/head'));
    expect(revision.json).toMatchObject({
      snapshot: {
        kind: 'delta',
        resourceVersions: [
          { kind: 'Node', resourceVersion: '12' },
          { kind: 'Pod', resourceVersion: '12' },
        ],
      },
      report: null,
    });
    expect((await service.request('GET', path('deltas'))).json).toMatchObject({
      stream: 's',
      next: 2,
      capturedAt: MINUTE(1),
      positions: [
        { kind: 'Node', resourceVersion: '12', count: 2, snapshotNeeded: false },
        { kind: 'Pod', resourceVersion: '12', count: 1, snapshotNeeded: false },
      ],
    });
    const [row] = await sql<{ content: string; version: string }>(
      service.databaseUrl,
      `select content, resource_version as version from object_versions v join clusters c on c.id = v.cluster_id
       where c.name = '${cluster}' and v.name = 'web-2'`,
    );
    expect(row?.version).toBe('11');
    expect(row?.content).not.toContain('resourceVersion');
  });

  it('is taken through GraphQL, too', async () => {
    const answer = await service.graphql(
      `mutation ($input: TakeDeltaInput!) { takeDelta(input: $input) { revision next positions { kind agrees } } }`,
      {
        input: {
          cluster,
          stream: 's',
          sequence: 1,
          upserts: [at(11, pod('shop/web-2', 'b'))],
          positions: [position('Pod', 11, [])],
        },
      },
    );
    expect(answer.at('data.takeDelta')).toEqual({ revision: 2, next: 2, positions: [{ kind: 'Pod', agrees: false }] });
    const state = await service.graphql(
      `{ cluster(name: "${cluster}") { deltas { next positions { kind snapshotNeeded } } } }`,
    );
    expect(state.at('data.cluster.deltas')).toEqual({
      next: 2,
      positions: [
        { kind: 'Node', snapshotNeeded: false },
        { kind: 'Pod', snapshotNeeded: true },
      ],
    });
  });

  it('is refused with every bad field at once', async () => {
    const bad = { ...at(11, pod('shop/Web', 'a')), spec: { nodeName: 'a', containers: [], priority: 'high' } };
    const answer = await send({
      stream: 'has space',
      sequence: 1,
      capturedAt: '2999-01-01T00:00:00Z',
      upserts: [PODS[0], bad],
      deletions: [
        { kind: 'Pod', name: 'x' },
        { kind: 'Node', namespace: 'y', name: '' },
        { kind: 'Secret', name: 'z' },
      ],
      positions: [
        { kind: 'Pod', resourceVersion: '', count: 1, hash: 'x' },
        { kind: 'Pod', resourceVersion: '1', count: 1, hash: '0000000000000000' },
      ],
    });
    expect(answer.status).toBe(400);
    const places = (answer.at('errors') as { pointer?: string; field: string }[]).map(
      ({ pointer, field }) => pointer ?? field,
    );
    expect(places.sort()).toEqual([
      '/deletions/0/namespace',
      '/deletions/1/name',
      '/deletions/1/namespace',
      '/deletions/2/kind',
      '/positions/0/hash',
      '/positions/0/resourceVersion',
      '/positions/1/kind',
      '/stream',
      '/upserts/1/metadata/name',
      '/upserts/1/spec/priority',
      'capturedAt',
    ]);
  });

  it('is refused with an invalid object, unless its readable part is to be kept', async () => {
    const bad = at(11, pod('shop/odd', 'a', { tolerations: [{ key: 'a b', operator: 'Exists' }] }));
    const delta = { stream: 's', sequence: 1, upserts: [bad] };
    expect((await send(delta)).status).toBe(422);
    expect((await send({ ...delta, invalid: 'keep' })).json).toMatchObject({ revision: 2 });
  });

  it.each([
    ['a gap', { sequence: 3 }, 'delta-out-of-order', 'expected 1'],
    [
      'a kind that no snapshot has contained',
      { sequence: 1, deletions: [{ kind: 'Job', namespace: 'x', name: 'y' }] },
      'snapshot-needed',
      'no snapshot has contained Job',
    ],
  ])('is refused for %s', async (_, rest, code, message) => {
    const answer = await send({ stream: 's', ...rest });
    expect(answer.status).toBe(409);
    expect(answer.at('code')).toBe(code);
    expect(answer.at('errors.0.message')).toBe(message);
  });

  it('needs allowRemovals to delete most of the nodes', async () => {
    const deletions = ['a', 'b'].map((name) => ({ kind: 'Node', name, resourceVersion: '20' }));
    const delta = { stream: 's', sequence: 1, deletions };
    const refused = await send(delta);
    expect(refused.status).toBe(409);
    expect(refused.at('code')).toBe('too-many-removals');
    expect(refused.at('errors.0.message')).toBe('2 of 2 stored nodes are deleted by the delta: a, b');
    expect((await send({ ...delta, allowRemovals: true })).json).toMatchObject({ revision: 2 });
  });

  it('does not accept more objects than its limit', async () => {
    const deletions = Array.from({ length: 10_001 }, (_, index) => ({ kind: 'Node', name: `n${index}` }));
    expect((await send({ stream: 's', sequence: 1, deletions })).status).toBe(400);
  });

  it('keeps the data of a ConfigMap from the database', async () => {
    const config = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', namespace: 'shop' },
      data: { p: 'hunter2' },
    };
    await snapshot([listOf('ConfigMap', 10, [])], MINUTE(1));
    expect((await send({ stream: 's', sequence: 1, upserts: [at(11, config)] })).json).toMatchObject({ revision: 3 });
    const rows = await sql<{ content: string }>(
      service.databaseUrl,
      `select content from object_versions where kind = 'ConfigMap'`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.content).not.toContain('hunter2');
  });

  it('needs a snapshot of ConfigMaps after one of policies alone, which may take them as params', async () => {
    const config = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'limits', namespace: 'shop' },
      data: { most: 'three' },
    };
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const policies = (kind: string, spec: object): object => ({
      ...listOf(kind, 12, [{ apiVersion, kind, metadata: { name: 'p' }, spec }]),
      apiVersion,
    });
    await snapshot([listOf('ConfigMap', 10, [at(9, config)])], MINUTE(1));
    const paramRef = { name: 'limits', namespace: 'shop', parameterNotFoundAction: 'Deny' };
    await snapshot(
      [
        policies('ValidatingAdmissionPolicy', { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }),
        policies('ValidatingAdmissionPolicyBinding', { policyName: 'p', validationActions: ['Deny'], paramRef }),
      ],
      MINUTE(2),
    );
    expect((await send({ stream: 's', sequence: 1 })).at('snapshotNeeded')).toEqual(['ConfigMap']);
    await snapshot([listOf('ConfigMap', 13, [at(9, config)])], MINUTE(3));
    expect((await send({ stream: 's', sequence: 2 })).at('snapshotNeeded')).toEqual([]);
    const [stored] = await sql<{ content: string }>(
      service.databaseUrl,
      `select content from object_versions where kind = 'ConfigMap' and name = 'limits' and valid_to is null`,
    );
    expect(stored?.content).toContain('three');
  });
});

describe('a delta of a policy', () => {
  it('asks for a snapshot of ConfigMaps, which it may take as params', async () => {
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const empty = (kind: string): object => ({ ...listOf(kind, 10, []), apiVersion });
    await snapshot(
      [listOf('ConfigMap', 10, []), empty('ValidatingAdmissionPolicy'), empty('ValidatingAdmissionPolicyBinding')],
      MINUTE(1),
    );
    const binding = {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'p' },
      spec: {
        policyName: 'p',
        validationActions: ['Deny'],
        paramRef: { name: 'limits', namespace: 'shop', parameterNotFoundAction: 'Deny' },
      },
    };
    const asked = await send({ stream: 's', sequence: 1, upserts: [at(11, binding)] });
    expect([asked.status, asked.at('snapshotNeeded')]).toEqual([200, ['ConfigMap']]);
  });
});

describe('the trail of deltas', () => {
  const owner = (time: string): object => ({
    managedFields: [
      {
        manager: 'kubectl',
        operation: 'Update',
        apiVersion: 'v1',
        time,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:taints': {} } },
      },
    ],
  });

  it('attributes a change of taints to its manager and second, between the last delta and this one', async () => {
    await send({ stream: 's', sequence: 1, capturedAt: MINUTE(1), positions: [position('Node', 11, NODES)] });
    const taints = [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }];
    const changed = at(12, node('a', { spec: { taints } }), {
      ...NODES[0]!.metadata,
      ...owner('2026-06-01T00:01:30Z'),
    });
    await send({ stream: 's', sequence: 2, capturedAt: MINUTE(2), upserts: [changed] });
    const records = await service.request('GET', path('taint-trail/records'));
    const found = (records.at('items') as Record<string, unknown>[]).filter(({ node: of }) => of === 'a');
    expect(found[0]).toMatchObject({ kind: 'change', node: 'a', revision: 2 });
    expect(JSON.stringify(found[0])).toContain('kubectl');
    expect(JSON.stringify(found[0])).toContain('2026-06-01T00:01:30');
    expect(JSON.stringify(found[0])).not.toContain(MINUTE(0));
  });

  it('records a deleted node, and nothing about nodes that a delta does not name', async () => {
    await snapshot(
      [
        listOf(
          'Node',
          20,
          NODES.map((one, index) => ({
            ...one,
            ...node(one.metadata.name, { spec: { taints: [{ key: `k${index}`, effect: 'NoSchedule' }] } }),
            metadata: { ...one.metadata, resourceVersion: '15' },
          })),
        ),
      ],
      MINUTE(1),
    );
    const before = (await service.request('GET', path('taint-trail/records'))).at('items') as unknown[];
    await send({
      stream: 's',
      sequence: 1,
      capturedAt: MINUTE(2),
      deletions: [{ kind: 'Node', name: 'a', resourceVersion: '21' }],
      allowRemovals: true,
    });
    const after = (await service.request('GET', path('taint-trail/records'))).at('items') as Record<string, unknown>[];
    const added = after.slice(0, after.length - before.length);
    expect(added.map(({ node: of }) => of)).toEqual(['a']);
  });

  it('lets a delta confirm a change made through the service', async () => {
    const change = await service.request('POST', path('taint-changes'), {
      reason: 'a test',
      nodes: ['a'],
      taints: ['dedicated=ml:NoSchedule'],
    });
    expect(change.status).toBe(201);
    expect((await service.request('GET', path('snapshots/head'))).at('basis.intents.unconfirmedNodes')).toBe(1);
    const taints = [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }];
    const changed = at(12, node('a', { spec: { taints } }));
    const answer = await send({
      stream: 's',
      sequence: 1,
      upserts: [changed],
      positions: [position('Node', 12, [changed, NODES[1]!])],
    });
    expect(answer.at('positions.0.agrees')).toBe(true);
    expect(answer.at('basis.intents.unconfirmedNodes')).toBe(0);
  });

  it('keeps a change made through the service that is younger than the delta, also in the state that is in memory', async () => {
    const taintsOf = async (): Promise<unknown> =>
      (await service.request('GET', path('nodes?labelSelector=new=yes'))).at('items.0.taints');
    expect(await taintsOf()).toBeUndefined();
    const taints = ['dedicated=ml:NoSchedule'];
    const change = await service.request('POST', path('taint-changes'), { reason: 'a test', nodes: ['b'], taints });
    expect(change.status).toBe(201);
    const shown = at(13, { ...node('b'), metadata: { name: 'b', labels: { new: 'yes' } } });
    const answer = await send({ stream: 'younger', sequence: 1, capturedAt: MINUTE(1), upserts: [shown] });
    expect(answer.at('basis.intents.unconfirmedNodes')).toBe(1);
    expect(await taintsOf()).toMatchObject([{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }]);
  });
});

describe('the age of a followed head', () => {
  it('ignores a node that is older than the one that was changed through the service', async () => {
    const delta = (sequence: number, version: number): Promise<Answer> =>
      send({ stream: 's', sequence, capturedAt: MINUTE(sequence), upserts: [at(version, node('a'))] });
    expect((await delta(1, 12)).at('ignored.upserts')).toBe(0);
    const taints = ['dedicated=ml:NoSchedule'];
    expect((await service.request('POST', path('taint-changes'), { nodes: ['a'], taints, reason: 'r' })).status).toBe(
      201,
    );
    expect((await delta(2, 11)).at('ignored.upserts')).toBe(1);
  });

  it('counts from the last sign of life', async () => {
    const old = await service.request('GET', path('snapshots/head?maxAge=1h'));
    expect(old.at('code')).toBe('snapshot-too-old');
    const now = new Date().toISOString();
    await send({ stream: 's', sequence: 1, capturedAt: now, positions: [position('Node', 11, NODES)] });
    const fresh = await service.request('GET', path('snapshots/head?maxAge=1h'));
    expect(fresh.status).toBe(200);
    expect(fresh.at('basis.revision')).toBe(1);
    expect(fresh.at('basis.capturedAt')).toBe(MINUTE(0));
    expect(fresh.at('basis.ageSeconds')).toBeLessThan(3600);
    await send({ stream: 's', sequence: 2, upserts: [at(12, node('c'))], capturedAt: now });
    const former = await service.request('GET', path('snapshots/1?maxAge=1h'));
    expect(former.at('code')).toBe('snapshot-too-old');
  });
});
