import type { KubernetesObject, Labels } from './meta.js';
import type { Taint } from './taints.js';

/**
 * `cluster.x-k8s.io/v1beta2` MachineDeployment, MachineSet and MachinePool of Cluster API. `v1beta1` has these fields in the same places.
 */
export interface MachineGroup extends KubernetesObject {
  readonly spec?: {
    readonly clusterName?: string;
    readonly failureDomains?: readonly string[];
    readonly paused?: boolean;
    readonly replicas?: number;
    readonly template?: {
      readonly metadata?: { readonly labels?: Labels };
      readonly spec?: {
        readonly failureDomain?: string;
        readonly taints?: readonly MachineTaint[];
      };
    };
  };
  readonly status?: { readonly replicas?: number };
}

export interface MachineDeployment extends MachineGroup {
  readonly kind: 'MachineDeployment';
}

export interface MachineSet extends MachineGroup {
  readonly kind: 'MachineSet';
}

export interface MachinePool extends MachineGroup {
  readonly kind: 'MachinePool';
}

/** `machine.openshift.io/v1beta1` MachineSet of OpenShift. */
export interface OpenShiftMachineSet extends KubernetesObject {
  readonly kind: 'OpenShiftMachineSet';
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec?: {
        /** Of the nodes. */
        readonly metadata?: { readonly labels?: Labels };
        readonly taints?: readonly Taint[];
      };
    };
  };
  readonly status?: { readonly replicas?: number };
}

export interface MachineTaint extends Taint {
  /** `Always`, or `OnInitialization`: then whoever takes the taint off a node is not contradicted. */
  readonly propagation?: string;
}
