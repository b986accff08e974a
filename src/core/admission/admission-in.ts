import type { ClusterState } from '../cluster/cluster-state.js';
import { DEFAULT_GATES, type TolerationGates } from '../kubernetes/toleration.js';
import type { AdmissionConfiguration } from './admission-configuration.js';
import type { AdmissionSurroundings } from './admission-plugins.js';
import { admissionConfigurationIn, surroundingsIn } from './surroundings-in.js';

/** The API server that admits a pod, and what its plugins look up. To admit several pods one after another, pass the quotas on. */
export interface ClusterAdmission {
  readonly surroundings: AdmissionSurroundings;
  readonly configuration: AdmissionConfiguration;
  readonly gates: TolerationGates;
}

/** A new pod is not being deleted, so the time makes no difference to it. */
const ANY_TIME = 0;

/**
 * The admission of a cluster for the pods of a namespace, as one state of it has it.
 *
 * @param now in milliseconds since the epoch
 */
export function admissionIn(
  state: ClusterState,
  namespace: string,
  { now = ANY_TIME, gates = DEFAULT_GATES }: { readonly now?: number; readonly gates?: TolerationGates } = {},
): ClusterAdmission {
  return {
    surroundings: surroundingsIn(state, namespace, now),
    configuration: admissionConfigurationIn(state),
    gates,
  };
}
