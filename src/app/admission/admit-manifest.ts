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

/** What a pod is admitted into; whoever admits several, each seeing those before, hands on the quotas that the last one left. */
export interface AdmittedInto {
  readonly surroundings: KnownSurroundings;
  readonly configuration: AdmissionConfiguration;
}

/** What a namespace of a state has for a pod on its way in. */
export function admittedInto(state: ClusterState, namespace: string, now: Date): AdmittedInto {
  return {
    surroundings: surroundingsIn(state, namespace, now.getTime()),
    configuration: admissionConfigurationIn(state),
  };
}

/** What the cluster's API server would do with a pod that is decoded whole, with the feature gates at their defaults. */
export function admitManifest(request: PodToAdmit, { surroundings, configuration }: AdmittedInto): KnownAdmission {
  return admitKnown(request, surroundings, configuration, DEFAULT_GATES);
}
