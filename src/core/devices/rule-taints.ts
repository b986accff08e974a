import type { DeviceTaintRule, ResourceSlice } from '../kubernetes/objects/dra.js';

/**
 * Slices with the taints of DeviceTaintRules, as the scheduler sees them: a rule without a selector taints every device.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, resourceslice/tracker/tracker.go, `applyPatches`.
 */
export function withRuleTaints(
  slices: readonly ResourceSlice[],
  rules: readonly DeviceTaintRule[],
): readonly ResourceSlice[] {
  if (rules.length === 0) return slices;
  return slices.map((slice) => {
    const { spec } = slice;
    if (spec === undefined) return slice;
    const matching = rules.flatMap(({ spec: rule }) => {
      const { driver, pool } = rule?.deviceSelector ?? {};
      const matches = (driver ?? spec.driver) === spec.driver && (pool ?? spec.pool?.name) === spec.pool?.name;
      return rule !== undefined && matches ? [rule] : [];
    });
    if (matching.length === 0) return slice;
    const devices = (spec.devices ?? []).map((device) => {
      const added = matching
        .filter(({ deviceSelector }) => (deviceSelector?.device ?? device.name) === device.name)
        .map(({ taint }) => taint);
      return added.length === 0 ? device : { ...device, taints: [...(device.taints ?? []), ...added] };
    });
    return { ...slice, spec: { ...spec, devices } };
  });
}
