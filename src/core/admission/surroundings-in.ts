import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import { THE_ONE } from '../cluster/setting.js';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../kubernetes/objects/admission-policies.js';
import type { ConfigMap } from '../kubernetes/objects/config-map.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { LimitRange, ResourceQuota } from '../kubernetes/objects/quota.js';
import type { PriorityClass, RuntimeClass } from '../kubernetes/objects/scheduling.js';
import type { ServiceAccount } from '../kubernetes/objects/service-account.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { poolRulesIn } from '../pools/pool-rules.js';
import { ADDING_WEBHOOK, REFUSING_WEBHOOK } from '../pools/webhook-names.js';
import {
  ADMISSION_PLUGINS,
  STOCK_ADMISSION,
  type AdmissionConfiguration,
  type AdmissionPluginName,
} from './admission-configuration.js';
import { LOOKED_UP_KINDS, type AdmissionSurroundings, type LookedUpKind } from './admission-plugins.js';
import { paramsIn } from './policies/params-in.js';
import { SYSTEM_PRIORITY_CLASSES } from './priority.js';
import { DEFAULT_SERVICE_ACCOUNT } from './service-account.js';
import { harmlessWebhooksOf, type ClusterWebhooks } from './webhooks/ask-webhooks.js';
import type { WebhookConfiguration } from './webhooks/match-webhook.js';

/**
 * The API server makes these itself, and again where they were deleted (k8s.io/kubernetes v1.36.2,
 * pkg/controlplane/controller/systemnamespaces).
 */
const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

/**
 * What the plugins look up for a pod of a namespace.
 *
 * @param now in milliseconds since the epoch
 * @param params ConfigMaps that count as stored, each with its namespace: policies may be given them
 */
export function surroundingsIn(
  state: ClusterState,
  namespace: string,
  now: number,
  params: readonly ConfigMap[] = [],
): AdmissionSurroundings {
  const pools = poolRulesIn(state, gatesOf(state.rules));
  const store = paramsIn(state, params);
  const found = namespaceIn(state, namespace);
  const isProvisioned =
    found === undefined && admissionConfigurationIn(state).otherPlugins?.includes('NamespaceAutoProvision') === true;
  return {
    namespace: isProvisioned ? emptyNamespace(namespace) : found,
    ...(isProvisioned && { isProvisioned }),
    limitRanges: state.objectsIn('LimitRange', namespace) as readonly LimitRange[],
    serviceAccounts: serviceAccountsIn(state, namespace),
    quotas: state.objectsIn('ResourceQuota', namespace) as readonly ResourceQuota[],
    priorityClasses: priorityClassesIn(state),
    findRuntimeClass: (name) => state.find('RuntimeClass', undefined, name) as RuntimeClass | undefined,
    runtimeClassNames: () => state.objects('RuntimeClass').map(({ metadata }) => metadata.name),
    ...(pools && { pools }),
    policies: {
      policies: state.objects('ValidatingAdmissionPolicy') as readonly ValidatingAdmissionPolicy[],
      bindings: state.objects('ValidatingAdmissionPolicyBinding') as readonly ValidatingAdmissionPolicyBinding[],
      params: store,
    },
    mutatingPolicies: {
      policies: state.objects('MutatingAdmissionPolicy') as readonly MutatingAdmissionPolicy[],
      bindings: state.objects('MutatingAdmissionPolicyBinding') as readonly MutatingAdmissionPolicyBinding[],
      params: store,
    },
    webhooks: webhooksIn(state, pools !== undefined),
    now,
    notLoaded: LOOKED_UP_KINDS.filter((kind) => !state.loadedKinds.has(kind) && !isStored(state, kind, namespace)),
  };
}

/** The pools' own webhooks are not called: this service knows what they answer. */
function webhooksIn(state: ClusterState, hasPools: boolean): ClusterWebhooks {
  const of = (kind: WebhookConfiguration['kind']): readonly WebhookConfiguration[] => {
    const configurations = state.objects(kind) as readonly WebhookConfiguration[];
    return hasPools ? configurations.map(withoutPools) : configurations;
  };
  const { harmlessWebhooks: harmless } = admissionConfigurationIn(state);
  return {
    mutating: of('MutatingWebhookConfiguration'),
    validating: of('ValidatingWebhookConfiguration'),
    ...defined({ harmless }),
  };
}

/** The webhooks of a cluster whose answers are taken for granted, because it is declared that they are harmless to placement. */
export const harmlessWebhooksIn = (state: ClusterState): readonly string[] =>
  admissionConfigurationIn(state).harmlessWebhooks === undefined ? [] : harmlessWebhooksOf(webhooksIn(state, false));

const withoutPools = <T extends WebhookConfiguration>(configuration: T): T => ({
  ...configuration,
  webhooks: (configuration.webhooks ?? []).filter(({ name }) => name !== ADDING_WEBHOOK && name !== REFUSING_WEBHOOK),
});

/** A namespace that is stored is known, though not all of them are. */
const isStored = (state: ClusterState, kind: LookedUpKind, namespace: string): boolean =>
  kind === 'Namespace' && state.find('Namespace', undefined, namespace) !== undefined;

/** The admission configuration of the cluster's API server; the default one where nothing has been declared. */
export function admissionConfigurationIn(state: ClusterState): AdmissionConfiguration {
  const setting = state.setting('AdmissionConfiguration', THE_ONE);
  // Checked when it was declared.
  return setting === undefined ? STOCK_ADMISSION : upToDate(setting.content as unknown as AdmissionConfiguration);
}

const LATELY_EVALUATED: readonly AdmissionPluginName[] = [
  'ServiceAccount',
  'PodSecurity',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
];

/** A configuration declared before a plugin was evaluated here lists it among the other plugins. */
function upToDate({ plugins, otherPlugins, ...rest }: AdmissionConfiguration): AdmissionConfiguration {
  const on = new Set<string>([...plugins, ...(otherPlugins ?? [])]);
  if (otherPlugins === undefined) for (const name of LATELY_EVALUATED) on.add(name);
  const evaluated = new Set<string>(ADMISSION_PLUGINS);
  return {
    ...rest,
    plugins: ADMISSION_PLUGINS.filter((name) => on.has(name)),
    ...(otherPlugins && { otherPlugins: otherPlugins.filter((name) => !evaluated.has(name)) }),
  };
}

function namespaceIn(state: ClusterState, name: string): Namespace | undefined {
  const stored = state.find('Namespace', undefined, name) as Namespace | undefined;
  if (stored !== undefined) return stored;
  const isCertain = state.loadedKinds.has('Namespace') && !SYSTEM_NAMESPACES.has(name);
  return isCertain ? undefined : emptyNamespace(name);
}

const emptyNamespace = (name: string): Namespace => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** The controller manager makes the account `default` in every namespace, and again where it was deleted. */
function serviceAccountsIn(state: ClusterState, namespace: string): readonly ServiceAccount[] {
  const stored = state.objectsIn('ServiceAccount', namespace) as readonly ServiceAccount[];
  return stored.some(({ metadata }) => metadata.name === DEFAULT_SERVICE_ACCOUNT)
    ? stored
    : [...stored, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: DEFAULT_SERVICE_ACCOUNT, namespace } }];
}

function priorityClassesIn(state: ClusterState): readonly PriorityClass[] {
  const stored = state.objects('PriorityClass') as readonly PriorityClass[];
  const names = new Set(stored.map(({ metadata }) => metadata.name));
  return [...stored, ...SYSTEM_PRIORITY_CLASSES.filter(({ metadata }) => !names.has(metadata.name))];
}
