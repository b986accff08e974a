import { admitKnown, type KnownAdmission } from '../../core/admission/admit-known.js';
import {
  admissionConfigurationIn,
  surroundingsIn,
  type KnownSurroundings,
} from '../../core/admission/surroundings-in.js';
import type { AdmissionConfiguration } from '../../core/admission/admission-configuration.js';
import type { PodToAdmit } from '../../core/admission/admission-chain.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { DEFAULT_GATES } from '../../core/kubernetes/toleration.js';

/** What admission needs to know of a namespace. To admit several pods one after another, pass the updated quotas on. */
export interface AdmittedInto {
  readonly surroundings: KnownSurroundings;
  readonly configuration: AdmissionConfiguration;
}

/** The admission environment of a namespace for a new pod. */
export function admittedInto(state: ClusterState, namespace: string, now: Date): AdmittedInto {
  return {
    surroundings: surroundingsIn(state, namespace, now.getTime()),
    configuration: admissionConfigurationIn(state),
  };
}

/**
 * Runs a fully decoded pod through the admission of the cluster's API server, with the feature gates at their defaults.
 */
export function admitManifest(request: PodToAdmit, { surroundings, configuration }: AdmittedInto): KnownAdmission {
  return admitKnown(request, surroundings, configuration, DEFAULT_GATES);
}
