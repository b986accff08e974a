import { withoutNames } from '../collections/without.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { Device, ResourceSlice } from '../kubernetes/objects/dra.js';

type Spec = NonNullable<ResourceSlice['spec']>;

/** The fields of a feature, and whether a slice has any of them. */
interface SliceFields {
  readonly isOn: (rules: KubernetesRules) => boolean;
  readonly ofSpec: readonly (keyof Spec)[];
  readonly ofDevice: readonly (keyof Device)[];
  /** Whether capacities lose their request policies. */
  readonly policies?: true;
}

const FEATURES: readonly SliceFields[] = [
  { isOn: ({ featureGates }) => featureGates.DRADeviceTaints, ofSpec: [], ofDevice: ['taints'] },
  {
    isOn: ({ featureGates }) => featureGates.DRAPartitionableDevices,
    ofSpec: ['sharedCounters', 'perDeviceNodeSelection'],
    ofDevice: ['consumesCounters', 'nodeName', 'nodeSelector', 'allNodes'],
  },
  {
    isOn: ({ featureGates }) => featureGates.DRADeviceBindingConditions && featureGates.DRAResourceClaimDeviceStatus,
    ofSpec: [],
    ofDevice: ['bindingConditions', 'bindingFailureConditions', 'bindsToNode'],
  },
  {
    isOn: ({ featureGates }) => featureGates.DRAConsumableCapacity,
    ofSpec: [],
    ofDevice: ['allowMultipleAllocations'],
    policies: true,
  },
];

/**
 * A ResourceSlice as the API server stores it: without the fields of feature gates that are off, unless the slice that it replaces has any of
 * the same feature.
 *
 * Source: k8s.io/kubernetes v1.33.13 to v1.36.2, pkg/registry/resource/resourceslice/strategy.go, `dropDisabledFields`; of the gates that can
 * be on or off here.
 */
export function sliceToStore(slice: ResourceSlice, rules: KubernetesRules, stored?: ResourceSlice): ResourceSlice {
  const { spec } = slice;
  if (spec === undefined) return slice;
  const dropped = FEATURES.filter(
    (feature) => !feature.isOn(rules) && !isInUse(feature, stored?.spec) && isInUse(feature, spec),
  );
  return dropped.length === 0 ? slice : { ...slice, spec: dropped.reduce(withoutFeature, spec) };
}

function isInUse({ ofSpec, ofDevice, policies }: SliceFields, spec: Spec | undefined): boolean {
  const { devices = [] } = spec ?? {};
  return (
    ofSpec.some((field) => isSet(spec?.[field])) ||
    devices.some(
      (device) =>
        ofDevice.some((field) => isSet(device[field])) ||
        (policies === true && Object.values(device.capacity ?? {}).some((one) => one.requestPolicy !== undefined)),
    )
  );
}

const POLICY: ReadonlySet<string> = new Set(['requestPolicy']);

/** An empty list is as good as none. */
const isSet = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);

function withoutFeature(spec: Spec, { ofSpec, ofDevice, policies }: SliceFields): Spec {
  const { devices } = spec;
  const kept = withoutNames(spec, new Set(ofSpec));
  if (devices === undefined) return kept;
  return {
    ...kept,
    devices: devices.map((device): Device => {
      const rest = withoutNames(device, new Set(ofDevice));
      const { capacity } = rest;
      if (policies !== true || capacity === undefined) return rest;
      const plain = Object.entries(capacity).map(([name, one]) => [name, withoutNames(one, POLICY)] as const);
      return { ...rest, capacity: Object.fromEntries(plain) };
    }),
  };
}
