import type { admissionReview } from '../../contract/admission/admission-review.js';
import type { Response } from '../../contract/schema.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { decodeObject } from '../../core/kubernetes/decode.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import { UNNAMED, withName } from '../../core/admission/read-pod-manifest.js';
import {
  type AdmissionReviewRequest,
  readAdmissionReview,
  REVIEW_API_VERSION,
  REVIEW_KIND,
} from '../../core/pools/admission-review.js';
import { accountOf } from '../../core/pools/pool-user.js';
import { addToPod, judgePod, type PodReview } from '../../core/pools/review-pod.js';
import { REFUSED } from '../../core/pools/webhook-names.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import { type ResolvedRevision, ResolveRevision } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';
import type { PatchOperation } from '../../core/json/patch-between.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import type { AdmissionRecord } from '../../storage/admission-record-store.js';
import { ServiceMetrics } from '../service-metrics.js';
import { StoredStates } from '../states/stored-states.js';
import { AdmissionRecordWriter } from './admission-record-writer.js';
import { within } from './within.js';

export interface ReviewAdmissionRequest {
  readonly cluster: string;
  readonly webhook: 'mutate' | 'validate';
  /** The AdmissionReview that the API server sent. */
  readonly review: JsonValue | undefined;
  /** Timeout of the API server, in milliseconds. */
  readonly timeoutMs: number;
}

type AnsweredReview = Response<typeof admissionReview>;

/**
 * Answers a webhook call of a cluster's API server by the rules of the pools in its newest state.
 *
 * Any error returns a status other than 200, which the API server treats as a failed call: the `failurePolicy` of the
 * webhook decides, and an error of this service rejects no pod by itself.
 */
export class ReviewAdmission {
  constructor(
    private readonly resolveRevision: ResolveRevision,
    private readonly states: StoredStates,
    private readonly records: AdmissionRecordWriter,
    private readonly metrics: ServiceMetrics,
  ) {}

  /**
   * @throws {InvalidRequestError} the request is not an AdmissionReview of version v1, or its object is not a pod
   * @throws {ServiceError} `webhook-timeout`; `cluster-not-found`, `no-snapshot`; `database-unavailable`; `forbidden`
   */
  async run(request: ReviewAdmissionRequest, context: RequestContext): Promise<AnsweredReview> {
    const { cluster, webhook, timeoutMs } = request;
    try {
      const answer = await within(timeoutMs, this.answer(request, context));
      this.metrics.countAdmissionReview(webhook, answer.outcome);
      return answer.review;
    } catch (error) {
      this.metrics.countAdmissionReview(webhook, 'failed');
      throw error instanceof ServiceError && error.code === 'no-snapshot'
        ? new ServiceError('no-snapshot', `Cluster ${cluster} is unknown, and so are its pools.`, { cause: error })
        : error;
    }
  }

  private async answer(
    { cluster, webhook, review }: ReviewAdmissionRequest,
    context: RequestContext,
  ): Promise<{ readonly outcome: PodReview['outcome']; readonly review: AnsweredReview }> {
    if (!context.access.seesTaintValues(cluster)) {
      throw new ServiceError(
        'forbidden',
        `You may not see the taint values of cluster ${JSON.stringify(cluster)}, which the patch of a pod contains.`,
      );
    }
    const read = readAdmissionReview(review);
    if ('faults' in read) throw new InvalidRequestError(read.faults);
    const { request } = read;
    if (!concernsPods(request, webhook)) return { outcome: 'untouched', review: answered(request) };
    const pod = podIn(request, 'object');
    const former = request.operation === 'UPDATE' ? podIn(request, 'oldObject') : undefined;
    const resolved = await this.resolveRevision.resolve(cluster, {}, context.now);
    const state = await this.states.of(resolved.revision, 'include', context);
    const verdict =
      webhook === 'mutate'
        ? addToPod(state, pod, gatesOf(state.rules))
        : judgePod(state, pod, former, gatesOf(state.rules));
    if (verdict.outcome !== 'untouched' && !request.dryRun) {
      await this.records.write(recordOf(resolved, request, pod, verdict, verdict.outcome, context));
    }
    return { outcome: verdict.outcome, review: answered(request, verdict) };
  }
}

/** Pods without subresources: binding, resizing and debug containers do not affect pools. */
function concernsPods(
  { group, resource, subResource, operation }: AdmissionReviewRequest,
  webhook: 'mutate' | 'validate',
): boolean {
  if (group !== '' || resource !== 'pods' || subResource !== '') return false;
  return operation === 'CREATE' || (operation === 'UPDATE' && webhook === 'validate');
}

/** @throws {InvalidRequestError} */
function podIn(request: AdmissionReviewRequest, name: 'object' | 'oldObject'): Pod {
  const given = request[name];
  const at = `request.${name}`;
  if (!isJsonObject(given)) {
    throw new InvalidRequestError([
      { field: at, pointer: `/request/${name}`, code: 'required', message: 'must be a pod' },
    ]);
  }
  // The API server has already limited its size, and processing it takes no time that depends on the cluster.
  const decoded = decodeObject(withName(inNamespace(given, request.namespace)), { unbounded: true });
  if (decoded.outcome === 'object' && decoded.object.kind === 'Pod') return decoded.object as Pod;
  if (decoded.outcome === 'invalid' && decoded.kind === 'Pod') {
    throw new InvalidRequestError(
      decoded.errors.map(({ field, pointer, type, message }) => ({
        field: `${at}.${field}`,
        pointer: `/request/${name}${pointer}`,
        code: type,
        message,
      })),
    );
  }
  const { apiVersion, kind } = given;
  const what = [apiVersion, kind].filter((one) => typeof one === 'string').join(' ');
  throw new InvalidRequestError([
    {
      field: `${at}.kind`,
      pointer: `/request/${name}/kind`,
      code: 'unsupported-kind',
      message: `must be a v1 Pod, as stated in the request, but is ${what === '' ? 'of no kind' : what.slice(0, 200)}`,
    },
  ]);
}

/** A new pod may have its namespace only in the request URL. */
function inNamespace(pod: JsonObject, namespace: string): JsonObject {
  const metadata = Object.hasOwn(pod, 'metadata') ? pod['metadata'] : undefined;
  if (namespace === '' || !isJsonObject(metadata)) return pod;
  return { ...pod, metadata: { ...metadata, namespace } };
}

/** API servers ignore the reason of an operation. */
function withoutReason(operation: PatchOperation): object {
  const { op, path } = operation;
  return operation.op === 'remove' ? { op, path } : { op, path, value: operation.value };
}

/** The placeholder name of a pod without a name. */
const withoutName = (generateName: string): string => `${generateName}${UNNAMED}`;

function answered({ uid }: AdmissionReviewRequest, verdict?: PodReview): AnsweredReview {
  const { outcome = 'untouched', pools = [], patch = [], message = '', warnings = [] } = verdict ?? {};
  const annotations = {
    pools: pools.join(','),
    ...(outcome === 'added' && { added: patch.map(({ path, why }) => `${path}: ${why}`).join('; ') }),
  };
  return {
    apiVersion: REVIEW_API_VERSION,
    kind: REVIEW_KIND,
    response: {
      uid,
      allowed: outcome !== 'refused',
      ...(outcome === 'added' && {
        patchType: 'JSONPatch' as const,
        patch: Buffer.from(stringifyJson(patch.map(withoutReason))).toString('base64'),
      }),
      ...(outcome === 'refused' && {
        status: { status: 'Failure' as const, code: REFUSED, reason: 'Forbidden', message },
      }),
      ...(warnings.length > 0 && { warnings }),
      ...(outcome !== 'untouched' && { auditAnnotations: annotations }),
    },
  };
}

function recordOf(
  { cluster, revision }: ResolvedRevision,
  request: AdmissionReviewRequest,
  pod: Pod,
  { pools, patch, message }: PodReview,
  outcome: 'added' | 'refused',
  { now, caller }: RequestContext,
): AdmissionRecord {
  const { uid, operation, namespace, username } = request;
  const { generateName = '' } = pod.metadata;
  const given = request.name === '' ? pod.metadata.name : request.name;
  return {
    clusterId: cluster.id,
    clusterName: cluster.name,
    recordedAt: now,
    revision: revision.number,
    uid,
    outcome,
    operation: operation === 'UPDATE' ? operation : 'CREATE',
    namespace: namespace === '' ? (pod.metadata.namespace ?? 'default') : namespace,
    pod: given === withoutName(generateName) ? '' : given,
    generateName,
    serviceAccount: accountOf(pod.spec),
    username,
    caller: { name: caller.name, kind: caller.kind, issuer: caller.issuer ?? null },
    pools,
    patch,
    message,
  };
}
