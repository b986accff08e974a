/** Stable codes of all storage errors. The API maps them to its responses in one table. */
export type StorageErrorCode =
  | 'StorageUnavailable'
  | 'StorageTimeout'
  | 'NulCharacter'
  | 'ClusterNotFound'
  | 'NoRevision'
  | 'RevisionNotFound'
  | 'SnapshotOlderThanHead'
  | 'SnapshotAborted'
  | 'SnapshotBaseGone'
  | 'TooManySnapshots'
  | 'DeltaOutOfOrder'
  | 'SnapshotNeeded';

/** An error of storage; `cause` (for the log, not for the caller) is the driver's error if there is one. */
export class StorageError extends Error {
  override readonly name: string = 'StorageError';

  constructor(
    readonly code: StorageErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/** The database cannot be reached, or the connection was lost. Nothing was committed; a retry may succeed. */
export class StorageUnavailable extends StorageError {
  override readonly name: string = 'StorageUnavailable';

  constructor(cause: unknown, message = 'the database is currently unreachable') {
    super('StorageUnavailable', message, { cause });
  }
}

/** The disk is full, so nothing can be stored until space is freed. Nothing was committed. */
export class DiskFull extends StorageUnavailable {
  override readonly name = 'DiskFull';

  constructor(cause: unknown) {
    super(cause, 'the disk of the database is full; nothing can be stored until space is freed');
  }
}

/**
 * A value contains NUL (U+0000), the only character that Postgres cannot store. The message names the object and the
 * field.
 */
export class NulCharacter extends StorageError {
  override readonly name = 'NulCharacter';

  /** @param where the field, after its object if there is one, for instance `Pod default/web: content` */
  constructor(
    readonly where: string,
    options?: { readonly cause?: unknown },
  ) {
    super('NulCharacter', `${where} contains the NUL character (U+0000), which cannot be stored`, options);
  }
}

export class ClusterNotFound extends StorageError {
  override readonly name = 'ClusterNotFound';

  constructor(readonly cluster: string | number) {
    super('ClusterNotFound', `there is no cluster ${typeof cluster === 'string' ? JSON.stringify(cluster) : cluster}`);
  }
}

/** The cluster has no revision yet. */
export class NoRevision extends StorageError {
  override readonly name = 'NoRevision';

  constructor(readonly cluster: string) {
    super('NoRevision', `no snapshot of cluster ${cluster} has been stored yet`);
  }
}

/** The revision does not exist yet, was removed by retention, or its cluster was deleted. */
export class RevisionNotFound extends StorageError {
  override readonly name = 'RevisionNotFound';

  constructor(
    readonly clusterId: number,
    readonly revision: number,
  ) {
    super('RevisionNotFound', `there is no revision ${revision}`);
  }
}

/** A snapshot was captured before the head and does not set `backfill`. */
export class SnapshotOlderThanHead extends StorageError {
  override readonly name = 'SnapshotOlderThanHead';

  constructor(
    readonly capturedAt: Date,
    readonly headRevision: number,
    readonly headCapturedAt: Date,
  ) {
    super(
      'SnapshotOlderThanHead',
      `the snapshot was captured at ${capturedAt.toISOString()}, before the head (revision ${headRevision}, ` +
        `captured at ${headCapturedAt.toISOString()}); set backfill to store it as past state`,
    );
  }
}

/** A delta is not the next one of its stream, or another stream has replaced its stream. */
export class DeltaOutOfOrder extends StorageError {
  override readonly name = 'DeltaOutOfOrder';

  private constructor(
    message: string,
    /** The sequence number that the stream must send; null if it was replaced. */
    readonly expected: number | null,
  ) {
    super('DeltaOutOfOrder', message);
  }

  static gap(cluster: string, stream: string, sequence: number, expected: number): DeltaOutOfOrder {
    return new DeltaOutOfOrder(
      `delta ${sequence} of stream ${stream} is out of order: cluster ${cluster} expects delta ${expected} of it`,
      expected,
    );
  }

  static superseded(cluster: string, stream: string): DeltaOutOfOrder {
    const message = `another stream of deltas of cluster ${cluster} has replaced stream ${stream}; begin a new one`;
    return new DeltaOutOfOrder(message, null);
  }
}

/** No snapshot has loaded kinds of a delta, so it does not say what the other objects of these kinds are. */
export class SnapshotNeeded extends StorageError {
  override readonly name = 'SnapshotNeeded';

  constructor(
    cluster: string,
    readonly kinds: readonly string[],
  ) {
    super(
      'SnapshotNeeded',
      `no snapshot of cluster ${cluster} has contained ${kinds.join(', ')}; send a complete list of each kind first`,
    );
  }
}
