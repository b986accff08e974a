import { Database } from './database.js';

/** What is counted in a state. */
export interface StoredFigures {
  readonly nodes: { total: number; ready: number; notReady: number; unschedulable: number; tainted: number };
  readonly pods: { total: number; pending: number; unscheduled: number };
  readonly findings: { error: number; warning: number; info: number };
}

/** A cluster as the fleet shows it. Nothing of it needs a state. */
export interface FleetRow {
  readonly id: number;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** 0 if there is no state. */
  readonly headRevision: number;
  /** Of the head; null without one. */
  readonly capturedAt: Date | null;
  readonly unconfirmedNodes: number;
  /** The time up to which the head is known to be current. */
  readonly currentAt: Date | null;
  readonly connected: boolean;
  readonly follow: boolean;
  /** Whether a replica follows the cluster just now. */
  readonly leased: boolean;
  /** Since when; null if unknown. */
  readonly since: string | null;
  readonly message: string | null;
  /** The kinds that are not read just now. */
  readonly kindsMissing: number;
  readonly agreed: number;
  readonly disagreed: number;
  readonly unknown: number;
  /** The revision that the figures are of; null if there are none of this version of the service. */
  readonly figuresRevision: number | null;
  readonly figuresCapturedAt: Date | null;
  readonly figures: string | null;
}

/** Days of which predictions are counted, including today. */
export const AGREEMENT_DAYS = 7;

/** All clusters with what is known of them without their states, and the figures that were computed from states. */
export class FleetStore {
  constructor(private readonly database: Database) {}

  /** By name in byte order. @param version figures of another version of the service are not used */
  async list(version: string, now: Date): Promise<readonly FleetRow[]> {
    return this.database.query<FleetRow>(
      `select c.id::float8 as id, c.name, c.labels, c.head_revision as "headRevision", r.captured_at as "capturedAt",
         coalesce(r.unconfirmed_nodes, 0) as "unconfirmedNodes", f.current_at as "currentAt",
         k.cluster_id is not null as connected, coalesce(k.details::jsonb ->> 'follow' = 'true', false) as follow,
         coalesce(f.leased_until > statement_timestamp(), false) as leased,
         f.status ->> 'since' as since, f.status ->> 'message' as message,
         coalesce((select count(*) from json_array_elements(f.status -> 'kinds') s
                   where s ->> 'state' in ('denied', 'retrying')), 0)::integer as "kindsMissing",
         coalesce(a.agreed, 0)::float8 as agreed, coalesce(a.disagreed, 0)::float8 as disagreed,
         coalesce(a.unknown, 0)::float8 as unknown,
         g.revision as "figuresRevision", g.figures, gr.captured_at as "figuresCapturedAt"
       from clusters c
       left join revisions r on r.cluster_id = c.id and r.number = c.head_revision
       left join cluster_follows f on f.cluster_id = c.id
       left join cluster_connections k on k.cluster_id = c.id
       left join cluster_figures g on g.cluster_id = c.id and g.version = $1
       left join revisions gr on gr.cluster_id = c.id and gr.number = g.revision
       left join (
         select cluster_id, sum(agreed) as agreed, sum(disagreed) as disagreed, sum(unknown) as unknown
         from agreement_days where day > ($2::timestamptz at time zone 'UTC')::date - ${AGREEMENT_DAYS}
         group by cluster_id) a on a.cluster_id = c.id
       order by c.name`,
      [version, now],
    );
  }

  /** Keeps the figures of a revision; those of a later one stay. */
  async keep(clusterId: number, revision: number, version: string, figures: StoredFigures): Promise<void> {
    await this.database.query(
      `insert into cluster_figures as g (cluster_id, revision, version, figures)
       select id, $2, $3, $4 from clusters where id = $1
       on conflict (cluster_id) do update
         set revision = excluded.revision, version = excluded.version, figures = excluded.figures
         where g.version <> excluded.version or g.revision <= excluded.revision`,
      [clusterId, revision, version, JSON.stringify(figures)],
    );
  }
}
