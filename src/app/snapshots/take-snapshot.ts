import type { SnapshotRow } from '../../core/cluster/object-row.js';
import { IngestError } from '../../ingest/ingest-error.js';
import type { IngestReport } from '../../ingest/ingest-report.js';
import type { Reading } from '../../ingest/read-in-thread.js';
import { readNextSnapshot } from '../../ingest/read-snapshot.js';
import type { Request, Response } from '../../contract/schema.js';
import type { takenSnapshot } from '../../contract/snapshots/snapshot.js';
import type { snapshotParameters } from '../../contract/snapshots/take-snapshot.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { settingRow } from '../../storage/settings-store.js';
import { SnapshotOlderThanHead } from '../../storage/storage-error.js';
import { SnapshotWriter, type CommittedSnapshot, type SnapshotDescription } from '../../storage/snapshot-writer.js';
import { checkTogether } from '../errors/check-together.js';
import { checkClusterName } from '../clusters/cluster-name.js';
import { ServiceError } from '../errors/service-error.js';
import { HeadCache } from '../reads/head-cache.js';
import { senderOf, type RequestContext } from '../request-context.js';
import { ServiceMetrics } from '../service-metrics.js';
import { checkCaptureTime, CLOCK_TOLERANCE } from './capture-time.js';
import { commitBasis } from './commit-basis.js';
import { RemovalLimit } from './removal-limit.js';
import { snapshotRefused } from './snapshot-refused.js';
import { snapshotReportResponse } from './snapshot-report-response.js';
import { checkScope, scopeOf, type CheckedScope } from './snapshot-scope.js';
import { renderKindCounts } from './snapshot-response.js';

/** The parameters of a snapshot, and the snapshot itself as a stream. */
export type TakeSnapshotRequest = Request<typeof snapshotParameters> & {
  readonly cluster: string;
  readonly body: SnapshotBody;
};

export interface SnapshotBody {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
  /** Aborted if the client disconnects; nothing is stored then. */
  readonly signal?: AbortSignal;
}

type TakenSnapshot = Response<typeof takenSnapshot>;

/** Who sends a snapshot. */
export interface SnapshotSender {
  readonly now: Date;
  readonly author: string | null;
  /** Senders share the reading threads and connections. */
  readonly sender: string;
  /** The replica that follows the cluster, if the snapshot comes from it. */
  readonly lease?: string;
}

interface StoredSnapshot {
  readonly committed: CommittedSnapshot;
  readonly report: IngestReport;
}

/** Stores a dump of a cluster as its next revision, atomically. */
export class TakeSnapshot {
  constructor(
    private readonly writer: SnapshotWriter,
    private readonly heads: HeadCache,
    private readonly metrics: ServiceMetrics,
    private readonly removalLimit: RemovalLimit,
  ) {}

  /**
   * @throws {ServiceError} from `snapshotRefused` for a rejected body; `cluster-not-found`; `snapshot-older-than-head`
   *   without `backfill`
   */
  async run(request: TakeSnapshotRequest, context: RequestContext): Promise<TakenSnapshot> {
    const { now, caller } = context;
    const by = { now, author: caller.kind === 'anonymous' ? null : caller.name, sender: senderOf(context) };
    const { committed, report } = await this.take(request, by);
    return taken(committed, report, context);
  }

  /**
   * Takes a snapshot from a sender in this process.
   * @throws as `run`; {LeaseLost} if another replica follows the cluster
   */
  async take(request: TakeSnapshotRequest, by: SnapshotSender): Promise<StoredSnapshot> {
    const capturedAt = request.capturedAt === undefined ? null : new Date(request.capturedAt);
    checkTogether(
      () => checkClusterName(request.cluster),
      () => checkCaptureTime(capturedAt, by.now),
      () => checkScope(request),
    );
    const scope = checkScope(request);
    try {
      const stored = await this.commit(request, { capturedAt, scope }, by);
      this.heads.changed(stored.committed.clusterId);
      this.measure(stored.committed, stored.report);
      return stored;
    } catch (error) {
      this.metrics.countSnapshot('refused');
      if (error instanceof SnapshotOlderThanHead) throw olderThanHead(error, by.now);
      throw error instanceof IngestError ? snapshotRefused(error) : error;
    }
  }

  private async commit(
    { cluster, createCluster = false, backfill = false, invalid = 'refuse', ...request }: TakeSnapshotRequest,
    { capturedAt, scope }: { readonly capturedAt: Date | null; readonly scope: CheckedScope },
    { now, author, sender, lease }: SnapshotSender,
  ): Promise<StoredSnapshot> {
    const { allowRemovals = false, source = null, apiServerVersion, body } = request;
    const { bytes, contentType, contentEncoding, signal } = body;
    const series = JSON.stringify([cluster, scope]);
    const read = (hashes: Uint8Array): Reading<SnapshotRow, IngestReport> =>
      readNextSnapshot(bytes, { contentType, contentEncoding, invalid, signal, sender }, { hashes, series });
    let report: IngestReport | undefined;
    const committed = await this.writer.commit({
      cluster: { name: cluster, create: createCluster },
      capturedAt,
      receivedAt: now,
      backfill,
      source,
      author,
      sender,
      rows: (hashes) => {
        const reading = read(hashes);
        const rows = rowsThenReport(reading, apiServerVersion, (final) => (report = final));
        return { [Symbol.asyncIterator]: () => rows, release: reading.release };
      },
      describe: () => describe(report!, scope),
      ...(allowRemovals ? {} : { checkRemovals: (removals) => this.removalLimit.check(removals) }),
      ...(signal === undefined ? {} : { signal }),
      ...(lease === undefined ? {} : { lease }),
    });
    return { committed, report: report! };
  }

  private measure({ unchanged }: CommittedSnapshot, report: IngestReport): void {
    const sum = (counts: readonly { readonly count: number }[]): number =>
      counts.reduce((all, one) => all + one.count, 0);
    this.metrics.countSnapshot(unchanged ? 'unchanged' : 'committed');
    this.metrics.countIngested('kept', sum(report.kept));
    this.metrics.countIngested('ignored', sum(report.ignored));
    this.metrics.countIngested('replaced', report.duplicates.count);
    this.metrics.countIngested('invalid', new Set(report.invalid.first.map(({ item }) => item)).size);
  }
}

/** Yields the rows of a snapshot, the last one with the version of the API server, and provides the report before the last one, so that the commit can store it. */
async function* rowsThenReport(
  reading: Reading<SnapshotRow, IngestReport>,
  apiServerVersion: string | undefined,
  handOver: (report: IngestReport) => void,
): AsyncGenerator<readonly SnapshotRow[], void> {
  yield* reading.rows;
  if (apiServerVersion !== undefined) yield [settingRow('ApiServer', { version: apiServerVersion })];
  handOver(await reading.report);
}

function describe(report: IngestReport, scope: CheckedScope): SnapshotDescription {
  const { findings, positions, ...stats } = report;
  const covered = scopeOf(scope, report);
  if (covered.kinds.length === 0 && report.kept.length === 0) throw nothingToStore(report);
  return {
    scope: covered,
    stats: stats as unknown as JsonObject,
    findings: findings as unknown as JsonObject,
    kubernetesVersion: report.kubeletVersions?.newest ?? null,
    positions: new Map(positions.map(({ kind, resourceVersion }) => [kind, resourceVersion])),
  };
}

function nothingToStore({ ignored }: IngestReport): ServiceError {
  const names = ignored.slice(0, 5).map(({ apiVersion, kind, count }) => `${count} ${apiVersion} ${kind}`);
  const found =
    names.length === 0
      ? 'no objects'
      : `no object of a stored kind, only ${names.join(', ')}${ignored.length > names.length ? ' and others' : ''}`;
  return new ServiceError(
    'nothing-to-store',
    `The body contains ${found}, so it says nothing about the cluster. If the cluster has no objects of a kind, name ` +
      'the kind in kinds. Nothing was stored.',
  );
}

/** Another snapshot does not help if the head is in the future. */
function olderThanHead(error: SnapshotOlderThanHead, now: Date): Error {
  if (error.headCapturedAt.getTime() <= now.getTime() + CLOCK_TOLERANCE) return error;
  return new ServiceError(
    'snapshot-older-than-head',
    `The head (revision ${error.headRevision}) was captured at ${error.headCapturedAt.toISOString()}, which is in the ` +
      `future: the server time is ${now.toISOString()}. If a clock was wrong, ask an administrator to correct it: POST ` +
      '.../capture-time-corrections. Nothing was stored.',
    { cause: error },
  );
}

function taken(committed: CommittedSnapshot, report: IngestReport, context: RequestContext): TakenSnapshot {
  const { clusterCreated, revision, head, previous, unchanged, counts, removals } = committed;
  return {
    basis: commitBasis(committed, context),
    revision,
    head,
    previous,
    clusterCreated,
    unchanged,
    counts: renderKindCounts(counts),
    removed: removals.map(({ kind, removed, first }) => ({
      kind,
      count: removed,
      first: first.map(({ namespace, name }) => ({ namespace, name })),
    })),
    report: snapshotReportResponse(report),
  };
}
