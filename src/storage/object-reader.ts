import type { ClientBase } from 'pg';
import { Database } from './database.js';
import type { ObjectKey } from './object-key.js';
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

const SNAPSHOT = 'isolation level repeatable read read only';

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
    const handover = new Handover<readonly StoredObject[]>();
    let isUnderway = false;
    const reading = this.readRevision(
      async (client) => {
        await requireRevisions(client, clusterId, [revision]);
        await client.query("set local idle_in_transaction_session_timeout = '10min'");
        await client.query(
          `declare objects no scroll cursor for select ${COLUMNS} from object_versions
           where cluster_id = $1 and ${validAt('$2')} ${kinds === undefined ? '' : 'and kind = any($3::text[])'}`,
          [clusterId, revision, ...(kinds === undefined ? [] : [[...kinds]])],
        );
        for (;;) {
          const { rows } = await client.query<Columns>({ text: `fetch ${BATCH} from objects`, rowMode: 'array' });
          isUnderway = true;
          if (rows.length > 0 && !(await handover.offer(rows.map(toObject)))) return;
          if (rows.length < BATCH) return;
        }
      },
      () => isUnderway,
    ).then(
      () => handover.end(),
      (error: unknown) => handover.fail(error),
    );
    try {
      for (let batch = await handover.take(); batch !== undefined; batch = await handover.take()) yield batch;
    } finally {
      handover.leave();
      await reading;
    }
  }

  /** One object of a revision. @throws {RevisionNotFound} */
  async get(clusterId: number, revision: number, key: ObjectKey): Promise<StoredObject | undefined> {
    return this.readRevision(async (client) => {
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

  /**
   * Reads a revision, which never changes: on the standby, if that has it.
   * @param isFinal whether it is too late to read the primary after an error of the standby
   */
  private async readRevision<Result>(
    work: (client: ClientBase) => Promise<Result>,
    isFinal?: () => boolean,
  ): Promise<Result> {
    const read = await this.database.standby?.transaction(work, SNAPSHOT, isFinal);
    return read === undefined ? this.database.transaction(work, SNAPSHOT) : read.result;
  }

  /**
   * The changes that turn the state of `from` into that of `to` (which may be the older one).
   * @throws {RevisionNotFound} if either no longer exists: load `to` again
   */
  async changesBetween(clusterId: number, from: number, to: number): Promise<ObjectChanges> {
    return this.database.transaction(async (client) => {
      await requireRevisions(client, clusterId, [from, to]);
      if (from === to) return { upserts: [], deletes: [] };
      // A version that is valid at only one of the two revisions begins or ends between them.
      const between = `cluster_id = $1 and (valid_from > least($2, $3) and valid_from <= greatest($2, $3)
                                         or valid_to > least($2, $3) and valid_to <= greatest($2, $3))`;
      const { rows } = await client.query<[string, string, string, string | null, string | null, string | null]>({
        text: `with touched as (
                 select kind, namespace, name, hash, content, resource_version, ${validAt('$2')} as before, ${validAt('$3')} as after
                 from object_versions where ${between})
               select kind, namespace, name, encode(a.hash, 'hex'), a.content, a.resource_version
               from (select * from touched where before and not after) b
               full join (select * from touched where after and not before) a using (kind, namespace, name)
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
    }, SNAPSHOT);
  }
}

const validAt = (revision: string) =>
  `(valid_from <= ${revision}::integer and (valid_to is null or valid_to > ${revision}::integer))`;

function toObject([kind, namespace, name, hash, content]: Columns): StoredObject {
  return { kind, namespace, name, hash, content };
}

async function requireRevisions(client: ClientBase, clusterId: number, revisions: readonly number[]): Promise<void> {
  for (const revision of revisions) {
    if (!isRevisionNumber(revision)) throw new RevisionNotFound(clusterId, revision);
    const { rowCount } = await client.query('select from revisions where cluster_id = $1 and number = $2', [
      clusterId,
      revision,
    ]);
    if (rowCount === 0) throw new RevisionNotFound(clusterId, revision);
  }
}

/** Passes values from a producer to a consumer, one value ahead, so that both work at the same time. */
class Handover<Value> {
  private value: Value | undefined;
  private state: 'open' | 'ended' | 'failed' | 'left' = 'open';
  private error: unknown;
  private wake: () => void = () => undefined;

  /** Waits until the previous value is taken. @returns false if the consumer has left */
  async offer(value: Value): Promise<boolean> {
    while (this.value !== undefined && this.state !== 'left') await this.change();
    if (this.state === 'left') return false;
    this.value = value;
    this.wake();
    return true;
  }

  /** @returns undefined after the last value */
  async take(): Promise<Value | undefined> {
    while (this.value === undefined) {
      if (this.state === 'failed') throw this.error;
      if (this.state !== 'open') return undefined;
      await this.change();
    }
    const { value } = this;
    this.value = undefined;
    this.wake();
    return value;
  }

  end(): void {
    if (this.state === 'open') this.state = 'ended';
    this.wake();
  }

  fail(error: unknown): void {
    if (this.state === 'open') this.state = 'failed';
    this.error = error;
    this.wake();
  }

  leave(): void {
    this.state = 'left';
    this.wake();
  }

  private change(): Promise<void> {
    return new Promise<void>((resolve) => {
      const before = this.wake;
      this.wake = () => {
        before();
        resolve();
      };
    });
  }
}
