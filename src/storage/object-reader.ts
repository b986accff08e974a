import type { ClientBase } from 'pg';
import { Database } from './database.js';
import { handedOver } from './handover.js';
import type { ObjectKey } from './object-key.js';
import { CONSISTENT, readRevision } from './read-revision.js';
import { isRevisionNumber } from './revision.js';
import { RevisionNotFound } from './storage-error.js';

/** A stored object. */
export interface StoredObject {
  readonly kind: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  /** The 16 bytes as 32 lower-case hexadecimal digits. */
  readonly hash: string;
  /** Canonical JSON, exactly as it was committed. */
  readonly content: string;
}

/** A stored object with the version with which the API server last sent it. */
export interface ChangedObject extends StoredObject {
  /** Null where it is not known. */
  readonly resourceVersion: string | null;
}

/** The changes from one revision to another, which may be older. */
export interface ObjectChanges {
  /** Added or changed objects with the content of `to`, in no particular order. */
  readonly upserts: readonly ChangedObject[];
  readonly deletes: readonly ObjectKey[];
}

/** The number of objects in a batch of `stream`. */
const BATCH = 4_000;

const COLUMNS = `kind, namespace, name, encode(hash, 'hex'), content`;
type Columns = [kind: string, namespace: string, name: string, hash: string, content: string];

/**
 * Reads the objects of revisions. Each call reads a consistent snapshot of the database, so that a revision is complete
 * or not found.
 */
export class ObjectReader {
  constructor(private readonly database: Database) {}

  /**
   * All objects of a revision in batches of some thousand, in no particular order, with at most two batches in memory.
   * Leaving the loop early releases the connection.
   * @param kinds only objects of these kinds
   * @throws {RevisionNotFound} before the first batch
   */
  async *stream(
    clusterId: number,
    revision: number,
    kinds?: readonly string[],
  ): AsyncGenerator<readonly StoredObject[], void, undefined> {
    let isUnderway = false;
    yield* handedOver<readonly StoredObject[]>((offer) =>
      readRevision(
        this.database,
        async (client) => {
          const head = await requireRevisions(client, clusterId, [revision]);
          await client.query("set local idle_in_transaction_session_timeout = '10min'");
          await client.query(
            `declare objects no scroll cursor for
             select ${COLUMNS} from ${versionsAt('$2', head - revision)} v
             ${kinds === undefined ? '' : 'where kind = any($3::text[])'}`,
            [clusterId, revision, ...(kinds === undefined ? [] : [[...kinds]])],
          );
          for (;;) {
            const { rows } = await client.query<Columns>({ text: `fetch ${BATCH} from objects`, rowMode: 'array' });
            isUnderway = true;
            if (rows.length > 0 && !(await offer(rows.map(toObject)))) return;
            if (rows.length < BATCH) return;
          }
        },
        () => isUnderway,
      ),
    );
  }

  /** One object of a revision. @throws {RevisionNotFound} */
  async get(clusterId: number, revision: number, key: ObjectKey): Promise<StoredObject | undefined> {
    return readRevision(this.database, async (client) => {
      await requireRevisions(client, clusterId, [revision]);
      if ([key.kind, key.namespace, key.name].some((part) => part.includes('\0'))) return undefined;
      const { rows } = await client.query<Columns>({
        text: `select ${COLUMNS} from object_versions
               where cluster_id = $1 and kind = $3 and namespace = $4 and name = $5 and ${validAt('$2')}`,
        values: [clusterId, revision, key.kind, key.namespace, key.name],
        rowMode: 'array',
      });
      return rows[0] === undefined ? undefined : toObject(rows[0]);
    });
  }

  /** The objects of some kinds, as they were before each of some revisions that changed or removed them. */
  async endedBy(
    clusterId: number,
    revisions: readonly number[],
    kinds: readonly string[],
  ): Promise<ReadonlyMap<number, readonly StoredObject[]>> {
    return this.database.session(async (client) => {
      const { rows } = await client.query<[...Columns, revision: number]>({
        name: 'objects-ended-by',
        text: `select ${COLUMNS}, valid_to from object_versions
               where cluster_id = $1 and valid_to = any($2::integer[]) and kind = any($3::text[])`,
        values: [clusterId, [...revisions], [...kinds]],
        rowMode: 'array',
      });
      const ended = new Map(revisions.map((revision) => [revision, [] as StoredObject[]]));
      for (const [kind, namespace, name, hash, content, revision] of rows) {
        ended.get(revision)!.push(toObject([kind, namespace, name, hash, content]));
      }
      return ended;
    });
  }

  /**
   * The changes that turn the state of `from` into that of `to` (which may be the older one). Those that this process has just committed
   * are known without the database.
   * @throws {RevisionNotFound} if either no longer exists: load `to` again
   */
  async changesBetween(clusterId: number, from: number, to: number): Promise<ObjectChanges> {
    const known = to === from + 1 ? await this.database.recentChanges.of(clusterId, to) : undefined;
    if (known !== undefined) return known;
    return this.database.transaction(async (client) => {
      const head = await requireRevisions(client, clusterId, [from, to]);
      if (from === to) return { upserts: [], deletes: [] };
      const { rows } = await client.query<[string, string, string, string | null, string | null, string | null]>({
        text: `with ${Math.abs(from - to) <= NEAR ? touchedBetween('$2', '$3') : validAtEither('$2', head - from, '$3', head - to)}
               select kind, namespace, name, encode(a.hash, 'hex'), a.content, a.resource_version
               from b full join a using (kind, namespace, name)
               where a.hash is distinct from b.hash`,
        values: [clusterId, from, to],
        rowMode: 'array',
      });
      const upserts: ChangedObject[] = [];
      const deletes: ObjectKey[] = [];
      for (const [kind, namespace, name, hash, content, resourceVersion] of rows) {
        if (hash === null || content === null) deletes.push({ kind, namespace, name });
        else upserts.push({ kind, namespace, name, hash, content, resourceVersion });
      }
      return { upserts, deletes };
    }, CONSISTENT);
  }
}

/** The versions, with all columns, that are valid at only one of two revisions that are near each other: `b` and `a`. */
const touchedBetween = (from: string, to: string): string =>
  // Such a version begins or ends between them.
  `touched as (
     select v.*, ${validAt(from)} as before, ${validAt(to)} as after from object_versions v
     where cluster_id = $1 and (valid_from > least(${from}, ${to}) and valid_from <= greatest(${from}, ${to})
                             or valid_to > least(${from}, ${to}) and valid_to <= greatest(${from}, ${to}))),
   b as (select * from touched where before and not after),
   a as (select * from touched where after and not before)`;

/** The versions that are valid at two revisions: `b` and `a`. @param fromBack how far before the head it is */
const validAtEither = (from: string, fromBack: number, to: string, toBack: number): string =>
  `b as (select * from ${versionsAt(from, fromBack)} v), a as (select * from ${versionsAt(to, toBack)} v)`;

/** Revisions that are so near each other, or to the head, are compared by the versions that begin or end between them. */
const NEAR = 2_000;

/** The class of the longest span that two revisions can have between them, 2^31. */
const LONGEST_CLASS = 18;

/**
 * A subquery of the versions of the cluster $1 that are valid at a revision.
 * @param back how many revisions it is before the head
 */
function versionsAt(revision: string, back: number): string {
  // All that ended since are few.
  if (back <= NEAR) return `(select * from object_versions where cluster_id = $1 and ${validAt(revision)})`;
  // The expressions are those of the index `object_versions_by_span`. A version of the class c was valid for less than 10^((c + 1) / 2).
  return `(
    select * from object_versions where cluster_id = $1 and valid_to is null and valid_from <= ${revision}::integer
    union all
    select v.* from generate_series(0, ${LONGEST_CLASS}) s (class) cross join lateral (
      select * from object_versions
      where cluster_id = $1 and valid_to is not null
        and floor(log(greatest(valid_to - valid_from, 1)::double precision) * 2)::integer = s.class
        and valid_from <= ${revision}::integer and valid_from > ${revision}::integer - ceil(10 ^ ((s.class + 1) / 2.0))::bigint - 1
        and valid_to > ${revision}::integer) v)`;
}

const validAt = (revision: string) =>
  `(valid_from <= ${revision}::integer and (valid_to is null or valid_to > ${revision}::integer))`;

function toObject([kind, namespace, name, hash, content]: Columns): StoredObject {
  return { kind, namespace, name, hash, content };
}

/** @returns the head */
async function requireRevisions(client: ClientBase, clusterId: number, revisions: readonly number[]): Promise<number> {
  let head = 0;
  for (const revision of revisions) {
    if (!isRevisionNumber(revision)) throw new RevisionNotFound(clusterId, revision);
    const { rows } = await client.query<{ head: number }>(
      `select (select head_revision from clusters where id = $1) as head
       from revisions where cluster_id = $1 and number = $2`,
      [clusterId, revision],
    );
    if (rows[0] === undefined) throw new RevisionNotFound(clusterId, revision);
    head = rows[0].head;
  }
  return head;
}
