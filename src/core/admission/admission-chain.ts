import { NOTHING } from '../collections/nothing.js';
import type { FieldError } from '../kubernetes/field-error.js';
import { dropUnreadFields } from '../kubernetes/disabled-fields.js';
import { defaultPod } from '../kubernetes/defaults.js';
import { aggregateText, fieldErrorText } from '../kubernetes/error-aggregate.js';
import { quoteGo } from '../kubernetes/go-text.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import { rulesOfGates, type TolerationGates } from '../kubernetes/toleration.js';
import { newPod, validatePreparedPod } from '../kubernetes/validation/pod/validate-pod.js';
import { validatePodUpdate } from '../kubernetes/validation/pod/validate-pod-update.js';
import { defaultWholePod } from '../kubernetes/whole-pod-defaults.js';
import { ADMISSION_PLUGINS, type AdmissionPluginName } from './admission-configuration.js';
import type { ClusterAdmission } from './admission-in.js';
import {
  PLUGIN_OF,
  type AdmissionContext,
  type AdmissionRequest,
  type AdmissionSurroundings,
  type KnownFields,
} from './admission-plugins.js';
import { AdmissionRefusal, type Cause } from '../kubernetes/admission-refusal.js';
import { AdmissionStations, POOLS } from './admission-stations.js';
import { WHOLE, wholeAsSent } from './asked-pod.js';
import { judgeByPolicies } from './judge-by-policies.js';
import { aboutKeptFields, validateKeptPod } from './kept-pod-validation.js';
import { MutationNotes } from './mutate-by-policies.js';
import { NAME as MUTATING_POLICIES } from './policies/mutating/mutating-admission-policy.js';
import { keptOf } from './kept-of.js';
import { withControllerAdditions } from './pod-of-template.js';
import {
  NAME as POLICIES,
  type PodPolicyJudgement,
  type PolicyReport,
} from './policies/validating-admission-policy.js';
import { WebhookNotes } from './note-webhooks.js';
import { securedKeptPod } from './pod-security/secured-pod.js';
import { asPod, prepared } from './prepare-pod.js';
import { isCertainRefusal, judgeable, undecidedRuntimeClass, type UndecidedPlugin } from './undecided-plugins.js';
import type { CalledWebhook } from './webhooks/ask-webhooks.js';
import { patchBetween, type PatchOperation } from '../json/patch-between.js';

/** One station of a pod on its way into storage, in the order in which it passes them. */
export interface AdmissionStep {
  /** `defaults`, `DaemonSet controller` and the like, `preparation` (before it is validated), `validation`, `pools`, or the name of a plugin. */
  readonly by: string;
  readonly type: 'mutating' | 'validating';
  /** What it changed; empty where it found nothing to do. */
  readonly patch: readonly PatchOperation[];
  /**
   * It was asked before, and again because the pools had changed the pod, or, of `defaults`, because the stored pod is decoded when it is
   * read; only what it changed then is a step.
   */
  readonly again?: true;
}

/** Why a pod is not stored, as the API server would answer. */
export interface Refusal {
  /** `validation`, `pools`, or the name of the plugin that refused. */
  readonly by: string;
  /** HTTP. */
  readonly status: number;
  readonly message: string;
  /** `details.causes` of the answer; few plugins give any. */
  readonly causes: readonly Cause[];
}

/** What every admission says, whatever its outcome. */
interface Judged {
  readonly steps: readonly AdmissionStep[];
  /** Enabled plugins, or the pools, that were not asked because no snapshot contained what they look up. */
  readonly undecided: readonly UndecidedPlugin[];
  /** Those that are called for the pod, as far as it came. */
  readonly webhooks: readonly CalledWebhook[];
  /** Whether what was not asked could not have led to the other outcome. */
  readonly certain: boolean;
  /** What ValidatingAdmissionPolicies report; absent if they were not asked, or something that they depend on is not known. */
  readonly policyReport?: PolicyReport;
}

export type Admission = AdmittedPod | RefusedPod;

export interface AdmittedPod extends Judged {
  readonly outcome: 'admitted';
  /** As it would be stored. */
  readonly pod: Pod;
  /** The quotas of the namespace with the pod charged to them; unchanged if the plugin was not asked. */
  readonly quotas: readonly ResourceQuota[];
  /** The RuntimeClass that the pod names and that is not stored; only with `allowMissingRuntimeClass`. */
  readonly missingRuntimeClass?: MissingRuntimeClass;
}

/** `steps` are those before the one that refused. */
export interface RefusedPod extends Judged {
  readonly outcome: 'refused';
  /** As it was when it was refused: with all changes before, or, where a plugin that changes pods refused it, as that was given it. */
  readonly pod: Pod;
  readonly refusal: Refusal;
  /** The plugin's own words, without the `pods "x" is forbidden: ` that the API server puts before them. */
  readonly reason: string;
  /** Each complaint by itself, where the plugin has several: Kubernetes gives those in any order. */
  readonly reasons: readonly string[];
}

/** A RuntimeClass whose additions to a pod are unknown. */
export interface MissingRuntimeClass {
  readonly name: string;
  /** Whether RuntimeClasses were loaded at all: if so, the API server would refuse the pod. */
  readonly loaded: boolean;
}

/** A pod to be stored, or one to take the place of another. */
export type PodToAdmit = NewPod | ChangedPod;

export interface NewPod {
  readonly operation: 'create';
  readonly pod: WholePod | Pod;
  /** How much of the pod was decoded: all of it (the default), or the fields that are kept. */
  readonly known?: KnownFields;
  /** All of the pod as it is sent to the API server; only with `known: 'kept'`. */
  readonly whole?: WholePod;
  /** The pod with the defaults of `defaultPod`, where that has been made; only with `known: 'kept'`. */
  readonly defaulted?: Pod;
  /** Taken from storage: fields that are not kept are missing, whatever `known` says of those that are validated. */
  readonly pruned?: boolean;
  /** With `pruned`: as it is stored, if `pod` has defaults already. */
  readonly asStored?: Pod;
  /** The workload whose controller sends the pod, if what it adds is not in the pod yet. */
  readonly workload?: Workload;
  /** The kind of the workload whose controller sends the pod, if what it adds is in the pod already, as far as that is known here. */
  readonly controller?: Workload['kind'];
  /** Only defaults and what a controller adds is put in. */
  readonly skipAdmission?: boolean;
  /** Plugins that are not asked. */
  readonly without?: readonly AdmissionPluginName[];
  /** A RuntimeClass that is not stored adds nothing and is reported, instead of a refusal. */
  readonly allowMissingRuntimeClass?: boolean;
}

export interface ChangedPod {
  readonly operation: 'update';
  readonly pod: WholePod;
  readonly stored: WholePod;
  /** Fields that are not kept are missing from both. */
  readonly pruned?: boolean;
}

/**
 * From a manifest to the pod that the API server stores, or to its refusal: what the controller of a workload adds, the API server's
 * defaults, the plugins that change the pod, validation of the result, the plugins that judge it, and the defaults
 * once more when the stored pod is read, each in the API server's order;
 * the first that refuses ends it. A plugin that judges sees what all plugins have made of the pod.
 *
 * A plugin of which something is not known (its kind was never loaded) adds and refuses nothing, and is named in `undecided`. Of a pod
 * of which only the kept fields are known, those are validated.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/endpoints/handlers/create.go and pkg/registry/generic/registry/store.go.
 *
 * @param request pods with their namespace; one that is stored as `AdmittedPod` gave it
 * @throws QuantityError for a text that is no quantity, which the API server's decoder refuses
 */
export function admitPod(asked: PodToAdmit, { surroundings, configuration, gates }: ClusterAdmission): Admission {
  const rules = rulesOfGates(gates);
  const sent = asPod(asked.pod);
  const request = readBy(asked, rules);
  const steps: AdmissionStep[] = [];
  const changed = (by: string, before: Pod, after: Pod, why: (pointer: string) => string): Pod => {
    steps.push({ by, type: 'mutating', patch: patchBetween(before, after, why) });
    return after;
  };
  const isKept = request.operation === 'create' && request.known === 'kept';
  let pod = changed(
    'defaults',
    sent,
    isKept ? defaultedKept(request, request === asked) : asPod(defaultWholePod(request.pod)),
    whyDefault,
  );
  let quotas = surroundings.quotas;
  if (request.operation === 'create') {
    const { workload, skipAdmission = false } = request;
    if (workload !== undefined) {
      const why = CONTROLLER_WHY.get(workload.kind) ?? '';
      pod = changed(`${workload.kind} controller`, pod, withControllerAdditions(pod, workload), () => why);
    }
    if (skipAdmission) return { outcome: 'admitted', pod, steps, quotas, undecided: [], webhooks: [], certain: true };
  }
  const missing = missingRuntimeClass(request, surroundings);
  const whole = wholeOf(request, pod, rules);
  const { judged: judgedBy, undecided } = judgeable(configuration, surroundings, {
    operation: request.operation,
    pod,
    whole,
    isOfController: request.operation === 'create' && (request.controller ?? request.workload) !== undefined,
    ...(request.operation === 'update' && { stored: request.stored }),
    secured: whole ?? (request.operation === 'create' ? securedKeptPod(request.asStored ?? sent) : undefined),
  });
  const left = new Set<AdmissionPluginName>(request.operation === 'create' ? request.without : []);
  if (missing !== undefined) left.add('RuntimeClass');
  const notes = new WebhookNotes();
  const mutations = new MutationNotes(request, surroundings, rules.minor);
  const known = missing === undefined ? undecided : [...undecided, undecidedRuntimeClass(missing.name)];
  const withoutPolicies: AdmissionContext = {
    request: requestOf(request, whole),
    surroundings,
    configuration: judgedBy,
    rules,
    startMutations: (of) => mutations.start(of),
  };
  const on = new Set(judgedBy.plugins.filter((name) => !left.has(name)));
  const plugins = ADMISSION_PLUGINS.filter((name) => on.has(name));
  let said: PodPolicyJudgement | undefined;
  const about = { request, context: withoutPolicies, plugins, gates };
  const uncalled: AdmissionContext = {
    ...NOTHING,
    ...withoutPolicies,
    askPolicies: (valid) =>
      (said = judgeByPolicies(valid, { ...about, undecided: [...known, ...mutations.undecided, ...notes.undecided] })),
  };
  const context: AdmissionContext = {
    ...NOTHING,
    ...uncalled,
    callWebhooks: (type, reached, round) => {
      notes.ask(type, reached, round, about);
    },
  };
  let stations = new AdmissionStations(plugins, context);
  const all = (): Omit<Judged, 'certain'> => {
    const found = [...undecided, ...mutations.undecided, ...notes.undecided];
    const webhooks = notes.called;
    if (said === undefined) return { steps, undecided: found, webhooks };
    const { doubt, report } = said;
    if (doubt === undefined) return { steps, undecided: found, webhooks, policyReport: report };
    return { steps, undecided: [...found, { plugin: POLICIES, missingKind: null, why: doubt }], webhooks };
  };
  const isUndecided = (by: string): boolean =>
    by !== POOLS &&
    [undecided, mutations.undecided, notes.undecided].some((list) => list.some(({ plugin }) => plugin === by));
  const refused = (refusal: Refusal, reason: string, reasons: readonly string[] = [reason]): RefusedPod => {
    const judged = all();
    const certain = isCertainRefusal(refusal, judged.undecided, stations.hasCalledWebhooks);
    return { outcome: 'refused', pod, refusal, reason, reasons, ...judged, certain };
  };
  try {
    const needsWhole = isKept && mutations.needsWhole(pod);
    if (needsWhole) {
      stations = new AdmissionStations(plugins, uncalled);
    }
    pod = stations.change(pod, (by, { before, after }, why, again) => {
      const patch = patchBetween(before, after, why);
      if (patch.length === 0 && isUndecided(by)) return;
      if (!again) steps.push({ by, type: 'mutating', patch });
      else if (patch.length > 0) steps.push({ by, type: 'mutating', patch, again });
    });
    // Policies see all of a pod, though only its kept fields are admitted.
    const wholly = needsWhole ? changeWholly(request, plugins, context) : undefined;
    if (needsWhole && wholly === undefined) mutations.doubtAny('what a policy makes of the pod does not decode');
    if (wholly !== undefined) {
      stations = new AdmissionStations(plugins, {
        ...context,
        request: { ...WHOLE, known: 'kept', whole: wholly.whole },
      });
      stations.hasCalledWebhooks = true;
      if (mutations.undecided.length === 0) {
        const patch = patchBetween(pod, wholly.kept, whyMutated);
        if (patch.length > 0) steps.push({ by: MUTATING_POLICIES, type: 'mutating', patch, again: true });
        pod = wholly.kept;
      }
    }
    pod = changed('preparation', pod, prepared(pod, context.request, rules), whyPrepared);
    const causes = faultsOf(pod, request, gates);
    if (causes.length > 0) return refused(invalid(pod, causes), aggregateText(causes), causes.map(fieldErrorText));
    steps.push({ by: 'validation', type: 'validating', patch: [] });
    const charged = stations.judge(pod, (by) => {
      if (isUndecided(by) || (by === POLICIES && said?.doubt !== undefined)) return;
      steps.push({ by, type: 'validating', patch: [] });
    });
    quotas = charged ?? quotas;
  } catch (error) {
    if (!(error instanceof AdmissionRefusal)) throw error;
    const { plugin, status, message, causes, reason, reasons } = error;
    return refused({ by: plugin, status, message, causes }, reason, reasons);
  }
  const stored = isKept ? defaultPod(pod) : asPod(defaultWholePod(pod));
  const patch = patchBetween(pod, stored, whyDefaultedAgain);
  if (patch.length > 0) steps.push({ by: 'defaults', type: 'mutating', patch, again: true });
  const judged = all();
  return {
    outcome: 'admitted',
    pod: stored,
    quotas,
    ...judged,
    certain: judged.undecided.length === 0,
    ...(missing && { missingRuntimeClass: missing }),
  };
}

/** As {@link admitPod}, with pauses between expressions of policies that cost much. */
export function* stepAdmitPod(request: PodToAdmit, into: ClusterAdmission): Generator<undefined, Admission> {
  const { work } = into.surroundings;
  return work === undefined ? admitPod(request, into) : yield* work.steps(() => admitPod(request, into));
}

/** A pod with what the plugins, policies and pools make of all of it, and of it the kept fields. */
function changeWholly(
  request: PodToAdmit,
  plugins: readonly AdmissionPluginName[],
  context: AdmissionContext,
): { readonly whole: WholePod; readonly kept: Pod } | undefined {
  const sent = wholeAsSent(request);
  if (sent === undefined) return undefined;
  const stations = new AdmissionStations(plugins, { ...context, request: WHOLE });
  const whole = stations.change(asPod(defaultWholePod(sent)), () => undefined);
  const kept = keptOf(whole);
  return kept && { whole, kept };
}

function faultsOf(pod: Pod, request: PodToAdmit, gates: TolerationGates): readonly FieldError[] {
  if (request.operation === 'update') {
    const faults = validatePodUpdate(pod, request.stored, gates);
    return request.pruned === true ? aboutKeptFields(faults) : faults;
  }
  const isKept = request.known === 'kept' || request.pruned === true;
  return isKept ? validateKeptPod(pod, gates, request.whole) : validatePreparedPod(pod, gates);
}

/** @param isAsSent whether nothing was dropped of the pod */
const defaultedKept = ({ pod, defaulted }: NewPod, isAsSent: boolean): Pod =>
  (isAsSent ? defaulted : undefined) ?? defaultPod(asPod(pod));

/** The request as a version reads it. */
function readBy<Request extends PodToAdmit>(request: Request, rules: KubernetesRules): Request {
  const stored = request.operation === 'update' ? request.stored.spec : undefined;
  const spec = dropUnreadFields(request.pod.spec as WholePod['spec'], rules, stored);
  return spec === request.pod.spec ? request : { ...request, pod: { ...request.pod, spec } };
}

function missingRuntimeClass(
  request: PodToAdmit,
  { findRuntimeClass, notLoaded = [] }: AdmissionSurroundings,
): MissingRuntimeClass | undefined {
  if (request.operation === 'update' || request.allowMissingRuntimeClass !== true) return undefined;
  const { runtimeClassName: name } = request.pod.spec;
  if (name === undefined || findRuntimeClass(name) !== undefined) return undefined;
  return { name, loaded: !notLoaded.includes('RuntimeClass') };
}

const requestOf = (request: PodToAdmit, whole: WholePod | undefined): AdmissionRequest =>
  request.operation === 'create'
    ? { operation: 'create', known: request.known ?? 'whole', ...(request.known === 'kept' && whole && { whole }) }
    : { operation: 'update', stored: asPod(request.stored) };

/** All of the pod, as far as it goes before the plugins. */
function wholeOf(request: PodToAdmit, pod: Pod, rules: KubernetesRules): WholePod | undefined {
  if (request.operation === 'create' && request.whole !== undefined) return newPod(request.whole, rules);
  const isWhole = request.pruned !== true && !(request.operation === 'create' && request.known === 'kept');
  return isWhole ? pod : undefined;
}

const CONTROLLER_WHY: ReadonlyMap<string, string> = new Map([
  [
    'DaemonSet',
    'the DaemonSet controller adds these tolerations, so that its pods run on nodes that are not ready, under pressure or cordoned',
  ],
  ['StatefulSet', 'the StatefulSet controller mounts a separate claim for each claim template'],
]);

/** `errors.NewInvalid`, k8s.io/apimachinery v0.36.2, pkg/api/errors/errors.go. */
function invalid({ metadata: { name } }: Pod, causes: readonly FieldError[]): Refusal {
  const message = `Pod ${quoteGo(name)} is invalid: ${aggregateText(causes)}`;
  return { by: 'validation', status: 422, message, causes };
}

const whyMutated = (): string => PLUGIN_OF.MutatingAdmissionPolicy.why('');

function whyPrepared(pointer: string): string {
  if (pointer.startsWith('/status')) return 'a new pod is Pending, and its QoS class follows from its resources';
  if (pointer.includes('/securityContext'))
    return 'the AppArmor profile of the annotation becomes that of the container';
  return 'matchLabelKeys are added to the label selector, and fields of disabled features are dropped';
}

/** As when the stored pod is read: `decode`, k8s.io/apiserver v0.36.2, pkg/storage/etcd3/store.go. */
const whyDefaultedAgain = (): string =>
  'the API server sets defaults again when it decodes the stored pod, now from what plugins have set';

function whyDefault(pointer: string): string {
  if (pointer === '/spec/resources' || pointer === '/spec/resourceClaims' || pointer.includes('/resources/claims')) {
    return 'the feature is off in this version';
  }
  if (pointer.includes('/resources/requests')) return 'a limit without a request becomes the request';
  if (pointer.endsWith('/hostPort')) return 'in the host network, a container port also becomes the host port';
  return 'the API server sets the default, or normalizes a quantity';
}
