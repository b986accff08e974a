import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { snapshotOf } from '../../../test/support/snapshots.js';
import { IS_DISTRIBUTED, startTestPostgres, type TestPostgres } from '../../../test/support/postgres.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { readTaintEdit } from '../../core/taint-change/read-taint-edit.js';
import { ClusterStore } from '../../storage/cluster-store.js';
import type { Database } from '../../storage/database.js';
import { ObjectReader } from '../../storage/object-reader.js';
import { RevisionStore } from '../../storage/revision-store.js';
import { SnapshotWriter } from '../../storage/snapshot-writer.js';
import { AskedChangeStore } from '../../storage/taint-trail/asked-change-store.js';
import { TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { NoOpAnswerStore } from '../../storage/taint-trail/no-op-answer-store.js';
import { ApprovalLimit } from '../approvals/approval-limit.js';
import { AskForApproval } from '../approvals/ask-for-approval.js';
import { HeadCache } from '../reads/head-cache.js';
import { ResolveRevision } from '../reads/resolve-revision.js';
import { StoredHeads } from '../reads/stored-heads.js';
import { ClusterStates } from '../states/cluster-states.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { isRepeated, type MadeChange } from './change-to-make.js';
import { CommitChange } from './commit-change.js';
import { IdempotentReplies } from './idempotent-replies.js';
import { MakeChange } from './make-change.js';
import { PlanChange } from './plan-change.js';
import { PlanNodes } from './plan-nodes.js';
import { HeadForUpdate } from './head-for-update.js';

let postgres: TestPostgres;
let database: Database;
beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await postgres.createDatabase();
  await new SnapshotWriter(database).commit(snapshotOf({ 'Node/a': 'one' }));
});
afterAll(() => postgres.stop());

const now = new Date('2026-06-01T12:00:00Z');

/** A replica that receives no notifications: it never knows the newest change of the others. */
async function deafReplica() {
  const clusters = new ClusterStore(database);
  const revisions = new RevisionStore(database);
  const store = new TaintChangeStore(database);
  const asked = new AskedChangeStore(database);
  const stored = new StoredHeads(clusters, revisions, { currentAt: () => Promise.resolve(null) });
  const heads = new HeadCache(stored, { connection: 1 });
  const states = new ClusterStates(new ObjectReader(database), { budgetBytes: 1e8 });
  const head = new HeadForUpdate(new ResolveRevision(heads, revisions), states, heads, clusters);
  const makeChange = new MakeChange(
    head,
    new IdempotentReplies(store, clusters, asked, new NoOpAnswerStore(database)),
    new PlanChange(new PlanNodes(new DerivedStateCache()), store),
    new CommitChange(head, store),
    new AskForApproval(asked, new ApprovalLimit(60)),
    new ManualClock(),
  );
  const change = async (
    words: readonly string[],
    options: { overwrite?: boolean; on?: number } = {},
  ): Promise<MadeChange> => {
    const { overwrite = false, on } = options;
    const { edit } = readTaintEdit({ taints: words, overwrite }, FieldPath.of('body'));
    const made = await makeChange.run(
      {
        id: randomUUID(),
        cluster: 'test',
        action: 'change',
        author: { name: 'anonymous', kind: 'anonymous', groups: [], issuer: null },
        reason: 'a test',
        request: { taints: [], labels: [], unschedulable: null, overwrite, perNode: false, force: false },
        dryRun: false,
        permissions: [],
        targets: { names: [{ name: 'a', place: { field: 'nodes[0]', pointer: '/nodes/0' } }] },
        edit,
        ...(on !== undefined && { precondition: [{ revision: on }] }),
      },
      { now, signal: new AbortController().signal },
    );
    if (isRepeated(made)) throw new Error('no request was made under a key');
    return made;
  };
  await heads.get('test');
  return Object.assign(change, { known: () => heads.get('test'), stored: () => stored.read('test') });
}

describe('a change', () => {
  it('leaves the head that it has made in the cache, as it is stored', async () => {
    const replica = await deafReplica();
    for (const words of [['h=1:NoSchedule'], ['h=1:NoExecute'], ['h-']]) {
      const { committed } = await replica(words);
      const known = await replica.known();
      expect(known?.revision).toMatchObject({ number: committed!.revision, kind: 'taintChange', receivedAt: now });
      expect(known).toEqual(await replica.stored());
    }
  });
});

/** The nodes of a distributed database that took part in each transaction which it has prepared so far. */
async function nodesOfTransactions(): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query<{ transaction: string; nodes: number }>(
    `select split_part(gid, '_', 4) as transaction, count(distinct groupid)::integer as nodes
     from pg_dist_transaction group by 1`,
  );
  return new Map(rows.map(({ transaction, nodes }) => [transaction, nodes]));
}

// A plain database has no nodes.
(IS_DISTRIBUTED ? describe : describe.skip)('a change in a distributed database', () => {
  it('is a transaction of one node', async () => {
    const replica = await deafReplica();
    const before = await nodesOfTransactions();
    for (const words of [['d=1:NoSchedule'], ['d-']]) await replica(words);
    const after = [...(await nodesOfTransactions())].filter(([transaction]) => !before.has(transaction));
    expect(after.filter(([, nodes]) => nodes > 1)).toEqual([]);
  });
});

describe('a change on a replica that does not know the newest head', () => {
  it('is applied to the newest head, and not rejected because of the outdated one', async () => {
    const [one, other] = [await deafReplica(), await deafReplica()];
    const first = await one(['x=1:NoSchedule']);
    expect(await other(['x:NoSchedule-'])).toMatchObject({ committed: { revision: first.committed!.revision + 1 } });
    expect(await one(['x=2:NoSchedule'])).toMatchObject({ committed: { revision: first.committed!.revision + 2 } });
    const second = await other(['y=1:NoSchedule'], { on: first.committed!.revision + 2 });
    expect(second.committed?.revision).toBe(first.committed!.revision + 3);
    await one(['y=2:NoSchedule'], { overwrite: true });
    // On that replica the change would have no effect.
    expect((await other(['y=1:NoSchedule'], { overwrite: true })).committed).toBeDefined();
  });

  it('is rejected because of the newest head', async () => {
    const [one, other] = [await deafReplica(), await deafReplica()];
    const { committed } = await one(['z=1:NoSchedule']);
    await expect(other(['z=2:NoSchedule'])).rejects.toMatchObject({ code: 'taint-change-refused' });
    await expect(other(['z=2:NoSchedule'], { on: committed!.revision - 1 })).rejects.toMatchObject({
      code: 'precondition-failed',
    });
  });
});
