import type { GoField, GoStruct, GoType } from '../kubernetes/go-decoding.js';
import { EXTENSION_POINTS, type ArgumentsOwner } from './configuration-types.js';

const scalar = (kind: 'string' | 'bool' | 'int32' | 'int64' | 'float32', name: string = kind): GoType => ({
  kind,
  name,
});
const STRING = scalar('string');
const BOOL = scalar('bool');
const INT32 = scalar('int32');
const INT64 = scalar('int64');
const BYTES: GoType = { kind: 'bytes', name: '[]uint8' };
const DURATION: GoType = { kind: 'duration', name: 'v1.Duration' };
const RAW: GoType = { kind: 'raw', name: 'runtime.RawExtension' };

const list = (of: GoType): GoType => ({ kind: 'list', name: `[]${of.name}`, of });
const map = (of: GoType): GoType => ({ kind: 'map', name: `map[string]${of.name}`, of });
/** A field that is always written. */
const always = (type: GoType): GoField => ({ type, pointer: false, omitEmpty: false });
const omitEmpty = (type: GoType): GoField => ({ type, pointer: false, omitEmpty: true });
const pointer = (type: GoType): GoField => ({ type, pointer: true, omitEmpty: true });

function struct(name: string, fields: Readonly<Record<string, GoField>>): GoStruct {
  return { kind: 'struct', name, label: name.replace(/^.*\./, ''), fields: new Map(Object.entries(fields)) };
}

/** A struct with `metav1.TypeMeta` in it. */
const kind = (name: string, fields: Readonly<Record<string, GoField>>): GoStruct =>
  struct(name, { kind: omitEmpty(STRING), apiVersion: omitEmpty(STRING), ...fields });

/** `metav1.TypeMeta` by itself, as a document's kind is read before anything else of it. */
export const TYPE_META: GoStruct = {
  ...struct('', { apiVersion: omitEmpty(STRING), kind: omitEmpty(STRING) }),
  name: String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`,
};

const RESOURCE_SPEC = struct('v1.ResourceSpec', { name: always(STRING), weight: omitEmpty(INT64) });
const SHAPE_POINT = struct('v1.UtilizationShapePoint', { utilization: always(INT32), score: always(INT32) });

const REQUIREMENT_FIELDS = (operator: string): Readonly<Record<string, GoField>> => ({
  key: always(STRING),
  operator: always(scalar('string', operator)),
  values: omitEmpty(list(STRING)),
});
const NODE_REQUIREMENT = struct('v1.NodeSelectorRequirement', REQUIREMENT_FIELDS('v1.NodeSelectorOperator'));
const NODE_TERM = struct('v1.NodeSelectorTerm', {
  matchExpressions: omitEmpty(list(NODE_REQUIREMENT)),
  matchFields: omitEmpty(list(NODE_REQUIREMENT)),
});
const NODE_SELECTOR = struct('v1.NodeSelector', { nodeSelectorTerms: always(list(NODE_TERM)) });
const PREFERRED_TERM = struct('v1.PreferredSchedulingTerm', { weight: always(INT32), preference: always(NODE_TERM) });
const NODE_AFFINITY = struct('v1.NodeAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: pointer(NODE_SELECTOR),
  preferredDuringSchedulingIgnoredDuringExecution: omitEmpty(list(PREFERRED_TERM)),
});
const LABEL_REQUIREMENT = struct('v1.LabelSelectorRequirement', REQUIREMENT_FIELDS('v1.LabelSelectorOperator'));
const LABEL_SELECTOR = struct('v1.LabelSelector', {
  matchLabels: omitEmpty(map(STRING)),
  matchExpressions: omitEmpty(list(LABEL_REQUIREMENT)),
});
const SPREAD_CONSTRAINT = struct('v1.TopologySpreadConstraint', {
  maxSkew: always(INT32),
  topologyKey: always(STRING),
  whenUnsatisfiable: always(scalar('string', 'v1.UnsatisfiableConstraintAction')),
  labelSelector: pointer(LABEL_SELECTOR),
  minDomains: pointer(INT32),
  nodeAffinityPolicy: pointer(scalar('string', 'v1.NodeInclusionPolicy')),
  nodeTaintsPolicy: pointer(scalar('string', 'v1.NodeInclusionPolicy')),
  matchLabelKeys: omitEmpty(list(STRING)),
});
const SCORING_STRATEGY = struct('v1.ScoringStrategy', {
  type: omitEmpty(scalar('string', 'v1.ScoringStrategyType')),
  resources: omitEmpty(list(RESOURCE_SPEC)),
  requestedToCapacityRatio: pointer(
    struct('v1.RequestedToCapacityRatioParam', { shape: omitEmpty(list(SHAPE_POINT)) }),
  ),
});

/**
 * The arguments that Kubernetes knows, by the plugin that takes them.
 *
 * Source: k8s.io/kube-scheduler v0.36.2, config/v1/types_pluginargs.go.
 */
const ARGUMENTS: Readonly<Record<ArgumentsOwner, GoStruct>> = {
  DefaultPreemption: kind('v1.DefaultPreemptionArgs', {
    minCandidateNodesPercentage: pointer(INT32),
    minCandidateNodesAbsolute: pointer(INT32),
  }),
  DynamicResources: kind('v1.DynamicResourcesArgs', {
    filterTimeout: pointer(DURATION),
    bindingTimeout: pointer(DURATION),
  }),
  InterPodAffinity: kind('v1.InterPodAffinityArgs', {
    hardPodAffinityWeight: pointer(INT32),
    ignorePreferredTermsOfExistingPods: always(BOOL),
  }),
  NodeAffinity: kind('v1.NodeAffinityArgs', { addedAffinity: pointer(NODE_AFFINITY) }),
  NodeResourcesBalancedAllocation: kind('v1.NodeResourcesBalancedAllocationArgs', {
    resources: omitEmpty(list(RESOURCE_SPEC)),
  }),
  NodeResourcesFit: kind('v1.NodeResourcesFitArgs', {
    ignoredResources: omitEmpty(list(STRING)),
    ignoredResourceGroups: omitEmpty(list(STRING)),
    scoringStrategy: pointer(SCORING_STRATEGY),
  }),
  PodTopologySpread: kind('v1.PodTopologySpreadArgs', {
    defaultConstraints: omitEmpty(list(SPREAD_CONSTRAINT)),
    defaultingType: omitEmpty(scalar('string', 'v1.PodTopologySpreadConstraintsDefaulting')),
  }),
  VolumeBinding: kind('v1.VolumeBindingArgs', {
    bindTimeoutSeconds: pointer(INT64),
    shape: omitEmpty(list(SHAPE_POINT)),
  }),
};

/** The arguments of a plugin, if it is one that Kubernetes knows arguments of. */
export function argumentsOf(plugin: string): GoStruct | undefined {
  return isArgumentsOwner(plugin) ? ARGUMENTS[plugin] : undefined;
}

export const isArgumentsOwner = (plugin: string): plugin is ArgumentsOwner => Object.hasOwn(ARGUMENTS, plugin);

const PLUGIN = struct('v1.Plugin', { name: always(STRING), weight: pointer(INT32) });
const PLUGIN_SET = struct('v1.PluginSet', { enabled: omitEmpty(list(PLUGIN)), disabled: omitEmpty(list(PLUGIN)) });
const PLUGINS = struct(
  'v1.Plugins',
  Object.fromEntries([...EXTENSION_POINTS, 'multiPoint'].map((point) => [point, omitEmpty(PLUGIN_SET)])),
);
const PLUGIN_CONFIG = struct('v1.PluginConfig', { name: always(STRING), args: omitEmpty(RAW) });
const PROFILE = struct('v1.KubeSchedulerProfile', {
  schedulerName: pointer(STRING),
  percentageOfNodesToScore: pointer(INT32),
  plugins: pointer(PLUGINS),
  pluginConfig: omitEmpty(list(PLUGIN_CONFIG)),
});
const TLS_CONFIG = struct('v1.ExtenderTLSConfig', {
  insecure: omitEmpty(BOOL),
  serverName: omitEmpty(STRING),
  certFile: omitEmpty(STRING),
  keyFile: omitEmpty(STRING),
  caFile: omitEmpty(STRING),
  certData: omitEmpty(BYTES),
  keyData: omitEmpty(BYTES),
  caData: omitEmpty(BYTES),
});
const MANAGED_RESOURCE = struct('v1.ExtenderManagedResource', {
  name: always(STRING),
  ignoredByScheduler: omitEmpty(BOOL),
});
const EXTENDER_FIELDS: Readonly<Record<string, GoField>> = {
  urlPrefix: always(STRING),
  filterVerb: omitEmpty(STRING),
  preemptVerb: omitEmpty(STRING),
  prioritizeVerb: omitEmpty(STRING),
  weight: omitEmpty(INT64),
  bindVerb: omitEmpty(STRING),
  tlsConfig: pointer(TLS_CONFIG),
  nodeCacheCapable: omitEmpty(BOOL),
  managedResources: omitEmpty(list(MANAGED_RESOURCE)),
  ignorable: omitEmpty(BOOL),
};
const EXTENDER = struct('v1.Extender', {
  ...EXTENDER_FIELDS,
  enableHTTPS: omitEmpty(BOOL),
  httpTimeout: omitEmpty(DURATION),
});
const LEADER_ELECTION = struct('v1alpha1.LeaderElectionConfiguration', {
  leaderElect: pointer(BOOL),
  leaseDuration: always(DURATION),
  renewDeadline: always(DURATION),
  retryPeriod: always(DURATION),
  resourceLock: always(STRING),
  resourceName: always(STRING),
  resourceNamespace: always(STRING),
});
const CLIENT_CONNECTION = struct('v1alpha1.ClientConnectionConfiguration', {
  kubeconfig: always(STRING),
  acceptContentTypes: always(STRING),
  contentType: always(STRING),
  qps: always(scalar('float32')),
  burst: always(INT32),
});

/** Source: k8s.io/kube-scheduler v0.36.2, config/v1/types.go. */
const CONFIGURATION = kind('v1.KubeSchedulerConfiguration', {
  parallelism: pointer(INT32),
  leaderElection: always(LEADER_ELECTION),
  clientConnection: always(CLIENT_CONNECTION),
  enableProfiling: pointer(BOOL),
  enableContentionProfiling: pointer(BOOL),
  percentageOfNodesToScore: pointer(INT32),
  podInitialBackoffSeconds: pointer(INT64),
  podMaxBackoffSeconds: pointer(INT64),
  profiles: omitEmpty(list(PROFILE)),
  extenders: omitEmpty(list(EXTENDER)),
  delayCacheUntilActive: omitEmpty(BOOL),
});

/** Every kind of kubescheduler.config.k8s.io/v1, by its name. */
export const KINDS_OF_V1: ReadonlyMap<string, GoStruct> = new Map([
  ['KubeSchedulerConfiguration', CONFIGURATION],
  ...Object.entries(ARGUMENTS).map(([plugin, type]): [string, GoStruct] => [`${plugin}Args`, type]),
]);

/**
 * The legacy Policy, as Kubernetes read it last: an extender's timeout is nanoseconds, and `enableHttps` is spelt so.
 *
 * Source: k8s.io/kube-scheduler v0.22, config/v1/legacy_types.go.
 */
export const POLICY: GoStruct = kind('v1.Policy', {
  predicates: omitEmpty(
    list(
      struct('v1.PredicatePolicy', {
        name: always(STRING),
        argument: pointer(
          struct('v1.PredicateArgument', {
            serviceAffinity: pointer(struct('v1.ServiceAffinity', { labels: always(list(STRING)) })),
            labelsPresence: pointer(
              struct('v1.LabelsPresence', { labels: always(list(STRING)), presence: always(BOOL) }),
            ),
          }),
        ),
      }),
    ),
  ),
  priorities: omitEmpty(
    list(
      struct('v1.PriorityPolicy', {
        name: always(STRING),
        weight: always(INT64),
        argument: pointer(
          struct('v1.PriorityArgument', {
            serviceAntiAffinity: pointer(struct('v1.ServiceAntiAffinity', { label: always(STRING) })),
            labelPreference: pointer(struct('v1.LabelPreference', { label: always(STRING), presence: always(BOOL) })),
            requestedToCapacityRatioArguments: pointer(
              struct('v1.RequestedToCapacityRatioArguments', {
                shape: always(list(SHAPE_POINT)),
                resources: omitEmpty(list(RESOURCE_SPEC)),
              }),
            ),
          }),
        ),
      }),
    ),
  ),
  extenders: omitEmpty(
    list(
      struct('v1.LegacyExtender', { ...EXTENDER_FIELDS, enableHttps: omitEmpty(BOOL), httpTimeout: omitEmpty(INT64) }),
    ),
  ),
  hardPodAffinitySymmetricWeight: always(INT32),
  alwaysCheckAllPredicates: always(BOOL),
});
