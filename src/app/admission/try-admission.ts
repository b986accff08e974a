import { without } from '../../core/collections/without.js';
import type { tryAdmission } from '../../contract/admission/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { stepAdmitPod, type PodToAdmit } from '../../core/admission/admission-chain.js';
import { confirmedAdmission } from '../../core/admission/dry-run.js';
import { admissionIn } from '../../core/admission/admission-in.js';
import { asksWebhooks } from '../../core/admission/admission-stations.js';
import { readPodManifest } from '../../core/admission/read-pod-manifest.js';
import type { Workload as WorkloadName } from '../../core/cluster/pod-table.js';
import { defined } from '../../core/collections/defined.js';
import type { Workload } from '../../core/kubernetes/objects/workloads.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { WholePod } from '../../core/kubernetes/objects/whole-pod.js';
import { defaultWholePod } from '../../core/kubernetes/whole-pod-defaults.js';
import type { CalledWebhook } from '../../core/admission/webhooks/ask-webhooks.js';
import type { TolerationGates } from '../../core/kubernetes/toleration.js';
import { checkConfirmable, dryRunResponses, DryRuns } from '../connections/dry-runs.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { faultAt } from '../errors/fault-at.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';
import { placeIn } from '../evictions/read-question.js';
import { storedWorkload } from '../placements/placed-subject.js';
import { checkSubject } from '../placements/placement-request.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { causeResponse, chargedQuotas, unevaluatedPlugins, stepViews } from './tried-admission-response.js';
import { podSecurityReport } from './pod-security-report.js';
import { podOfWorkload, readWholePod, type ReadPod } from './read-whole-pod.js';

type AdmissionRequest = RequestOf<typeof tryAdmission> & { readonly operation: 'create' | 'update' };

/** Runs a pod through the admission of the API server, step by step, without storing anything. */
export class TryAdmission {
  constructor(
    private readonly readState: ReadState,
    private readonly dryRuns: DryRuns,
  ) {}

  /**
   * @throws {InvalidRequestError} with every error in the request; an invalid pod is rejected in the response
   * @throws {ServiceError} as `ReadState` does; `object-not-found`
   */
  async run(input: RequestOf<typeof tryAdmission>, context: RequestContext): Promise<AnswerTo<typeof tryAdmission>> {
    const request = { ...input, operation: input.operation ?? 'create' };
    const field = checkQuestion(request);
    const { confirm, root } = request;
    if (confirm !== undefined) checkConfirmable(request.readAt, root);
    const { basis, state } = await this.readState.run(request.cluster, request.readAt, context);
    const read = subjectIn(request, field, state);
    const { operation } = request;
    const isStored = field === 'podRef' || field === 'workloadRef';
    const none = {
      pod: null,
      quotas: [],
      unknownFields: [],
      notes: [],
      webhooks: [],
      undecided: [],
      dryRuns: [],
      podSecurity: null,
      admissionPolicies: null,
    };
    if ('refusal' in read) {
      const refusal = { ...read.refusal, causes: read.refusal.causes.map(causeResponse) };
      const step = { by: refusal.by, type: 'validating' as const, outcome: 'refused' as const, patch: [], why: null };
      const known = { basis, operation, outcome: 'refused' as const, workload: null, refusal, steps: [step] };
      return { ...none, ...known, notEvaluated: [], webhooksNotLoaded: [] };
    }
    const { pod, asStored, workload, unknownFields } = read;
    const namespace = pod.metadata.namespace ?? 'default';
    const into = admissionIn(state, namespace, { now: context.now.getTime() });
    const replaced = operation === 'update' ? replacedPod(request, state, pod) : undefined;
    if (replaced !== undefined && 'refusal' in replaced) {
      throw new InvalidRequestError([faultAt(placeIn(request.root, 'stored'), 'invalid', replaced.refusal.message)]);
    }
    const sent = podToAdmit(pod, replaced, { isStored, asStored, workload, gates: into.gates });
    const ours = await runSteps(stepAdmitPod(sent, into), new TimeSlices({ signal: context.signal }));
    const asked = confirm === undefined ? undefined : await this.confirmed(request, namespace, context);
    // What refuses a workload keeps its pods from being made.
    const refused = asked?.tried.object?.answer?.outcome === 'refused' ? asked.tried.object.answer : null;
    const answer = asked?.tried.pod?.answer ?? refused;
    const admission = answer === null ? ours : confirmedAdmission(ours, answer);
    const { undecided, certain } = admission;
    const refusal =
      admission.outcome === 'admitted'
        ? null
        : { ...admission.refusal, causes: admission.refusal.causes.map(causeResponse) };
    return {
      basis,
      operation,
      outcome: certain ? admission.outcome : 'unknown',
      workload,
      pod: admission.outcome === 'admitted' ? admission.pod : null,
      refusal,
      steps: stepViews(ours, into, operation),
      dryRuns:
        asked === undefined
          ? []
          : dryRunResponses(asked.subject, asked.tried, sent.operation === 'create' ? sent : undefined, {
              state,
              now: context.now,
            }),
      podSecurity: podSecurityReport(sent, ours, into),
      admissionPolicies: admission.policyReport ?? null,
      undecided,
      notEvaluated: unevaluatedPlugins(into.configuration),
      webhooks: admission.webhooks.map(webhookResponse),
      webhooksNotLoaded: CONFIGURATIONS.flatMap(([type, kind]) =>
        asksWebhooks(into.configuration, type) && !state.loadedKinds.has(kind) ? [kind] : [],
      ),
      quotas: admission.outcome === 'admitted' ? chargedQuotas(into.surroundings.quotas, admission.quotas) : [],
      unknownFields,
      notes: replaced?.pruned === true || isStored ? [PRUNED] : [],
    };
  }

  private async confirmed(request: AdmissionRequest, namespace: string, context: RequestContext) {
    const manifest = manifestToConfirm(request);
    const kind = typeof manifest['kind'] === 'string' ? manifest['kind'] : 'Pod';
    const { name = '' } = (manifest['metadata'] ?? {}) as { readonly name?: string };
    const { apiVersion } = manifest;
    const subject = {
      apiVersion: typeof apiVersion === 'string' ? apiVersion : 'v1',
      kind,
      namespace,
      name,
      value: manifest,
    };
    const [tried] = await this.dryRuns.run(request.cluster, [subject], request.fieldValidation ?? 'Warn', context);
    return tried && { tried, subject };
  }
}

/** The manifest of a request to confirm, which must have every field. @throws {InvalidRequestError} */
function manifestToConfirm({ pod, workload, operation, root }: AdmissionRequest): JsonObject {
  const manifest = pod ?? workload;
  if (manifest !== undefined && operation === 'create') return manifest;
  const message = 'needs a manifest and the operation create: of stored objects, not every field is known';
  throw new InvalidRequestError([faultAt(placeIn(root, 'confirm'), 'conflicting-fields', message)]);
}

const PRUNED =
  'Not every field of an object is stored. Fields that are not stored (such as commands, environment, probes and mounts) are neither compared nor validated.';

/** @throws {InvalidRequestError} with every error that can be found without a cluster and without parsing manifests */
export function checkQuestion(
  request: Omit<AdmissionRequest, 'cluster' | 'readAt' | 'root'> & { readonly root?: string },
): ReturnType<typeof checkSubject>['field'] & string {
  const { operation, stored, storedRef, root = '' } = request;
  const { field, details } = checkSubject(request);
  const faults: ErrorDetail[] = [...details];
  const complain = (name: string, code: string, message: string): void => {
    faults.push(faultAt(placeIn(root, name), code, message));
  };
  for (const [name, value] of Object.entries({ stored, storedRef })) {
    if (value !== undefined && operation === 'create')
      complain(name, 'conflicting-fields', 'must not be set for operation create: a new pod replaces no other');
  }
  if (stored !== undefined && storedRef !== undefined)
    complain('storedRef', 'conflicting-fields', 'give either stored or storedRef, not both');
  if (operation === 'update' && field !== undefined && field !== 'pod' && field !== 'podRef') {
    complain(
      field,
      'conflicting-fields',
      'cannot be used with operation update: the pods of a workload are replaced, not updated',
    );
  }
  if (faults.length > 0 || field === undefined) throw new InvalidRequestError(faults);
  return field;
}

function subjectIn(request: AdmissionRequest, field: string, state: ClusterState): ReadPod {
  switch (field) {
    case 'podRef':
      return { ...storedPod(state, request.podRef!), workload: null, unknownFields: [] };
    case 'workloadRef':
      return { ...podOfWorkload(storedWorkload(state, request.workloadRef!)), unknownFields: [] };
    default:
      return readWholePod(
        (request.pod ?? request.workload)!,
        request.pod === undefined ? 'workload' : 'pod',
        request.root === '' ? `/${field}` : `/${request.root}/${field}`,
        state.rules.minor,
      );
  }
}

/** A stored pod, with the defaults that the API server would have set in the fields that are not stored; and as it is stored. */
function storedPod(
  state: ClusterState,
  { namespace = 'default', name }: { namespace?: string; name: string },
): { readonly pod: WholePod; readonly asStored: Pod } {
  const index = state.pods.indexOf(namespace, name);
  if (index < 0) {
    throw new ServiceError('object-not-found', `Pod ${namespace}/${name} does not exist in this revision.`);
  }
  const asStored = state.pods.pod(index);
  return { pod: defaultWholePod(asStored), asStored };
}

type Replaced = { readonly pod: WholePod; readonly pruned: boolean } | Extract<ReadPod, { refusal: unknown }>;

function replacedPod({ stored, storedRef, root }: AdmissionRequest, state: ClusterState, pod: WholePod): Replaced {
  if (stored !== undefined) {
    const read = readWholePod(stored, 'pod', root === '' ? '/stored' : `/${root}/stored`);
    return 'refusal' in read ? read : { pod: defaultWholePod(read.pod), pruned: false };
  }
  const { namespace = 'default', name } = pod.metadata;
  return { pod: storedPod(state, storedRef ?? { namespace, name }).pod, pruned: true };
}

/** Removes the fields that are not stored from the new pod as well, so that they are not compared. */
function podToAdmit(
  pod: WholePod,
  replaced: Exclude<Replaced, { refusal: unknown }> | undefined,
  {
    isStored,
    asStored,
    workload,
    gates,
  }: {
    readonly isStored: boolean;
    readonly asStored: Pod | undefined;
    readonly workload: WorkloadName | null;
    readonly gates: TolerationGates;
  },
): PodToAdmit {
  if (replaced === undefined) {
    const controller = workload === null ? undefined : (workload.kind as Workload['kind']);
    return { operation: 'create', pod, pruned: isStored, ...defined({ controller, asStored }) };
  }
  const { pod: stored, pruned } = replaced;
  if (!pruned) return { operation: 'update', pod, stored, pruned: isStored };
  const read = readPodManifest('pod', pod as unknown as JsonObject, gates);
  const kept = 'errors' in read ? pod : ({ ...(read.object as Pod) } as unknown as WholePod);
  return { operation: 'update', pod: kept, stored, pruned };
}

const webhookResponse = (called: CalledWebhook): Omit<CalledWebhook, 'why'> => without(called, 'why');

const CONFIGURATIONS = [
  ['mutating', 'MutatingWebhookConfiguration'],
  ['validating', 'ValidatingWebhookConfiguration'],
] as const;
