import type { dryRun } from '../../contract/common/dry-run.js';
import type { Response } from '../../contract/schema.js';
import { admitPod, type NewPod } from '../../core/admission/admission-chain.js';
import { admissionIn } from '../../core/admission/admission-in.js';
import type { DryRunAnswer, ObjectDryRun } from '../../core/admission/dry-run.js';
import { keptOf } from '../../core/admission/kept-of.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { dryRunPod } from '../../core/gate/dry-run-pod.js';
import { kindInfo, type KeptKind } from '../../core/kubernetes/kinds.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import type { Cause } from '../../core/kubernetes/admission-refusal.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { FieldValidation } from '../../core/kubernetes/manifests/check-fields.js';
import { ApiClient, ApiUnreachable, type ApiAnswer, type ApiRequest } from '../../kube-api/api-client.js';
import { without } from '../../core/collections/without.js';
import { faultAt } from '../errors/fault-at.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import { placeIn } from '../evictions/read-question.js';
import type { ReadAt } from '../reads/read-at.js';
import type { RequestContext } from '../request-context.js';
import { Connections, refusalIn, type OpenConnection } from './connections.js';

/** A manifest to try: the object itself, unless it is a pod, and a pod of its template. */
export interface ManifestToTry {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  /** Empty if the API server makes it. */
  readonly name: string;
  /** As it was sent, with every field. */
  readonly value: JsonObject;
  /** Whether the same request creates its namespace, so that the cluster need not have it yet. */
  readonly bringsNamespace?: boolean;
}

/** What became of something: part of a recorded question, so plain JSON. */
interface TriedDryRun<Answer> {
  /** RFC 3339. */
  readonly askedAt: string;
  /** Null if the API server did not answer the question. */
  readonly answer: Answer | null;
  readonly code: number | null;
  readonly message: string | null;
  readonly warnings: readonly string[];
}

/** What became of a manifest. */
export interface TriedManifest {
  /** Null for a pod. */
  readonly object: TriedDryRun<ObjectDryRun> | null;
  /** Null if the object is refused. */
  readonly pod: TriedDryRun<DryRunAnswer> | null;
}

/** Manifests that one question may have tried, and how many at the same time. */
const MOST_MANIFESTS = 100;
const AT_ONCE = 4;

/** Has the API servers of connected clusters create pods, and apply other objects, as dry runs. */
export class DryRuns {
  constructor(
    private readonly connections: Connections,
    private readonly client: ApiClient,
  ) {}

  /**
   * Sends manifests as dry runs, so that all plugins and webhooks of the cluster are asked. Nothing is stored there.
   *
   * @returns a result for each manifest; undefined for one without a pod
   * @throws {ServiceError} `connection-not-found`, `connections-not-configured`, `dry-runs-not-allowed`; `invalid-request` for too many manifests
   */
  async run(
    cluster: string,
    manifests: readonly ManifestToTry[],
    fieldValidation: FieldValidation,
    context: RequestContext,
  ): Promise<readonly (TriedManifest | undefined)[]> {
    const connection = await this.connections.open(cluster);
    if (!connection.dryRuns) {
      throw new ServiceError('dry-runs-not-allowed', `The connection of cluster ${cluster} does not allow dry runs.`);
    }
    const withPods = manifests.filter(({ value, kind, namespace }) => dryRunPod(value, kind, namespace) !== undefined);
    if (withPods.length > MOST_MANIFESTS) {
      const message = `The request has ${withPods.length} workloads and pods to confirm; at most ${MOST_MANIFESTS} can be.`;
      throw new ServiceError('invalid-request', message);
    }
    const found = new Map<ManifestToTry, TriedManifest>();
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let manifest = withPods[next++]; manifest !== undefined; manifest = withPods[next++]) {
        found.set(manifest, await this.tryOne(connection, manifest, fieldValidation, context));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return manifests.map((manifest) => found.get(manifest));
  }

  private async tryOne(
    { apiServer }: OpenConnection,
    manifest: ManifestToTry,
    fieldValidation: FieldValidation,
    { now, signal }: RequestContext,
  ): Promise<TriedManifest> {
    const { kind, namespace, value, bringsNamespace = false } = manifest;
    const query = `dryRun=All&fieldManager=kube-placement&fieldValidation=${fieldValidation}`;
    const send = async <Answer>(
      request: ApiRequest,
      read: (body: JsonObject) => Answer | undefined,
    ): Promise<TriedDryRun<Answer | Refused> & { readonly body?: JsonObject }> => {
      const askedAt = now.toISOString();
      try {
        const response = await this.client.ask(apiServer, request, signal);
        return { askedAt, ...tried(response, bringsNamespace, read), ...(response.body && { body: response.body }) };
      } catch (error) {
        if (!(error instanceof ApiUnreachable)) throw error;
        return { askedAt, answer: null, code: null, message: error.message, warnings: [] };
      }
    };
    let template = value;
    let object: TriedManifest['object'] = null;
    if (kind !== 'Pod') {
      const { body, ...run } = await send(requestOf(manifest, query), (): ObjectDryRun => ({ outcome: 'admitted' }));
      object = run;
      if (run.answer?.outcome === 'refused') return { object, pod: null };
      // Webhooks may have changed the template.
      if (run.answer !== null && body !== undefined) template = body;
    }
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods?${query}`;
    const pod = dryRunPod(template, kind, namespace) ?? dryRunPod(value, kind, namespace)!;
    const run = await send({ method: 'POST', path, body: pod }, (answered): DryRunAnswer | undefined => {
      const kept = keptOf(withoutDrawnToken(answered) as unknown as Pod);
      return kept && { outcome: 'admitted', pod: kept };
    });
    return { object, pod: without(run, 'body') };
  }
}

const NOT_APPLIED = ['managedFields', 'resourceVersion', 'uid', 'creationTimestamp'] as const;

/** Applies an object as `kubectl apply --server-side --dry-run=server` does, or creates it if it has no name yet. */
function requestOf({ apiVersion, kind, namespace, name, value }: ManifestToTry, query: string): ApiRequest {
  const resource = `/apis/${apiVersion}/namespaces/${encodeURIComponent(namespace)}/${kindInfo(kind as KeptKind).plural}`;
  const core = resource.replace('/apis/v1/', '/api/v1/');
  const metadata: JsonObject = { ...(value['metadata'] as JsonObject | undefined), namespace };
  if (name === '') return { method: 'POST', path: `${core}?${query}`, body: { ...value, metadata } };
  // The API server refuses to apply objects with these.
  const applied = { ...without(value, 'status'), metadata: without(metadata, ...NOT_APPLIED) } as JsonObject;
  const path = `${core}/${encodeURIComponent(name)}?${query}&force=true`;
  return { method: 'PATCH', path, body: applied };
}

/** An API server answers as of now, so nothing else can be confirmed. @throws {InvalidRequestError} */
export function checkConfirmable(readAt: ReadAt, root: string): void {
  const { revision, at, scenario } = readAt;
  if (revision === undefined && at === undefined && scenario === undefined) return;
  const message = 'cannot be used with revision, at or scenario: the API server answers as the cluster is now';
  throw new InvalidRequestError([faultAt(placeIn(root, 'confirm'), 'conflicting-fields', message)]);
}

/** Refusals by RBAC say this; those of plugins and webhooks say something else after `forbidden`. */
const NO_PERMISSION = /^\S+( "[^"]*")? is forbidden: User "[^"]*" cannot /;

function tried<Answer>(
  { status: code, body, warnings }: ApiAnswer,
  bringsNamespace: boolean,
  read: (body: JsonObject) => Answer | undefined,
): Omit<TriedDryRun<Answer | Refused>, 'askedAt'> {
  const failed = { answer: null, code, message: refusalIn(code, body), warnings };
  if (body === undefined) return failed;
  if (code === 200 || code === 201) {
    const answer = read(body);
    return answer === undefined ? failed : { answer, code, message: null, warnings };
  }
  const { message } = body;
  const isOfNamespace = code === 404 && bringsNamespace;
  if (typeof message !== 'string' || !REFUSALS.has(code) || NO_PERMISSION.test(message) || isOfNamespace) return failed;
  return { answer: { outcome: 'refused', code, message, causes: causesIn(body) }, code, message, warnings };
}

type Refused = Extract<DryRunAnswer, { readonly outcome: 'refused' }>;

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

/** The dry runs of a manifest as responses have them. @param request its pod as the service itself would admit it; undefined if it cannot be decoded */
export function dryRunResponses(
  { kind, namespace, name }: Pick<ManifestToTry, 'kind' | 'namespace' | 'name'>,
  { object, pod }: TriedManifest,
  request: NewPod | undefined,
  { state, now }: { readonly state: ClusterState; readonly now: Date },
): readonly Response<typeof dryRun>[] {
  const named = { kind, namespace, name };
  const ofObject =
    object === null ? [] : [{ subject: 'object' as const, ...named, ...responseOf(object), difference: null }];
  if (pod === null) return ofObject;
  const difference =
    pod.answer === null || request === undefined ? null : differenceOf(pod.answer, request, state, now);
  return [...ofObject, { subject: 'pod', ...named, ...responseOf(pod), difference }];
}

function responseOf({
  answer,
  askedAt,
  code,
  message,
  warnings,
}: TriedDryRun<{ readonly outcome: 'admitted' | 'refused' }>) {
  return { askedAt, outcome: answer?.outcome ?? ('failed' as const), code, message, warnings: [...warnings] };
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
