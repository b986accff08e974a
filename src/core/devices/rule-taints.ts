import { CelUnsupported } from '../cel/errors.js';
import type { Device, DeviceClass, DeviceSelector, DeviceTaintRule, ResourceSlice } from '../kubernetes/objects/dra.js';
import { selects } from './device-selectors.js';

/**
 * Slices with the taints of DeviceTaintRules, as the scheduler sees them: a rule without a selector taints every device.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, resourceslice/tracker/tracker.go, `applyPatches`; for what rules could select until
 * 1.34, v0.34.0.
 */
export function withRuleTaints(
  slices: readonly ResourceSlice[],
  rules: readonly DeviceTaintRule[],
  classOf: (name: string) => DeviceClass | undefined,
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
        .filter(({ deviceSelector = {} }) => isSelected(device, spec.driver, deviceSelector, classOf))
        .map(({ taint }) => taint);
      return added.length === 0 ? device : { ...device, taints: [...(device.taints ?? []), ...added] };
    });
    return { ...slice, spec: { ...spec, devices } };
  });
}

type RuleSelector = NonNullable<NonNullable<DeviceTaintRule['spec']>['deviceSelector']>;

/** A device of which a selector cannot tell is not tainted. */
function isSelected(
  device: Device,
  driver: string,
  { deviceClassName, selectors = [] }: RuleSelector,
  classOf: (name: string) => DeviceClass | undefined,
): boolean {
  const deviceClass = deviceClassName === undefined ? undefined : classOf(deviceClassName);
  if (deviceClassName !== undefined && deviceClass === undefined) return false;
  return [...(deviceClass?.spec?.selectors ?? []), ...selectors].every(({ cel }: DeviceSelector) => {
    try {
      const verdict = selects(cel?.expression ?? '', driver, device);
      return 'matches' in verdict && verdict.matches;
    } catch (error) {
      if (error instanceof CelUnsupported) return false;
      throw error;
    }
  });
}
