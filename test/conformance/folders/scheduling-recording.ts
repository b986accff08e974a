import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { KeptKind } from '../../../src/core/kubernetes/kinds.js';
import type { KubernetesObject, ResourceList } from '../../../src/core/kubernetes/objects/meta.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import type { Pod, ResourceRequirements } from '../../../src/core/kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../../../src/core/kubernetes/objects/taints.js';

/** What was seen of a pod once the scheduler had done with it. */
export interface RecordedOutcome {
  readonly pod: string;
  readonly nodeName?: string | null;
  readonly nominatedNodeName?: string | null;
  /** Null if no scheduler has tried the pod. */
  readonly podScheduled?: { readonly status?: string; readonly message?: string } | null;
}

/** The same for a pod as it was created, and as admission changed it. */
export interface RecordedDecision extends RecordedOutcome {
  readonly rejected?: { readonly code: number; readonly status?: { readonly message?: string } | null };
  readonly storedTolerations?: readonly Toleration[];
  readonly stored_priority?: number;
  readonly stored_preemptionPolicy?: string;
  readonly stored_overhead?: ResourceList;
  readonly stored_nodeSelector?: Readonly<Record<string, string>>;
  readonly stored_resources?: ResourceRequirements;
  /** The whole pod as it was stored. */
  readonly storedPod?: Pod;
}

/** One thing that the driver did once all pods were decided about. */
export interface SchedulingStep {
  readonly do: string;
  readonly node?: string;
  readonly pod?: string;
  readonly patch?: JsonObject;
  readonly kind?: string;
  /** Seconds from the step to the look at the pods. */
  readonly after?: number;
}

/** A file of the folder `scheduling`. */
export interface SchedulingRecording {
  readonly k8sVersion: string;
  readonly profile: string;
  readonly input: {
    readonly pending: readonly Pod[];
    readonly bound?: readonly (Pod & { readonly 'x-phase'?: string })[];
    readonly extras?: readonly KubernetesObject[];
    /** The kinds of which all objects are known; by default those that recordings have. */
    readonly loadedKinds?: readonly KeptKind[];
  };
  readonly observed: {
    readonly nodesStored: readonly Node[];
    /** Pods on nodes as they were stored. With them, what became of victims is not recorded. */
    readonly podsStored?: readonly Pod[];
    readonly decisions: readonly RecordedDecision[];
    readonly steps?: readonly {
      readonly step: SchedulingStep;
      readonly responseCode?: number;
      readonly pods?: readonly RecordedOutcome[];
    }[];
    readonly deletedPods: readonly string[];
    readonly podsAfter: readonly { readonly name: string; readonly deletionTimestamp?: string | null }[];
    readonly schedulerLogScores?: readonly {
      readonly pod: string;
      readonly plugin: string;
      readonly node: string;
      readonly weightedScore: number;
    }[];
    readonly schedulerLogFinalScores?: readonly {
      readonly pod: string;
      readonly node: string;
      readonly score: number;
    }[];
    readonly schedulerLogFirstUntoleratedTaint?: readonly {
      readonly pod: string;
      readonly node: string;
      readonly taint: Taint;
    }[];
  };
}
