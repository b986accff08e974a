import { NOTHING } from '../collections/nothing.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { ConfigMap } from '../kubernetes/objects/config-map.js';
import { gatesOf, type TolerationGates } from '../kubernetes/toleration.js';
import type { AdmissionConfiguration } from './admission-configuration.js';
import { PolicyWork } from './policies/policy-work.js';
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

interface AdmissionOptions {
  /** In milliseconds since the epoch. */
  readonly now?: number;
  readonly gates?: TolerationGates;
  /** ConfigMaps that count as stored, such as those of the same request; each with its namespace. Policies may be given them as `params`. */
  readonly params?: readonly ConfigMap[];
  /** What policies are evaluated with that judge other pods of the same request; for one that asks once, a new one is made. */
  readonly work?: PolicyWork;
}

/**
 * The admission of a cluster for the pods of a namespace, as one state of it has it.
 */
export function admissionIn(
  state: ClusterState,
  namespace: string,
  { now = ANY_TIME, gates = gatesOf(state.rules), params = [], work = new PolicyWork() }: AdmissionOptions = {},
): ClusterAdmission {
  return {
    surroundings: { ...NOTHING, ...surroundingsIn(state, namespace, now, params), work },
    configuration: admissionConfigurationIn(state),
    gates,
  };
}
