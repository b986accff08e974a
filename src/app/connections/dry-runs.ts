import type { dryRun } from '../../contract/common/dry-run.js';
import type { Response } from '../../contract/schema.js';
import { admitPod, type NewPod } from '../../core/admission/admission-chain.js';
import { admissionIn } from '../../core/admission/admission-in.js';
import type { DryRunAnswer } from '../../core/admission/dry-run.js';
import { keptOf } from '../../core/admission/kept-of.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import type { Cause } from '../../core/kubernetes/admission-refusal.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { FieldValidation } from '../../core/kubernetes/manifests/check-fields.js';
import { ApiClient, ApiUnreachable, type ApiAnswer } from '../../kube-api/api-client.js';
import { faultAt } from '../errors/fault-at.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import { placeIn } from '../evictions/read-question.js';
import type { ReadAt } from '../reads/read-at.js';
import type { RequestContext } from '../request-context.js';
import { Connections, refusalIn, type OpenConnection } from './connections.js';

/** A pod to create as a dry run. */
export interface PodToTry {
  readonly namespace: string;
  readonly pod: JsonObject;
  /** Whether the same request creates its namespace, so that the cluster need not have it yet. */
  readonly bringsNamespace?: boolean;
}

/** What became of it: part of a recorded question, so plain JSON. */
export interface TriedDryRun {
  /** RFC 3339. */
  readonly askedAt: string;
  /** Null if the API server did not answer the question. */
  readonly answer: DryRunAnswer | null;
  readonly code: number | null;
  readonly message: string | null;
  readonly warnings: readonly string[];
}

/** Pods that one question may have created, and how many at the same time. */
const MOST_PODS = 100;
const AT_ONCE = 4;

/** Has the API servers of connected clusters create pods as dry runs. */
export class DryRuns {
  constructor(
    private readonly connections: Connections,
    private readonly client: ApiClient,
  ) {}

  /**
   * Creates pods as dry runs, so that all plugins and webhooks of the cluster are asked. Nothing is stored there.
   *
   * @returns a result for each pod
   * @throws {ServiceError} `connection-not-found`, `connections-not-configured`, `dry-runs-not-allowed`; `invalid-request` for too many pods
   */
  async run(
    cluster: string,
    pods: readonly PodToTry[],
    fieldValidation: FieldValidation,
    context: RequestContext,
  ): Promise<readonly TriedDryRun[]> {
    const connection = await this.connections.open(cluster);
    if (!connection.dryRuns) {
      throw new ServiceError('dry-runs-not-allowed', `The connection of cluster ${cluster} does not allow dry runs.`);
    }
    if (pods.length > MOST_PODS) {
      throw new ServiceError(
        'invalid-request',
        `The request has ${pods.length} pods to confirm; at most ${MOST_PODS} can be.`,
      );
    }
    const found: TriedDryRun[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next++; index < pods.length; index = next++) {
        found[index] = await this.create(connection, pods[index]!, fieldValidation, context);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return found;
  }

  private async create(
    { apiServer }: OpenConnection,
    pod: PodToTry,
    fieldValidation: FieldValidation,
    { now, signal }: RequestContext,
  ): Promise<TriedDryRun> {
    const askedAt = now.toISOString();
    const query = `dryRun=All&fieldManager=kube-placement&fieldValidation=${fieldValidation}`;
    const path = `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods?${query}`;
    try {
      const response = await this.client.ask(apiServer, { method: 'POST', path, body: pod.pod }, signal);
      return { askedAt, ...tried(response, pod) };
    } catch (error) {
      if (!(error instanceof ApiUnreachable)) throw error;
      return { askedAt, answer: null, code: null, message: error.message, warnings: [] };
    }
  }
}

/** An API server answers as of now, so nothing else can be confirmed. @throws {InvalidRequestError} */
export function checkConfirmable(readAt: ReadAt, root: string): void {
  const { revision, at, scenario } = readAt;
  if (revision === undefined && at === undefined && scenario === undefined) return;
  const message = 'cannot be used with revision, at or scenario: the API server answers as the cluster is now';
  throw new InvalidRequestError([faultAt(placeIn(root, 'confirm'), 'conflicting-fields', message)]);
}

/** Refusals by RBAC say this; those of plugins have a name after `pods`. */
const NO_PERMISSION = /^pods is forbidden: User "/;

function tried(
  { status: code, body, warnings }: ApiAnswer,
  { bringsNamespace }: PodToTry,
): Omit<TriedDryRun, 'askedAt'> {
  const failed = { answer: null, code, message: refusalIn(code, body), warnings };
  if (body === undefined) return failed;
  if (code === 200 || code === 201) {
    const pod = keptOf(withoutDrawnToken(body) as unknown as Pod);
    return pod === undefined ? failed : { answer: { outcome: 'admitted', pod }, code, message: null, warnings };
  }
  const { message } = body;
  const isOfNamespace = code === 404 && bringsNamespace === true;
  if (typeof message !== 'string' || !REFUSALS.has(code) || NO_PERMISSION.test(message) || isOfNamespace) return failed;
  return { answer: { outcome: 'refused', code, message, causes: causesIn(body) }, code, message, warnings };
}

/** Answers of admission and validation. Others, such as 401, 409, 429 and 500, say nothing about the pod. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 404, 422]);

function causesIn({ details }: JsonObject): readonly Cause[] {
  const causes = (details as JsonObject | undefined)?.['causes'];
  if (!Array.isArray(causes)) return [];
  return (causes as readonly JsonObject[]).map(({ reason, field, message }) => ({
    type: textOf(reason),
    field: textOf(field),
    message: textOf(message),
  }));
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** A pod without the volume of its service account's token, whose name is drawn, and which placement does not read. */
function withoutDrawnToken(pod: JsonObject): JsonObject {
  const spec = pod['spec'] as JsonObject | undefined;
  const volumes = spec?.['volumes'];
  if (spec === undefined || !Array.isArray(volumes)) return pod;
  const kept = (volumes as readonly JsonObject[]).filter(({ name }) => !textOf(name).startsWith('kube-api-access-'));
  return { ...pod, spec: { ...spec, volumes: kept as JsonValue[] } };
}

/** A dry run as responses have it. @param request the pod as the service itself would admit it; undefined if it cannot be decoded */
export function dryRunResponse(
  subject: { readonly kind: string; readonly namespace: string; readonly name: string },
  run: TriedDryRun,
  request: NewPod | undefined,
  state: ClusterState,
  now: Date,
): Response<typeof dryRun> {
  const { answer, askedAt, code, message, warnings } = run;
  return {
    ...subject,
    askedAt,
    outcome: answer?.outcome ?? 'failed',
    code,
    message,
    warnings: [...warnings],
    difference: answer === null || request === undefined ? null : differenceOf(answer, request, state, now),
  };
}

function differenceOf(answer: DryRunAnswer, request: NewPod, state: ClusterState, now: Date): string | null {
  const ours = admitPod(
    request,
    admissionIn(state, request.pod.metadata.namespace ?? 'default', { now: now.getTime() }),
  );
  if (!ours.certain || ours.outcome === answer.outcome) return null;
  return ours.outcome === 'admitted'
    ? 'The pod is admitted, by the stored state and the plugins that are evaluated here.'
    : `The pod is refused: ${ours.refusal.message}`;
}
