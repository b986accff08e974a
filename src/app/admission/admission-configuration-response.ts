import type { admissionConfiguration, limitedScope } from '../../contract/admission/admission-configuration.js';
import type { Response } from '../../contract/schema.js';
import { ADMISSION_PLUGINS, STOCK_ADMISSION } from '../../core/admission/admission-configuration.js';
import { DEFAULT_TOLERATION_SECONDS } from '../../core/admission/default-toleration-seconds.js';
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
    limitedResources,
  } = admissionConfigurationIn(state);
  const on = new Set<string>([...plugins, ...otherPlugins]);
  const inStock = new Set<string>(STOCK_ADMISSION.plugins);
  return {
    declared: state.setting('AdmissionConfiguration', THE_ONE) !== undefined,
    plugins: [
      ...ADMISSION_PLUGINS.map((name) => ({
        name,
        on: on.has(name),
        onByDefault: inStock.has(name),
        run: true,
        toPods: null,
      })),
      ...OTHER_PLUGINS.map(({ name, onByDefault, toPods = null }) => ({
        name,
        on: on.has(name),
        onByDefault,
        run: false,
        toPods,
      })),
    ],
    defaultNotReadyTolerationSeconds: defaultTolerations?.notReadySeconds ?? DEFAULT_TOLERATION_SECONDS,
    defaultUnreachableTolerationSeconds: defaultTolerations?.unreachableSeconds ?? DEFAULT_TOLERATION_SECONDS,
    podTolerationRestriction: {
      default: (tolerationRestriction?.default ?? []).map(tolerationResponse),
      whitelist: (tolerationRestriction?.whitelist ?? []).map(tolerationResponse),
    },
    podNodeSelector: clusterNodeSelectors ?? {},
    limitedResources: (limitedResources ?? []).map(({ matchContains = [], matchScopes = [] }) => ({
      matchContains,
      matchScopes: matchScopes.map(scopeResponse),
    })),
  };
}

function scopeResponse({
  scopeName,
  operator,
  values = [],
}: ScopedResourceSelectorRequirement): Response<typeof limitedScope> {
  return { scopeName, operator, values };
}
