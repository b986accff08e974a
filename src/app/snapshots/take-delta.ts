import type { takeDelta } from '../../contract/deltas/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { ObjectRow } from '../../core/cluster/object-row.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { isKeptKind, kindInfo } from '../../core/kubernetes/kinds.js';
import { IngestError } from '../../ingest/ingest-error.js';
import { readSnapshot } from '../../ingest/read-snapshot.js';
import {
  DeltaWriter,
  type CommittedDelta,
  type DeltaPosition,
  type DeltaToCommit,
} from '../../storage/delta-writer.js';
import type { DeltaDeletion } from '../../storage/plan-delta.js';
import { DeltaOutOfOrder, SnapshotNeeded } from '../../storage/storage-error.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';
import { HeadCache } from '../reads/head-cache.js';
import { senderOf, type RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { ServiceMetrics } from '../service-metrics.js';
import { futureCapture } from './capture-time.js';
import { commitBasis } from './commit-basis.js';
import { RemovalLimit } from './removal-limit.js';
import { snapshotRefused } from './snapshot-refused.js';
import { renderKindCounts } from './snapshot-response.js';

/** So many objects are written at once that other requests hardly wait. */
const OBJECTS_A_CHUNK = 50;

/** A delta whose objects have been read and pruned, from a sender in this process. */
export interface RowsDelta {
  readonly cluster: string;
  readonly stream: string;
  readonly sequence: number;
  readonly capturedAt: Date | null;
  readonly rows: readonly ObjectRow[];
  readonly deletions: readonly DeltaDeletion[];
  readonly positions: readonly DeltaPosition[];
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
  ) {}

  /**
   * @throws {InvalidRequestError} naming every bad field
   * @throws {ServiceError} from `snapshotRefused` for rejected objects; `cluster-not-found`; `delta-out-of-order`;
   *   `snapshot-needed`; `too-many-removals`
   */
  async run(request: RequestOf<typeof takeDelta>, context: RequestContext): Promise<AnswerTo<typeof takeDelta>> {
    const { cluster, stream, sequence, upserts = [], deletions = [], positions = [] } = request;
    const capturedAt = request.capturedAt === undefined ? null : new Date(request.capturedAt);
    const details = [
      ...futureCapture(capturedAt, context.now),
      ...textErrors('/stream', 'stream', stream),
      ...deletions.flatMap(deletionErrors),
      ...positionErrors(positions),
    ];
    const { rows, notKept } = await this.read(upserts, request.invalid ?? 'refuse', details, context);
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
    { allowRemovals, ...delta }: RowsDelta,
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
      return committed;
    } catch (error) {
      this.metrics.countDelta('refused');
      throw error instanceof DeltaOutOfOrder || error instanceof SnapshotNeeded ? conflict(error) : error;
    }
  }

  /** Reads the objects as those of a snapshot are read. Errors of the request are thrown with those of the objects. */
  private async read(
    upserts: readonly JsonObject[],
    invalid: 'refuse' | 'keep',
    details: readonly ErrorDetail[],
    context: RequestContext,
  ): Promise<{ rows: readonly ObjectRow[]; notKept: number }> {
    if (upserts.length === 0) {
      if (details.length > 0) throw new InvalidRequestError(details);
      return { rows: [], notKept: 0 };
    }
    const rows: ObjectRow[] = [];
    try {
      const reading = readSnapshot(linesOf(upserts), { invalid, signal: context.signal, sender: senderOf(context) });
      for await (const batch of reading.rows) rows.push(...batch);
      if (details.length > 0) throw new InvalidRequestError(details);
      const { ignored } = await reading.report;
      return { rows, notKept: ignored.reduce((sum, { count }) => sum + count, 0) };
    } catch (error) {
      if (!(error instanceof IngestError)) throw error;
      this.metrics.countDelta('refused');
      const refused = snapshotRefused(error);
      const ofObjects = refused.details.map(inUpserts);
      if (details.length > 0) throw new InvalidRequestError([...details, ...ofObjects]);
      throw new ServiceError(refused.code, refused.message, { details: ofObjects, cause: error });
    }
  }
}

/** The objects as NDJSON. */
async function* linesOf(objects: readonly JsonObject[]): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for (let start = 0; start < objects.length; start += OBJECTS_A_CHUNK) {
    const some = objects.slice(start, start + OBJECTS_A_CHUNK);
    yield await Promise.resolve(encoder.encode(some.map((object) => `${stringifyJson(object)}\n`).join('')));
  }
}

/** The error of an object with its place in the request. */
function inUpserts({ item, pointer = '', field = '', ...detail }: ErrorDetail): ErrorDetail {
  if (item === undefined) return { ...detail, pointer, field };
  return { ...detail, item, pointer: `/upserts/${item}${pointer}`, field };
}

const PRINTABLE = /^[!-~]+$/;

function textErrors(pointer: string, field: string, text: string | undefined): ErrorDetail[] {
  if (text === undefined || PRINTABLE.test(text)) return [];
  return [
    { pointer, field, code: 'FieldValueInvalid', message: 'must be printable ASCII without spaces, and not empty' },
  ];
}

type GivenDelta = RequestOf<typeof takeDelta>;

function deletionErrors(
  { kind, namespace = '', ...given }: NonNullable<GivenDelta['deletions']>[number],
  index: number,
): ErrorDetail[] {
  const at = (member: string) => [`/deletions/${index}/${member}`, `deletions[${index}].${member}`] as const;
  const errors = [
    ...kindErrors(...at('kind'), kind),
    ...textErrors(...at('name'), given.name),
    ...textErrors(...at('uid'), given.uid),
    ...textErrors(...at('resourceVersion'), given.resourceVersion),
    ...textErrors(...at('namespace'), namespace === '' ? undefined : namespace),
  ];
  if (!isKeptKind(kind) || kindInfo(kind).namespaced === (namespace !== '')) return errors;
  const [pointer, field] = at('namespace');
  const message = namespace === '' ? `${kind} is namespaced: the namespace is required` : `${kind} has no namespace`;
  return [...errors, { pointer, field, code: 'FieldValueInvalid', message }];
}

function positionErrors(positions: NonNullable<GivenDelta['positions']>): ErrorDetail[] {
  const seen = new Set<string>();
  return positions.flatMap(({ kind, resourceVersion, hash }, index) => {
    const at = (member: string) => [`/positions/${index}/${member}`, `positions[${index}].${member}`] as const;
    const [kindPointer, kindField] = at('kind');
    const [hashPointer, hashField] = at('hash');
    const twice: ErrorDetail = {
      pointer: kindPointer,
      field: kindField,
      code: 'FieldValueDuplicate',
      message: `${kind} comes twice`,
    };
    const noHash: ErrorDetail = {
      pointer: hashPointer,
      field: hashField,
      code: 'FieldValueInvalid',
      message: 'must be 16 hexadecimal digits in lower case',
    };
    const errors = [
      ...kindErrors(kindPointer, kindField, kind),
      ...(seen.has(kind) ? [twice] : []),
      ...textErrors(...at('resourceVersion'), resourceVersion),
      ...(/^[0-9a-f]{16}$/.test(hash) ? [] : [noHash]),
    ];
    seen.add(kind);
    return errors;
  });
}

function kindErrors(pointer: string, field: string, kind: string): ErrorDetail[] {
  if (isKeptKind(kind)) return [];
  return [{ pointer, field, code: 'unknown-kind', message: `unknown kind ${JSON.stringify(kind.slice(0, 100))}` }];
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

function taken(
  cluster: string,
  committed: CommittedDelta,
  notKept: number,
  context: RequestContext,
): AnswerTo<typeof takeDelta> {
  const { stream, sequence, revision, head, counts, ignored, positions, snapshotNeeded, repeated } = committed;
  const { kubernetesVersion, unconfirmedNodes } = committed;
  const capturedAt = new Date(committed.headCapturedAt);
  return {
    basis: commitBasis(
      { clusterName: cluster, revision: head, capturedAt, kubernetesVersion, unconfirmedNodes },
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
