import type { DeviceTaint, DeviceToleration } from '../kubernetes/objects/dra.js';
import { DEFAULT_GATES, toleratesTaint } from '../kubernetes/toleration.js';

/**
 * Whether a toleration of a request matches the taint of a device: as a pod's toleration matches a node's taint, except that no feature
 * gate adds operators. An empty key with `Equal` matches every key with that value; only validation refuses it.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, resourceclaim/devicetoleration.go, `ToleratesTaint`.
 */
export const toleratesDeviceTaint = (toleration: DeviceToleration, taint: DeviceTaint): boolean =>
  toleratesTaint(toleration, taint, DEFAULT_GATES);

/** The effects that keep a device from being allocated; `None` and effects that are not known do nothing. */
const PREVENTING: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);

/**
 * The first taint for which a device cannot be allocated to a request with these tolerations. `tolerationSeconds` does not matter.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, structured/internal/incubating, `taintPreventsAllocation`.
 */
export function preventingDeviceTaint(
  taints: readonly DeviceTaint[],
  tolerations: readonly DeviceToleration[],
): DeviceTaint | undefined {
  return taints.find(
    (taint) =>
      PREVENTING.has(taint.effect) && !tolerations.some((toleration) => toleratesDeviceTaint(toleration, taint)),
  );
}
