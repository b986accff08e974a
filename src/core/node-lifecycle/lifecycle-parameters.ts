/** The settings of the node lifecycle controller, which are flags of kube-controller-manager. */
export interface LifecycleParameters {
  /** `--node-monitor-period`: seconds between two passes over the nodes. */
  readonly nodeMonitorPeriodSeconds: number;
  /** `--node-monitor-grace-period`: seconds without a heartbeat before Ready becomes Unknown. */
  readonly nodeMonitorGracePeriodSeconds: number;
  /** `--node-startup-grace-period`: the same for a node that has never posted a status, from its creation. */
  readonly nodeStartupGracePeriodSeconds: number;
  /** `--node-eviction-rate`: nodes per second and zone that get their NoExecute taint. */
  readonly nodeEvictionRate: number;
  /** `--secondary-node-eviction-rate`: the same in a large zone that is partially disrupted. */
  readonly secondaryNodeEvictionRate: number;
  /**
   * `--large-cluster-size-threshold`: a zone of up to this many nodes is small: a partial disruption stops all tainting
   * in it.
   */
  readonly largeClusterSizeThreshold: number;
  /**
   * `--unhealthy-zone-threshold`: the share of not-ready nodes, from 0 to 1, at which a zone is partially disrupted.
   */
  readonly unhealthyZoneThreshold: number;
}

/**
 * The defaults of kube-controller-manager.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/nodelifecycle/config/v1alpha1/defaults.go, and
 * cmd/kube-controller-manager/app/options.
 */
export const DEFAULT_LIFECYCLE_PARAMETERS: LifecycleParameters = {
  nodeMonitorPeriodSeconds: 5,
  nodeMonitorGracePeriodSeconds: 50,
  nodeStartupGracePeriodSeconds: 60,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55,
};

/** An unusable setting (`error`: nothing can be computed from it), or one that is not recommended (`warning`). */
export interface ParameterFault {
  readonly parameter: keyof LifecycleParameters;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** How often a stock kubelet renews its lease, in seconds: a quarter of `nodeLeaseDurationSeconds`, which is 40. */
export const LEASE_RENEWAL_SECONDS = 10;

const MAX_SECONDS = 366 * 24 * 3600;
const MIN_PERIOD_SECONDS = 0.1;

/** All faults of the settings, each with its name; empty if there are none. */
export function checkLifecycleParameters(parameters: LifecycleParameters): readonly ParameterFault[] {
  const faults: ParameterFault[] = [];
  const error = (parameter: keyof LifecycleParameters, message: string): void => {
    faults.push({ parameter, severity: 'error', message });
  };
  const names = Object.keys(DEFAULT_LIFECYCLE_PARAMETERS) as (keyof LifecycleParameters)[];
  for (const name of names) {
    const value = parameters[name];
    if (!Number.isFinite(value)) error(name, 'must be a finite number');
    else if (value < 0) error(name, 'must not be negative');
    else if (name.endsWith('Seconds') && value > MAX_SECONDS) error(name, 'must not be longer than 366 days');
  }
  const sound = (name: keyof LifecycleParameters): boolean => !faults.some(({ parameter }) => parameter === name);
  if (sound('nodeMonitorPeriodSeconds') && parameters.nodeMonitorPeriodSeconds < MIN_PERIOD_SECONDS) {
    error('nodeMonitorPeriodSeconds', `must be at least ${MIN_PERIOD_SECONDS}`);
  }
  if (sound('unhealthyZoneThreshold') && parameters.unhealthyZoneThreshold > 1) {
    error('unhealthyZoneThreshold', 'is a share of the nodes and must not be greater than 1');
  }
  if (sound('largeClusterSizeThreshold') && !Number.isInteger(parameters.largeClusterSizeThreshold)) {
    error('largeClusterSizeThreshold', 'is a number of nodes and must be an integer');
  } else if (parameters.largeClusterSizeThreshold > 2 ** 31 - 1) {
    error('largeClusterSizeThreshold', 'must fit into 32 bits');
  }
  if (faults.length === 0) faults.push(...warnings(parameters));
  return faults;
}

function warnings(parameters: LifecycleParameters): ParameterFault[] {
  const faults: ParameterFault[] = [];
  const { nodeMonitorGracePeriodSeconds: grace, nodeMonitorPeriodSeconds: period } = parameters;
  if (grace <= LEASE_RENEWAL_SECONDS) {
    faults.push({
      parameter: 'nodeMonitorGracePeriodSeconds',
      severity: 'warning',
      message: `is not longer than the ${LEASE_RENEWAL_SECONDS} seconds between two heartbeats of a kubelet with default settings: healthy nodes would count as unreachable`,
    });
  }
  if (period >= grace) {
    faults.push({
      parameter: 'nodeMonitorPeriodSeconds',
      severity: 'warning',
      message: 'is not shorter than the grace period: heartbeats are checked too rarely to detect an unreachable node',
    });
  }
  if (parameters.secondaryNodeEvictionRate > parameters.nodeEvictionRate) {
    faults.push({
      parameter: 'secondaryNodeEvictionRate',
      severity: 'warning',
      message:
        'is greater than the eviction rate: the more nodes of a zone are not ready, the faster the zone would be evicted',
    });
  }
  if (Math.fround(parameters.nodeEvictionRate) === 1 || Math.fround(parameters.secondaryNodeEvictionRate) === 1) {
    faults.push({
      parameter: Math.fround(parameters.nodeEvictionRate) === 1 ? 'nodeEvictionRate' : 'secondaryNodeEvictionRate',
      severity: 'warning',
      message:
        'of exactly 1 is also how the controller marks a stopped queue: a stopped queue never restarts with this rate',
    });
  }
  return faults;
}
