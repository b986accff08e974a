import type { GoField, GoStruct } from '../kubernetes/go-decoding.js';
import {
  always,
  BOOL,
  BYTES,
  DURATION,
  INT32,
  INT64,
  kind,
  list,
  omitEmpty,
  pointer,
  RAW,
  scalar,
  STRING,
  struct,
} from '../kubernetes/go-types.js';
import { EXTENSION_POINTS } from '../placement/extension-point.js';
import { ARGUMENTS } from '../placement/plugin-arguments.js';
import { RESOURCE_SPEC, SHAPE_POINT } from '../placement/weighted-resources.js';

/** `metav1.TypeMeta` alone, because a document's kind is read before the rest. */
export const TYPE_META: GoStruct = {
  ...struct('', { apiVersion: omitEmpty(STRING), kind: omitEmpty(STRING) }),
  name: String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`,
};

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
  ...Object.entries(ARGUMENTS).map(([plugin, { type }]): [string, GoStruct] => [`${plugin}Args`, type]),
]);

/**
 * The legacy Policy, as last read by Kubernetes: an extender's timeout is in nanoseconds, and `enableHttps` has this
 * spelling.
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
