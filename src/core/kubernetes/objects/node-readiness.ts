import type { KubernetesObject } from './meta.js';
import type { LabelSelector } from './selectors.js';
import type { Taint } from './taints.js';

/** `readiness.node.x-k8s.io/v1alpha1` NodeReadinessRule of the Node Readiness Controller. */
export interface NodeReadinessRule extends KubernetesObject {
  readonly kind: 'NodeReadinessRule';
  readonly spec?: {
    readonly conditions?: readonly ReadinessCondition[];
    /** Absent means allOf. */
    readonly conditionPolicy?: string;
    readonly enforcementMode?: string;
    readonly taint?: Taint;
    readonly nodeSelector?: LabelSelector;
    readonly dryRun?: boolean;
  };
}

export interface ReadinessCondition {
  readonly type: string;
  readonly requiredStatus: string;
  /** The status that counts on a node without the condition; absent means Unknown. */
  readonly defaultStatus?: string;
}
