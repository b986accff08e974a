import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { partitionByCluster } from '../../test/support/partition-by-cluster.js';
import { recordStatements } from '../../test/support/partitioned-clusters.js';
import { inOneBatch, objectRow, objectsAt, snapshotOf } from '../../test/support/snapshots.js';
import type { ObjectRow } from '../core/cluster/object-row.js';
import { ClusterStore } from './cluster-store.js';
import { type CommittedDelta, type DeltaToCommit, DeltaWriter } from './delta-writer.js';
import { Database } from './database.js';
import { FollowStore } from './follow-store.js';
import { KindTotal } from './kind-total.js';
import { ObjectReader } from './object-reader.js';
import type { DeltaDeletion } from './plan-delta.js';
import { RevisionStore } from './revision-store.js';
import { SnapshotWriter } from './snapshot-writer.js';
import { connect } from './open-database.js';
import { ClusterNotFound, DeltaOutOfOrder, NoRevision, SnapshotNeeded } from './storage-error.js';

let postgres: TestPostgres;
let database: Database;
let writer: DeltaWriter;
let snapshots: SnapshotWriter;
let reader: ObjectReader;
let revisions: RevisionStore;
let follows: FollowStore;

beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await postgres.createDatabase();
  writer = new DeltaWriter(database);
  snapshots = new SnapshotWriter(database);
  reader = new ObjectReader(database);
  revisions = new RevisionStore(database);
  follows = new FollowStore(database);
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  await database.query('delete from object_versions; delete from clusters');
});

const time = (minute: number) => new Date(Date.UTC(2026, 5, 1, 0, minute));

/** A pod in namespace x. */
/** As in a real row, the hash covers the uid: the same pod made anew is another one. */
const pod = (name: string, version: number, content = 'one', uid = `uid-of-${name}`): ObjectRow => ({
  ...objectRow(`Pod/x/${name}`, content, String(version)),
  uid,
  hash: createHash('sha256').update(`${uid} ${content}`).digest().subarray(0, 16),
});

const gone = (name: string, version: number | null, uid: string | null = `uid-of-${name}`): DeltaDeletion => ({
  kind: 'Pod',
  namespace: 'x',
  name,
  uid,
  resourceVersion: version === null ? null : String(version),
});

/** A complete list of pods as a snapshot, at a resourceVersion. */
async function list(rows: readonly ObjectRow[], at?: number, minute = 0): Promise<number> {
  const { head } = await snapshots.commit({
    ...snapshotOf({}, { rows: inOneBatch(rows), capturedAt: time(minute) }),
    describe: () => ({
      scope: { kinds: ['Pod'], namespaces: null },
      stats: {},
      findings: [],
      kubernetesVersion: null,
      positions: new Map(at === undefined ? [] : [['Pod', String(at)]]),
    }),
  });
  return head;
}

const totalOf = (rows: readonly ObjectRow[]): KindTotal => {
  const total = KindTotal.empty();
  for (const row of rows) total.add(row);
  return total;
};

/** The position of a sender that has these pods. */
const having = (rows: readonly ObjectRow[], at: number): DeltaToCommit['positions'] => {
  const { count, hash } = totalOf(rows);
  return [{ kind: 'Pod', resourceVersion: String(at), count, hash }];
};

const delta = (sequence: number, given: Partial<DeltaToCommit> = {}): DeltaToCommit => ({
  cluster: 'test',
  stream: 's',
  sequence,
  capturedAt: time(sequence),
  receivedAt: time(sequence),
  author: 'agent',
  rows: [],
  deletions: [],
  positions: [],
  ...given,
});

const clusterId = async (): Promise<number> => {
  const [row] = await database.query<{ id: string }>('select id from clusters');
  return Number(row!.id);
};
/** What the process remembers of a revision that it made is what is stored. */
async function expectAsStored({ clusterId, revision }: CommittedDelta): Promise<void> {
  if (revision === null) return;
  expect(await database.recentChanges.of(clusterId, revision)).toBeDefined();
  const stored = new ObjectReader(new Database(database.dataSource, database.url));
  const [own, other] = await Promise.all(
    [reader, stored].map((one) => one.changesBetween(clusterId, revision - 1, revision)),
  );
  const inOrder = (changes: readonly object[]): readonly string[] => changes.map((one) => JSON.stringify(one)).sort();
  expect(inOrder(own!.upserts)).toEqual(inOrder(other!.upserts));
  expect(inOrder(own!.deletes)).toEqual(inOrder(other!.deletes));
}

const stateAt = async (revision: number) => objectsAt(reader, await clusterId(), revision);

describe('a delta', () => {
  it('makes a revision of what changed, and carries the rest over', async () => {
    await list([pod('a', 1), pod('b', 2), pod('c', 3)], 10);
    const after = [pod('a', 11, 'two'), pod('c', 3), pod('d', 12)];
    const committed = await writer.commit(
      delta(1, { rows: [after[0]!, after[2]!], deletions: [gone('b', 13)], positions: having(after, 13) }),
    );
    expect(committed).toMatchObject({
      revision: 2,
      head: 2,
      counts: { Pod: { added: 1, changed: 1, removed: 1, unchanged: 1 } },
      ignored: { upserts: 0, deletions: 0 },
      positions: [{ kind: 'Pod', resourceVersion: '13', count: 3, agrees: true }],
      snapshotNeeded: [],
    });
    expect(await stateAt(1)).toEqual({ 'Pod/x/a': 'one', 'Pod/x/b': 'one', 'Pod/x/c': 'one' });
    expect(await stateAt(2)).toEqual({ 'Pod/x/a': 'two', 'Pod/x/c': 'one', 'Pod/x/d': 'one' });
    const revision = await revisions.get(await clusterId(), 2);
    expect(revision).toMatchObject({
      kind: 'delta',
      capturedAt: time(1),
      author: 'agent',
      loadedKinds: ['Pod'],
      scope: { kinds: [], namespaces: null },
    });
    expect([...revision!.resourceVersions]).toEqual([['Pod', '13']]);
  });

  it('makes no revision if nothing that is kept changed, but moves the position and the time that the head is current', async () => {
    await list([pod('a', 1)], 10);
    const beats = [pod('a', 11)];
    expect(await writer.commit(delta(1, { rows: beats, positions: having(beats, 11) }))).toMatchObject({
      revision: null,
      head: 1,
      positions: [{ agrees: true, resourceVersion: '11' }],
    });
    expect(await writer.commit(delta(2, { positions: having(beats, 15) }))).toMatchObject({
      revision: null,
      positions: [{ agrees: true, resourceVersion: '15' }],
    });
    expect(await follows.currentAt(await clusterId())).toEqual(time(2));
    expect(await follows.deltaState(await clusterId())).toMatchObject({
      stream: 's',
      sequence: 2,
      positions: [{ kind: 'Pod', resourceVersion: '15', count: 1, snapshotNeeded: false }],
    });
  });

  it('is answered again if it comes again, also after another snapshot', async () => {
    await list([pod('a', 1)], 10);
    const first = await writer.commit(delta(1, { rows: [pod('b', 11)] }));
    await list([pod('b', 11)], 20, 5);
    const again = await writer.commit(delta(1, { rows: [pod('b', 11)] }));
    expect(again).toEqual({ ...first, repeated: true });
    expect(await stateAt(3)).toEqual({ 'Pod/x/b': 'one' });
  });

  it('is stored once by two replicas that get it at the same time', async () => {
    await list([pod('a', 1)], 10);
    const other = new DeltaWriter(database);
    const given = delta(1, { rows: [pod('b', 11)], positions: having([pod('a', 1), pod('b', 11)], 11) });
    const answers = await Promise.all([writer.commit(given), other.commit(given)]);
    expect(answers.map(({ repeated }) => repeated).sort()).toEqual([false, true]);
    expect(answers.map(({ revision }) => revision)).toEqual([2, 2]);
  });

  it.each([3, 9])('is refused with a gap: %d after the first', async (sequence) => {
    await list([pod('a', 1)], 10);
    await writer.commit(delta(1));
    const error = await writer.commit(delta(sequence)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DeltaOutOfOrder);
    expect(error).toMatchObject({ expected: 2 });
  });

  it('is refused if it comes again after the next one', async () => {
    await list([pod('a', 1)], 10);
    await writer.commit(delta(1));
    await writer.commit(delta(2));
    await expect(writer.commit(delta(1))).rejects.toMatchObject({ expected: 3 });
  });

  it('begins a stream with 1, and replaces the former stream, which is refused from then on', async () => {
    await list([pod('a', 1)], 10);
    await writer.commit(delta(1));
    await expect(writer.commit(delta(2, { stream: 't' }))).rejects.toMatchObject({ expected: 1 });
    await writer.commit(delta(1, { stream: 't' }));
    await expect(writer.commit(delta(2))).rejects.toMatchObject({ expected: null });
    await expect(writer.commit(delta(1))).rejects.toMatchObject({ expected: null });
    expect(await writer.commit(delta(2, { stream: 't' }))).toMatchObject({ repeated: false });
  });

  it('is refused for a cluster without a snapshot, and for kinds that no snapshot has contained', async () => {
    await expect(writer.commit(delta(1))).rejects.toBeInstanceOf(ClusterNotFound);
    await new ClusterStore(database).put('test');
    await expect(writer.commit(delta(1))).rejects.toBeInstanceOf(NoRevision);
    await list([pod('a', 1)], 10);
    const foreign = { rows: [objectRow('Node/n', 'one', '11')], deletions: [{ ...gone('a', 12), kind: 'Job' }] };
    const error = await writer.commit(delta(1, foreign)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SnapshotNeeded);
    expect(error).toMatchObject({ kinds: ['Job', 'Node'] });
    expect(await writer.commit(delta(1))).toMatchObject({ repeated: false });
  });

  it('never goes back before the head in time', async () => {
    await list([pod('a', 1)], 10, 30);
    await writer.commit(delta(1, { rows: [pod('b', 11)] }));
    expect((await revisions.get(await clusterId(), 2))?.capturedAt).toEqual(time(30));
  });

  it('leaves nothing behind if its removals are refused', async () => {
    await list([pod('a', 1), pod('b', 2)], 10);
    const refused = delta(1, {
      deletions: [gone('a', 11), gone('b', 12)],
      rows: [pod('c', 13)],
      checkRemovals: (removals) => {
        throw new Error(JSON.stringify(removals));
      },
    });
    const removals = [
      {
        kind: 'Pod',
        stored: 2,
        removed: 2,
        notReplaced: 1,
        first: ['a', 'b'].map((name) => ({ kind: 'Pod', namespace: 'x', name })),
      },
    ];
    await expect(writer.commit(refused)).rejects.toThrow(JSON.stringify(removals));
    expect(await follows.deltaState(await clusterId())).toMatchObject({ stream: null, sequence: 0 });
    expect(await stateAt(1)).toEqual({ 'Pod/x/a': 'one', 'Pod/x/b': 'one' });
  });
});

describe('what is older than what is stored', () => {
  it('is ignored and counted', async () => {
    await list([pod('a', 100, 'new'), pod('b', 9)], 200);
    const committed = await writer.commit(
      delta(1, {
        rows: [pod('a', 99, 'old'), pod('never', 150)],
        deletions: [gone('a', 20), gone('c', 300)],
        positions: having([pod('a', 100), pod('b', 9)], 200),
      }),
    );
    expect(committed).toMatchObject({
      revision: null,
      ignored: { upserts: 2, deletions: 2 },
      positions: [{ agrees: true }],
    });
  });

  it('does not compare as text', async () => {
    await list([pod('a', 99, 'old')], 99);
    const rows = [pod('a', 100, 'new')];
    await writer.commit(delta(1, { rows, positions: having(rows, 100) }));
    expect(await stateAt(2)).toEqual({ 'Pod/x/a': 'new' });
  });

  it('is not a later object of the same name: the deletion of the former one leaves it', async () => {
    await list([pod('a', 1, 'one', 'first')], 10);
    const second = pod('a', 12, 'two', 'second');
    await writer.commit(delta(1, { rows: [second] }));
    const late = await writer.commit(
      delta(2, { deletions: [gone('a', 11, 'first'), gone('a', null, 'first')], positions: having([second], 12) }),
    );
    expect(late).toMatchObject({ revision: null, ignored: { deletions: 2 }, positions: [{ agrees: true }] });
    const both = await writer.commit(
      delta(3, { rows: [pod('a', 14, 'three', 'third')], deletions: [gone('a', 13, 'second')] }),
    );
    expect(await stateAt(both.head)).toEqual({ 'Pod/x/a': 'three' });
  });

  it('is found by the newest version that a snapshot showed, even if its content was the same', async () => {
    await list([pod('a', 1, 'one')], 10);
    await list([pod('a', 50, 'one')], 60, 1);
    const committed = await writer.commit(
      delta(1, { rows: [pod('a', 30, 'between')], positions: having([pod('a', 50)], 60) }),
    );
    expect(committed).toMatchObject({ revision: null, ignored: { upserts: 1 }, positions: [{ agrees: true }] });
  });

  it('may be the position of the sender, after a snapshot by somebody else', async () => {
    await list([pod('a', 1)], 10);
    await writer.commit(delta(1, { positions: having([pod('a', 1)], 10) }));
    await list([pod('a', 40)], 50, 2);
    const behind = await writer.commit(
      delta(2, { rows: [pod('gone', 20)], positions: having([pod('a', 1), pod('gone', 20)], 20) }),
    );
    expect(behind).toMatchObject({
      ignored: { upserts: 1 },
      positions: [{ agrees: null, resourceVersion: '50' }],
      snapshotNeeded: [],
    });
    const caughtUp = await writer.commit(
      delta(3, { rows: [pod('a', 40)], deletions: [gone('gone', 30)], positions: having([pod('a', 40)], 60) }),
    );
    expect(caughtUp).toMatchObject({ positions: [{ agrees: true, resourceVersion: '60' }], snapshotNeeded: [] });
  });
});

describe('totals that disagree', () => {
  const other = having([pod('a', 1), pod('unknown', 2)], 11);

  it('ask for a snapshot of the kind until one comes; what the delta says is stored', async () => {
    await list([pod('a', 1)], 10);
    const committed = await writer.commit(delta(1, { rows: [pod('b', 11)], positions: other }));
    expect(committed).toMatchObject({
      revision: 2,
      positions: [{ agrees: false, resourceVersion: null, count: 2 }],
      snapshotNeeded: ['Pod'],
      currentAt: null,
    });
    expect(await stateAt(2)).toEqual({ 'Pod/x/a': 'one', 'Pod/x/b': 'one' });
    expect((await revisions.get(await clusterId(), 2))?.resourceVersions.size).toBe(0);
    expect(await writer.commit(delta(2))).toMatchObject({ snapshotNeeded: ['Pod'] });
    expect(await follows.currentAt(await clusterId())).toBeNull();
    await list([pod('a', 1), pod('b', 11), pod('c', 9)], 12, 3);
    expect(await writer.commit(delta(3))).toMatchObject({ snapshotNeeded: [] });
    expect(await follows.currentAt(await clusterId())).toEqual(time(3));
  });

  it('need no snapshot once they agree again', async () => {
    await list([pod('a', 1)], 10);
    await writer.commit(delta(1, { positions: other }));
    expect(await writer.commit(delta(2, { positions: having([pod('a', 1)], 12) }))).toMatchObject({
      snapshotNeeded: [],
      positions: [{ agrees: true, resourceVersion: '12' }],
    });
  });

  it.each([
    ['another object', [pod('b', 1)]],
    ['another uid', [pod('a', 1, 'one', 'other')]],
    ['another resourceVersion', [pod('a', 2)]],
    ['one more', [pod('a', 1), pod('b', 1)]],
  ])('are those of a sender that has %s', async (_, rows) => {
    await list([pod('a', 1)], 10);
    expect(await writer.commit(delta(1, { positions: having(rows, 11) }))).toMatchObject({ snapshotNeeded: ['Pod'] });
  });
});

/** What a cluster and its sender do, one after another. */
type Step =
  | { readonly type: 'put'; readonly name: string; readonly content: string }
  | { readonly type: 'delete'; readonly name: string }
  | { readonly type: 'recreate'; readonly name: string; readonly content: string }
  | { readonly type: 'deliver'; readonly twice: boolean; readonly share: number }
  | { readonly type: 'snapshot'; readonly positioned: boolean }
  | { readonly type: 'newStream' };

const names = fc.constantFrom('a', 'b', 'c', 'd');
const contents = fc.constantFrom('one', 'two');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('put' as const), name: names, content: contents }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('delete' as const), name: names }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('recreate' as const), name: names, content: contents }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('deliver' as const),
      twice: fc.boolean(),
      share: fc.constantFrom(0.3, 0.6, 1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('snapshot' as const), positioned: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('newStream' as const) }) },
);

/** A cluster, and a sender that hears of its changes in order but late. */
class Model {
  private version = 100;
  private uids = 0;
  private readonly cluster = new Map<string, ObjectRow>();
  private readonly sender = new Map<string, ObjectRow>();
  private unheard: (ObjectRow | DeltaDeletion)[] = [];
  private stream = 1;
  private sequence = 0;
  private minute = 0;
  private heardOf = 100;

  async begin(): Promise<void> {
    await list([], this.version);
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const one of steps) await this.take(one);
    // Whatever happened, the sender catches up in the end.
    await this.deliver(false, 1);
  }

  head(): Record<string, string> {
    return Object.fromEntries([...this.cluster.values()].map((row) => [`Pod/x/${row.name}`, contentOf(row)]));
  }

  private async take(one: Step): Promise<void> {
    switch (one.type) {
      case 'put':
        this.put(one.name, one.content, this.cluster.get(one.name)?.uid ?? this.newUid());
        return;
      case 'recreate':
        this.remove(one.name);
        this.put(one.name, one.content, this.newUid());
        return;
      case 'delete':
        this.remove(one.name);
        return;
      case 'snapshot':
        await list([...this.cluster.values()], one.positioned ? this.version : undefined, ++this.minute);
        return;
      case 'newStream':
        this.stream += 1;
        this.sequence = 0;
        return;
      case 'deliver':
        await this.deliver(one.twice, one.share);
    }
  }

  private newUid(): string {
    return `uid-${++this.uids}`;
  }

  private put(name: string, content: string, uid: string): void {
    const row = pod(name, ++this.version, content, uid);
    this.cluster.set(name, row);
    this.unheard.push(row);
  }

  private remove(name: string): void {
    const row = this.cluster.get(name);
    if (row === undefined) return;
    this.cluster.delete(name);
    this.unheard.push(gone(name, ++this.version, row.uid));
  }

  /** @param share the part of the changes that the sender has heard of; the others follow later */
  private async deliver(twice: boolean, share: number): Promise<void> {
    const events = this.unheard.splice(0, Math.ceil(this.unheard.length * share));
    const isUpToDate = this.unheard.length === 0;
    this.heardOf = isUpToDate ? this.version : Number(events.at(-1)?.resourceVersion ?? this.heardOf);
    for (const event of events) {
      if ('content' in event) this.sender.set(event.name, event);
      else this.sender.delete(event.name);
    }
    const given = delta(++this.sequence, {
      stream: String(this.stream),
      capturedAt: time(++this.minute),
      rows: events.filter((event) => 'content' in event),
      deletions: events.filter((event) => !('content' in event)),
      positions: having([...this.sender.values()], this.heardOf),
    });
    const committed: CommittedDelta = await writer.commit(given);
    await expectAsStored(committed);
    if (twice) expect(await writer.commit(given)).toEqual({ ...committed, repeated: true });
    if (!isUpToDate) return;
    expect(committed.snapshotNeeded).toEqual([]);
    expect(await stateAt(committed.head)).toEqual(this.head());
  }
}

const contentOf = (row: ObjectRow): string => (JSON.parse(row.content) as { content: string }).content;

describe('snapshots and deltas in any order', () => {
  it('end in the state of the cluster, and ask for no snapshot once the sender is up to date', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await database.query('delete from object_versions; delete from clusters');
        const model = new Model();
        await model.begin();
        await model.run(steps);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a delta of a cluster of which Postgres has no statistics', () => {
  it('finds its rows by their keys', async () => {
    const plain = await startTestPostgres({ plain: true });
    const own = await plain.createDatabase();
    await own.query('alter table object_versions set (autovacuum_enabled = off)');
    const fill = async (name: string): Promise<void> => {
      const { clusterId } = await new SnapshotWriter(own).commit({
        ...snapshotOf({}, { rows: inOneBatch([pod('a', 1)]) }),
        cluster: { name, create: true },
      });
      await own.query(
        `insert into object_versions (cluster_id, kind, namespace, name, hash, valid_from, content)
         select $1, 'Pod', 'x', 'pod-' || n, '', 1, '' from generate_series(1, 5000) n`,
        [clusterId],
      );
    };
    for (const name of ['c1', 'c2', 'c3']) await fill(name);
    await own.query('analyze object_versions');
    await fill('new');
    const recorded = recordStatements();
    try {
      await new DeltaWriter(own).commit(delta(1, { cluster: 'new', rows: [pod('a', 11, 'two')] }));
      recorded.stop();
      const lookups = recorded.statements().filter(({ text }) => text.includes('lateral'));
      const plans = await Promise.all(
        lookups.map(({ text, values }) => own.query(`explain (format json) ${text}`, values)),
      );
      const indexes = JSON.stringify(plans).match(/"object_versions_\w+"/g);
      // The settings of the version are in the same statement.
      expect(new Set(indexes)).toEqual(new Set(['"object_versions_settings"', '"object_versions_pk"']));
    } finally {
      recorded.stop();
      await plain.stop();
    }
  });
});

describe('a delta in a database that is divided by cluster', () => {
  it('ends and touches only rows of its own cluster, though others have rows at the same places', async () => {
    const plain = await startTestPostgres({ plain: true });
    const url = await plain.createEmptyDatabase();
    await partitionByCluster(url);
    const divided = await connect(url, { poolSize: 2 }, () => undefined);
    try {
      const names = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
      const rows = [pod('a', 1), pod('b', 2)];
      const taken = new SnapshotWriter(divided);
      const clusters: number[] = [];
      for (const name of names) {
        const snapshot = snapshotOf({}, { rows: inOneBatch(rows) });
        clusters.push((await taken.commit({ ...snapshot, cluster: { name, create: true } })).clusterId);
      }
      // The content of `b` stays.
      await new DeltaWriter(divided).commit(delta(1, { cluster: 'c1', rows: [pod('a', 11, 'two'), pod('b', 12)] }));
      const others = await divided.query(
        `select from object_versions where cluster_id <> $1 and (valid_to is not null or resource_version not in ('1', '2'))`,
        [clusters[0]],
      );
      expect(others).toEqual([]);
      const own = await divided.query(
        `select name, resource_version as version, valid_to as until from object_versions where cluster_id = $1
         order by name, valid_from`,
        [clusters[0]],
      );
      expect(own).toEqual([
        { name: 'a', version: '1', until: 2 },
        { name: 'a', version: '11', until: null },
        { name: 'b', version: '12', until: null },
      ]);
    } finally {
      await divided.dataSource.destroy();
      await plain.stop();
    }
  });
});
