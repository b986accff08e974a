import type { ClusterState } from '../cluster/cluster-state.js';
import { TooMuchWork } from '../devices/allocation-work.js';
import { evictingTaints, EvictingTaints, taintsOfClaim, type TaintOfClaim } from '../devices/device-eviction.js';
import { haveFormerFields, selectsByClass, withRuleTaints } from '../devices/rule-taints.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import { millisecondsOf } from '../kubernetes/moment.js';
import type {
  DeviceClass,
  DeviceTaint,
  DeviceTaintRule,
  ResourceClaim,
  ResourceSlice,
} from '../kubernetes/objects/dra.js';
import { missingKinds } from '../placement/kinds-not-loaded.js';
import { countsTaintRules, slicesOf, taintRulesOf } from '../placement/plugins/dynamic-resources/cluster-devices.js';

/** A device taint for which a pod is deleted. */
export interface DeviceReason {
  readonly taint: TaintOfClaim;
  /** In milliseconds since the epoch; undefined for a taint without a time. */
  readonly at: number | undefined;
}

/** When device taints evict a pod, in milliseconds since the epoch. */
export interface PodDeviceEviction {
  readonly at: number;
  /** The time of the taint that decides. */
  readonly since: number;
  readonly decides: DeviceReason;
  readonly reasons: readonly DeviceReason[];
}

/** The kinds that say which pods have which devices. */
export const KINDS_OF_USED_DEVICES = ['ResourceSlice', 'ResourceClaim'] as const;

/** The kinds without which it is not known which pods taints evict, as far as they were never loaded. */
export function missingForEvictions(state: ClusterState): readonly KeptKind[] {
  const { rules, loadedKinds } = state;
  const missing = missingKinds(state, [
    'Pod',
    ...(rules.featureGates.DynamicResourceAllocation ? KINDS_OF_USED_DEVICES : []),
    ...(countsTaintRules(rules) ? (['DeviceTaintRule'] as const) : []),
    ...(taintRulesOf(state).some(selectsByClass) ? (['DeviceClass'] as const) : []),
  ]);
  return missing.length === 0 || !loadedKinds.has('Pod') || mayUseDevices(state) ? missing : [];
}

/** Whether a pod on a node has claims. */
function mayUseDevices({ pods }: ClusterState): boolean {
  let found = false;
  pods.forEachPlaced(undefined, (pod) => {
    found ||= (pods.specOf(pods.specId(pod)).resourceClaims ?? []).length > 0;
  });
  return found;
}

/** Claims looked at between two yields. */
const STRIDE = 512;

/**
 * The pods that taints of devices evict, by their index: the taints of ResourceSlices, and of DeviceTaintRules where their feature gate is
 * on. A generator, so that the caller can let other work run in between; it yields nothing.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/devicetainteviction/device_taint_eviction.go.
 *
 * @param asOf the time of taints that have none, as the API server sets it, in milliseconds since the epoch
 */
export function* stepDeviceEvictions(
  state: ClusterState,
  asOf: number,
): Generator<undefined, ReadonlyMap<number, PodDeviceEviction>> {
  const found = new Map<number, PodDeviceEviction>();
  const taints = taintsIn(state, asOf);
  if (taints === undefined) return found;
  const { pods } = state;
  let looked = 0;
  for (const claim of state.objects('ResourceClaim') as readonly ResourceClaim[]) {
    if (++looked % STRIDE === 0) yield undefined;
    if (taintsOfClaim(claim, taints).every(({ tolerated }) => tolerated === 'forever')) continue;
    const { namespace = '' } = claim.metadata;
    for (const { apiGroup = '', resource, name, uid } of claim.status?.reservedFor ?? []) {
      const index = apiGroup === '' && resource === 'pods' ? pods.indexOf(namespace, name) : -1;
      if (index < 0 || found.has(index) || pods.uid(index) !== uid) continue;
      const claimOf = (one: string): ResourceClaim | undefined =>
        state.find('ResourceClaim', namespace, one) as ResourceClaim | undefined;
      const eviction = evictionOf(evictingTaints(pods.pod(index), claimOf, taints));
      if (eviction !== undefined) found.set(index, eviction);
    }
  }
  return found;
}

/** Undefined where nothing evicts anybody. Rules whose selectors cost too much do not count. */
function taintsIn(state: ClusterState, asOf: number): EvictingTaints | undefined {
  if (!state.rules.featureGates.DynamicResourceAllocation) return undefined;
  const time = new Date(asOf).toISOString();
  const timed = (taint: DeviceTaint): DeviceTaint =>
    taint.timeAdded === undefined ? { ...taint, timeAdded: time } : taint;
  const slices = slicesOf(state);
  const rules = taintRulesOf(state).map((rule): DeviceTaintRule =>
    rule.spec === undefined ? rule : { ...rule, spec: { ...rule.spec, taint: timed(rule.spec.taint) } },
  );
  const isTainted = slices.some(({ spec }) => (spec?.devices ?? []).some(evicts));
  if (rules.length === 0 && !isTainted) return undefined;
  const timedSlices = slices.map((slice): ResourceSlice => {
    const { spec } = slice;
    if (spec === undefined || !(spec.devices ?? []).some(evicts)) return slice;
    const devices = spec.devices!.map((device) =>
      evicts(device) ? { ...device, taints: device.taints!.map(timed) } : device,
    );
    return { ...slice, spec: { ...spec, devices } };
  });
  if (!haveFormerFields(state.rules)) return new EvictingTaints(timedSlices, rules);
  const classOf = (name: string): DeviceClass | undefined =>
    state.find('DeviceClass', undefined, name) as DeviceClass | undefined;
  try {
    return new EvictingTaints(withRuleTaints(timedSlices, rules, classOf), []);
  } catch (error) {
    if (error instanceof TooMuchWork) return new EvictingTaints(timedSlices, []);
    throw error;
  }
}

const evicts = ({ taints = [] }: { readonly taints?: readonly DeviceTaint[] }): boolean =>
  taints.some(({ effect }) => effect === 'NoExecute');

function evictionOf(taints: readonly TaintOfClaim[]): PodDeviceEviction | undefined {
  const reasons = taints.map((taint): DeviceReason => ({
    taint,
    at: taint.at === undefined ? undefined : Number(taint.at / NANOSECONDS_A_MILLISECOND),
  }));
  let decides: (DeviceReason & { readonly at: number }) | undefined;
  for (const reason of reasons) {
    const { at } = reason;
    if (at !== undefined && (decides === undefined || at < decides.at)) decides = { ...reason, at };
  }
  if (decides === undefined) return undefined;
  const since = millisecondsOf(decides.taint.taint.timeAdded) ?? decides.at;
  return { at: decides.at, since, decides: reasons.find(({ taint }) => taint === decides.taint)!, reasons };
}

const NANOSECONDS_A_MILLISECOND = 1_000_000n;
