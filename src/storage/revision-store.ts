import type { JsonValue } from '../core/json/json-value.js';
import { batched } from './batched.js';
import { Database } from './database.js';
import { RevisionEntity } from './entities/revision-entity.js';
import { unionOf } from './of-clusters.js';
import { isRevisionNumber, LARGEST_REVISION, MADE_HERE, type Revision } from './revision.js';
import { VERSION_SETTINGS, VERSION_SETTINGS_OF_REVISIONS } from './version-settings.js';

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
    const ids = new Set(clusterIds);
    const { text, values } = unionOf([...ids], (id, value) => {
      const cluster = value(id, 'bigint');
      return `${SELECT} where r.cluster_id = ${cluster}
              and r.number = (select head_revision from clusters where id = ${cluster})`;
    });
    const rows = await this.read(text, values, ids.size === 1 ? 'revision-of-head' : undefined);
    return clusterIds.map((id) => rows.find(({ clusterId }) => clusterId === id));
  });

  /** Newest first, one more than `limit`. */
  private readonly listOf = batched(async (pages: readonly RevisionsWanted[]) => {
    const { text, values } = unionOf(
      pages.map((page, place) => ({ ...page, place })),
      ({ clusterId, before, limit, place }, value) =>
        `select ${place} as place, r.* from (
           ${SELECT} where r.cluster_id = ${value(clusterId, 'bigint')} and r.number < ${value(before, 'integer')}
           order by r.number desc limit ${value(limit + 1, 'integer')}) r`,
    );
    const rows = await this.database.read<RevisionRow & { readonly place: number }>(
      `select * from (${text}) r order by number desc`,
      values,
    );
    const revisions: Revision[][] = pages.map(() => []);
    for (const { place, ...row } of rows) revisions[place]!.push(toRevision(row));
    return revisions;
  });

  private readonly countOf = batched((asked: readonly Omit<RevisionsWanted, 'limit'>[]) => {
    const { text, values } = unionOf(
      asked.map((one, place) => ({ ...one, place })),
      ({ clusterId, before, place }, value) =>
        `select ${value(place, 'integer')} as place, count(*)::integer as all,
                (count(*) filter (where number < ${value(before, 'integer')}))::integer as before
         from revisions where cluster_id = ${value(clusterId, 'bigint')}`,
    );
    return this.database.read<{ all: number; before: number }>(`select * from (${text}) c order by place`, values);
  });

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
    return this.first('r.cluster_id = $1 and r.number = $2', [clusterId, revision], 'revision');
  }

  async head(clusterId: number): Promise<Revision | undefined> {
    return this.headOf(clusterId);
  }

  /**
   * The revision as of a time: the one with the greatest `capturedAt` up to it, and of equal ones the highest number.
   * Revisions made by this service count from their creation, although they build on a state that was captured earlier.
   */
  async at(clusterId: number, time: Date): Promise<Revision | undefined> {
    return this.first(
      `r.cluster_id = $1 and r.captured_at <= $2 and (r.kind <> all ($3::text[]) or r.received_at <= $2)
       order by r.captured_at desc, r.number desc limit 1`,
      [clusterId, time, MADE_HERE],
    );
  }

  /** Revisions with a number below `before`, newest first, at most `limit`. */
  async list(clusterId: number, page: { readonly limit: number; readonly before?: number }): Promise<RevisionPage> {
    const before = Math.min(page.before ?? LARGEST_REVISION, LARGEST_REVISION);
    const rows = await this.listOf({ clusterId, before, limit: page.limit });
    const items = rows.slice(0, page.limit);
    return { items, next: rows.length > page.limit ? (items.at(-1)?.number ?? null) : null };
  }

  /** The revisions with numbers from `first` to `last`, by number. Retention may have removed some. */
  async between(clusterId: number, first: number, last: number): Promise<ReadonlyMap<number, Revision>> {
    const rows = await this.read(
      `${SELECT} where r.cluster_id = $1 and r.number between $2 and $3`,
      [clusterId, first, last],
      'revisions-between',
    );
    return new Map(rows.map((revision) => [revision.number, revision]));
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

  /** The head of every cluster that has one and can be read. */
  async heads(): Promise<readonly ClusterHead[]> {
    const rows = await this.database.places.ofAll(
      (ids) =>
        this.database.query<{ id: string; name: string; number: number; capturedAt: Date }>(
          `select c.id, c.name, r.number, r.captured_at as "capturedAt"
       from clusters c join revisions r on r.cluster_id = c.id and r.number = c.head_revision
       where c.id = any($1::bigint[]) and r.cluster_id = any($1::bigint[])`,
          [ids],
        ),
      () => undefined,
    );
    return rows
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ id, name, number, capturedAt }) => ({
        clusterId: Number(id),
        clusterName: name,
        revision: number,
        capturedAt,
      }));
  }

  private async first(where: string, values: readonly unknown[], name?: string): Promise<Revision | undefined> {
    const [revision] = await this.read(`${SELECT} where ${where}`, values, name);
    return revision;
  }

  private async read(sql: string, values: readonly unknown[], name?: string): Promise<readonly Revision[]> {
    return (await this.database.query<RevisionRow>(sql, values, name)).map(toRevision);
  }
}

const SELECT = `
  select r.cluster_id as "clusterId", r.number, r.kind, r.captured_at as "capturedAt", r.received_at as "receivedAt",
         r.backfill, r.source, r.author, r.scope, to_json(r.loaded_kinds) as "loadedKinds", r.kubernetes_version as "kubernetesVersion",
         r.unconfirmed_nodes as "unconfirmedNodes", r.stats, r.counts, r.resource_versions as "resourceVersions",
         ${VERSION_SETTINGS}
  from revisions r ${VERSION_SETTINGS_OF_REVISIONS}`;

type RevisionRow = Omit<Revision, 'clusterId' | 'counts' | 'resourceVersions'> &
  Pick<RevisionEntity, 'clusterId' | 'counts' | 'resourceVersions'>;

function toRevision({ clusterId, counts, resourceVersions, ...row }: RevisionRow): Revision {
  return {
    ...row,
    clusterId: Number(clusterId),
    counts: new Map(Object.entries(counts)),
    resourceVersions: new Map(Object.entries(resourceVersions)),
  };
}
