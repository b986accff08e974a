import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../src/app/clock.js';
import { list, node, pod, send } from '../support/dumps.js';
import { inOneOrder, podsOfGroup, type ShownGroup } from '../support/expand-group.js';
import { sql } from '../support/sql.js';
import { countRoundTrips } from '../support/statement-counter.js';
import { type Answer, startTestService, type TestService } from '../support/service.js';

let service: TestService;
const NOON = new Date('2026-06-01T12:00:00Z');

/** A clock that the tests advance. */
class SetClock extends Clock {
  time = NOON;

  override now(): Date {
    return this.time;
  }
}

const clock = new SetClock();
beforeAll(async () => {
  service = await startTestService({}, { clock });
});
afterAll(() => service.close());

const ML = { key: 'dedicated', value: 'ml', effect: 'NoSchedule' };
const OLD = { key: 'old', value: 'yes', effect: 'NoExecute' };

let cluster = '';
let made = 0;
/** Two plain nodes, one with the taint `old`, and pods on the first. */
beforeEach(async () => {
  clock.time = NOON;
  cluster = `c${++made}`;
  await snapshot([node('a'), node('b'), node('c', { spec: { taints: [OLD] } })]);
});

const base = (): string => `/api/v1/clusters/${cluster}`;
const PODS = [
  pod('default/stays', 'a', { tolerations: [{ operator: 'Exists' }] }),
  pod('default/leaves', 'a', {}),
  pod('default/later', 'a', {
    tolerations: [{ key: 'drain', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }],
  }),
];

async function snapshot(nodes: readonly object[], query = ''): Promise<Answer> {
  const answer = await send(service, `${base()}/snapshots?createCluster=true${query}`, list([...nodes, ...PODS]));
  expect(answer.status).toBe(201);
  return answer;
}

const change = (body: object, headers?: Record<string, string>): Promise<Answer> =>
  service.request('POST', `${base()}/taint-changes`, { reason: 'a test', ...body }, headers);
const taintsOf = async (name: string, query = ''): Promise<unknown> => {
  const { json } = await service.request('GET', `${base()}/nodes/${name}${query}`);
  return (json as { node: { taints: { text: string }[] } }).node.taints.map(({ text }) => text);
};
const records = async (where = 'true'): Promise<Record<string, unknown>[]> => {
  const rows = await sql<{ content: string }>(
    service.databaseUrl,
    `select content from taint_trail where cluster_name = '${cluster}' and ${where} order by sequence`,
  );
  return rows.map(({ content }) => JSON.parse(content) as Record<string, unknown>);
};
const later = (seconds: number): void => {
  clock.time = new Date(clock.time.getTime() + seconds * 1000);
};

describe('a change of taints', () => {
  it('is written in kubectl’s syntax, becomes an intent, and is listed newest first', async () => {
    const answer = await change({ nodes: ['a', 'c'], taints: ['dedicated=ml:NoSchedule'], labels: ['dedicated=ml'] });
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({
      basis: { revision: 2, intents: { unconfirmedNodes: 2, included: true } },
      change: { action: 'change', status: 'recorded', by: { name: 'anonymous' }, reason: 'a test' },
      nodes: [
        { node: 'a', message: 'node/a tainted\nnode/a labeled', operations: ['tainted', 'labeled'] },
        { node: 'c', difference: { added: [{ text: 'dedicated=ml:NoSchedule' }], removed: [] } },
      ],
      kubectl: ['kubectl taint nodes a c dedicated=ml:NoSchedule', 'kubectl label nodes a c dedicated=ml'],
    });
    expect(await taintsOf('c')).toEqual(['dedicated=ml:NoSchedule', 'old=yes:NoExecute']);
    expect((await service.request('GET', `${base()}/diff`)).json).toMatchObject({
      nodes: [{ node: 'a' }, { node: 'c' }],
    });
    const seen = await service.request('GET', `${base()}/diff?intents=exclude`);
    expect(seen.json).toMatchObject({ basis: { intents: { unconfirmedNodes: 2, included: false } }, nodes: [] });
    const again = await service.request('GET', answer.headers.get('location')!);
    expect(again.json).toMatchObject({ change: { id: answer.at('change.id') }, nodes: [{ status: 'recorded' }, {}] });
    expect((await service.request('GET', `${base()}/taint-changes`)).json).toMatchObject({
      items: [{ id: answer.at('change.id'), counts: { changed: 2, unchanged: 0, refused: 0 } }],
    });
  });

  it('counts from when it was made, although the state was captured before', async () => {
    later(60);
    await change({ nodes: ['a'], taints: ['x=1:NoSchedule'] });
    const at = (time: string): Promise<unknown> => taintsOf('a', `?at=2026-06-01T12:${time}Z`);
    expect([await at('00:59'), await at('01:00')]).toEqual([[], ['x=1:NoSchedule']]);
  });

  it('can be previewed, and then nothing is stored', async () => {
    const preview = await change({ nodes: ['a'], taints: ['drain=now:NoExecute'], dryRun: true });
    expect(preview.status).toBe(200);
    expect(preview.json).toMatchObject({
      basis: { revision: 1 },
      dryRun: true,
      change: null,
      nodes: [{ node: 'a', outcome: 'changed', jsonPatch: [{ op: 'add', path: '/spec/taints' }] }],
      effects: { evictions: { counts: { now: 1, after: 1, never: 1, cancelled: 0 } } },
    });
    expect(preview.at('effects.evictions.groups')).toMatchObject([
      { when: 'now', because: { taint: 'drain=now:NoExecute' }, workloads: [{ pods: ['leaves'] }] },
      { when: 'after', seconds: 60, at: '2026-06-01T12:01:00Z', workloads: [{ pods: ['later'] }] },
      { when: 'never', workloads: [{ pods: ['stays'] }] },
    ]);
    expect(await taintsOf('a')).toEqual([]);
    expect(await records(`kind in ('request', 'change')`)).toEqual([]);
    expect((await service.request('GET', `${base()}/snapshots/head`)).at('basis.revision')).toBe(1);
  });

  it('says what it does in groups by cause, and pod by pod if asked', async () => {
    const tolerating = (key: string, tolerations: object[], node: string): object =>
      pod(key, node, { tolerations }, { kind: 'ReplicaSet', name: key.replace(/.*\//, '').slice(0, 3) });
    const minute = { key: 'drain', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 };
    const other = { key: 'gpu', operator: 'Exists' };
    await send(
      service,
      `${base()}/snapshots`,
      list([
        ...['a', 'b', 'c'].map((name) => node(name)),
        ...['a', 'b'].map((name) => tolerating(`default/web-${name}`, [minute], name)),
        tolerating('other/api-a', [other, minute], 'a'),
        tolerating('other/job-b', [], 'b'),
        tolerating('other/etl-b', [], 'b'),
      ]),
    );
    const body = { nodes: ['a', 'b'], taints: ['drain=now:NoExecute'], reason: 'a test' };
    const ask = (query: string): Promise<Answer> =>
      service.request('POST', `${base()}/taint-changes${query}`, { ...body, dryRun: true });
    const [grouped, one] = [await ask(''), await ask('?view=pods')];
    const evictions = 'effects.evictions';
    expect(grouped.at(`${evictions}.pods`)).toEqual({ total: 5, items: [] });
    expect(one.at(`${evictions}.groups`)).toEqual([]);
    const groups = grouped.at(`${evictions}.groups`) as ShownGroup[];
    expect(groups).toMatchObject([
      { count: 2, when: 'now', seconds: null, node: 'b', because: { taint: 'drain=now:NoExecute', toleration: null } },
      {
        ...{ count: 3, when: 'after', seconds: 60, node: null },
        because: { taint: 'drain=now:NoExecute', toleration: null },
        workloads: [
          { count: 2, pods: ['web-a', 'web-b'], values: { 'because.toleration': 'spec.tolerations[0]' } },
          { count: 1, pods: ['api-a'], values: { 'because.toleration': 'spec.tolerations[1]' } },
        ],
        columns: [{ name: 'node', values: ['a', 'b', 'a'] }],
      },
    ]);
    const listed = one.at(`${evictions}.pods.items`) as object[];
    expect(inOneOrder(groups.flatMap(podsOfGroup))).toEqual(inOneOrder(listed));
    expect(grouped.at('effects.workloads')).toMatchObject({
      groups: [
        {
          ...{ count: 2, podCount: 2, feasibleBefore: 3, feasibleAfter: 1, lost: { total: 2, items: ['a', 'b'] } },
          columns: [],
        },
      ],
      entries: { total: 2, items: [] },
    });
    expect(one.at('effects.workloads.entries.items')).toHaveLength(2);
    const made = await service.request('POST', `${base()}/taint-changes?view=pods`, body);
    expect(made.at(`${evictions}.pods.items`)).toEqual(listed);
    const path = `${base()}/taint-changes/${String(made.at('change.id'))}`;
    expect((await service.request('GET', path)).at(`${evictions}.groups`)).toEqual(groups);
    expect((await service.request('GET', `${path}?view=pods`)).at(`${evictions}.pods.items`)).toEqual(listed);
    const graphql = await service.graphql(
      `query ($id: ID!) { cluster(name: "${cluster}") { taintChange(id: $id) { effects { evictions {
        groups { count workloads { pods values } } pods { total items { name } } } } } } }`,
      { id: made.at('change.id') },
    );
    expect(graphql.at(`data.cluster.taintChange.${evictions}`)).toMatchObject({
      groups: [{ count: 2 }, { count: 3, workloads: [{ pods: ['web-a', 'web-b'] }, {}] }],
      pods: { total: 5, items: [{ name: 'etl-b' }, {}, {}, {}, {}] },
    });
    expect(await ask('?view=nodes')).toMatchObject({ status: 400, json: { errors: [{ field: 'view' }] } });
  });

  it('is refused for all nodes or node by node, in kubectl’s words', async () => {
    const refused = await change({ nodes: ['a', 'c'], taints: ['old=yes:NoExecute', 'other-'] });
    expect(refused.status).toBe(409);
    expect(refused.json).toMatchObject({
      code: 'taint-change-refused',
      errors: expect.arrayContaining([
        expect.objectContaining({ name: 'a', code: 'taint-not-found', message: 'taint "other" not found' }),
        expect.objectContaining({ name: 'c', code: 'taint-exists' }),
      ]),
    });
    expect(await taintsOf('a')).toEqual([]);
    const each = await change({ nodes: ['a', 'c', 'nobody'], taints: ['old=yes:NoExecute'], perNode: true });
    expect(each.status).toBe(201);
    expect(each.json).toMatchObject({
      change: { counts: { changed: 1, unchanged: 0, refused: 2 } },
      // What kubectl would refuse is not in its command.
      kubectl: ['kubectl taint nodes a old=yes:NoExecute'],
      nodes: [{ outcome: 'changed' }, { outcome: 'refused' }, { errors: [{ message: 'nodes "nobody" not found' }] }],
    });
    expect((await change({ nodes: ['x', 'y'], taints: ['a=b:NoSchedule'] })).json).toMatchObject({
      code: 'object-not-found',
      errors: [
        { pointer: '/nodes/0', name: 'x' },
        { pointer: '/nodes/1', name: 'y' },
      ],
    });
  });

  it('is refused with every bad field, and nothing is stored', async () => {
    const { status, json } = await service.request('POST', `${base()}/taint-changes`, {
      nodes: ['a'],
      labelSelector: 'x=y',
      taints: ['a=b', 'ok=1:NoSchedule', 'ok:NoSchedule-', { key: 'k', effect: 'Never' }],
      labels: ['x=not valid'],
      link: 'ftp://x',
      expiresAt: '2026-06-01T11:59:59Z',
    });
    expect(status).toBe(400);
    const { errors } = json as { errors: { pointer: string }[] };
    expect([...new Set(errors.map(({ pointer }) => pointer))].sort()).toEqual([
      '/expiresAt',
      '/labelSelector',
      '/labels/0',
      '/link',
      '/reason',
      '/taints/0',
      '/taints/2',
      '/taints/3/effect',
    ]);
    expect(await records(`kind <> 'found'`)).toEqual([]);
    const nothing = await change({ labelSelector: 'no=such', taints: ['a=b:NoSchedule'] });
    expect([nothing.status, nothing.at('change'), nothing.at('nodes')]).toEqual([200, null, []]);
  });

  it('cordons with the taint that follows, and records it for the node', async () => {
    await change({ nodes: ['a'], unschedulable: true });
    expect(await taintsOf('a')).toEqual(['node.kubernetes.io/unschedulable:NoSchedule']);
    expect(await records(`kind = 'change'`)).toMatchObject([
      {
        node: 'a',
        channel: 'api',
        difference: { cordon: 'cordoned', added: [{ key: 'node.kubernetes.io/unschedulable' }] },
      },
    ]);
    await change({ nodes: ['a'], unschedulable: false });
    expect(await taintsOf('a')).toEqual([]);
  });

  it('is made once under an idempotency key, and another request under it is refused', async () => {
    const headers = { 'idempotency-key': 'k1' };
    const body = { nodes: ['a'], taints: ['x=1:NoSchedule'] };
    const answers = await Promise.all([1, 2, 3].map(() => change(body, headers)));
    expect(new Set(answers.map((answer) => answer.at('change.id'))).size).toBe(1);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect((await change({ nodes: ['b'], taints: ['x=1:NoSchedule'] }, headers)).at('code')).toBe(
      'idempotency-key-reused',
    );
    expect(await records(`kind = 'change'`)).toHaveLength(1);
  });

  it('gets the first response when it is repeated after its expiry', async () => {
    const headers = { 'idempotency-key': 'k2' };
    const body = { nodes: ['b'], taints: ['x=1:NoSchedule'], expiresAt: '2026-06-01T12:00:10Z' };
    const first = await change(body, headers);
    later(60);
    const again = await change(body, headers);
    expect([again.status, again.at('change.id')]).toEqual([200, first.at('change.id')]);
    expect((await change({ ...body, nodes: ['a'] }, headers)).at('code')).toBe('idempotency-key-reused');
    expect((await change(body)).at('code')).toBe('invalid-request');
  });

  it('is the same request if a default is written out or a time is written differently', async () => {
    const headers = { 'idempotency-key': 'k3' };
    const body = { nodes: ['b'], taints: ['x=1:NoSchedule'] };
    const first = await change({ ...body, expiresAt: '2026-06-01T13:00:00Z' }, headers);
    const otherwise = { perNode: false, overwrite: false, dryRun: false, expiresAt: '2026-06-01T15:00:00.000+02:00' };
    const again = await change({ ...body, ...otherwise }, headers);
    expect([again.status, again.at('replayed'), again.at('change.id')]).toEqual([200, true, first.at('change.id')]);
  });

  it('applies only to the revision, or the version of the node, in If-Match', async () => {
    const version = `"${String((await service.request('GET', `${base()}/nodes/a`)).at('node.version'))}"`;
    const { json } = await change({ nodes: ['a'], taints: ['x=1:NoSchedule'], dryRun: true });
    expect(json).toMatchObject({ nodes: [{ version: version.slice(1, -1) }] });
    await change({ nodes: ['b'], taints: ['y=1:NoSchedule'] });
    const stale = await change({ nodes: ['a'], taints: ['x=1:NoSchedule'] }, { 'if-match': '"1"' });
    expect(stale.json).toMatchObject({
      status: 412,
      code: 'precondition-failed',
      errors: [{ name: 'b', message: 'anonymous (api) added y=1:NoSchedule at revision 2' }],
    });
    expect((await change({ nodes: ['a'], taints: ['x=1:NoSchedule'] }, { 'if-match': version })).status).toBe(201);
    expect((await change({ nodes: ['a'], taints: ['z=1:NoSchedule'] }, { 'if-match': version })).status).toBe(412);
    expect((await change({ nodes: ['a'], taints: ['z=1:NoSchedule'] }, { 'if-match': 'x' })).status).toBe(400);
  });

  it('accepts the ETag of a response in If-Match', async () => {
    const tag = (await service.request('GET', `${base()}/nodes`)).headers.get('etag')!;
    expect(tag).toMatch(/^W\/"/);
    const taints = (key: string) => ({ nodes: ['a'], taints: [`${key}=1:NoSchedule`] });
    expect((await change(taints('x'), { 'if-match': tag })).status).toBe(201);
    const stale = await change(taints('y'), { 'if-match': tag });
    expect([stale.status, stale.at('code')]).toEqual([412, 'precondition-failed']);
    const next = (await service.request('GET', `${base()}/pods`)).headers.get('etag')!;
    expect((await change(taints('y'), { 'if-match': `${tag}, ${next}` })).status).toBe(201);
    for (const wrong of ['W/"1"', 'W/"0-aaaaaaaaaaaaaaaaaaaaaa"', 'W/"1-x"']) {
      expect((await change(taints('z'), { 'if-match': wrong })).status).toBe(400);
    }
  });

  it('loses nothing of concurrent writers', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const answers = await Promise.all(keys.map((key) => change({ nodes: ['a'], taints: [`${key}=1:NoSchedule`] })));
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 201));
    expect(new Set((await taintsOf('a')) as string[])).toEqual(new Set(keys.map((key) => `${key}=1:NoSchedule`)));
    expect(answers.map((answer) => answer.at('change.revision')).sort((a, b) => Number(a) - Number(b))).toEqual(
      keys.map((_, index) => index + 2),
    );
  });

  it('takes two round trips to the database, and what is done about it in the background waits for the answer', async () => {
    let fewest = Infinity;
    // What the service does now and then, and about the changes before, can only add.
    for (let turn = 0; turn < 60 && fewest > 2; turn++) {
      const one = async (): Promise<void> => {
        const word = turn % 2 === 0 ? 'counted=yes:NoSchedule' : 'counted-';
        expect((await change({ nodes: ['a'], taints: [word] })).status).toBe(201);
      };
      fewest = Math.min(fewest, await countRoundTrips(one));
    }
    expect(fewest).toBe(2);
  });

  it('is the same over GraphQL', async () => {
    const mutation = `mutation ($input: TaintChangeInput!) { changeTaints(input: $input) {
      change { revision by { name } status } nodes { node message } kubectl } }`;
    const input = { cluster, nodes: ['a'], taints: ['dedicated=ml:NoSchedule'], reason: 'why' };
    expect((await service.graphql(mutation, { input })).at('data.changeTaints')).toEqual({
      change: { revision: 2, by: { name: 'anonymous' }, status: 'recorded' },
      nodes: [{ node: 'a', message: 'node/a tainted' }],
      kubectl: ['kubectl taint nodes a dedicated=ml:NoSchedule'],
    });
    const bad = await service.graphql(mutation, { input: { cluster, nodes: ['a'], taints: ['bad'] } });
    expect(bad.at('errors.0.extensions')).toMatchObject({
      code: 'invalid-request',
      errors: [{ pointer: '/input/taints/0' }, { pointer: '/input/reason' }],
    });
  });
});

describe('a snapshot after a change', () => {
  it('confirms it without a second change', async () => {
    const { json } = await change({ nodes: ['a', 'b'], taints: ['dedicated=ml:NoSchedule'] });
    const { id } = (json as { change: { id: string } }).change;
    later(60);
    const tainted = { spec: { taints: [ML] } };
    await snapshot([node('a', tainted), node('b'), node('c', { spec: { taints: [OLD] } })]);
    const known = await service.request('GET', `${base()}/taint-changes/${id}`);
    // The outcome does not belong to the revision that the change made, so there is no 304.
    expect(known.headers.get('etag')).toBeNull();
    expect(known.json).toMatchObject({
      change: { status: 'mixed', statuses: { confirmed: 1, notApplied: 1 } },
      nodes: [
        { node: 'a', status: 'confirmed', evidence: { revision: 3 } },
        { node: 'b', status: 'notApplied', evidence: { revision: 3 } },
      ],
    });
    expect(await taintsOf('a')).toEqual(['dedicated=ml:NoSchedule']);
    expect(await taintsOf('b')).toEqual([]);
    // Neither the confirmed taint nor the one that never appeared is recorded as another change.
    expect(await records(`kind = 'change' and channel <> 'api'`)).toEqual([]);
    expect(await records(`kind = 'intent'`)).toMatchObject([
      { node: 'a', status: 'confirmed', change: id },
      { node: 'b', status: 'notApplied', change: id },
    ]);
  });

  it('that was captured before it does not decide it: the change is applied on top', async () => {
    later(60);
    await change({ nodes: ['a'], taints: ['dedicated=ml:NoSchedule'] });
    const other = { key: 'other', effect: 'NoSchedule' };
    later(60);
    await snapshot([node('a', { spec: { taints: [other] } }), node('b')], '&capturedAt=2026-06-01T12:00:00Z');
    expect(await taintsOf('a')).toEqual(['dedicated=ml:NoSchedule', 'other:NoSchedule']);
    expect(await taintsOf('a', '?intents=exclude')).toEqual(['other:NoSchedule']);
    expect(await records(`kind = 'intent'`)).toEqual([]);
    // The next one decides.
    later(60);
    await snapshot([node('a', { spec: { taints: [other] } }), node('b')]);
    expect(await taintsOf('a')).toEqual(['other:NoSchedule']);
    expect(await records(`kind = 'intent'`)).toMatchObject([{ node: 'a', status: 'notApplied' }]);
  });

  it('that is a backfill records what happened then, and does not affect later changes', async () => {
    const other = { key: 'other', effect: 'NoSchedule' };
    const c = node('c', { spec: { taints: [OLD] } });
    later(7200);
    await snapshot([node('a', { spec: { taints: [ML] } }), node('b'), c]);
    later(60);
    await change({ nodes: ['b'], taints: ['mine=1:NoSchedule'] });
    const past = '&backfill=true&capturedAt=2026-06-01T13:00:00Z';
    const answer = await snapshot([node('a', { spec: { taints: [other] } }), node('b'), c], past);
    expect(answer.json).toMatchObject({ revision: 4, head: 5, basis: { intents: { unconfirmedNodes: 0 } } });
    const current = await sql<{ added: string; removed: string }>(
      service.databaseUrl,
      `select content::jsonb #>> '{difference,added}' as added, content::jsonb #>> '{difference,removed}' as removed
       from taint_trail t where cluster_name = '${cluster}' and kind = 'change' and node = 'a'
         and not exists (select from taint_trail_superseded s
                         where s.cluster_id = t.cluster_id and s.sequence = t.sequence)
       order by happened_at`,
    );
    expect(current.map(({ added, removed }) => [added, removed].map((text) => JSON.parse(text) as unknown))).toEqual([
      [[other], []],
      [[ML], [other]],
    ]);
    expect([await taintsOf('b', '?revision=4'), await taintsOf('b')]).toEqual([[], ['mine=1:NoSchedule']]);
    expect([await taintsOf('b', '?revision=5&intents=exclude'), await taintsOf('a', '?revision=4')]).toEqual([
      [],
      ['other:NoSchedule'],
    ]);
    expect(await records(`kind = 'intent'`)).toEqual([]);
  });

  it('that is a backfill may show what appeared and disappeared between two others', async () => {
    const c = node('c', { spec: { taints: [OLD] } });
    later(7200);
    await snapshot([node('a'), node('b'), c]);
    await snapshot(
      [node('a', { spec: { taints: [ML] } }), node('b'), c],
      '&backfill=true&capturedAt=2026-06-01T13:00:00Z',
    );
    expect(await records(`kind = 'change'`)).toMatchObject([
      { node: 'a', difference: { added: [ML], removed: [] }, when: { to: '2026-06-01T13:00:00.000Z' } },
      { node: 'a', difference: { added: [], removed: [ML] }, when: { to: '2026-06-01T14:00:00.000Z' } },
    ]);
  });

  it('of some namespaces decides nothing about nodes', async () => {
    await change({ nodes: ['a'], taints: ['mine=1:NoSchedule'] });
    later(60);
    const pods = await send(
      service,
      `${base()}/snapshots?kinds=Pod&namespaces=default`,
      list([pod('default/stays', 'a', {})]),
    );
    expect(pods.json).toMatchObject({ basis: { intents: { unconfirmedNodes: 1 } } });
    expect([await taintsOf('a'), await taintsOf('a', '?intents=exclude')]).toEqual([['mine=1:NoSchedule'], []]);
    expect(await records(`kind = 'intent'`)).toEqual([]);
  });

  it('shows what others changed, as far as it is proven', async () => {
    const owner = {
      metadata: {
        name: 'a',
        managedFields: [
          {
            manager: 'kubectl-taint',
            operation: 'Update',
            apiVersion: 'v1',
            time: '2026-06-01T12:30:00Z',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:spec': { 'f:taints': {} } },
          },
        ],
      },
    };
    later(3600);
    await snapshot([node('a', { ...owner, spec: { taints: [ML] } }), node('b'), node('c')]);
    expect(await records(`kind = 'change'`)).toMatchObject([
      {
        node: 'a',
        channel: 'snapshot',
        difference: { added: [ML] },
        actor: { class: 'kubectl', from: 'fieldManager' },
        lastWriters: [{ manager: 'kubectl-taint' }],
      },
      { node: 'c', difference: { removed: [OLD] }, certainty: 'unknown' },
    ]);
    expect(await records(`kind = 'found'`)).toMatchObject([{ node: 'c', state: { taints: [OLD] } }]);
  });
});

describe('a revert', () => {
  const revert = (id: unknown, body: object = {}): Promise<Answer> =>
    service.request('POST', `${base()}/taint-changes/${String(id)}/revert`, { reason: 'done', ...body });

  it('makes the inverse, labels and values included', async () => {
    await change({ nodes: ['a'], taints: ['old=1:NoSchedule'] });
    const { json } = await change({
      nodes: ['a'],
      taints: ['old=2:NoSchedule', 'new:NoExecute'],
      labels: { pool: 'ml' },
      overwrite: true,
    });
    const { id } = (json as { change: { id: string } }).change;
    const back = await revert(id);
    expect(back.json).toMatchObject({ change: { action: 'revert', undoes: id }, nodes: [{ outcome: 'changed' }] });
    expect(await taintsOf('a')).toEqual(['old=1:NoSchedule']);
    expect((await service.request('GET', `${base()}/taint-changes/${id}`)).at('change.undoneBy')).toBe(
      back.at('change.id'),
    );
    expect((await revert(id)).at('code')).toBe('already-reverted');
  });

  it('is refused with the author if somebody changed the same since, unless forced', async () => {
    const first = await change({ nodes: ['a', 'b'], taints: ['x=1:NoSchedule'] });
    await change({ nodes: ['a'], taints: ['x=2:NoSchedule'], overwrite: true });
    const refused = await revert(first.at('change.id'));
    expect(refused.json).toMatchObject({ status: 409, code: 'revert-conflict', errors: [{ name: 'a' }] });
    expect(refused.text).toContain('anonymous (api) changed x=2:NoSchedule at revision 3');
    expect(await taintsOf('b')).toEqual(['x=1:NoSchedule']);
    expect((await revert(first.at('change.id'), { force: true })).status).toBe(201);
    expect([await taintsOf('a'), await taintsOf('b')]).toEqual([[], []]);
  });
});

describe('a change with a time limit', () => {
  it('is reverted on time, once, by any replica', async () => {
    const other = await startTestService({ DATABASE_URL: service.databaseUrl }, { clock });
    try {
      const { json } = await change({
        nodes: ['a'],
        taints: ['x=1:NoSchedule'],
        expiresAt: '2026-06-01T13:00:00Z',
      });
      const { id } = (json as { change: { id: string } }).change;
      expect(await taintsOf('a')).toEqual(['x=1:NoSchedule']);
      later(3601);
      const path = `${base()}/taint-changes/${id}`;
      await until(async () => (await service.request('GET', path)).at('change.expiry') === 'done');
      expect(await taintsOf('a')).toEqual([]);
      const changes = await service.request('GET', `${base()}/taint-changes`);
      expect(changes.json).toMatchObject({
        items: [{ action: 'expiry', undoes: id, by: { name: 'kube-placement', kind: 'service' } }, { id }],
      });
      expect(await records(`kind = 'request'`)).toHaveLength(2);
    } finally {
      await other.close();
    }
  });
});

describe('an expired change that somebody has changed since', () => {
  it('is not reverted, and the trail records it', async () => {
    const { json } = await change({ nodes: ['a'], taints: ['x=1:NoSchedule'], expiresAt: '2026-06-01T13:00:00Z' });
    const { id } = (json as { change: { id: string } }).change;
    await change({ nodes: ['a'], taints: ['x=2:NoSchedule'], overwrite: true });
    later(3601);
    const path = `${base()}/taint-changes/${id}`;
    await until(async () => (await service.request('GET', path)).at('change.expiry') !== 'pending');
    expect((await service.request('GET', path)).at('change.expiry')).toBe('refused');
    expect(await taintsOf('a')).toEqual(['x=2:NoSchedule']);
    expect((await records(`kind = 'request'`)).at(-1)).toMatchObject({
      action: 'expiry',
      undoes: id,
      nodes: { changed: 0, refused: 1 },
      refusals: [{ node: 'a' }],
    });
  });
});

describe('a large change', () => {
  it('of many nodes has a record for each, in an unbroken chain', async () => {
    const names = Array.from({ length: 600 }, (_, index) => `many-${index}`);
    await snapshot(
      names.map((name) => node(name)),
      '&allowRemovals=true',
    );
    expect((await change({ allNodes: true, taints: ['many=yes:NoSchedule'] })).status).toBe(201);
    const made = (await records(`kind = 'change' and revision = 3`)).map((record) => record.node);
    expect(made.toSorted()).toEqual(names.toSorted());
    const { json } = await service.request('GET', `${base()}/taint-trail/verify`);
    expect(json).toMatchObject({ holds: true, fault: null });
  });

  it('of more nodes than one statement writes counts, numbers and ends each of them once', async () => {
    const names = Array.from({ length: 1100 }, (_, index) => `many-${index}`);
    await snapshot(
      names.map((name) => node(name)),
      '&allowRemovals=true',
    );
    // Nodes of the first, second and last statement are undecided before.
    await change({ nodes: ['many-0', 'many-600', 'many-999'], taints: ['few=yes:NoSchedule'] });
    const answer = await change({ allNodes: true, taints: ['many=yes:NoSchedule'] });
    expect(answer.at('basis.intents')).toEqual({ unconfirmedNodes: names.length, included: true });
    const id = String(answer.at('change.id'));
    const stored = await sql<{ node: string; record: string; open: string; revision: number }>(
      service.databaseUrl,
      `select i.node, t.node as record, v.valid_from as revision,
              (select count(*) from object_versions o
               where o.cluster_id = i.cluster_id and o.kind = 'Node' and o.name = i.node and o.valid_to is null) as open
       from node_intents i
       join taint_trail t on t.cluster_id = i.cluster_id and t.sequence = i.sequence
       join object_versions v on v.cluster_id = i.cluster_id and v.kind = 'Node' and v.name = i.node and v.valid_to is null
       where i.change_id = '${id}'`,
    );
    expect(stored).toHaveLength(names.length);
    for (const row of stored) expect(row).toEqual({ node: row.node, record: row.node, open: '1', revision: 4 });
    const observed = await sql<{ node: string }>(
      service.databaseUrl,
      `select node from observed_nodes
       where cluster_id = (select id from clusters where name = '${cluster}') and valid_to is null`,
    );
    expect(observed.map((row) => row.node).toSorted()).toEqual(names.toSorted());
    later(60);
    await snapshot(
      names.map((name) => node(name)),
      '&allowRemovals=true',
    );
    expect(await taintsOf('many-600')).toEqual([]);
    expect((await service.request('GET', `${base()}/taint-trail/verify`)).json).toMatchObject({ holds: true });
  });

  it('of 100 taints on one node can be made, refused in a short response, and reverted', async () => {
    const words = Array.from({ length: 100 }, (_, index) => `k${index}=v:NoSchedule`);
    const all = await change({ nodes: ['a'], taints: words });
    expect(all.status).toBe(201);
    const again = await change({ nodes: ['a', 'b'], taints: words.map((word) => word.replace('=v:NoSchedule', '-')) });
    expect([again.status, (again.at('errors') as unknown[]).length]).toEqual([409, 100]);
    expect(again.text.length).toBeLessThan(300_000);
    const back = await service.request('POST', `${base()}/taint-changes/${String(all.at('change.id'))}/revert`, {
      reason: 'too many',
    });
    expect([back.status, await taintsOf('a')]).toEqual([201, []]);
  });
});

describe('the trail in the database', () => {
  it('cannot be changed, and outlives its cluster', async () => {
    await change({ nodes: ['a'], taints: ['x=1:NoSchedule'] });
    for (const statement of [
      `update taint_trail set author = 'bob'`,
      'delete from taint_trail',
      'truncate taint_trail',
    ]) {
      await expect(sql(service.databaseUrl, statement)).rejects.toThrow('append only');
    }
    await service.request('DELETE', base());
    const kinds = (await records()).map(({ kind }) => kind);
    expect(kinds).toEqual(['found', 'request', 'change', 'closed']);
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 15_000;
  while (!(await holds())) if (Date.now() > end) throw new Error('it never came to hold');
}
