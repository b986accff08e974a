import { In, LessThanOrEqual, Not } from 'typeorm';
import type { JsonObject, JsonValue } from '../core/json/json-value.js';
import { batched } from './batched.js';
import { Database } from './database.js';
import { RevisionEntity } from './entities/revision-entity.js';
import { isRevisionNumber, LARGEST_REVISION, MADE_HERE, type Revision } from './revision.js';

export interface RevisionPage {
  /** Newest first. */
  readonly items: readonly Revision[];
  /** The value of `before` for the next page; null at the end. */
  readonly next: number | null;
}

interface RevisionsWanted {
  readonly clusterId: number;
  readonly before: number;
  readonly limit: number;
}

/** The head of one cluster, for monitoring its age. */
export interface ClusterHead {
  readonly clusterId: number;
  readonly clusterName: string;
  readonly revision: number;
  readonly capturedAt: Date;
}

/** The revisions of clusters, without their objects. */
export class RevisionStore {
  private readonly headOf = batched(async (clusterIds: readonly number[]) => {
    const rows = await this.those(
      `select c.id, (select max(number) from revisions where cluster_id = c.id) from unnest(cast(:ids as bigint[])) as c (id)`,
      { ids: clusterIds },
    );
    return clusterIds.map((id) => rows.find(({ clusterId }) => clusterId === id));
  });

  /** Newest first, one more than `limit`. */
  private readonly listOf = batched(async (pages: readonly RevisionsWanted[]) => {
    const rows = await this.those(
      `select c.id, n.number from unnest(cast(:ids as bigint[]), cast(:befores as integer[])) as c (id, before)
       cross join lateral (select number from revisions where cluster_id = c.id and number < c.before
                           order by number desc limit :most) n`,
      {
        ids: pages.map(({ clusterId }) => clusterId),
        befores: pages.map(({ before }) => before),
        most: Math.max(...pages.map(({ limit }) => limit)) + 1,
      },
    );
    return pages.map(({ clusterId, before, limit }) =>
      rows.filter((row) => row.clusterId === clusterId && row.number < before).slice(0, limit + 1),
    );
  });

  private readonly countOf = batched((asked: readonly Omit<RevisionsWanted, 'limit'>[]) =>
    this.database.query<{ all: number; before: number }>(
      `select count(r.number)::integer as all, (count(*) filter (where r.number < c.before))::integer as before
       from unnest($1::bigint[], $2::integer[]) with ordinality as c (id, before, place)
       left join revisions r on r.cluster_id = c.id group by c.place order by c.place`,
      [asked.map(({ clusterId }) => clusterId), asked.map(({ before }) => before)],
    ),
  );

  private readonly findingsOf = batched(
    async (asked: readonly { readonly clusterId: number; readonly revision: number }[]) => {
      const rows = await this.database.entities((manager) =>
        manager.find(RevisionEntity, {
          select: { clusterId: true, number: true, findings: true },
          where: asked.map(({ clusterId, revision }) => ({ clusterId: String(clusterId), number: revision })),
        }),
      );
      return asked.map(({ clusterId, revision }) =>
        rows.find((row) => Number(row.clusterId) === clusterId && row.number === revision),
      );
    },
  );

  constructor(private readonly database: Database) {}

  async get(clusterId: number, revision: number): Promise<Revision | undefined> {
    if (!isRevisionNumber(revision)) return undefined;
    return this.first({ where: { clusterId: String(clusterId), number: revision } });
  }

  async head(clusterId: number): Promise<Revision | undefined> {
    return this.headOf(clusterId);
  }

  /**
   * The revision as of a time: the one with the greatest `capturedAt` up to it, and of equal ones the highest number.
   * Revisions made by this service count from their creation, although they build on a state that was captured earlier.
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

  /** Revisions with a number below `before`, newest first, at most `limit`. */
  async list(clusterId: number, page: { readonly limit: number; readonly before?: number }): Promise<RevisionPage> {
    const before = Math.min(page.before ?? LARGEST_REVISION, LARGEST_REVISION);
    const rows = await this.listOf({ clusterId, before, limit: page.limit });
    const items = rows.slice(0, page.limit);
    return { items, next: rows.length > page.limit ? (items.at(-1)?.number ?? null) : null };
  }

  /** The number of revisions, and of those with a number below `before`. */
  async count(
    clusterId: number,
    before = LARGEST_REVISION,
  ): Promise<{ readonly all: number; readonly before: number }> {
    return this.countOf({ clusterId, before: Math.min(before, LARGEST_REVISION) });
  }

  /** The ingest findings of the snapshot, stored verbatim; undefined if there is no such revision. */
  async findings(clusterId: number, revision: number): Promise<JsonValue | undefined> {
    if (!isRevisionNumber(revision)) return undefined;
    const row = await this.findingsOf({ clusterId, revision });
    return row?.findings as JsonValue | undefined;
  }

  /** The head of every cluster that has one, by cluster name in byte order. */
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

  /** @param keys a query that selects cluster ids and revision numbers. @returns newest first */
  private async those(keys: string, parameters: object): Promise<readonly Revision[]> {
    const rows = await this.database.entities((manager) =>
      manager
        .createQueryBuilder(RevisionEntity, 'r')
        .where(`(r.cluster_id, r.number) in (${keys})`, parameters)
        .orderBy('r.number', 'DESC')
        .getMany(),
    );
    return rows.map(toRevision);
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
    declaredVersion: row.declaredVersion as JsonObject | null,
    apiServerVersion: row.apiServerVersion,
    stats: row.stats as JsonValue,
    counts: new Map(Object.entries(row.counts)),
    resourceVersions: new Map(Object.entries(row.resourceVersions)),
    unconfirmedNodes: row.unconfirmedNodes,
  };
}
