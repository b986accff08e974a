import type { Cause } from '../kubernetes/admission-refusal.js';
import { quoteGo } from '../kubernetes/go-text.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { AdmissionConfiguration, AdmissionPluginName } from './admission-configuration.js';
import { asksWebhooks, POOLS } from './admission-stations.js';
import type { AdmissionSurroundings, LookedUpKind } from './admission-plugins.js';
import { OTHER_PLUGINS } from './other-plugins.js';
import { questionedOwner } from './owner-references.js';
import type { SecuredPod } from './pod-security/check.js';
import { NAME as MUTATING_POLICIES } from './policies/mutating/mutating-admission-policy.js';
import { podSecurityDoubt } from './pod-security/pod-security.js';
import { DEFAULT_SERVICE_ACCOUNT, isMirrorPod, restrictsSecrets } from './service-account.js';
import { SYSTEM_PRIORITY_CLASSES } from './priority.js';
import { WEBHOOK_PLUGIN } from './webhooks/ask-webhooks.js';

/** A plugin that is on, or the pools, whose part is not known; also one that is never evaluated here and may refuse or change the pod. */
export interface UndecidedPlugin {
  readonly plugin: string;
  /** What it looks up and no snapshot had; null where something else is not known. */
  readonly missingKind: LookedUpKind | null;
  readonly why: string;
}

/** What a manifest in question and its operation say of which plugins matter. */
interface Asked {
  readonly operation: 'create' | 'update';
  readonly pod: WholePod | Pod;
  /** All of the pod; absent where only the kept fields are known. */
  readonly whole?: WholePod | undefined;
  /** The pod, if everything is known of it that PodSecurity reads. */
  readonly secured?: SecuredPod | undefined;
  /** The pod that is replaced. */
  readonly stored?: WholePod | Pod | undefined;
  /** Whether the controller of a workload sends the pod. */
  readonly isOfController?: boolean;
}

/** The configuration with only those plugins of which everything that they look up is known. */
export function judgeable(
  configuration: AdmissionConfiguration,
  surroundings: Omit<AdmissionSurroundings, 'now' | 'quotas' | 'limitRanges' | 'priorityClasses' | 'findRuntimeClass'>,
  asked: Asked,
): { readonly judged: AdmissionConfiguration; readonly undecided: readonly UndecidedPlugin[] } {
  const { notLoaded = [], pools } = surroundings;
  const ofPools = undecidedPools(configuration, pools, asked);
  const ofPlugins = configuration.plugins.flatMap((plugin): readonly UndecidedPlugin[] => {
    if (plugin === 'PodSecurity') return undecidedPodSecurity(configuration, surroundings, asked);
    if (plugin === 'ServiceAccount' && !notLoaded.includes(plugin)) return undecidedSecrets(surroundings, asked);
    if (plugin === 'ValidatingAdmissionPolicy') return undecidedPolicies(surroundings);
    const need = NEEDS.get(plugin);
    if (need === undefined || !notLoaded.includes(need.kind) || !need.matters(asked)) return [];
    const { kind, of } = need;
    return [{ plugin, missingKind: kind, why: `${kind} was never loaded: ${of(asked)} is not known` }];
  });
  const undecided = [
    ...ofPlugins,
    ...undecidedMutations(configuration, surroundings),
    ...undecidedWebhooks(configuration, surroundings),
    ...ofPools,
    ...undecidedOthers(configuration, surroundings, asked),
  ];
  if (ofPlugins.length === 0) return { judged: configuration, undecided };
  const left = new Set(ofPlugins.map(({ plugin }) => plugin));
  return {
    judged: { ...configuration, plugins: configuration.plugins.filter((plugin) => !left.has(plugin)) },
    undecided,
  };
}

/** A pool of which it is not known whether the pod may use it adds nothing and refuses nobody; the others do as they would. */
function undecidedPools(
  configuration: AdmissionConfiguration,
  pools: AdmissionSurroundings['pools'],
  { pod }: Asked,
): readonly UndecidedPlugin[] {
  if (pools === undefined || !(asksWebhooks(configuration, 'mutating') || asksWebhooks(configuration, 'validating')))
    return [];
  return pools.add(pod as Pod).unknown.map(({ pool, missing }) => ({
    plugin: POOLS,
    missingKind: 'Namespace',
    why: `whether this pod may use pool ${pool.name} depends on ${missing}, which are not known`,
  }));
}

/** Plugins that are on and are not evaluated here, as far as they may refuse or change the pod. */
function undecidedOthers(
  { otherPlugins = [] }: AdmissionConfiguration,
  { isProvisioned = false }: Pick<AdmissionSurroundings, 'isProvisioned'>,
  { pod, whole, stored, isOfController = false }: Asked,
): readonly UndecidedPlugin[] {
  if (otherPlugins.length === 0) return [];
  const { ownerReferences = [] } = (whole ?? pod).metadata;
  const former = stored === undefined ? undefined : (stored.metadata.ownerReferences ?? []);
  const asked = {
    provisioned: isProvisioned ? (pod.metadata.namespace ?? '') : undefined,
    isMirrorPod: isMirrorPod(pod.metadata),
    owner: isOfController ? undefined : questionedOwner(ownerReferences, former, whole !== undefined),
  };
  return OTHER_PLUGINS.flatMap(({ name, doubt }) => {
    const why = otherPlugins.includes(name) ? doubt?.(asked) : undefined;
    return why === undefined ? [] : [{ plugin: name, missingKind: null, why }];
  });
}

/** To which secrets a pod refers is not among its kept fields. */
function undecidedSecrets(
  { serviceAccounts }: Pick<AdmissionSurroundings, 'serviceAccounts'>,
  { operation, pod, whole }: Asked,
): readonly UndecidedPlugin[] {
  if (operation === 'update' || whole !== undefined || isMirrorPod(pod.metadata)) return [];
  const name = accountNameOf(pod);
  const account = serviceAccounts.find(({ metadata }) => metadata.name === name);
  if (account === undefined || !restrictsSecrets(account)) return [];
  const why = `service account ${quoteGo(name)} restricts the secrets of its pods, and references to secrets are not stored`;
  return [{ plugin: 'ServiceAccount', missingKind: null, why }];
}

function undecidedPodSecurity(
  { podSecurity }: AdmissionConfiguration,
  { namespace, notLoaded = [] }: Pick<AdmissionSurroundings, 'namespace' | 'notLoaded'>,
  { pod, secured }: Asked,
): readonly UndecidedPlugin[] {
  const isKnown = !notLoaded.includes('Namespace');
  if (isKnown && namespace === undefined) return [];
  const labels = isKnown ? (namespace?.metadata.labels ?? {}) : undefined;
  const why = podSecurityDoubt({ namespace: pod.metadata.namespace ?? '', labels, whole: secured }, podSecurity);
  return why === undefined ? [] : [{ plugin: 'PodSecurity', missingKind: isKnown ? null : 'Namespace', why }];
}

function undecidedPolicies({
  policies,
  notLoaded = [],
}: Pick<AdmissionSurroundings, 'policies' | 'notLoaded'>): readonly UndecidedPlugin[] {
  const missing = missingPolicies('ValidatingAdmissionPolicy', policies, notLoaded);
  if (missing === undefined) return [];
  const why = `${missing} was never loaded: which policies the pod has to meet is not known`;
  return [{ plugin: 'ValidatingAdmissionPolicy', missingKind: missing, why }];
}

function undecidedMutations(
  { plugins }: AdmissionConfiguration,
  { mutatingPolicies, notLoaded = [] }: Pick<AdmissionSurroundings, 'mutatingPolicies' | 'notLoaded'>,
): readonly UndecidedPlugin[] {
  const missing = missingPolicies(MUTATING_POLICIES, mutatingPolicies, notLoaded);
  if (missing === undefined || !plugins.includes(MUTATING_POLICIES)) return [];
  const why = `${missing} was never loaded: which policies change the pod is not known`;
  return [{ plugin: MUTATING_POLICIES, missingKind: missing, why }];
}

/** The kind that is missing to know the policies: one without a binding says nothing, nor does a binding without a policy. */
function missingPolicies<T extends 'ValidatingAdmissionPolicy' | 'MutatingAdmissionPolicy'>(
  policy: T,
  known: { readonly policies: readonly unknown[]; readonly bindings: readonly unknown[] } | undefined,
  notLoaded: readonly LookedUpKind[],
): T | `${T}Binding` | undefined {
  const binding = `${policy}Binding` as const;
  const missing = [policy, binding].find((kind) => notLoaded.includes(kind));
  if (missing === undefined) return undefined;
  const isNone = missing === policy ? known?.bindings.length === 0 : known?.policies.length === 0;
  return isNone && !(notLoaded.includes(policy) && notLoaded.includes(binding)) ? undefined : missing;
}

/** Those that are stored are asked all the same. */
function undecidedWebhooks(
  configuration: AdmissionConfiguration,
  { notLoaded = [] }: Pick<AdmissionSurroundings, 'notLoaded'>,
): readonly UndecidedPlugin[] {
  return WEBHOOK_KINDS.flatMap(([type, kind]) => {
    if (!notLoaded.includes(kind) || !asksWebhooks(configuration, type)) return [];
    const why = `${kind} was never loaded: which webhooks are called for the pod is not known`;
    return [{ plugin: WEBHOOK_PLUGIN[type], missingKind: kind, why }];
  });
}

const WEBHOOK_KINDS = [
  ['mutating', 'MutatingWebhookConfiguration'],
  ['validating', 'ValidatingWebhookConfiguration'],
] as const;

/** RuntimeClass, where the class that a pod names is not stored. */
export const undecidedRuntimeClass = (name: string): UndecidedPlugin => ({
  plugin: 'RuntimeClass',
  missingKind: 'RuntimeClass',
  why: `RuntimeClass ${quoteGo(name)} is not stored`,
});

/** What is not known of the plugins that change a pod; undefined if nothing. */
export function changesUnknown(undecided: readonly UndecidedPlugin[]): string | undefined {
  const first = undecided.find(
    ({ plugin, missingKind }) => CHANGE_PODS.has(plugin) || (isOfCluster(plugin) && missingKind === null),
  );
  return first === undefined ? undefined : `${first.plugin} may change it: ${first.why}`;
}

const CHANGE_PODS: ReadonlySet<string> = new Set([
  'LimitRanger',
  'ServiceAccount',
  'PodNodeSelector',
  'Priority',
  'PodTolerationRestriction',
  'RuntimeClass',
  POOLS,
]);

/** Whether what was not asked are webhooks or policies of the cluster, which may change anything of a pod. */
export const isOfCluster = (plugin: string): boolean =>
  plugin === WEBHOOK_PLUGIN.mutating || plugin === MUTATING_POLICIES;

/**
 * What keeps the verdict on a pod from being certain: a webhook is called, or PodSecurity, ServiceAccount or a policy, which lack no kind
 * but fields of the pod, a user or a value, did not decide. Kinds that were never loaded are left to whoever wants to know.
 */
export const admissionDoubt = ({
  undecided,
}: {
  readonly undecided: readonly UndecidedPlugin[];
}): UndecidedPlugin | undefined => undecided.find(({ missingKind }) => missingKind === null);

interface PermissionRequirement {
  readonly kind: LookedUpKind;
  readonly matters: (asked: Asked) => boolean;
  readonly of: (asked: Asked) => string;
}

const always = (): boolean => true;
const onCreate = ({ operation }: Asked): boolean => operation === 'create';

const NEEDS: ReadonlyMap<AdmissionPluginName, PermissionRequirement> = new Map<
  AdmissionPluginName,
  PermissionRequirement
>([
  [
    'NamespaceLifecycle',
    { kind: 'Namespace', matters: always, of: () => 'whether the namespace exists and accepts new objects' },
  ],
  ['NamespaceExists', { kind: 'Namespace', matters: always, of: () => 'whether the namespace exists' }],
  [
    'LimitRanger',
    { kind: 'LimitRange', matters: onCreate, of: () => 'which default limits and constraints the namespace has' },
  ],
  [
    'ServiceAccount',
    {
      kind: 'ServiceAccount',
      matters: (asked) => onCreate(asked) && !isMirrorPod(asked.pod.metadata),
      of: ({ pod }) =>
        `whether service account ${quoteGo(accountNameOf(pod))} exists, and which pull secrets and token it adds`,
    },
  ],
  ['PodNodeSelector', { kind: 'Namespace', matters: onCreate, of: () => 'the node selector of the namespace' }],
  [
    'Priority',
    {
      kind: 'PriorityClass',
      // The API server's own classes are known all the same.
      matters: (asked) =>
        onCreate(asked) &&
        !SYSTEM_PRIORITY_CLASSES.some(({ metadata }) => metadata.name === asked.pod.spec.priorityClassName),
      of({ pod }) {
        const { priorityClassName = '' } = pod.spec;
        return priorityClassName === ''
          ? 'the default priority'
          : `the priority of class ${quoteGo(priorityClassName)}`;
      },
    },
  ],
  [
    'PodTolerationRestriction',
    { kind: 'Namespace', matters: always, of: () => 'which tolerations the namespace adds and allows' },
  ],
  [
    'RuntimeClass',
    {
      kind: 'RuntimeClass',
      matters: (asked) => onCreate(asked) && asked.pod.spec.runtimeClassName !== undefined,
      of: ({ pod }) =>
        `which overhead, node selector and tolerations class ${quoteGo(pod.spec.runtimeClassName ?? '')} adds`,
    },
  ],
  ['ResourceQuota', { kind: 'ResourceQuota', matters: always, of: () => 'what the quotas of the namespace allow' }],
]);

function accountNameOf({ spec: { serviceAccountName = '' } }: Asked['pod']): string {
  return serviceAccountName === '' ? DEFAULT_SERVICE_ACCOUNT : serviceAccountName;
}

/** What the quotas see hangs on what these give to the pod. */
const BEFORE_QUOTAS: ReadonlySet<string> = new Set(['LimitRanger', 'Priority', 'RuntimeClass']);

/**
 * Whether a pod is refused also if the plugins that were not asked change it.
 *
 * @param isAfterWebhooks whether it was refused after webhooks and policies of the cluster may have changed it
 */
export function isCertainRefusal(
  { by, causes }: { readonly by: string; readonly causes: readonly Cause[] },
  undecided: readonly UndecidedPlugin[],
  isAfterWebhooks: boolean,
): boolean {
  if (by === 'AlwaysDeny') return true;
  if (isAfterWebhooks && undecided.some(({ plugin }) => isOfCluster(plugin))) return false;
  if (by === 'ResourceQuota') return !undecided.some(({ plugin }) => BEFORE_QUOTAS.has(plugin));
  // A default request can make resources valid, such as hugepages with neither cpu nor memory.
  const isOfResources = by === 'validation' && causes.every(({ field }) => field.includes('resources'));
  return !isOfResources || !undecided.some(({ plugin }) => plugin === 'LimitRanger');
}
