import { compare } from '../json/compare.js';
import type {
  DeviceAllocationResult,
  DeviceTaint,
  DeviceTaintRule,
  DeviceToleration,
  ResourceClaim,
  ResourceSlice,
} from '../kubernetes/objects/dra.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { microsecondsOf } from '../kubernetes/moment.js';
import { deviceIdText, poolIdText, type DeviceId } from './device-id.js';
import { toleratesDeviceTaint } from './device-taints.js';
import { ruleOf } from './rule-taints.js';
import { claimName, isClaimOfPod, isReservedForPod } from './pod-claims.js';

/** A taint of a device in a ResourceSlice, by its index, or that of a DeviceTaintRule. */
export type EvictingTaint = { readonly rule: string } | (DeviceId & { readonly taint: number });

/** When device taints evict a pod. */
export interface DeviceEviction {
  /** In nanoseconds since 1970; a time in the past means at once. */
  readonly at: bigint;
  /** All NoExecute taints that are not tolerated forever, rules first. */
  readonly reasons: readonly EvictingTaint[];
}

/** A NoExecute taint of a device that a pod uses, and what follows from it. */
export interface TaintOfClaim {
  readonly taint: DeviceTaint;
  readonly reason: EvictingTaint;
  readonly claim: ResourceClaim;
  readonly device: DeviceAllocationResult;
  /** How long the allocation tolerates it, in nanoseconds. */
  readonly tolerated: bigint | 'forever';
  /** In nanoseconds since 1970; undefined if it is tolerated forever, or has no time. */
  readonly at: bigint | undefined;
}

/** An evicting taint and what it was found on. */
interface Found {
  readonly taint: DeviceTaint;
  readonly reason: EvictingTaint;
}

const NO_EXECUTE = 'NoExecute';

/**
 * The NoExecute taints of all devices, as the device taint eviction controller sees them: of the newest generation of each pool, be it
 * complete or not, and since 1.35 of rules, even for devices that no slice has any more.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/devicetainteviction/device_taint_eviction.go, `pool` and `allEvictingDeviceTaints`.
 */
export class EvictingTaints {
  private readonly ofDevices = new Map<string, readonly DeviceTaint[]>();
  private readonly rules: readonly DeviceTaintRule[];

  /**
   * @param slices with the taints of rules (`withRuleTaints`) until 1.34, whose controller looks at nothing else
   * @param rules empty until 1.34, and while the feature gate DRADeviceTaintRules is off, as it is by default
   */
  constructor(slices: readonly ResourceSlice[], rules: readonly DeviceTaintRule[]) {
    this.rules = rules.filter(({ spec }) => spec?.taint.effect === NO_EXECUTE);
    for (const { spec } of newestSlices(slices)) {
      for (const { name, taints } of spec?.devices ?? []) {
        const id = deviceIdText({ driver: spec!.driver, pool: spec!.pool?.name ?? '', device: name });
        if (!this.ofDevices.has(id)) this.ofDevices.set(id, taints ?? []);
      }
    }
  }

  on({ driver, pool, device }: DeviceId): Found[] {
    const own = (this.ofDevices.get(deviceIdText({ driver, pool, device })) ?? [])
      .map((taint, index) => {
        const rule = ruleOf(taint);
        return { taint, reason: rule === undefined ? { driver, pool, device, taint: index } : { rule } };
      })
      .filter(({ taint }) => taint.effect === NO_EXECUTE);
    const byRules = this.rules
      .filter((rule) => evictsDevice(rule, { driver, pool, device }))
      .map(({ metadata, spec }) => ({ taint: spec!.taint, reason: { rule: metadata.name } }));
    return [...own, ...byRules];
  }
}

function newestSlices(slices: readonly ResourceSlice[]): ResourceSlice[] {
  const newest = new Map<string, bigint>();
  const poolOf = ({ spec }: ResourceSlice): string =>
    poolIdText({ driver: spec?.driver ?? '', pool: spec?.pool?.name ?? '' });
  const generationOf = ({ spec }: ResourceSlice): bigint => BigInt(spec?.pool?.generation ?? 0);
  for (const slice of slices) {
    const known = newest.get(poolOf(slice));
    if (known === undefined || generationOf(slice) > known) newest.set(poolOf(slice), generationOf(slice));
  }
  return slices.filter((slice) => generationOf(slice) === newest.get(poolOf(slice)));
}

/** `ruleMatchesDevice`: unlike for the scheduler, a rule without a selector matches nothing. */
function evictsDevice({ spec }: DeviceTaintRule, { driver, pool, device }: DeviceId): boolean {
  const selector = spec?.deviceSelector;
  return (
    selector !== undefined &&
    (selector.driver ?? driver) === driver &&
    (selector.pool ?? pool) === pool &&
    (selector.device ?? device) === device
  );
}

/**
 * When the device taint eviction controller deletes a pod; undefined if it does not. That the pod has ended does not matter.
 *
 * A claim counts if it is allocated, reserved for the pod, and, if it comes from a template, owned by the pod. The tolerations are those
 * of the allocation.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/devicetainteviction/device_taint_eviction.go, `podEvictionTime`.
 *
 * @param claimOf a claim of the pod's namespace by its name
 */
export function deviceEviction(
  pod: Pod,
  claimOf: (name: string) => ResourceClaim | undefined,
  taints: EvictingTaints,
): DeviceEviction | undefined {
  const found = evictingTaints(pod, claimOf, taints);
  const [at] = found.flatMap((one) => one.at ?? []).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  if (at === undefined) return undefined;
  const reasons = new Map(found.map(({ reason }) => [JSON.stringify(reason), reason]));
  return { at, reasons: [...reasons.values()].sort(compareReasons) };
}

/** The taints for which the controller deletes a pod: those of claims that have one with a time. */
export function evictingTaints(
  pod: Pod,
  claimOf: (name: string) => ResourceClaim | undefined,
  taints: EvictingTaints,
): readonly TaintOfClaim[] {
  if ((pod.spec.nodeName ?? '') === '') return [];
  const all: TaintOfClaim[] = [];
  for (const entry of pod.spec.resourceClaims ?? []) {
    const found = claimName(pod, entry);
    if ('problem' in found || found.name === undefined) continue;
    const claim = claimOf(found.name);
    if (claim === undefined || (found.isFromTemplate && !isClaimOfPod(pod, claim))) continue;
    if (!isReservedForPod(pod, claim)) continue;
    const ofClaim = taintsOfClaim(claim, taints).filter(({ tolerated }) => tolerated !== 'forever');
    if (ofClaim.some(({ at }) => at !== undefined)) all.push(...ofClaim);
  }
  return all.sort((a, b) => compareReasons(a.reason, b.reason));
}

/** The NoExecute taints of a claim's devices (`claimEvictionTime`). Taints without a time are reasons, but set no time. */
export function taintsOfClaim(claim: ResourceClaim, taints: EvictingTaints): readonly TaintOfClaim[] {
  return (claim.status?.allocation?.devices?.results ?? []).flatMap((device) =>
    taints.on(device).map(({ taint, reason }) => {
      const tolerated = toleratedFor(device, taint);
      const added = taint.timeAdded === undefined ? undefined : microsecondsOf(taint.timeAdded);
      const at = tolerated === 'forever' || added === undefined ? undefined : BigInt(added) * 1000n + tolerated;
      return { taint, reason, claim, device, tolerated, at };
    }),
  );
}

const NANOSECONDS_A_SECOND = 1_000_000_000n;

/**
 * How long the allocation tolerates the taint, in nanoseconds. Only tolerations whose effect is literally NoExecute count; the shortest
 * `tolerationSeconds` decides, unless one toleration has none.
 */
function toleratedFor({ tolerations = [] }: DeviceAllocationResult, taint: DeviceTaint): bigint | 'forever' {
  const matching = tolerations.filter(
    (one: DeviceToleration) => one.effect === NO_EXECUTE && toleratesDeviceTaint(one, taint),
  );
  if (matching.some(({ tolerationSeconds }) => tolerationSeconds === undefined)) return 'forever';
  const seconds = matching.map(({ tolerationSeconds }) => BigInt(tolerationSeconds!));
  const shortest = seconds.reduce<bigint | undefined>(
    (least, one) => (least === undefined || one < least ? one : least),
    undefined,
  );
  if (shortest === undefined || shortest < 0n) return 0n;
  // In 64 bits, as upstream.
  return BigInt.asIntN(64, shortest * NANOSECONDS_A_SECOND);
}

function compareReasons(a: EvictingTaint, b: EvictingTaint): number {
  if ('rule' in a) return 'rule' in b ? compare(a.rule, b.rule) : -1;
  if ('rule' in b) return 1;
  return compare(a.driver, b.driver) || compare(a.pool, b.pool) || compare(a.device, b.device) || a.taint - b.taint;
}
