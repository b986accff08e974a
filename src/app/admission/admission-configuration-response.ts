import type {
  admissionConfiguration,
  limitedScope,
  podSecurityConfiguration,
} from '../../contract/admission/admission-configuration.js';
import type { Response } from '../../contract/schema.js';
import { ADMISSION_PLUGINS, STOCK_ADMISSION } from '../../core/admission/admission-configuration.js';
import { DEFAULT_TOLERATION_SECONDS } from '../../core/admission/default-toleration-seconds.js';
import {
  STOCK_POD_SECURITY,
  type PodSecurityConfiguration,
} from '../../core/admission/pod-security/pod-security-configuration.js';
import { OTHER_PLUGINS } from '../../core/admission/other-plugins.js';
import { admissionConfigurationIn } from '../../core/admission/surroundings-in.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { THE_ONE } from '../../core/cluster/setting.js';
import type { ScopedResourceSelectorRequirement } from '../../core/kubernetes/objects/quota.js';
import { tolerationResponse } from '../pods/toleration-response.js';

/** The known admission configuration of a cluster's API server. */
type AdmissionConfigurationResponse = Omit<Response<typeof admissionConfiguration>, 'basis'>;

export function admissionConfigurationResponse(state: ClusterState): AdmissionConfigurationResponse {
  const {
    plugins,
    otherPlugins = [],
    defaultTolerations,
    tolerationRestriction,
    clusterNodeSelectors,
    podSecurity = STOCK_POD_SECURITY,
    limitedResources,
    harmlessWebhooks = [],
  } = admissionConfigurationIn(state);
  const enabled = new Set<string>([...plugins, ...otherPlugins]);
  const inStock = new Set<string>(STOCK_ADMISSION.plugins);
  return {
    declared: state.setting('AdmissionConfiguration', THE_ONE) !== undefined,
    plugins: [
      ...ADMISSION_PLUGINS.map((name) => ({
        name,
        enabled: enabled.has(name),
        enabledByDefault: inStock.has(name),
        evaluated: true,
        effectOnPods: null,
      })),
      ...OTHER_PLUGINS.map(({ name, enabledByDefault, effectOnPods = null }) => ({
        name,
        enabled: enabled.has(name),
        enabledByDefault,
        evaluated: false,
        effectOnPods,
      })),
    ],
    defaultNotReadyTolerationSeconds: defaultTolerations?.notReadySeconds ?? DEFAULT_TOLERATION_SECONDS,
    defaultUnreachableTolerationSeconds: defaultTolerations?.unreachableSeconds ?? DEFAULT_TOLERATION_SECONDS,
    podTolerationRestriction: {
      default: (tolerationRestriction?.default ?? []).map(tolerationResponse),
      whitelist: (tolerationRestriction?.whitelist ?? []).map(tolerationResponse),
    },
    podNodeSelector: clusterNodeSelectors ?? {},
    podSecurity: podSecurityResponse(podSecurity),
    limitedResources: (limitedResources ?? []).map(({ matchContains = [], matchScopes = [] }) => ({
      matchContains,
      matchScopes: matchScopes.map(scopeResponse),
    })),
    harmlessWebhooks,
  };
}

const podSecurityResponse = ({
  defaults,
  exemptions,
}: PodSecurityConfiguration): Response<typeof podSecurityConfiguration> => ({
  ...defaults,
  exemptUsernames: exemptions.usernames,
  exemptNamespaces: exemptions.namespaces,
  exemptRuntimeClasses: exemptions.runtimeClasses,
});

function scopeResponse({
  scopeName,
  operator,
  values = [],
}: ScopedResourceSelectorRequirement): Response<typeof limitedScope> {
  return { scopeName, operator, values };
}
