import type { ClientBase } from 'pg';
import type { PlaceFailed } from './cluster-places.js';
import { batchedOfClusters, FOR_EACH_HEAD } from './batched.js';
import { Database } from './database.js';
import { notifyOutbox } from './head-notifications.js';
import { ofClusters } from './of-clusters.js';
import { RULE_COLUMNS, type StoredRule } from './notification-rule-store.js';

/** A place in the history of a cluster. */
export interface OutboxPlace {
  readonly revision: number;
  readonly sequence: number;
  readonly turn: number;
}

/** Up to where the history of a cluster was turned into deliveries. */
export interface OutboxProgress extends OutboxPlace {
  /** According to the eviction schedule of this revision ... */
  readonly dueRevision: number;
  /** ... evictions up to this time were told. */
  readonly dueUntil: Date;
  /** The last case of the ledger of predictions that was told. */
  readonly caseNumber: number;
}

/** A rule, and from where on it tells of a cluster. */
export interface QueuedRule extends StoredRule {
  readonly start: OutboxPlace;
  readonly since: Date;
}

/** What a replica needs to tell of a cluster. */
export interface OutboxScope {
  readonly cluster: { readonly id: number; readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly headRevision: number;
  readonly progress: OutboxProgress;
  readonly rules: readonly QueuedRule[];
}

/** What a rule has told of and has not told the end of. */
export interface StoredCondition {
  readonly ruleId: number;
  readonly kind: string;
  readonly subject: string;
  /** Another one is told again. */
  readonly version: string;
  /** JSON. */
  readonly event: string;
  readonly toldAt: Date;
}

export interface NewDelivery {
  readonly ruleId: number;
  readonly kind: string;
  /** JSON. */
  readonly event: string;
}

/** What one step of telling stores. */
export interface OutboxStep {
  readonly deliveries: readonly NewDelivery[];
  readonly told?: readonly StoredCondition[];
  readonly over?: readonly Pick<StoredCondition, 'ruleId' | 'kind' | 'subject'>[];
}

export type DeliveryState = 'waiting' | 'delivered' | 'givenUp';

export interface StoredDelivery {
  readonly id: number;
  readonly ruleId: number;
  readonly clusterId: number;
  readonly kind: string;
  readonly event: string;
  readonly state: DeliveryState;
  readonly createdAt: Date;
  readonly waitingSince: Date;
  readonly attempts: number;
  readonly attemptedAt: Date | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly finishedAt: Date | null;
}

/** A delivery with the rule that it belongs to. */
export interface DeliveryOfRule extends StoredDelivery {
  readonly rule: string;
  readonly isGeneral: boolean;
  readonly notBefore: Date | null;
}

export type HeadRule = Pick<StoredRule, 'id' | 'clusterId' | 'name' | 'details' | 'receiver' | 'permission'> & {
  /** As Postgres writes it. */
  readonly changedAt: string;
};

/** The first delivery of a queue. */
export interface QueueHead {
  readonly delivery: StoredDelivery;
  readonly rule: HeadRule;
  /** Failures of the queue in a row. */
  readonly failures: number;
}

/** What an attempt came to. */
export interface AttemptRecord {
  readonly at: Date;
  readonly status: number | null;
  readonly error: string | null;
  readonly outcome: DeliveryState | 'gone';
  /** Before when the queue is not tried again; null if at once. */
  readonly notBefore: Date | null;
  readonly failures: number;
}

/** For how long a replica alone tells of a cluster unless it extends its lease, in milliseconds. */
export const OUTBOX_LEASE_MS = 30_000;

/** The most notifications of a rule about a cluster that wait; the oldest are given up for later ones. */
const MOST_WAITING = 1000;
/** Deliveries that one statement inserts. */
const AT_ONCE_INSERTED = 1000;
/** For how long finished deliveries are kept, in milliseconds, and how many of a rule at most. */
const KEPT_MS = 30 * 86_400_000;
const MOST_FINISHED = 10_000;
/** Clusters that are searched by one statement: Postgres goes through all their ids for each of them. */
const CLUSTERS_AT_ONCE = 100;
/** Number of deliveries that one statement removes. */
const AT_ONCE = 1000;

const DELIVERY_COLUMNS = `d.id::float8 as id, d.rule_id::float8 as "ruleId", d.cluster_id::float8 as "clusterId", d.kind, d.event, d.state,
  d.created_at as "createdAt", d.waiting_since as "waitingSince", d.attempts, d.attempted_at as "attemptedAt", d.status, d.error,
  d.finished_at as "finishedAt"`;

type HeadRow = StoredDelivery & { readonly rule: readonly [HeadRule]; readonly failures: number };

const HEAD = `
  select ${DELIVERY_COLUMNS}, q.failures,
    (select json_agg(r) from (select ${RULE_COLUMNS} from notification_rules r where r.id = q.rule_id) r) as rule
  from notification_queues q
  join notification_rules n on n.id = q.rule_id and n.stopped_at is null
    and (n.details::jsonb -> 'disabled') is distinct from 'true'::jsonb
  cross join lateral (
    select * from notification_deliveries d
    where d.rule_id = q.rule_id and d.cluster_id = $1 and d.state = 'waiting'
    order by d.position, d.id limit 1) d
  where q.cluster_id = $1 and ($2::bigint is null or q.rule_id = $2) and (q.not_before is null or q.not_before <= $3)`;

/** Whether there is a rule about the cluster `$1`. */
const IS_TOLD_OF = 'exists (select 1 from notification_rules r where r.cluster_id is null or r.cluster_id = $1)';

/**
 * What is to be told to whom, in order for each rule and cluster. Deliveries are stored in the transaction that moves the place up to
 * which the history was read, so that each event is stored once, whichever replica dies when.
 */
export class NotificationOutbox {
  private readonly toldOf = batchedOfClusters(
    () => this.database.places,
    (ids) => {
      const values: unknown[] = [];
      return this.database.query<{ readonly id: number }>(
        `select c.id::float8 as id from clusters c where ${ofClusters('c.id', ids, values)}
         and exists (select from notification_rules r where r.cluster_id is null or r.cluster_id = c.id)`,
        values,
      );
    },
    FOR_EACH_HEAD,
  );

  constructor(private readonly database: Database) {}

  /** Whether a rule is about the cluster. Asked about many clusters together. */
  async isToldOf(clusterId: number): Promise<boolean> {
    return (await this.toldOf(clusterId)) !== undefined;
  }

  /**
   * Leases the notifications about a cluster to a replica, or extends its lease.
   * @returns whether the replica has the lease; false also if no rule is about the cluster
   */
  async lease(clusterId: number, holder: string, now: Date): Promise<boolean> {
    const until = new Date(now.getTime() + OUTBOX_LEASE_MS);
    const leased = await this.database.query(
      `update notification_progress p set holder = $2, leased_until = $3
       where p.cluster_id = $1 and (p.holder is null or p.holder = $2 or p.leased_until <= $4) and ${IS_TOLD_OF} returning 1`,
      [clusterId, holder, until, now],
    );
    if (leased.length > 0) return true;
    // Evictions are told from when a rule was put, however late the first lease comes.
    // A distributed database would run the insert on each node if it took the id from a row that is joined with a table of all nodes.
    const begun = await this.database.query(
      `insert into notification_progress
         (cluster_id, revision, sequence, turn, due_revision, due_until, case_number, holder, leased_until)
       select $1::bigint, 0, 0, 0,
         coalesce((select revision from notification_queues q where q.cluster_id = $1 order by since limit 1), c.head_revision),
         coalesce((select min(since) from notification_queues q where q.cluster_id = $1), $4),
         coalesce((select cases from agreement_progress a where a.cluster_id = $1), 0), $2, $3
       from clusters c where c.id = $1 and ${IS_TOLD_OF}
       on conflict do nothing returning 1`,
      [clusterId, holder, until, now],
    );
    return begun.length > 0;
  }

  /** Ends all leases of a replica. */
  async release(holder: string, failed: PlaceFailed): Promise<void> {
    await this.database.places.ofAll(
      (ids) =>
        this.database.query(
          'update notification_progress set holder = null, leased_until = null where holder = $1 and cluster_id = any($2::bigint[])',
          [holder, ids],
        ),
      failed,
    );
  }

  /**
   * Extends the leases of a replica, and returns the clusters that nobody tells of, that it is behind with, or that have a queue whose time
   * has come.
   */
  async waitingClusters(holder: string, now: Date, failed: PlaceFailed): Promise<readonly number[]> {
    if ((await this.database.query('select from notification_rules limit 1')).length === 0) return [];
    const rows = await this.database.places.ofAll((ids) => this.waitingAmong(ids, holder, now), failed);
    return rows.map(({ id }) => id);
  }

  private async waitingAmong(
    ids: readonly number[],
    holder: string,
    now: Date,
  ): Promise<readonly { readonly id: number }[]> {
    await this.database.query(
      'update notification_progress set leased_until = $2 where holder = $1 and cluster_id = any($3::bigint[])',
      [holder, new Date(now.getTime() + OUTBOX_LEASE_MS), ids],
    );
    const found: { readonly id: number }[] = [];
    for (let start = 0; start < ids.length; start += CLUSTERS_AT_ONCE) {
      found.push(...(await this.waitingOfFew(ids.slice(start, start + CLUSTERS_AT_ONCE), holder, now)));
    }
    return found;
  }

  private waitingOfFew(ids: readonly number[], holder: string, now: Date): Promise<readonly { readonly id: number }[]> {
    return this.database.query<{ id: number }>(
      `select c.id::float8 as id from clusters c left join notification_progress p on p.cluster_id = c.id and p.cluster_id = any($3::bigint[])
       where c.id = any($3::bigint[])
         and exists (select 1 from notification_rules r where r.cluster_id is null or r.cluster_id = c.id)
         and (p.cluster_id is null or p.holder is null or p.leased_until <= $2
           or (p.holder = $1 and (p.revision < c.head_revision
             or p.sequence < (select max(sequence) from taint_trail t where t.cluster_id = c.id and t.cluster_id = any($3::bigint[]))
             or exists (select 1 from notification_queues q where q.cluster_id = c.id and q.cluster_id = any($3::bigint[]) and q.not_before <= $2))))`,
      [holder, now, ids],
    );
  }

  /** Undefined if the cluster or its lease is gone, or no rule is about it. */
  async scope(clusterId: number, now: Date): Promise<OutboxScope | undefined> {
    // A rule about several clusters tells of a later cluster from its beginning.
    const missing = await this.database.query<{ id: string }>(
      `select r.id from notification_rules r join clusters c on c.id = $1
       where (r.cluster_id is null or r.cluster_id = $1)
         and not exists (select from notification_queues q where q.cluster_id = $1 and q.rule_id = r.id)`,
      [clusterId],
    );
    for (const { id } of missing) {
      await this.database.query(
        `insert into notification_queues (rule_id, cluster_id, revision, sequence, turn, since, failures)
         values ($3, $1, 0, 0, 0, $2, 0) on conflict do nothing`,
        [clusterId, now, id],
      );
    }
    const [row] = await this.database.query<
      OutboxScope['cluster'] & OutboxProgress & { readonly headRevision: number }
    >(
      `select c.id::float8 as id, c.name, c.labels, c.head_revision as "headRevision", p.revision, p.sequence::float8 as sequence,
         p.turn::float8 as turn, p.due_revision as "dueRevision", p.due_until as "dueUntil", p.case_number::float8 as "caseNumber"
       from clusters c join notification_progress p on p.cluster_id = c.id where c.id = $1`,
      [clusterId],
    );
    const rules = await this.database.query<StoredRule & OutboxPlace & { readonly since: Date }>(
      `select ${RULE_COLUMNS}, q.revision, q.sequence::float8 as sequence, q.turn::float8 as turn, q.since
       from notification_queues q join notification_rules r on r.id = q.rule_id where q.cluster_id = $1 order by r.id`,
      [clusterId],
    );
    if (row === undefined || rules.length === 0) return undefined;
    const { id, name, labels, headRevision, ...progress } = row;
    return {
      cluster: { id, name, labels },
      headRevision,
      progress,
      rules: rules.map(({ revision, sequence, turn, ...rule }) => ({ ...rule, start: { revision, sequence, turn } })),
    };
  }

  async conditions(clusterId: number): Promise<readonly StoredCondition[]> {
    return this.database.query<StoredCondition>(
      `select rule_id::float8 as "ruleId", kind, subject, version, event, told_at as "toldAt"
       from notification_conditions where cluster_id = $1`,
      [clusterId],
    );
  }

  /**
   * Stores deliveries together with the place up to which they tell.
   * @returns false if another replica has told meanwhile, and nothing was stored
   */
  async advance(
    clusterId: number,
    holder: string,
    { from, to, now }: { readonly from: OutboxProgress; readonly to: OutboxProgress; readonly now: Date },
    { deliveries, told = [], over = [] }: OutboxStep,
  ): Promise<boolean> {
    return this.database.transaction(async (client) => {
      const { rowCount } = await client.query(
        `update notification_progress
         set revision = $4, sequence = $5, turn = $6, due_revision = $7, due_until = $8, case_number = $9
         where cluster_id = $1 and holder = $2 and leased_until > $3
           and (revision, sequence, turn, due_revision, due_until, case_number) = ($10, $11, $12, $13, $14, $15)`,
        [clusterId, holder, now, ...valuesOf(to), ...valuesOf(from)],
      );
      if (rowCount !== 1) return false;
      const rules = await existing(client, [...deliveries, ...told]);
      const kept = deliveries.filter(({ ruleId }) => rules.has(ruleId));
      if (kept.length > 0) await insert(client, clusterId, kept, now);
      for (const { ruleId, kind, subject } of over) {
        await client.query(
          'delete from notification_conditions where cluster_id = $1 and rule_id = $2 and kind = $3 and subject = $4',
          [clusterId, ruleId, kind, subject],
        );
      }
      for (const { ruleId, kind, subject, version, event, toldAt } of told.filter((one) => rules.has(one.ruleId))) {
        await client.query(
          `insert into notification_conditions (rule_id, cluster_id, kind, subject, version, event, told_at)
           values ($2, $1, $3, $4, $5, $6, $7)
           on conflict (rule_id, cluster_id, kind, subject) do update
             set version = excluded.version, event = excluded.event, told_at = excluded.told_at`,
          [clusterId, ruleId, kind, subject, version, event, toldAt],
        );
      }
      return true;
    });
  }

  /** The first delivery of each queue of a cluster that may be tried now, or of one queue. */
  async heads(clusterId: number, now: Date, ruleId?: number): Promise<readonly QueueHead[]> {
    const rows = await this.database.query<HeadRow>(HEAD, [clusterId, ruleId ?? null, now]);
    return rows.map(({ rule: [rule], failures, ...delivery }) => ({ delivery, rule, failures }));
  }

  /** Forgets the times that have come, so that a queue without anything to send is not looked at again. */
  async clearTimes(clusterId: number, now: Date): Promise<void> {
    await this.database.query(
      'update notification_queues set not_before = null where cluster_id = $1 and not_before <= $2',
      [clusterId, now],
    );
  }

  /** Records an attempt. Once a receiver is gone, its rule is stopped, and what waits for it is given up. */
  async record({ delivery, rule }: QueueHead, attempt: AttemptRecord): Promise<void> {
    const { at, status, error, outcome, notBefore, failures } = attempt;
    const state = outcome === 'gone' ? 'givenUp' : outcome;
    await this.database.transaction(async (client) => {
      await client.query(
        `update notification_deliveries set state = $2, attempts = attempts + 1, attempted_at = $3, status = $4, error = $5,
           finished_at = case when $2 = 'waiting' then null else $3::timestamptz end
         where cluster_id = $6 and id = $1 and state = 'waiting'`,
        [delivery.id, state, at, status, error, delivery.clusterId],
      );
      await client.query(
        'update notification_queues set failures = $3, not_before = $4 where rule_id = $1 and cluster_id = $2',
        [rule.id, delivery.clusterId, failures, notBefore],
      );
      if (outcome !== 'gone') return;
      const stopped = await client.query(
        `update notification_rules set stopped_at = $2, stopped_reason = $3
         where id = $1 and stopped_at is null and changed_at = $4::timestamptz`,
        [rule.id, at, error, rule.changedAt],
      );
      if (stopped.rowCount === 0) return;
      await client.query(
        `update notification_deliveries set state = 'givenUp', error = $3, finished_at = $2
         where rule_id = $1 and ($4::bigint is null or cluster_id = $4) and state = 'waiting'`,
        [rule.id, at, 'the receiver is gone (410)', rule.clusterId],
      );
    });
  }

  /** Newest first. @param before returns deliveries with a lower id */
  async page(
    clusterId: number,
    filter: {
      readonly rule?: string;
      readonly state?: DeliveryState;
      readonly before?: number;
      readonly limit: number;
    },
  ): Promise<readonly DeliveryOfRule[]> {
    const { rule = null, state = null, before = null, limit } = filter;
    if (rule?.includes('\0') === true) return [];
    return this.database.query<DeliveryOfRule>(
      `${OF_RULE} where d.cluster_id = $1 and ($2::text is null or r.name = $2) and ($3::text is null or d.state = $3)
         and ($4::bigint is null or d.id < $4) order by d.id desc limit $5`,
      [clusterId, rule, state, before, limit],
    );
  }

  /**
   * Lets a delivery that was given up wait again, behind the others, and tries the queue of one that waits at once.
   * @returns undefined if there is none
   */
  async retry(clusterId: number, id: number, now: Date): Promise<DeliveryOfRule | undefined> {
    return this.database.transaction(async (client) => {
      await client.query(
        `update notification_deliveries d set state = 'waiting', waiting_since = $3, finished_at = null, attempts = 0, position = (
           select coalesce(max(w.position), 0) + 1 from notification_deliveries w
           where w.rule_id = d.rule_id and w.cluster_id = $1 and w.state = 'waiting')
         where d.cluster_id = $1 and d.id = $2 and d.state = 'givenUp'`,
        [clusterId, id, now],
      );
      await client.query(
        `update notification_queues q set failures = 0, not_before = null from notification_deliveries d
         where d.cluster_id = $1 and d.id = $2 and d.state = 'waiting' and q.rule_id = d.rule_id and q.cluster_id = d.cluster_id`,
        [clusterId, id],
      );
      const { rows } = await client.query<DeliveryOfRule>(`${OF_RULE} where d.cluster_id = $1 and d.id = $2`, [
        clusterId,
        id,
      ]);
      if (rows[0]?.state === 'waiting') await notifyOutbox(client, clusterId);
      return rows[0];
    });
  }

  /** How many deliveries wait, by cluster; of those clusters that can be read. */
  async waiting(): Promise<readonly { readonly cluster: string; readonly count: number }[]> {
    return this.database.places.ofAll(
      (ids) =>
        this.database.query(
          `select c.name as cluster, count(*)::float8 as count from notification_deliveries d join clusters c on c.id = d.cluster_id
           where c.id = any($1::bigint[]) and d.cluster_id = any($1::bigint[]) and d.state = 'waiting' group by c.name`,
          [ids],
        ),
      () => undefined,
    );
  }

  /** Removes old deliveries that are finished. @returns how many, by cluster */
  async prune(
    now: Date,
    failed: PlaceFailed,
  ): Promise<readonly { readonly clusterId: number; readonly deliveries: number }[]> {
    return this.database.places.workInAll((ids) => this.pruneAmong(ids, now), failed);
  }

  private async pruneAmong(
    ids: readonly number[],
    now: Date,
  ): Promise<readonly { readonly clusterId: number; readonly deliveries: number }[]> {
    const removed = new Map<number, number>();
    const before = new Date(now.getTime() - KEPT_MS);
    for (let count = AT_ONCE; count === AT_ONCE;) {
      const rows = await this.database.query<{ clusterId: number }>(
        `delete from notification_deliveries where cluster_id = any($2::bigint[]) and (cluster_id, id) in (
           select cluster_id, id from notification_deliveries
           where cluster_id = any($2::bigint[]) and state <> 'waiting' and finished_at < $1 limit ${AT_ONCE})
         returning cluster_id::float8 as "clusterId"`,
        [before, ids],
      );
      count = rows.length;
      for (const { clusterId } of rows) removed.set(clusterId, (removed.get(clusterId) ?? 0) + 1);
    }
    const surplus = await this.database.query<{ clusterId: number }>(
      `delete from notification_deliveries where cluster_id = any($1::bigint[]) and (cluster_id, id) in (
         select cluster_id, id from (
           select cluster_id, id, row_number() over (partition by rule_id, cluster_id order by id desc) as place
           from notification_deliveries where cluster_id = any($1::bigint[]) and state <> 'waiting') d
         where place > ${MOST_FINISHED})
       returning cluster_id::float8 as "clusterId"`,
      [ids],
    );
    for (const { clusterId } of surplus) removed.set(clusterId, (removed.get(clusterId) ?? 0) + 1);
    return [...removed].map(([clusterId, deliveries]) => ({ clusterId, deliveries }));
  }
}

const OF_RULE = `
  select ${DELIVERY_COLUMNS}, r.name as rule, r.cluster_id is null as "isGeneral", q.not_before as "notBefore"
  from notification_deliveries d join notification_rules r on r.id = d.rule_id
  left join notification_queues q on q.rule_id = d.rule_id and q.cluster_id = d.cluster_id`;

const valuesOf = ({
  revision,
  sequence,
  turn,
  dueRevision,
  dueUntil,
  caseNumber,
}: OutboxProgress): readonly unknown[] => [revision, sequence, turn, dueRevision, dueUntil, caseNumber];

/** Those of the rules that were not deleted meanwhile. */
async function existing(
  client: ClientBase,
  named: readonly { readonly ruleId: number }[],
): Promise<ReadonlySet<number>> {
  if (named.length === 0) return new Set();
  const { rows } = await client.query<{ id: number }>(
    'select id::float8 as id from notification_rules where id = any($1::bigint[])',
    [[...new Set(named.map(({ ruleId }) => ruleId))]],
  );
  return new Set(rows.map(({ id }) => id));
}

async function insert(
  client: ClientBase,
  clusterId: number,
  deliveries: readonly NewDelivery[],
  now: Date,
): Promise<void> {
  const ruleIds = [...new Set(deliveries.map(({ ruleId }) => ruleId))];
  // A statement of its own: a distributed Postgres does not run it as part of the next one.
  const { rows: last } = await client.query<{ readonly ruleId: number; readonly position: number }>(
    `select rule_id::float8 as "ruleId", max(position)::float8 as position from notification_deliveries
     where cluster_id = $1 and state = 'waiting' and rule_id = any($2::bigint[]) group by rule_id`,
    [clusterId, ruleIds],
  );
  const lastOf = new Map(last.map(({ ruleId, position }) => [ruleId, position]));
  for (let first = 0; first < deliveries.length; first += AT_ONCE_INSERTED) {
    const values: unknown[] = [clusterId, now];
    const rows = deliveries.slice(first, first + AT_ONCE_INSERTED).map(({ ruleId, kind, event }, index) => {
      const place = values.push(ruleId, (lastOf.get(ruleId) ?? 0) + first + index + 1, kind, event);
      return `($${place - 3}, $1, $${place - 2}, $${place - 1}, $${place}, 'waiting', $2, $2, 0)`;
    });
    // A distributed Postgres would insert rows that it selects by way of all its nodes.
    await client.query(
      `insert into notification_deliveries
         (rule_id, cluster_id, position, kind, event, state, created_at, waiting_since, attempts)
       values ${rows.join(', ')}`,
      values,
    );
  }
  await client.query(
    `update notification_deliveries set state = 'givenUp', finished_at = $2, error = $4 where cluster_id = $1 and id in (
       select id from (
         select id, row_number() over (partition by rule_id order by position desc, id desc) as place
         from notification_deliveries where cluster_id = $1 and state = 'waiting' and rule_id = any($3::bigint[])) w
       where place > ${MOST_WAITING})`,
    [clusterId, now, ruleIds, `more than ${MOST_WAITING} later notifications waited`],
  );
}
