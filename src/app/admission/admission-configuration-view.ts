import { ADMISSION_PLUGINS, STOCK_ADMISSION } from '../../core/admission/admission-configuration.js';
import { DEFAULT_TOLERATION_SECONDS } from '../../core/admission/default-toleration-seconds.js';
import { OTHER_PLUGINS } from '../../core/admission/other-plugins.js';
import { admissionConfigurationIn } from '../../core/admission/surroundings-in.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { THE_ONE } from '../../core/cluster/setting.js';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';
import type { ScopedResourceSelectorRequirement } from '../../core/kubernetes/objects/quota.js';
import { tolerationView, type TolerationView } from '../pods/toleration-view.js';

export interface AdmissionPluginView {
  readonly name: string;
  readonly on: boolean;
  readonly onByDefault: boolean;
  /** Whether this service runs it, or only knows of it. */
  readonly run: boolean;
  /** What one that is not run could do to a pod; null where it has nothing to do with pods. */
  readonly toPods: string | null;
}

export interface LimitedResourceView {
  readonly matchContains: readonly string[];
  readonly matchScopes: readonly {
    readonly scopeName: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
}

/** What is known of how the API server of a cluster admits. */
export interface AdmissionConfigurationView {
  /** False where nobody has said anything: then it is stock. */
  readonly declared: boolean;
  /** In the API server's order, as far as they are run here; the others after them. */
  readonly plugins: readonly AdmissionPluginView[];
  readonly defaultNotReadyTolerationSeconds: Int64;
  readonly defaultUnreachableTolerationSeconds: Int64;
  readonly podTolerationRestriction: {
    readonly default: readonly TolerationView[];
    readonly whitelist: readonly TolerationView[];
  };
  readonly podNodeSelector: Readonly<Record<string, string>>;
  readonly limitedResources: readonly LimitedResourceView[];
}

export function admissionConfigurationView(state: ClusterState): AdmissionConfigurationView {
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
      default: (tolerationRestriction?.default ?? []).map(tolerationView),
      whitelist: (tolerationRestriction?.whitelist ?? []).map(tolerationView),
    },
    podNodeSelector: clusterNodeSelectors ?? {},
    limitedResources: (limitedResources ?? []).map(({ matchContains = [], matchScopes = [] }) => ({
      matchContains,
      matchScopes: matchScopes.map(scopeView),
    })),
  };
}

function scopeView({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement) {
  return { scopeName, operator, values };
}
