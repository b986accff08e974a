import { Database } from './database.js';
import { notifyOutbox } from './head-notifications.js';

/** A rule of notifications. */
export interface StoredRule {
  readonly id: number;
  /** Null for a rule about several clusters. */
  readonly clusterId: number | null;
  readonly name: string;
  /** JSON. */
  readonly details: string;
  /** The receiver, encrypted. */
  readonly receiver: string;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly changedAt: Date;
  readonly changedBy: string;
  readonly stoppedAt: Date | null;
  readonly stoppedReason: string | null;
  /** JSON; null if the receiver is not asked. */
  readonly permission: string | null;
}

/** A rule with the numbers of its deliveries. */
export interface CountedRule extends StoredRule {
  readonly waiting: number;
  readonly givenUp: number;
}

export interface NewRule extends Pick<
  StoredRule,
  'clusterId' | 'name' | 'details' | 'changedAt' | 'changedBy' | 'permission'
> {
  /** Undefined to keep the former one. */
  readonly receiver: string | undefined;
}

/** The most rules about one cluster, and the most about several. */
const MOST_RULES = 100;

export const RULE_COLUMNS = `r.id::float8 as id, r.cluster_id::float8 as "clusterId", r.name, r.details, r.receiver,
  r.created_at as "createdAt", r.created_by as "createdBy", r.changed_at as "changedAt", r.changed_by as "changedBy",
  r.stopped_at as "stoppedAt", r.stopped_reason as "stoppedReason", r.permission`;

const NONE = { waiting: 0, givenUp: 0 } as const;
/** How often what concerns several clusters or rules is stored if some are removed meanwhile. */
const ATTEMPTS = 3;
const FOREIGN_KEY_VIOLATION = '23503';

/**
 * The columns cluster_id, revision, sequence and turn of a queue that starts at the present end of the history of the cluster `c`.
 * @param own the id of the cluster in SQL
 */
const presentEnd = (own: string): string => `${own}::bigint, c.head_revision,
  coalesce((select max(sequence) from taint_trail t where t.cluster_id = ${own}), 0),
  coalesce((select turns from expectation_progress e where e.cluster_id = ${own}), 0)`;

async function despiteRemovals<T>(store: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store();
    } catch (error) {
      if (attempt === ATTEMPTS || (error as { code?: string }).code !== FOREIGN_KEY_VIOLATION) throw error;
    }
  }
}

/** The rules of notifications, about one cluster or about several. */
export class NotificationRuleStore {
  constructor(private readonly database: Database) {}

  /** @param clusterId null for the rules about several clusters */
  async list(clusterId: number | null): Promise<readonly CountedRule[]> {
    return this.counted(clusterId, await this.uncounted(clusterId));
  }

  /** The same without what waits, for which all clusters are asked where a rule is about several. */
  async uncounted(clusterId: number | null): Promise<readonly StoredRule[]> {
    return this.database.query<StoredRule>(
      `select ${RULE_COLUMNS} from notification_rules r
       where r.cluster_id is not distinct from $1::bigint order by r.name`,
      [clusterId],
    );
  }

  async find(clusterId: number | null, name: string): Promise<CountedRule | undefined> {
    if (name.includes('\0')) return undefined;
    const rules = await this.database.query<StoredRule>(
      `select ${RULE_COLUMNS} from notification_rules r
       where r.cluster_id is not distinct from $1::bigint and r.name = $2`,
      [clusterId, name],
    );
    const [rule] = await this.counted(clusterId, rules);
    return rule;
  }

  /** A statement of its own, since a distributed Postgres does not count for each rule in that which finds them. */
  private async counted(clusterId: number | null, rules: readonly StoredRule[]): Promise<readonly CountedRule[]> {
    if (rules.length === 0) return [];
    const counts = await this.database.query<Pick<CountedRule, 'waiting' | 'givenUp'> & { readonly ruleId: number }>(
      `select rule_id::float8 as "ruleId", count(*) filter (where state = 'waiting')::float8 as waiting,
         count(*) filter (where state = 'givenUp')::float8 as "givenUp"
       from notification_deliveries
       where rule_id = any($1::bigint[]) and state in ('waiting', 'givenUp')
         and ($2::bigint is null or cluster_id = $2) group by rule_id`,
      [rules.map(({ id }) => id), clusterId],
    );
    const byRule = new Map(counts.map(({ ruleId, waiting, givenUp }) => [ruleId, { waiting, givenUp }]));
    return rules.map((rule) => ({ ...rule, ...(byRule.get(rule.id) ?? NONE) }));
  }

  /**
   * Creates or replaces a rule. A new one tells of what happens from now on: in each cluster that exists, from the present end of its
   * history; in one that is created later, from the beginning.
   * @returns `gone` if the cluster or the rule to be kept does not exist any longer; `too many` rules
   */
  async put(rule: NewRule): Promise<'stored' | 'gone' | 'too many'> {
    return despiteRemovals(() => this.putOnce(rule));
  }

  /** Lets rules about several clusters tell of a cluster from the present end of its history, whatever they have told of it before. */
  async startFromNow(clusterId: number, ruleIds: readonly number[], now: Date): Promise<void> {
    if (ruleIds.length === 0) return;
    await despiteRemovals(() =>
      this.database.query(
        `insert into notification_queues (rule_id, cluster_id, revision, sequence, turn, since, failures)
         select r.id, ${presentEnd('$1')}, $3, 0
         from clusters c cross join notification_rules r where c.id = $1 and r.id = any($2::bigint[])
         on conflict (rule_id, cluster_id) do update
           set revision = excluded.revision, sequence = excluded.sequence, turn = excluded.turn, since = excluded.since
         returning 1`,
        [clusterId, ruleIds, now],
      ),
    );
  }

  private async putOnce(rule: NewRule): ReturnType<NotificationRuleStore['put']> {
    const { clusterId, name, details, receiver, changedAt, changedBy, permission } = rule;
    return this.database.transaction(async (client) => {
      // Not all clusters are locked: their writers would wait, and a distributed Postgres locks those of one node only.
      if (clusterId !== null) {
        const { rowCount } = await client.query('select from clusters where id = $1 for share', [clusterId]);
        if (rowCount === 0) return 'gone';
      }
      const updated = await client.query<{ id: string }>(
        `update notification_rules set details = $3, receiver = coalesce($4, receiver), changed_at = $5, changed_by = $6,
           permission = $7, stopped_at = null, stopped_reason = null
         where cluster_id is not distinct from $1::bigint and name = $2 returning id`,
        [clusterId, name, details, receiver ?? null, changedAt, changedBy, permission],
      );
      if (updated.rowCount === 0) {
        if (receiver === undefined) return 'gone';
        const { rows } = await client.query<{ count: number }>(
          'select count(*)::float8 as count from notification_rules where cluster_id is not distinct from $1::bigint',
          [clusterId],
        );
        if (rows[0]!.count >= MOST_RULES) return 'too many';
        const inserted = await client.query<{ id: string }>(
          `insert into notification_rules (cluster_id, name, details, receiver, created_at, created_by, changed_at, changed_by,
             permission)
           values ($1, $2, $3, $4, $5, $6, $5, $6, $7) on conflict do nothing returning id`,
          [clusterId, name, details, receiver, changedAt, changedBy, permission],
        );
        // Somebody else has just created it.
        if (inserted.rowCount === 0) return 'gone';
        // A statement about one cluster names its id throughout, one about all compares with theirs: so it runs where they are.
        const own = clusterId === null ? 'c.id' : '$2';
        await client.query(
          `insert into notification_queues (rule_id, cluster_id, revision, sequence, turn, since, failures)
           select $1, ${presentEnd(own)}, $3, 0 from clusters c where $2::bigint is null or c.id = $2`,
          [inserted.rows[0]!.id, clusterId, changedAt],
        );
      } else {
        // What failed is tried again at once, perhaps with another receiver.
        await client.query(
          `update notification_queues set failures = 0, not_before = case when not_before is null then null else $2::timestamptz end
           where rule_id = $1 and ($3::bigint is null or cluster_id = $3)`,
          [updated.rows[0]!.id, changedAt, clusterId],
        );
      }
      // Last, since a distributed Postgres writes to no table of all nodes after a statement about all clusters.
      const { rows: clusters } = await client.query<{ id: string }>(
        'select id from clusters where $1::bigint is null or id = $1',
        [clusterId],
      );
      await notifyOutbox(client, ...clusters.map(({ id }) => Number(id)));
      return 'stored';
    });
  }

  /** Notes what the receiver of a rule said, unless the rule was put since. */
  async notePermission({ id, changedAt }: StoredRule, permission: string | null): Promise<void> {
    await this.database.query(
      'update notification_rules set permission = $3 where id = $1 and changed_at = $2::timestamptz returning 1',
      [id, changedAt, permission],
    );
  }

  /** @returns false if there was none */
  async delete(clusterId: number | null, name: string): Promise<boolean> {
    if (name.includes('\0')) return false;
    const rows = await this.database.query(
      'delete from notification_rules where cluster_id is not distinct from $1::bigint and name = $2 returning 1',
      [clusterId, name],
    );
    return rows.length > 0;
  }
}
