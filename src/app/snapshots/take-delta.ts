import type { takeDelta } from '../../contract/deltas/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { ObjectRow } from '../../core/cluster/object-row.js';
import { THE_ONE } from '../../core/cluster/setting.js';
import { defined } from '../../core/collections/defined.js';
import {
  DeltaWriter,
  type CommittedDelta,
  type DeltaPosition,
  type DeltaToCommit,
} from '../../storage/delta-writer.js';
import type { DeltaDeletion } from '../../storage/plan-delta.js';
import { DeltaOutOfOrder, SnapshotNeeded } from '../../storage/storage-error.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import { SettingsStore } from '../../storage/settings-store.js';
import { HeadCache } from '../reads/head-cache.js';
import { senderOf, type RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { ServiceMetrics } from '../service-metrics.js';
import { commitBasis } from './commit-basis.js';
import { fieldErrors, isOfObjects, type ReadUpserts, readUpserts } from './given-delta.js';
import { RemovalLimit } from './removal-limit.js';
import { renderKindCounts } from './snapshot-response.js';

/** A delta whose objects have been read and pruned, from a sender in this process. */
export interface RowsDelta {
  readonly cluster: string;
  readonly stream: string;
  readonly sequence: number;
  readonly capturedAt: Date | null;
  readonly rows: readonly ObjectRow[];
  readonly deletions: readonly DeltaDeletion[];
  readonly positions: readonly DeltaPosition[];
  /** Of the API server that it comes from. */
  readonly apiServerVersion?: string;
  /** Whether it may remove any number of nodes and pods. */
  readonly allowRemovals: boolean;
  /** The replica that follows the cluster, if the delta comes from it. */
  readonly lease?: string;
}

/** Stores what changed in a cluster since a snapshot, atomically. */
export class TakeDelta {
  constructor(
    private readonly writer: DeltaWriter,
    private readonly heads: HeadCache,
    private readonly metrics: ServiceMetrics,
    private readonly removalLimit: RemovalLimit,
    private readonly settings: Pick<SettingsStore, 'commit'>,
  ) {}

  /**
   * @throws {InvalidRequestError} naming every bad field
   * @throws {ServiceError} from `readUpserts` for rejected objects; `cluster-not-found`; `delta-out-of-order`;
   *   `snapshot-needed`; `too-many-removals`
   */
  async run(request: RequestOf<typeof takeDelta>, context: RequestContext): Promise<AnswerTo<typeof takeDelta>> {
    const { cluster, stream, sequence, deletions = [], positions = [] } = request;
    const capturedAt = request.capturedAt === undefined ? null : new Date(request.capturedAt);
    const { rows, notKept } = await this.read(request, context);
    const committed = await this.takeRows(
      {
        cluster,
        stream,
        sequence,
        capturedAt,
        rows,
        deletions: deletions.map(({ kind, namespace, name, uid, resourceVersion }) => ({
          kind,
          namespace: namespace ?? '',
          name,
          uid: uid ?? null,
          resourceVersion: resourceVersion ?? null,
        })),
        positions,
        ...defined({ apiServerVersion: request.apiServerVersion }),
        allowRemovals: request.allowRemovals ?? false,
      },
      { now: context.now, author: context.caller.kind === 'anonymous' ? null : context.caller.name },
    );
    return taken(cluster, committed, notKept, context);
  }

  /**
   * Takes rows that were read in this process.
   * @throws {ServiceError} as `run`, but not for fields and objects
   */
  async takeRows(
    { allowRemovals, apiServerVersion, ...delta }: RowsDelta,
    { now, author }: { readonly now: Date; readonly author: string | null },
  ): Promise<CommittedDelta> {
    const toCommit: DeltaToCommit = {
      ...delta,
      receivedAt: now,
      author,
      ...(allowRemovals ? {} : { checkRemovals: (removals) => this.removalLimit.check(removals, 'delta') }),
    };
    try {
      const committed = await this.writer.commit(toCommit);
      if (committed.revision !== null) this.heads.changed(committed.clusterId);
      else if (committed.currentAt !== null) this.heads.current(committed.clusterId, new Date(committed.currentAt));
      this.metrics.countDelta(
        committed.repeated ? 'repeated' : committed.revision === null ? 'unchanged' : 'committed',
      );
      this.metrics.countIngested('kept', committed.repeated ? 0 : delta.rows.length);
      return await this.withVersion(committed, apiServerVersion, { now, author });
    } catch (error) {
      this.metrics.countDelta('refused');
      throw error instanceof DeltaOutOfOrder || error instanceof SnapshotNeeded ? conflict(error) : error;
    }
  }

  /** Stores the version of the API server as a revision of its own if it is another one. */
  private async withVersion(
    committed: CommittedDelta,
    version: string | undefined,
    { now, author }: { readonly now: Date; readonly author: string | null },
  ): Promise<CommittedDelta> {
    const { clusterId, repeated, versionSettings } = committed;
    if (version === undefined || repeated || version === versionSettings?.apiServerVersion) return committed;
    const { revision: head, changed } = await this.settings.commit({
      clusterId,
      author: author ?? '',
      now,
      changes: [{ kind: 'ApiServer', name: THE_ONE, content: { version } }],
    });
    if (changed) this.heads.changed(clusterId);
    const settings = { declaredVersion: null, ...versionSettings, apiServerVersion: version };
    return { ...committed, head, versionSettings: settings };
  }

  /** @throws as `run`, for fields and objects */
  private async read(request: RequestOf<typeof takeDelta>, context: RequestContext): Promise<ReadUpserts> {
    const details = fieldErrors(request, context.now);
    const { upserts = [], invalid = 'refuse' } = request;
    try {
      const read = await readUpserts(upserts, invalid, { signal: context.signal, sender: senderOf(context) });
      if (details.length === 0) return read;
    } catch (error) {
      this.metrics.countDelta('refused');
      if (details.length === 0 || !(error instanceof ServiceError) || !isOfObjects(error)) throw error;
      throw new InvalidRequestError([...details, ...error.details]);
    }
    this.metrics.countDelta('refused');
    throw new InvalidRequestError(details);
  }
}

function conflict(error: DeltaOutOfOrder | SnapshotNeeded): ServiceError {
  const message = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}. Nothing was stored.`;
  if (error instanceof DeltaOutOfOrder) {
    const { expected } = error;
    const what = expected === null ? 'the stream was replaced' : `expected ${expected}`;
    const details = [{ pointer: '/sequence', field: 'sequence', code: 'delta-out-of-order', message: what }];
    return new ServiceError('delta-out-of-order', message, { details, cause: error });
  }
  const details = error.kinds.map((kind) => ({
    field: '',
    code: 'snapshot-needed',
    kind,
    message: `no snapshot has contained ${kind}`,
  }));
  return new ServiceError('snapshot-needed', message, { details, cause: error });
}

/** In answers that were stored by an older version of the service. */
const NO_VERSION_SETTINGS = { declaredVersion: null, apiServerVersion: null } as const;

function taken(
  cluster: string,
  committed: CommittedDelta,
  notKept: number,
  context: RequestContext,
): AnswerTo<typeof takeDelta> {
  const { stream, sequence, revision, head, counts, ignored, positions, snapshotNeeded, repeated } = committed;
  const { kubernetesVersion, unconfirmedNodes, versionSettings = NO_VERSION_SETTINGS } = committed;
  const capturedAt = new Date(committed.headCapturedAt);
  return {
    basis: commitBasis(
      { clusterName: cluster, revision: head, capturedAt, kubernetesVersion, unconfirmedNodes, ...versionSettings },
      context,
    ),
    stream,
    sequence,
    next: sequence + 1,
    repeated,
    revision,
    head,
    unchanged: revision === null,
    counts: renderKindCounts(new Map(Object.entries(counts))),
    ignored: { ...ignored, notKept },
    positions,
    snapshotNeeded,
  };
}
