import { finished } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import copyStreams from 'pg-copy-streams';
import { keyColumns } from './object-key.js';
import { CopyRows } from './copy-rows.js';
import type { StagedRow } from './row-intake.js';
import { StorageError } from './storage-error.js';

/** The first revision of a cluster. */
const FIRST = 1;
const OBJECT_COLUMNS = 'kind, namespace, name, uid, resource_version, hash, content';

function addObject(lines: CopyRows, row: StagedRow['row']): void {
  lines.text(row.kind).text(row.namespace).text(row.name).text(row.uid).text(row.resourceVersion).binary(row.hash);
  if ('utf8' in row) lines.binary(row.utf8);
  else lines.text(row.content);
}

const sizeOf = (rows: readonly StagedRow[]): number =>
  rows.reduce((sum, { row }) => sum + ('utf8' in row ? row.utf8 : row.content).length + 300, 0);

/** The statements that write object versions, on one connection within the caller's transaction. */
export class VersionWriter {
  private stagingExists = false;
  /** That of the rows before, which the server has. */
  private buffer: Buffer | undefined;

  constructor(private readonly client: ClientBase) {}

  /** Copies rows to a temporary table, which is dropped with the transaction. */
  async stage(rows: readonly StagedRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.beginStaging();
    const lines = new CopyRows(8, sizeOf(rows), this.takeBuffer());
    for (const { sequence, row } of rows) addObject(lines.row().integer(sequence), row);
    await this.copy(`staged_objects (sequence, ${OBJECT_COLUMNS})`, lines);
  }

  /**
   * Copies rows to their place at once, as revision 1 of a cluster that nobody else writes to.
   * @param rows each with another key
   */
  async place(clusterId: number, rows: readonly StagedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const lines = new CopyRows(9, sizeOf(rows), this.takeBuffer());
    for (const { row } of rows) addObject(lines.row().bigint(clusterId).integer(FIRST), row);
    await this.copy(`object_versions (cluster_id, valid_from, ${OBJECT_COLUMNS})`, lines);
  }

  /** Removes placed rows that staged ones replace. */
  async removeReplaced(clusterId: number): Promise<void> {
    if (!this.stagingExists) return;
    await this.client.query(
      `delete from object_versions v using staged_objects s
       where v.cluster_id = $1 and v.kind = s.kind and v.namespace = s.namespace and v.name = s.name
         and v.valid_from = ${FIRST}`,
      [clusterId],
    );
  }

  /** Stages placed rows instead. @param sequences those of the rows, by packed key */
  async stagePlaced(clusterId: number, sequences: ReadonlyMap<string, number>): Promise<void> {
    await this.beginStaging();
    await this.client.query(
      `insert into staged_objects (sequence, ${OBJECT_COLUMNS})
       select k.sequence, v.kind, v.namespace, v.name, v.uid, v.resource_version, v.hash, v.content
       from unnest($2::text[], $3::text[], $4::text[], $5::integer[]) as k (kind, namespace, name, sequence)
       join object_versions v on v.cluster_id = $1 and v.kind = k.kind and v.namespace = k.namespace and v.name = k.name`,
      [clusterId, ...keyColumns(sequences.keys()), [...sequences.values()]],
    );
    await this.client.query('delete from object_versions where cluster_id = $1', [clusterId]);
  }

  private async copy(into: string, lines: CopyRows): Promise<void> {
    const copy = this.client.query(copyStreams.from(`copy ${into} from stdin (format binary)`));
    copy.end(lines.end());
    await finished(copy);
    this.buffer = lines.buffer;
  }

  private takeBuffer(): Buffer | undefined {
    const { buffer } = this;
    this.buffer = undefined;
    return buffer;
  }

  private async beginStaging(): Promise<void> {
    if (!this.stagingExists) {
      await this.client.query(
        `create temporary table staged_objects (
           sequence integer not null, kind text collate "C" not null, namespace text collate "C" not null,
           name text collate "C" not null, uid text, resource_version text, hash bytea not null, content text not null
         ) on commit drop`,
      );
      this.stagingExists = true;
    }
  }

  /** Ends versions of the head with this revision. */
  async close(clusterId: number, revision: number, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await this.client.query(
      `update object_versions v set valid_to = $2
       from unnest($3::text[], $4::text[], $5::text[]) as k (kind, namespace, name)
       where v.cluster_id = $1 and v.kind = k.kind and v.namespace = k.namespace and v.name = k.name
         and v.valid_to is null`,
      [clusterId, revision, ...keyColumns(keys)],
    );
  }

  /** Notes the resourceVersions of staged rows whose content the head already has. */
  async touchStaged(clusterId: number, sequences: readonly number[]): Promise<void> {
    if (!this.stagingExists || sequences.length === 0) return;
    await this.client.query(
      `update object_versions v set resource_version = s.resource_version
       from staged_objects s
       where s.sequence = any($2::integer[]) and v.cluster_id = $1 and v.kind = s.kind and v.namespace = s.namespace
         and v.name = s.name and v.valid_to is null and v.resource_version is distinct from s.resource_version`,
      [clusterId, [...sequences]],
    );
  }

  /** Notes newer resourceVersions of objects of the head, whose content is the same. */
  async touch(clusterId: number, versions: ReadonlyMap<string, string | null>): Promise<void> {
    if (versions.size === 0) return;
    await this.client.query(
      `update object_versions v set resource_version = k.resource_version
       from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as k (kind, namespace, name, resource_version)
       where v.cluster_id = $1 and v.kind = k.kind and v.namespace = k.namespace and v.name = k.name
         and v.valid_to is null`,
      [clusterId, ...keyColumns(versions.keys()), [...versions.values()]],
    );
  }

  /** Starts versions with the staged rows except those in `skip`. @param until null: open */
  async addStaged(clusterId: number, revision: number, until: number | null, skip: readonly number[]): Promise<void> {
    if (!this.stagingExists) return;
    if (skip.length > 0) {
      await this.client.query('delete from staged_objects where sequence = any($1::integer[])', [[...skip]]);
    }
    await this.client.query(
      `insert into object_versions (cluster_id, kind, namespace, name, uid, resource_version, hash, valid_from, valid_to, content)
       select $1, kind, namespace, name, uid, resource_version, hash, $2, $3, content from staged_objects`,
      [clusterId, revision, until],
    );
  }

  /**
   * Starts versions with the content that objects have in an older revision.
   * @throws {StorageError} `SnapshotBaseGone` if retention or the deletion of the cluster removed that revision in the
   *   meantime
   */
  async addFromRevision(
    clusterId: number,
    revision: number,
    until: number | null,
    from: { readonly clusterId: number; readonly revision: number },
    keys: readonly string[],
  ): Promise<void> {
    if (keys.length === 0) return;
    const { rowCount } = await this.client.query(
      `insert into object_versions (cluster_id, kind, namespace, name, uid, resource_version, hash, valid_from, valid_to, content)
       select $1, v.kind, v.namespace, v.name, v.uid, v.resource_version, v.hash, $2, $3, v.content
       from unnest($4::text[], $5::text[], $6::text[]) as k (kind, namespace, name)
       join object_versions v on v.cluster_id = $7 and v.kind = k.kind and v.namespace = k.namespace and v.name = k.name
       where v.valid_from <= $8 and (v.valid_to is null or v.valid_to > $8)`,
      [clusterId, revision, until, ...keyColumns(keys), from.clusterId, from.revision],
    );
    if (rowCount !== keys.length) {
      throw new StorageError(
        'SnapshotBaseGone',
        'the revision that the snapshot was compared with was removed while it was being taken in; send it again',
      );
    }
  }

  /** Starts versions again, from `revision` on, that ended with `ended`. */
  async reopen(clusterId: number, ended: number, revision: number): Promise<void> {
    await this.client.query(
      `insert into object_versions (cluster_id, kind, namespace, name, uid, resource_version, hash, valid_from, valid_to, content)
       select cluster_id, kind, namespace, name, uid, resource_version, hash, $3, null, content
       from object_versions where cluster_id = $1 and valid_to = $2 and valid_from < $2`,
      [clusterId, ended, revision],
    );
  }
}
