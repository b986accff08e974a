import type { KeptKind } from '../kubernetes/kinds.js';
import type { LimitRange, ResourceQuota } from '../kubernetes/objects/quota.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { PriorityClass } from '../kubernetes/objects/scheduling.js';
import type { ServiceAccount } from '../kubernetes/objects/service-account.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { PoolRules } from '../pools/pool-rules.js';
import { namespaceNotFound, podForbidden, spokenName } from '../kubernetes/admission-refusal.js';
import { reviewQuotas } from '../quota/quota-admission.js';
import { pullAlways, requirePullAlways } from './always-pull-images.js';
import { limitAntiAffinityTopology } from './anti-affinity-topology.js';
import type { AdmissionConfiguration, AdmissionPluginName } from './admission-configuration.js';
import { withDefaultTolerations } from './default-toleration-seconds.js';
import { admitExtendedResources } from './extended-resource-toleration.js';
import { admitLimitRanges, validateLimitRanges } from './limit-ranger.js';
import { requireNamespace } from './namespace-lifecycle.js';
import { admitNodeSelector, validateNodeSelector } from './pod-node-selector.js';
import type { SecuredPod } from './pod-security/check.js';
import { withDroppedVolumes } from './pod-security/secured-pod.js';
import { enforcePodSecurity } from './pod-security/pod-security.js';
import type { MutatingPolicies } from './policies/mutating/mutating-admission-policy.js';
import type { AdmissionPolicies, PodPolicyJudgement } from './policies/validating-admission-policy.js';
import type { PolicyWork } from './policies/policy-work.js';
import { admitTolerationRestriction, validateTolerationRestriction } from './pod-toleration-restriction.js';
import { admitPriority, keepPriority } from './priority.js';
import {
  admitServiceAccount,
  judgeServiceAccount,
  nameServiceAccount,
  requireServiceAccount,
  validateServiceAccount,
} from './service-account.js';
import type { ClusterWebhooks, WebhookType } from './webhooks/ask-webhooks.js';
import { applyRuntimeClass, validateOverhead, type FindRuntimeClass } from './runtime-class.js';

/** What the plugins look up; of what a pod's namespace holds, all of it. */
export interface AdmissionSurroundings {
  /** The pod's namespace; undefined where it does not exist. */
  readonly namespace: Namespace | undefined;
  /** Whether the namespace does not exist, and stands here as NamespaceAutoProvision creates it. */
  readonly isProvisioned?: boolean;
  readonly limitRanges: readonly LimitRange[];
  /** Always with the account `default`. */
  readonly serviceAccounts: readonly ServiceAccount[];
  readonly quotas: readonly ResourceQuota[];
  /** Every PriorityClass of the cluster, those of the system included. */
  readonly priorityClasses: readonly PriorityClass[];
  readonly findRuntimeClass: FindRuntimeClass;
  /** Of every RuntimeClass; absent where nobody asks for a class that was meant. */
  readonly runtimeClassNames?: () => readonly string[];
  /** What the pools of the cluster say; absent where none is declared. */
  readonly pools?: PoolRules;
  /** Every ValidatingAdmissionPolicy of the cluster, and every binding; absent where there is none. */
  readonly policies?: AdmissionPolicies;
  /** Every MutatingAdmissionPolicy of the cluster, and every binding; absent where there is none. */
  readonly mutatingPolicies?: MutatingPolicies;
  /** Every webhook of the cluster but those of the pools; absent where there is none. */
  readonly webhooks?: ClusterWebhooks;
  /** Bounds what expressions of policies and webhooks cost in one request. */
  readonly work?: PolicyWork;
  /** In milliseconds since the epoch; whether a pod that is being deleted still counts hangs on it. */
  readonly now: number;
  /**
   * Kinds that no snapshot was ever complete for: what a plugin would find of them is not known, which is not the same as nothing.
   * Absent if everything is known.
   */
  readonly notLoaded?: readonly LookedUpKind[];
}

/** Kinds that plugins look up. */
export const LOOKED_UP_KINDS = [
  'Namespace',
  'LimitRange',
  'ServiceAccount',
  'ResourceQuota',
  'PriorityClass',
  'RuntimeClass',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
] as const;

export type LookedUpKind = (typeof LOOKED_UP_KINDS)[number] & KeptKind;

/** Whether all of a pod is known, or the fields that are kept. */
export type KnownFields = 'whole' | 'kept';

/** What is asked of the API server: a pod to be stored, or one to replace a stored one. */
export type AdmissionRequest =
  | {
      readonly operation: 'create';
      readonly known: KnownFields;
      /** All of the pod as it was before the plugins, where only the kept fields pass the plugins. */
      readonly whole?: WholePod;
    }
  | { readonly operation: 'update'; readonly stored: Pod };

export interface AdmissionContext {
  readonly request: AdmissionRequest;
  readonly surroundings: AdmissionSurroundings;
  readonly configuration: AdmissionConfiguration;
  readonly rules: KubernetesRules;
  /** What the cluster's policies say of a valid pod; absent before a pod is judged. */
  readonly askPolicies?: (pod: Pod) => PodPolicyJudgement;
  /** Takes a pod through the mutating policies; absent where there is none. */
  readonly startMutations?: (request: AdmissionRequest) => MutationStation | undefined;
  /** Notes which webhooks are called for a pod; absent where nobody wants to know. @throws {AdmissionRefusal} */
  readonly callWebhooks?: (type: WebhookType, pod: Pod, round: WebhookRound) => void;
}

/** The MutatingAdmissionPolicies, on the way of one pod. */
export interface MutationStation {
  /** @throws {AdmissionRefusal} */
  readonly change: (pod: Pod, round: 'first' | 'again') => Pod;
  /** Whether the plugins that change pods are asked again. */
  readonly requireReinvocation: boolean;
}

/** Webhooks are called once all plugins have changed a pod, again if it was changed after that, and those after the pools see what these added. */
export type WebhookRound = 'first' | 'pooled' | 'again';

/** One plugin: what it changes before validation, what it judges after, and why it changes what. Both throw `AdmissionRefusal`. */
export interface AdmissionPlugin {
  /** Whether it looks at updates too. */
  readonly updates: boolean;
  readonly admit?: (pod: Pod, context: AdmissionContext) => Pod;
  /** Gives the quotas of the namespace with the pod charged to them, where the plugin is the one that charges. */
  readonly validate?: (pod: Pod, context: AdmissionContext) => readonly ResourceQuota[] | undefined;
  /** Of a place in the pod, as a JSON pointer. */
  readonly why: (pointer: string) => string;
}

const asWhole = (pod: Pod): WholePod => pod;

/** Nothing that plugins change of a pod makes a difference to PodSecurity. */
function securedOf(pod: Pod, request: AdmissionRequest): SecuredPod {
  if (request.operation === 'update') return asWhole(pod);
  return request.whole ?? withDroppedVolumes(pod);
}

const storedOf = (request: AdmissionRequest): WholePod | undefined =>
  request.operation === 'update' ? asWhole(request.stored) : undefined;

const asPulled = (pod: Pod, request: AdmissionRequest): Pod =>
  pullAlways(asWhole(pod), storedOf(request)) as unknown as Pod;

const isKept = (request: AdmissionRequest): request is Extract<AdmissionRequest, { readonly operation: 'create' }> =>
  request.operation === 'create' && request.known === 'kept';

/** What each plugin does, by its name; the order is that of `ADMISSION_PLUGINS`. */
export const PLUGIN_OF: Readonly<Record<AdmissionPluginName, AdmissionPlugin>> = {
  NamespaceLifecycle: {
    updates: true,
    admit(pod, { request, surroundings }) {
      requireNamespace(pod, surroundings.namespace, request.operation);
      return pod;
    },
    why: () => '',
  },
  NamespaceExists: {
    updates: true,
    validate({ metadata: { namespace = '' } }, { surroundings }) {
      if (surroundings.namespace === undefined) throw namespaceNotFound('NamespaceExists', namespace);
      return undefined;
    },
    why: () => '',
  },
  LimitPodHardAntiAffinityTopology: {
    updates: true,
    validate(pod) {
      limitAntiAffinityTopology(pod);
      return undefined;
    },
    why: () => '',
  },
  LimitRanger: {
    updates: false,
    admit: (pod, { surroundings }) => admitLimitRanges(pod, surroundings.limitRanges),
    validate(pod, { surroundings }) {
      validateLimitRanges(pod, surroundings.limitRanges);
      return undefined;
    },
    why: (pointer) =>
      pointer.startsWith('/metadata')
        ? 'the plugin records what it has set'
        : 'a LimitRange of the namespace sets defaults for containers without their own',
  },
  ServiceAccount: {
    updates: false,
    admit(pod, { request, surroundings: { serviceAccounts } }) {
      if (!isKept(request)) return admitServiceAccount(asWhole(pod), serviceAccounts) as unknown as Pod;
      if (request.whole !== undefined) judgeServiceAccount(request.whole, serviceAccounts);
      const named = nameServiceAccount(pod);
      requireServiceAccount(named, serviceAccounts);
      return named;
    },
    validate(pod, { request, surroundings: { serviceAccounts } }) {
      if (isKept(request)) requireServiceAccount(pod, serviceAccounts);
      else validateServiceAccount(asWhole(pod), serviceAccounts);
      return undefined;
    },
    why(pointer) {
      if (pointer.startsWith('/spec/imagePullSecrets')) return 'the pull secrets of the service account';
      return pointer.startsWith('/spec/serviceAccount')
        ? 'a pod that names no service account runs as default'
        : 'the token of the service account, unless the pod or the account says otherwise';
    },
  },
  // Has to do with nodes alone.
  TaintNodesByCondition: { updates: false, why: () => '' },
  // Pull policies are not among the kept fields.
  AlwaysPullImages: {
    updates: true,
    admit: (pod, { request }) => (isKept(request) ? pod : asPulled(pod, request)),
    validate(pod, { request }) {
      if (!isKept(request)) requirePullAlways(asWhole(pod), storedOf(request));
      return undefined;
    },
    why: () => 'the plugin makes nodes pull every image again, so that nobody uses one without its credentials',
  },
  PodSecurity: {
    updates: true,
    validate(pod, { request, surroundings: { namespace }, configuration: { podSecurity: configuration } }) {
      enforcePodSecurity(pod, securedOf(pod, request), {
        namespace,
        configuration,
        ...(request.operation === 'update' && { stored: asWhole(request.stored) }),
      });
      return undefined;
    },
    why: () => '',
  },
  PodNodeSelector: {
    updates: false,
    admit: (pod, { surroundings, configuration }) =>
      admitNodeSelector(pod, surroundings.namespace, configuration.clusterNodeSelectors),
    validate(pod, { surroundings, configuration }) {
      validateNodeSelector(pod, surroundings.namespace, configuration.clusterNodeSelectors);
      return undefined;
    },
    why: () => 'the node selector of the namespace, or of the cluster, is added to every new pod',
  },
  Priority: {
    updates: true,
    admit: (pod, { request, surroundings }) =>
      request.operation === 'create'
        ? admitPriority(pod, surroundings.priorityClasses)
        : keepPriority(pod, request.stored),
    why: (pointer) =>
      pointer === '/spec/priorityClassName'
        ? 'the global default PriorityClass'
        : 'from the PriorityClass, or the default for a pod without one; an update keeps the stored value',
  },
  DefaultTolerationSeconds: {
    updates: true,
    admit: (pod, { configuration }) => withDefaultTolerations(pod, configuration.defaultTolerations),
    why: () => 'a pod without a toleration for not-ready or unreachable nodes gets one with the default time',
  },
  PodTolerationRestriction: {
    updates: true,
    admit: (pod, { request, surroundings, configuration }) =>
      admitTolerationRestriction(
        pod,
        surroundings.namespace,
        configuration.tolerationRestriction ?? {},
        request.operation,
      ),
    validate(pod, { surroundings, configuration }) {
      validateTolerationRestriction(pod, surroundings.namespace, configuration.tolerationRestriction ?? {});
      return undefined;
    },
    why: () =>
      'the default tolerations of the namespace, or of the cluster, and that of memory pressure unless the pod is BestEffort, merged',
  },
  ExtendedResourceToleration: {
    updates: true,
    admit: (pod) => admitExtendedResources(pod),
    why: () => 'a container requests the extended resource of that name, with which nodes may be tainted',
  },
  RuntimeClass: {
    updates: false,
    admit: (pod, { surroundings }) => applyRuntimeClass(pod, surroundings.findRuntimeClass),
    validate(pod, { surroundings }) {
      validateOverhead(pod, surroundings.findRuntimeClass);
      return undefined;
    },
    why(pointer) {
      if (pointer.startsWith('/spec/overhead'))
        return 'the overhead of the RuntimeClass, which is added to the requests';
      if (pointer.startsWith('/spec/nodeSelector')) return 'from scheduling.nodeSelector of the RuntimeClass';
      return "from scheduling.tolerations of the RuntimeClass, merged with the pod's own";
    },
  },
  // Asked by the stations, which know whether it is for the first time.
  MutatingAdmissionPolicy: {
    updates: true,
    admit: (pod) => pod,
    why: () => 'a MutatingAdmissionPolicy of the cluster, or a default for what it sets',
  },
  // Called by the stations, before the pools.
  MutatingAdmissionWebhook: { updates: true, admit: (pod) => pod, why: () => '' },
  ValidatingAdmissionPolicy: {
    updates: true,
    validate(pod, { askPolicies }) {
      const refusal = askPolicies?.(pod).refusal;
      if (refusal !== undefined) throw refusal;
      return undefined;
    },
    why: () => '',
  },
  ValidatingAdmissionWebhook: {
    updates: true,
    validate(pod, { callWebhooks }) {
      callWebhooks?.('validating', pod, 'first');
      return undefined;
    },
    why: () => '',
  },
  ResourceQuota: {
    updates: true,
    validate(pod, { request, surroundings: { quotas, now }, configuration: { limitedResources }, rules }) {
      const review = reviewQuotas(
        quotas,
        request.operation === 'create'
          ? { operation: 'create', pod }
          : { operation: 'update', pod, oldPod: request.stored },
        { now, rules, ...(limitedResources && { limited: limitedResources }) },
      );
      if (review.outcome === 'refused') throw review.refusal;
      return review.quotas;
    },
    why: () => '',
  },
  AlwaysDeny: {
    updates: true,
    admit(pod) {
      throw podForbidden('AlwaysDeny', spokenName(pod), DENYING);
    },
    why: () => '',
  },
};

/** Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/deny/admission.go. */
export const DENYING = 'admission control is denying all modifications';
