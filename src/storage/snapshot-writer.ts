import type { ObjectRow } from '../core/cluster/object-row.js';
import type { JsonValue } from '../core/json/json-value.js';
import { Database } from './database.js';
import type { KindCounts, SnapshotScope } from './revision.js';

/** What is known of a snapshot once its last row has been read. Plain JSON: no bigint. */
export interface SnapshotDescription {
  readonly scope: SnapshotScope;
  readonly stats: JsonValue;
  readonly findings: JsonValue;
  readonly kubernetesVersion: string | null;
}

export interface SnapshotToCommit {
  /** With `create`, a cluster that is absent is created in the same transaction as the snapshot, with these labels. */
  readonly cluster:
    | { readonly id: number }
    | { readonly name: string; readonly create?: boolean; readonly labels?: Readonly<Record<string, string>> };
  /**
   * When the state was so in the cluster; null when the sender did not say: then `receivedAt`, or the head's
   * `capturedAt` if another snapshot overtook this one on the way.
   */
  readonly capturedAt: Date | null;
  readonly receivedAt: Date;
  readonly backfill: boolean;
  readonly source: string | null;
  readonly author: string | null;
  /** Of two rows with one key the last wins. A row outside the scope is stored all the same. */
  readonly rows: AsyncIterable<readonly ObjectRow[]>;
  /** Called once, after the last row. What it throws refuses the snapshot. */
  readonly describe: () => SnapshotDescription;
  /** Aborting before the transaction commits leaves nothing. */
  readonly signal?: AbortSignal;
}

export interface CommittedSnapshot {
  readonly clusterId: number;
  readonly clusterName: string;
  readonly clusterCreated: boolean;
  /** The revision that holds this snapshot. */
  readonly revision: number;
  /** The cluster's head now: `revision`, or the one after it when a backfill restated the former head. */
  readonly head: number;
  /** The head before; null for the first. */
  readonly previous: number | null;
  readonly capturedAt: Date;
  /** No object differs from the head before. */
  readonly unchanged: boolean;
  readonly counts: ReadonlyMap<string, KindCounts>;
}

/** Takes snapshots in: whole or not at all. */
export class SnapshotWriter {
  constructor(private readonly database: Database) {}

  /**
   * @throws {ClusterNotFound} the cluster is absent and `create` was not said
   * @throws {SnapshotOlderThanHead} captured before the head, without `backfill`
   * @throws {NulCharacter} a row carries U+0000
   * @throws {StorageError} `SnapshotAborted` after `signal`; `StorageUnavailable`
   */
  commit(_snapshot: SnapshotToCommit): Promise<CommittedSnapshot> {
    throw new Error('not built yet');
  }
}
