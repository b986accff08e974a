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

/** $1 is the cluster of the rules, or null. */
const COUNTS = (['waiting', 'givenUp'] as const)
  .map(
    (state) =>
      `(select count(*)::float8 from notification_deliveries d
        where d.rule_id = r.id and ($1::bigint is null or d.cluster_id = $1) and d.state = '${state}') as "${state}"`,
  )
  .join(', ');

/** The rules of notifications, about one cluster or about several. */
export class NotificationRuleStore {
  constructor(private readonly database: Database) {}

  /** @param clusterId null for the rules about several clusters */
  async list(clusterId: number | null): Promise<readonly CountedRule[]> {
    return this.database.query<CountedRule>(
      `select ${RULE_COLUMNS}, ${COUNTS} from notification_rules r
       where r.cluster_id is not distinct from $1::bigint order by r.name`,
      [clusterId],
    );
  }

  async find(clusterId: number | null, name: string): Promise<CountedRule | undefined> {
    if (name.includes('\0')) return undefined;
    const [row] = await this.database.query<CountedRule>(
      `select ${RULE_COLUMNS}, ${COUNTS} from notification_rules r
       where r.cluster_id is not distinct from $1::bigint and r.name = $2`,
      [clusterId, name],
    );
    return row;
  }

  /**
   * Creates or replaces a rule. A new one tells of what happens from now on: in each cluster that exists, from the present end of its
   * history; in one that is created later, from the beginning.
   * @returns `gone` if the cluster or the rule to be kept does not exist any longer; `too many` rules
   */
  async put(rule: NewRule): Promise<'stored' | 'gone' | 'too many'> {
    const { clusterId, name, details, receiver, changedAt, changedBy, permission } = rule;
    return this.database.transaction(async (client) => {
      const { rows: locked } = await client.query(
        'select id from clusters where $1::bigint is null or id = $1 order by id for share',
        [clusterId],
      );
      if (clusterId !== null && locked.length === 0) return 'gone';
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
        await client.query(
          `insert into notification_queues (rule_id, cluster_id, revision, sequence, turn, since, failures)
           select $1, c.id, c.head_revision,
             coalesce((select max(sequence) from taint_trail t where t.cluster_id = coalesce($2::bigint, c.id)), 0),
             coalesce((select turns from expectation_progress e where e.cluster_id = coalesce($2::bigint, c.id)), 0), $3, 0
           from clusters c where $2::bigint is null or c.id = $2`,
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
      for (const { id } of locked as { id: string }[]) await notifyOutbox(client, Number(id));
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
