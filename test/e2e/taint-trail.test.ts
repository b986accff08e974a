import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Clock } from '../../src/app/clock.js';
import type { JsonObject } from '../../src/core/json/json-value.js';
import { recordedEvidence } from '../conformance/folders/audit-attribution.js';
import { node, pod, send } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { TestTrail } from '../support/trails.js';

let service: TestService;
let clock = new Date('2026-06-01T12:00:00Z');
class SetClock extends Clock {
  override now(): Date {
    return clock;
  }
}
beforeAll(async () => {
  service = await startTestService({}, { clock: new SetClock() });
});
afterAll(() => service.close());

const ML = { key: 'dedicated', value: 'ml', effect: 'NoSchedule' };
const OLD = { key: 'old', value: 'yes', effect: 'NoExecute' };
const at = (hour: number, minute = 0): string =>
  `2026-06-01T${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00.000000Z`;
const tainted = (name: string, ...taints: object[]): object => node(name, { spec: { taints } });

let made = 0;
let trail: TestTrail;
beforeEach(() => {
  clock = new Date('2026-06-01T12:00:00Z');
  trail = new TestTrail(service, `c${++made}`);
});

/** 1 found `old` on a, 2 added `dedicated` to b (seen), 3 the same by alice, 4 removed `old` from a by bob. */
async function fourRecords(): Promise<void> {
  await trail.snapshot(at(1), [tainted('a', OLD), node('b'), pod('default/web', 'b'), pod('default/old', 'a')]);
  await trail.snapshot(at(3), [tainted('a', OLD), tainted('b', ML)], '&kinds=Node,Pod');
  await trail.events({ id: 'e1', node: 'b', at: at(2), user: 'alice', taints: [ML] });
  await trail.events({ id: 'e2', node: 'a', at: at(4), user: 'bob', taints: [] });
}
const sequences = async (query: string): Promise<unknown[]> =>
  (await trail.records(query)).map(({ sequence }) => sequence);

describe('the records of a trail', () => {
  beforeEach(fourRecords);

  it('show who did what, when, and how that is known, newest first', async () => {
    const answer = await trail.get('records');
    expect(answer.json).toMatchObject({
      trail: { cluster: trail.cluster, recordCount: 4, closedAt: null },
      continue: null,
      items: [
        {
          sequence: 4,
          kind: 'change',
          node: 'a',
          summary: 'removed old=yes:NoExecute',
          by: { username: 'bob', groups: ['sre'], sourceIPs: ['10.0.0.7'], userAgent: 'kubectl/v1.36.2' },
          actor: { class: 'person', from: 'user', program: 'kubectl' },
          when: { kind: 'point', from: at(4), to: at(4) },
          difference: { added: [], removed: [{ text: 'old=yes:NoExecute' }] },
        },
        {
          sequence: 3,
          summary: 'added dedicated=ml:NoSchedule',
          by: { username: 'alice' },
          channel: 'auditEvent',
          basis: 'response',
          certainty: 'likely',
          supersedes: [2],
          supersededBy: null,
        },
        { sequence: 1, kind: 'found', node: 'a', summary: 'found old=yes:NoExecute', by: null, when: { from: null } },
      ],
    });
    expect((await trail.records('?current=false&order=oldest'))[1]).toMatchObject({
      sequence: 2,
      supersededBy: 3,
      channel: 'snapshot',
      by: null,
      when: { kind: 'interval', from: '2026-06-01T01:00:00.000Z', to: '2026-06-01T03:00:00.000Z' },
      body: { observedBefore: { revision: 1 } },
    });
  });

  it.each<[string, number[]]>([
    ['?order=oldest', [1, 3, 4]],
    ['?current=false', [4, 3, 2, 1]],
    ['?node=a', [4, 1]],
    ['?node=nowhere', []],
    ['?key=dedicated', [3]],
    ['?key=old&effect=NoExecute', [4, 1]],
    ['?effect=NoSchedule', [3]],
    ['?author=alice', [3]],
    ['?channel=snapshot', [1]],
    ['?channel=snapshot&current=false', [2, 1]],
    ['?kind=found', [1]],
    ['?kind=found,change&node=b', [3]],
    [`?from=${at(2)}&to=${at(4)}`, [3]],
    [`?from=${at(2)}&to=${at(2, 30)}&current=false`, [3, 2]],
    [`?to=${at(1)}`, []],
    ['?change=6b1f2a8e-52a4-4d3e-9a64-1f0e7a3c9b10', []],
  ])('are filtered by %s', async (query, expected) => {
    expect(await sequences(query)).toEqual(expected);
  });

  it('are paged, undisturbed by new records', async () => {
    const first = await trail.get('records?limit=2&current=false');
    await trail.events({ id: 'e3', node: 'b', at: at(5), user: 'alice', taints: [] });
    const second = await trail.get(`records?limit=2&current=false&continue=${first.at('continue') as string}`);
    expect([first.at('items.1.sequence'), second.at('items.0.sequence'), second.at('items.1.sequence')]).toEqual([
      3, 2, 1,
    ]);
    expect(second.at('continue')).toBeNull();
    const other = await trail.get(`records?limit=2&continue=${first.at('continue') as string}`);
    expect([other.status, other.at('code')]).toEqual([400, 'invalid-continue-token']);
  });

  it.each<[string, string[]]>([
    ['kind=nothing&channel=x', ['channel', 'kind']],
    ['change=1', ['change']],
    [`from=${at(2)}&to=${at(1)}`, ['to']],
    ['from=yesterday', ['from']],
    ['limit=0&order=up', ['limit', 'order']],
    ['nodes=a', ['nodes']],
  ])('refuse %s with all errors', async (query, fields) => {
    const answer = await trail.get(`records?${query}`);
    expect(answer.status).toBe(400);
    expect((answer.at('errors') as { field: string }[]).map(({ field }) => field).sort()).toEqual(fields);
  });

  it('can be read one by one, with what each proves and what it does not', async () => {
    const seen = await trail.get('records/2');
    expect(seen.json).toMatchObject({
      sequence: 2,
      supersededBy: 3,
      proves: ['The change was made within the interval.'],
      effects: null,
    });
    expect(seen.at('doesNotProve.0')).toBe('Who made it.');
    expect((await trail.get('records/3')).at('proves.0')).toMatch(/^The API server authenticated this user/);
    const found = await trail.get('records/1');
    expect(found.at('doesNotProve')).toContain('When it was added, and whether the node had more before.');
    const { hash, ...content } = JSON.parse(found.at('canonical') as string) as Record<string, unknown>;
    expect(hash).toBeUndefined();
    expect(content).toMatchObject({ sequence: 1, kind: 'found', index: { node: 'a', keys: ['old'] } });
    expect((await trail.get('records/9')).at('code')).toBe('record-not-found');
    expect((await trail.get('records/nine')).at('errors.0.field')).toBe('sequence');
  });

  it('are numbered from 1, also over GraphQL', async () => {
    expect((await trail.get('records/0')).at('errors.0.field')).toBe('sequence');
    const asked = `query($cluster: String!) { taintTrail(cluster: $cluster) { record(sequence: 0) { kind } } }`;
    const answer = await service.graphql(asked, { cluster: trail.cluster });
    expect(answer.at('errors.0.extensions')).toMatchObject({
      code: 'invalid-request',
      errors: [{ field: 'sequence', message: 'must be a record number, from 1' }],
    });
  });

  it('show the effects of a change at its time, as long as the state before it is stored', async () => {
    const drain = { key: 'drain', effect: 'NoExecute' };
    await trail.events({ id: 'e4', node: 'b', at: at(5), user: 'alice', taints: [ML, drain] });
    const answer = await trail.get('records/5?effects=true');
    expect(answer.at('effects')).toMatchObject({
      source: 'computed',
      revision: 2,
      effects: { evictions: { counts: { now: 0 } } },
    });
    await trail.snapshot(at(6), [node('a'), node('b'), pod('default/web', 'b')]);
    await trail.events({ id: 'e5', node: 'b', at: at(7), user: 'alice', taints: [drain] });
    const [last] = await sequences('?node=b&limit=1');
    expect((await trail.get(`records/${String(last)}?effects=true&view=pods`)).at('effects')).toMatchObject({
      source: 'computed',
      revision: 3,
      effects: { evictions: { counts: { now: 1 }, pods: { items: [{ namespace: 'default', name: 'web' }] } } },
    });
    await service.request('POST', `/api/v1/clusters/${trail.cluster}/retention`, { keepRevisions: 1 });
    expect((await trail.get('records/5?effects=true')).at('effects')).toMatchObject({
      source: 'unknown',
      effects: null,
      why: 'Revision 2, the last one before the change, is no longer stored.',
    });
    expect((await trail.get('records/1?effects=true')).at('effects.why')).toMatch(/^Only changes/);
  });

  it('have the effects of a change made through the service as they were computed then', async () => {
    const body = { nodes: ['b'], taints: ['drain=now:NoExecute'], reason: 'a new kernel', link: 'https://ops/17' };
    await trail.snapshot(at(5), [node('a'), tainted('b', ML), pod('default/web', 'b')]);
    const id = (await trail.change(body)).at('change.id') as string;
    await trail.snapshot(at(6), [node('a')]);
    const [request, change] = await trail.records(`?change=${id}&order=oldest`);
    expect(request).toMatchObject({
      kind: 'request',
      summary: 'requested a change: a new kernel',
      link: 'https://ops/17',
    });
    for (const { sequence } of [request!, change!]) {
      expect((await trail.get(`records/${String(sequence)}?effects=true`)).at('effects')).toMatchObject({
        source: 'recorded',
        sequence: request!['sequence'],
        effects: { evictions: { counts: { now: 1 }, groups: [{ count: 1, when: 'now' }] } },
      });
    }
    const { proves, doesNotProve } = (await trail.get(`records/${String(change!['sequence'])}`)).json as {
      proves: string[];
      doesNotProve: string[];
    };
    expect(proves.join(' ')).toMatch(/requested through this service/);
    expect(doesNotProve.join(' ')).toMatch(/Who the client was.*That the change reached the cluster/);
  });

  it.each([
    ['nodes/%00/history', 400],
    ['nodes/a%20b/history', 200],
    [`nodes/${'n'.repeat(1500)}/history`, 200],
    ['records?node=%00', 400],
    ['records?author=__proto__&key=constructor', 200],
    ['records/0', 400],
    ['records/99999999999999', 404],
    ['records?trail=99999999999999999999', 400],
    ['records?trail=9007199254740993', 404],
    ['verify?trail=-1', 404],
  ])('explain %s', async (path, status) => {
    const answer = await trail.get(path);
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.at('detail')).toMatch(/\w/);
  });

  it('are the same over GraphQL, with the hashed text', async () => {
    const { json } = await service.graphql(
      `query($cluster: String!) {
        cluster(name: $cluster) { taintTrail { records { nodes { sequence } } } }
        taintTrail(cluster: $cluster) {
          closedAt head { sequence hash signature } verification { holds verified }
          old: records(first: 1, node: "a", order: oldest) {
            pageInfo { hasNextPage endCursor }
            edges { cursor node { sequence kind summary channel body { __typename kind } canonical hash proves effects { source } } }
          }
          record(sequence: 3, effects: true) {
            by { username } difference { added { text } } effects { source revision effects { warnings { total } } }
          }
          history(node: "b") { taints { taint { text } setBy { by { username } confirmed } to { to } } }
          fights { total }
        }
        taintTrails { nodes { cluster } }
        taintTrailRecords(author: "alice") { nodes { cluster sequence } }
      }`,
      { cluster: trail.cluster },
    );
    expect(json).toMatchObject({
      data: {
        cluster: { taintTrail: { records: { nodes: [{ sequence: 4 }, { sequence: 3 }, { sequence: 1 }] } } },
        taintTrail: {
          closedAt: null,
          head: { sequence: 4, signature: null },
          verification: { holds: true, verified: 4 },
          old: { edges: [{ node: { sequence: 1, kind: 'found', effects: null } }], pageInfo: { hasNextPage: true } },
          record: { by: { username: 'alice' }, effects: { source: 'computed', revision: 1 } },
          history: { taints: [{ setBy: { by: { username: 'alice' } }, to: null }] },
          fights: { total: 0 },
        },
        taintTrailRecords: {
          nodes: expect.arrayContaining([expect.objectContaining({ cluster: trail.cluster, sequence: 3 })]) as unknown,
        },
      },
    });
    const { canonical, hash } = (
      json as { data: { taintTrail: { old: { edges: { node: Record<string, string> }[] } } } }
    ).data.taintTrail.old.edges[0]!.node;
    expect(createHash('sha256').update(canonical!).digest('hex')).toBe(hash);
  });
});

interface TaintInterval {
  taint: { text: string } | null;
  from: { from: string | null; to: string };
  setBy: Record<string, unknown> | null;
  to: { from: string | null; to: string } | null;
  removedBy: Record<string, unknown> | null;
}
async function history(name: string, query = ''): Promise<{ taints: TaintInterval[]; cordons: TaintInterval[] }> {
  const answer = await trail.get(`nodes/${name}/history${query}`);
  expect(answer.status).toBe(200);
  return answer.json as { taints: TaintInterval[]; cordons: TaintInterval[] };
}

describe('the history of a node', () => {
  it('shows who set and removed a taint, when, and how that is known', async () => {
    await fourRecords();
    expect(await history('a')).toMatchObject({
      trail: { cluster: trail.cluster, recordCount: 4 },
      taints: [
        {
          taint: { text: 'old=yes:NoExecute' },
          from: { kind: 'interval', from: null, to: '2026-06-01T01:00:00.000Z' },
          setBy: { sequence: 1, kind: 'found', by: null, lastWriters: null },
          to: { kind: 'point', to: at(4) },
          removedBy: {
            sequence: 4,
            by: { username: 'bob' },
            proves: expect.arrayContaining([expect.stringMatching('authenticated this user')]) as unknown,
          },
          confirmed: true,
          present: null,
        },
      ],
      cordons: [],
      total: 1,
      complete: true,
    });
    expect(await history('nobody')).toMatchObject({ taints: [], cordons: [], total: 0 });
  });

  it('shows what was set at a time, and what may have been', async () => {
    await trail.snapshot(at(1), [node('a')]);
    await trail.snapshot(at(3), [tainted('a', OLD, ML)]);
    await trail.snapshot(at(5), [tainted('a', ML)]);
    const presence = async (time: string): Promise<unknown[]> =>
      (await history('a', `?at=${time}`)).taints.map((one) => {
        const { taint, present } = one as unknown as { taint: { key: string }; present: string };
        return `${taint.key} ${present}`;
      });
    expect(await presence(at(1))).toEqual([]);
    expect((await presence(at(2))).sort()).toEqual(['dedicated maybe', 'old maybe']);
    expect((await presence(at(3))).sort()).toEqual(['dedicated yes', 'old yes']);
    expect((await presence(at(4))).sort()).toEqual(['dedicated yes', 'old maybe']);
    expect(await presence(at(5))).toEqual(['dedicated yes']);
    expect((await history('a', '?key=old&effect=NoExecute')).taints).toHaveLength(1);
    expect((await history('a', '?limit=1')) as unknown).toMatchObject({ total: 2 });
    expect((await trail.get('nodes/a/history?at=now&intents=no')).at('errors')).toMatchObject([
      { field: 'at' },
      { field: 'intents' },
    ]);
  });

  it('shows who cordoned a node, and why', async () => {
    await trail.snapshot(at(1), [node('a'), node('b')]);
    clock = new Date(at(2));
    await trail.change({ nodes: ['a'], unschedulable: true, reason: 'the disk fails', link: 'https://ops/17' });
    expect((await history('a')).cordons).toMatchObject([
      {
        taint: null,
        from: { kind: 'point', to: '2026-06-01T02:00:00.000Z' },
        setBy: {
          by: { username: 'anonymous', kind: 'anonymous' },
          reason: 'the disk fails',
          link: 'https://ops/17',
          channel: 'api',
          confirmed: false,
          doesNotProve: expect.arrayContaining([
            'Who the client was: the service does not require authentication.',
          ]) as unknown,
        },
        to: null,
        confirmed: false,
      },
    ]);
    expect((await history('a', '?intents=exclude')).cordons).toEqual([]);
    await trail.events(
      { id: 'c1', node: 'a', at: at(3), user: 'carol', unschedulable: true },
      { id: 'c2', node: 'b', at: at(3), user: 'carol', unschedulable: true },
      {
        id: 'c3',
        node: 'a',
        at: at(3, 1),
        user: 'system:serviceaccount:kube-system:node-controller',
        taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
        unschedulable: true,
      },
    );
    expect((await history('a', '?intents=exclude')).cordons).toMatchObject([
      {
        from: { kind: 'point', to: at(3) },
        setBy: {
          reason: 'the disk fails',
          link: 'https://ops/17',
          confirmed: true,
          carriedOutBy: { by: { username: 'carol' } },
        },
      },
    ]);
    expect((await history('b')).cordons).toMatchObject([{ setBy: { by: { username: 'carol' }, reason: null } }]);
  });

  it('shows a change from the intent to the snapshot that confirms it, and a revert', async () => {
    await trail.snapshot(at(1), [node('a')]);
    clock = new Date(at(2));
    const change = await trail.change({
      nodes: ['a'],
      taints: ['dedicated=ml:NoSchedule'],
      reason: 'the team moves in',
    });
    clock = new Date(at(3));
    await trail.snapshot(at(3), [tainted('a', ML)]);
    expect((await history('a')).taints).toMatchObject([
      {
        from: { kind: 'interval', from: '2026-06-01T02:00:00.000Z', to: '2026-06-01T03:00:00.000Z' },
        setBy: { reason: 'the team moves in', confirmed: true, change: change.at('change.id') },
        to: null,
      },
    ]);
    clock = new Date(at(4));
    const path = `/api/v1/clusters/${trail.cluster}/taint-changes/${change.at('change.id') as string}/revert`;
    expect((await service.request('POST', path, { reason: 'not yet' })).status).toBe(201);
    expect((await history('a')).taints).toMatchObject([
      { to: { kind: 'point', to: '2026-06-01T04:00:00.000Z' }, removedBy: { reason: 'not yet', confirmed: false } },
    ]);
    clock = new Date(at(5));
    // The snapshot still has it: the revert was not applied, and the taint remains.
    await trail.snapshot(at(5), [tainted('a', ML)]);
    const after = (await trail.get('nodes/a/history')).json as { unapplied: unknown[]; taints: TaintInterval[] };
    expect(after.taints).toMatchObject([{ to: null, removedBy: null }]);
    expect(after.unapplied).toMatchObject([{ status: 'notApplied', attribution: { reason: 'not yet' } }]);
    expect(await trail.records(`?change=${change.at('change.id') as string}&order=oldest`)).toMatchObject([
      { kind: 'request', reason: 'the team moves in' },
      { kind: 'change' },
      { kind: 'intent', status: 'confirmed' },
    ]);
  });

  it('claims no more about the EKS dump than its managedFields prove', async () => {
    const path = `/api/v1/clusters/${trail.cluster}/snapshots?createCluster=true`;
    expect((await send(service, path, await readFile('demo/clusters/eks-nodes.json'))).status).toBe(201);
    const { taints } = await history('duckboat-01');
    expect(taints).toMatchObject([
      {
        taint: { text: 'type=hound:NoSchedule' },
        from: { kind: 'interval', from: null, to: '2021-12-08T01:46:55Z' },
        setBy: {
          kind: 'found',
          by: null,
          lastWriters: [{ manager: 'kube-controller-manager', operation: 'Update', time: '2021-12-08T01:46:54Z' }],
          proves: [
            'The node had this when it was first observed.',
            'The field manager kube-controller-manager (Update) was the last to write the field, with its current value. The entry was last written at 2021-12-08T01:46:54Z (in whole seconds).',
          ],
          doesNotProve: [
            'When it was added, and whether the node had more before.',
            'Who set or removed each taint: the list is atomic, and its last writer owns all of it.',
            'Which user was behind the field manager: a manager is a name that the client chose.',
          ],
        },
        to: null,
      },
    ]);
  });
});

describe('the trail of the recordings of a real API server', () => {
  it('explains every record, and names who cordoned the node', async () => {
    clock = new Date('2026-12-01T12:00:00Z');
    const folder = join('test', 'conformance', 'recorded', 'audit');
    const files = await Promise.all(
      (await readdir(folder)).sort().map(async (path) => {
        return { path, content: JSON.parse(await readFile(join(folder, path), 'utf8')) as JsonObject };
      }),
    );
    const { events, snapshots } = recordedEvidence(files);
    for (const one of snapshots)
      await trail.snapshot(one.at, one.node === null ? [] : [one.node], '&kinds=Node&allowRemovals=true');
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    expect((await send(service, `/api/v1/clusters/${trail.cluster}/audit-events`, lines)).status).toBe(200);

    const records = await trail.records('?current=false&limit=1000');
    expect(new Set(records.map(({ kind }) => kind))).toEqual(new Set(['change', 'attempt']));
    for (const { sequence, summary } of records) {
      expect(summary).not.toMatch(/undefined|unknown|cannot be read/);
      expect((await trail.get(`records/${String(sequence)}`)).at('proves.0')).toMatch(/\.$/);
    }
    const { cordons, taints } = await history('aud-1');
    const name = (attribution: TaintInterval['setBy']): unknown =>
      (attribution?.['by'] as { username?: string } | null)?.username;
    // The second cordon went with the node, which admin deleted.
    expect(cordons.map(({ setBy, removedBy }) => [name(setBy), name(removedBy)])).toEqual([
      ['alice', 'admin'],
      ['alice', 'alice'],
    ]);
    const imp = taints.find(({ taint }) => taint?.text === 'imp=1:NoSchedule');
    expect(imp?.setBy).toMatchObject({ by: { username: 'dave', impersonatedBy: 'bob@example.com' } });
    const unready = taints.find(({ taint }) => taint?.text === 'node.kubernetes.io/not-ready:NoSchedule');
    expect(unready).toMatchObject({
      setBy: { actor: { class: 'nodeLifecycleController' } },
      removedBy: { actor: { class: 'nodeLifecycleController' } },
    });
    expect(taints.every(({ setBy }) => setBy !== null)).toBe(true);
    expect((await trail.get('verify')).json).toMatchObject({ holds: true, verified: records.length });
  });
});

describe('changes that are never applied', () => {
  it('add three records each: the request, the change, and one outcome', async () => {
    const key = (index: number): string => `k${index}=v:NoSchedule`;
    await trail.snapshot(at(1), [node('a')]);
    const counts: unknown[] = [];
    for (let index = 1; index <= 4; index += 1) {
      clock = new Date(at(1 + index));
      await trail.change({ nodes: ['a'], taints: [key(index)] });
      clock = new Date(at(1 + index, 30));
      await trail.snapshot(at(1 + index, 30), [node('a')]);
      counts.push((await trail.get('records?limit=1')).at('trail.recordCount'));
    }
    expect(counts).toEqual([3, 6, 9, 12]);
    const verdicts = await trail.records('?kind=intent&current=false&order=oldest');
    expect(verdicts.map(({ status, when }) => [status, new Date((when as { to: string }).to)])).toEqual(
      [1, 2, 3, 4].map((index) => ['notApplied', new Date(at(1 + index, 30))]),
    );
    // What comes true later changes the verdict, and supersedes it.
    clock = new Date(at(6));
    await trail.snapshot(at(6), [tainted('a', { key: 'k2', value: 'v', effect: 'NoSchedule' })]);
    expect(await trail.records('?kind=intent&limit=2')).toMatchObject([
      { sequence: 13, status: 'confirmed', supersedes: [6] },
      { status: 'notApplied' },
    ]);
    expect((await trail.get('verify')).json).toMatchObject({ fault: null });
  });
});

describe('fights over a taint', () => {
  beforeEach(async () => {
    await trail.snapshot(at(1), [node('a'), node('b')]);
    const turns = Array.from({ length: 5 }, (_, turn) => ({
      id: `turn-${turn}`,
      node: 'a',
      at: at(2, turn * 10),
      user: turn % 2 === 0 ? 'alice' : 'system:serviceaccount:pools:keeper',
      taints: turn % 2 === 0 ? [ML] : [],
    }));
    await trail.events(...turns, { id: 'peace', node: 'b', at: at(2), user: 'alice', taints: [ML] });
  });

  it('are found, with their writers, counts and times', async () => {
    expect((await trail.get('fights')).json).toMatchObject({
      total: 1,
      fights: [
        {
          node: 'a',
          key: 'dedicated',
          effect: 'NoSchedule',
          writers: [
            { name: 'alice', identifiedBy: 'user', changes: 3 },
            { name: 'system:serviceaccount:pools:keeper', changes: 2 },
          ],
          turns: 4,
          first: at(2),
          last: at(2, 40),
          proven: true,
        },
      ],
    });
  });

  it.each([
    ['?min=4', 1],
    ['?min=5', 0],
    ['?window=20m', 1],
    ['?window=19m', 0],
    ['?node=b', 0],
    ['?key=dedicated&effect=NoSchedule', 1],
    ['?key=other', 0],
    [`?from=${at(3)}`, 0],
  ])('are limited by %s', async (query, total) => {
    expect((await trail.get(`fights${query}`)).at('total')).toBe(total);
  });

  it('do not count changes that never reached the cluster', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      clock = new Date(at(3, turn));
      const word = turn % 2 === 0 ? 'mine=yes:NoSchedule' : 'mine:NoSchedule-';
      await trail.change({ nodes: ['b'], taints: [word] });
    }
    clock = new Date(at(4));
    await trail.snapshot(at(4), [node('a'), tainted('b', ML)]);
    expect((await trail.get('fights?min=1&key=mine')).at('total')).toBe(0);
  });

  it('refuse an invalid window', async () => {
    expect((await trail.get('fights?window=soon')).at('errors.0.field')).toBe('window');
  });
});

describe('the trails of several clusters', () => {
  it('are listed and queried together, including those of deleted clusters', async () => {
    const name = `gone-${made}`;
    const lost = new TestTrail(service, name);
    await lost.snapshot(at(1), [tainted('x', OLD)]);
    const first = (await lost.get('head')).at('clusterId') as number;
    await service.request('DELETE', `/api/v1/clusters/${name}`);

    // The name alone means the last trail of the name, as long as no cluster has it.
    expect((await lost.get('records')).json).toMatchObject({
      trail: { clusterId: first, recordCount: 2, closedAt: '2026-06-01T12:00:00.000Z' },
      items: [{ kind: 'closed', by: { username: 'anonymous' } }, { kind: 'found' }],
    });
    await lost.snapshot(at(2), [tainted('x', ML), node('y')]);
    await service.request('PUT', `/api/v1/clusters/${name}`, { labels: { env: 'lost' } });
    expect((await lost.get('records')).json).toMatchObject({
      items: [{ kind: 'found', summary: 'found dedicated=ml:NoSchedule' }],
    });
    expect((await lost.get(`records?trail=${first}`)).json).toMatchObject({ items: [{ kind: 'closed' }, {}] });
    expect((await lost.get(`nodes/x/history?trail=${first}`)).at('taints.0.taint.text')).toBe('old=yes:NoExecute');
    expect((await lost.get(`verify?trail=${first}`)).json).toMatchObject({ holds: true, verified: 2 });
    expect((await lost.get('records?trail=999999')).at('code')).toBe('trail-not-found');

    const all = (await service.request('GET', '/api/v1/taint-trails?limit=1000')).at('items') as Record<
      string,
      unknown
    >[];
    expect(all.filter(({ cluster }) => cluster === name)).toMatchObject([
      { clusterId: first, recordCount: 2, closedAt: '2026-06-01T12:00:00.000Z' },
      { recordCount: 1, closedAt: null },
    ]);
    const picked = await service.request('GET', '/api/v1/taint-trail/records?clusterSelector=env%3Dlost');
    expect(picked.json).toMatchObject({
      items: [{ cluster: name, node: 'x', summary: 'found dedicated=ml:NoSchedule' }],
    });
    expect((picked.json as { items: unknown[] }).items).toHaveLength(1);
  });

  it('are ordered by time, page by page, each record once', async () => {
    await fourRecords();
    const path = '/api/v1/taint-trail/records?current=false&order=oldest';
    const whole = (await service.request('GET', `${path}&limit=1000`)).at('items') as Record<string, unknown>[];
    const placeOf = ({ clusterId, sequence }: Record<string, unknown>): string =>
      `${String(clusterId)} ${String(sequence)}`;
    const paged: string[] = [];
    for (let next: unknown = ''; next !== null;) {
      const more = typeof next === 'string' && next !== '' ? `&continue=${next}` : '';
      const page = await service.request('GET', `${path}&limit=7${more}`);
      paged.push(...(page.at('items') as Record<string, unknown>[]).map(placeOf));
      next = page.at('continue');
    }
    expect(paged).toEqual(whole.map(placeOf));
    expect(new Set(paged).size).toBe(paged.length);
    const times = whole.map(({ when }) => Date.parse((when as { to: string }).to));
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('are empty for a cluster without records, and not found for an unknown one', async () => {
    await service.request('PUT', `/api/v1/clusters/${trail.cluster}`, {});
    expect((await trail.get('records')).json).toMatchObject({ items: [], trail: { recordCount: 0, hash: null } });
    expect((await trail.get('head')).json).toMatchObject({ sequence: 0, hash: '0'.repeat(64) });
    expect((await new TestTrail(service, 'never').get('records')).at('code')).toBe('cluster-not-found');
  });
});
