import type { DeviceTaint } from '../kubernetes/objects/dra.js';

/**
 * Why a request cannot have a device that it selects. `InUse`: another claim has it. `Tainted`: the request does not tolerate a taint.
 * `Capacity`: it does not have the capacity, or no more. `GateOff`: it consumes counters or has binding conditions, and the feature gate for that
 * is off. `Combination`: it could have it, but not together with everything else.
 */
export const SHORTAGE_CAUSES = ['InUse', 'Tainted', 'Capacity', 'GateOff', 'Combination'] as const;

export type ShortageCause = (typeof SHORTAGE_CAUSES)[number];

export interface RefusedDevice {
  /** `driver/pool/device`. */
  readonly device: string;
  readonly because: ShortageCause;
  /** `namespace/name` of a claim that has it. */
  readonly claim?: string;
  /** The first taint that the request does not tolerate. */
  readonly taint?: DeviceTaint;
  /** The DeviceTaintRule that the taint comes from. */
  readonly rule?: string;
}

export const OBSTACLE_KINDS = ['MatchAttribute', 'DistinctAttribute', 'CounterSet'] as const;

/** Something without which the claims could have devices of the node, each request having enough by itself. */
export interface AllocationObstacle {
  readonly kind: (typeof OBSTACLE_KINDS)[number];
  /** The attribute, or the counter set. */
  readonly name: string;
  /** `namespace/name` of the claim that has the constraint. */
  readonly claim?: string;
  /** `driver/pool` of the counter set. */
  readonly pool?: string;
}

/** A request for which a node has too few devices. */
export interface DeviceShortage {
  /** `namespace/name`. */
  readonly claim: string;
  /** `request/subrequest` for one of several alternatives. */
  readonly request: string;
  /** How many devices it wants; undefined for all. */
  readonly wanted: number | undefined;
  /** How many devices of the node it selects. */
  readonly selected: number;
  /** How many of these it could not have even if it were alone. */
  readonly refused: number;
  /** How many of those that it selects it cannot have, by cause. */
  readonly counts: Readonly<Record<Uncapitalize<ShortageCause>, number>>;
  /** How many devices of the node it does not select. */
  readonly notSelected: number;
  /** Taints of the devices that it selects. */
  readonly taints: readonly CountedDeviceTaint[];
  /** Pools of which slices are missing, as `driver/pool`: none of their devices counts. */
  readonly incompletePools: readonly string[];
  /** Pools that contradict themselves. */
  readonly invalidPools: readonly string[];
  /** Some of those that it selects, and why it cannot have them. */
  readonly devices: readonly RefusedDevice[];
  /** Empty unless each request has enough devices by itself, and where that is not known. */
  readonly obstacles: readonly AllocationObstacle[];
}

/** A taint that keeps devices from requests which do not tolerate it. */
export interface CountedDeviceTaint {
  readonly taint: DeviceTaint;
  /** The DeviceTaintRule that it comes from. */
  readonly rule?: string;
  /** How many devices have it. */
  readonly devices: number;
  readonly tolerated: boolean;
}

/** How many devices a shortage names. */
export const MAX_NAMED_DEVICES = 20;
