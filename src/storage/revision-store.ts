import { In, LessThan, LessThanOrEqual, Not } from 'typeorm';
import type { JsonValue } from '../core/json/json-value.js';
import { Database } from './database.js';
import { RevisionEntity } from './entities/revision-entity.js';
import { isRevisionNumber, LARGEST_REVISION, MADE_HERE, type Revision } from './revision.js';

export interface RevisionPage {
  /** Newest first. */
  readonly items: readonly Revision[];
  /** Pass as `before` to read on; null at the end. */
  readonly next: number | null;
}

/** The head of one cluster, as the ages of all clusters are watched. */
export interface ClusterHead {
  readonly clusterId: number;
  readonly clusterName: string;
  readonly revision: number;
  readonly capturedAt: Date;
}

/** The revisions of clusters, without their objects. */
export class RevisionStore {
  constructor(private readonly database: Database) {}

  async get(clusterId: number, revision: number): Promise<Revision | undefined> {
    if (!isRevisionNumber(revision)) return undefined;
    return this.first({ where: { clusterId: String(clusterId), number: revision } });
  }

  async head(clusterId: number): Promise<Revision | undefined> {
    return this.first({ where: { clusterId: String(clusterId) }, order: { number: 'DESC' } });
  }

  /**
   * The state as of a moment: the greatest `capturedAt` not after it; of equal ones the highest number. What is made
   * here counts from when it was made, although it rests on a state that was captured before.
   */
  async at(clusterId: number, time: Date): Promise<Revision | undefined> {
    const captured = { clusterId: String(clusterId), capturedAt: LessThanOrEqual(time) };
    return this.first({
      where: [
        { ...captured, kind: Not(In(MADE_HERE)) },
        { ...captured, kind: In(MADE_HERE), receivedAt: LessThanOrEqual(time) },
      ],
      order: { capturedAt: 'DESC', number: 'DESC' },
    });
  }

  /** Newest first, at most `limit`, those with a number below `before`. */
  async list(clusterId: number, page: { readonly limit: number; readonly before?: number }): Promise<RevisionPage> {
    const before = Math.min(page.before ?? LARGEST_REVISION, LARGEST_REVISION);
    const rows = await this.database.entities((manager) =>
      manager.find(RevisionEntity, {
        where: { clusterId: String(clusterId), number: LessThan(before) },
        order: { number: 'DESC' },
        take: page.limit + 1,
      }),
    );
    const items = rows.slice(0, page.limit).map(toRevision);
    return { items, next: rows.length > page.limit ? (items.at(-1)?.number ?? null) : null };
  }

  /** How many revisions there are, and how many of them have a number below `before`. */
  async count(
    clusterId: number,
    before = LARGEST_REVISION,
  ): Promise<{ readonly all: number; readonly before: number }> {
    const [row] = await this.database.query<{ all: number; before: number }>(
      `select count(*)::integer as all, (count(*) filter (where number < $2))::integer as before
       from revisions where cluster_id = $1`,
      [clusterId, Math.min(before, LARGEST_REVISION)],
    );
    return row!;
  }

  /** What ingest found in the snapshot, as it was given; undefined when there is no such revision. */
  async findings(clusterId: number, revision: number): Promise<JsonValue | undefined> {
    if (!isRevisionNumber(revision)) return undefined;
    const row = await this.database.entities((manager) =>
      manager.findOne(RevisionEntity, {
        select: { clusterId: true, number: true, findings: true },
        where: { clusterId: String(clusterId), number: revision },
      }),
    );
    return row?.findings as JsonValue | undefined;
  }

  /** The head of every cluster that has one, by the cluster's name in byte order. */
  async heads(): Promise<readonly ClusterHead[]> {
    const rows = await this.database.query<{ id: string; name: string; number: number; capturedAt: Date }>(
      `select c.id, c.name, r.number, r.captured_at as "capturedAt"
       from clusters c join revisions r on r.cluster_id = c.id and r.number = c.head_revision
       order by c.name`,
    );
    return rows.map(({ id, name, number, capturedAt }) => ({
      clusterId: Number(id),
      clusterName: name,
      revision: number,
      capturedAt,
    }));
  }

  private async first(options: object): Promise<Revision | undefined> {
    const row = await this.database.entities((manager) => manager.findOne(RevisionEntity, options));
    return row === null ? undefined : toRevision(row);
  }
}

function toRevision(row: RevisionEntity): Revision {
  return {
    clusterId: Number(row.clusterId),
    number: row.number,
    kind: row.kind,
    capturedAt: row.capturedAt,
    receivedAt: row.receivedAt,
    backfill: row.backfill,
    source: row.source,
    author: row.author,
    scope: row.scope,
    loadedKinds: row.loadedKinds,
    kubernetesVersion: row.kubernetesVersion,
    stats: row.stats as JsonValue,
    counts: new Map(Object.entries(row.counts)),
    unconfirmedNodes: row.unconfirmedNodes,
  };
}
