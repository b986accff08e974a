import { EvictionLimiter } from './eviction-limiter.js';
import type { LifecycleParameters } from './lifecycle-parameters.js';
import type { ZoneChange } from './lifecycle-timeline.js';
import type { SimulatedNode } from './simulated-node.js';
import { ZoneQueue } from './zone-queue.js';
import { computeZoneState, evictionRate, type ZoneState } from './zone-state.js';

/** The controller's record of a zone. */
export interface Zone {
  readonly key: string;
  readonly queue: ZoneQueue;
  readonly limiter: EvictionLimiter;
  state: ZoneState;
  ready: number;
  notReady: number;
}

/**
 * The cluster-wide result of a pass: all zones have just gone down, or a node of a cluster that was entirely down is
 * ready again.
 */
export type MasterDisruption = 'entered' | 'left' | undefined;

/**
 * The zones of a cluster, their states and the rates of their queues.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/nodelifecycle/node_lifecycle_controller.go, `handleDisruption`. One
 * deviation: a zone whose nodes are all excluded from the counts keeps its queue; upstream may recreate it at each
 * pass.
 */
export class ZoneDisruption {
  readonly changes: ZoneChange[] = [];
  private readonly zones = new Map<string, Zone>();

  constructor(private readonly parameters: LifecycleParameters) {}

  /** The zone with that key; created with the normal rate if it does not exist (`addPodEvictorForNewZone`). */
  zoneOf(key: string): Zone {
    let zone = this.zones.get(key);
    if (zone === undefined) {
      zone = {
        key,
        queue: new ZoneQueue(),
        limiter: new EvictionLimiter(this.parameters.nodeEvictionRate),
        state: 'Initial',
        ready: 0,
        notReady: 0,
      };
      this.zones.set(key, zone);
    }
    return zone;
  }

  all(): Iterable<Zone> {
    return this.zones.values();
  }

  /** Counts a node that a pass found. */
  count(node: SimulatedNode): void {
    const zone = this.zoneOf(node.zone);
    if (node.countedReady === true) zone.ready -= 1;
    if (node.countedReady === false) zone.notReady -= 1;
    node.countedReady = node.deleted || node.given.excluded === true ? undefined : node.ready === 'True';
    if (node.countedReady === true) zone.ready += 1;
    if (node.countedReady === false) zone.notReady += 1;
  }

  /** Adopts the current states of the zones, as if the controller had always run. */
  assume(at: number): void {
    const counted = this.counted();
    const down = this.allDown(counted);
    for (const zone of counted) {
      const state = this.stateNow(zone);
      this.enter(zone, state, down ? 0 : this.rateIn(zone, state), at);
    }
  }

  /** Ends a pass: updates states and rates from the counts. */
  handle(at: number): MasterDisruption {
    const counted = this.counted();
    for (const [key, zone] of this.zones) {
      // The zone is removed with its queue when it has no nodes left.
      if (size(zone) === 0 && zone.state !== 'Initial') this.zones.delete(key);
    }
    if (counted.length === 0) return undefined;
    const down = this.allDown(counted);
    const wasDown = counted.every(({ state }) => state === 'FullDisruption');
    if (down && wasDown) return undefined;
    if (down) {
      for (const zone of counted) this.enter(zone, 'FullDisruption', 0, at);
      return 'entered';
    }
    for (const zone of counted) {
      const state = this.stateNow(zone);
      if (wasDown || zone.state !== state) this.enter(zone, state, this.rateIn(zone, state), at);
    }
    return wasDown ? 'left' : undefined;
  }

  private counted(): readonly Zone[] {
    return [...this.zones.values()].filter((zone) => size(zone) > 0);
  }

  private allDown(counted: readonly Zone[]): boolean {
    return counted.every((zone) => this.stateNow(zone) === 'FullDisruption');
  }

  private stateNow({ ready, notReady }: Zone): Exclude<ZoneState, 'Initial'> {
    return computeZoneState(ready, notReady, this.parameters);
  }

  private rateIn(zone: Zone, state: ZoneState): number {
    return evictionRate(state, size(zone), this.parameters);
  }

  private enter(zone: Zone, state: ZoneState, rate: number, at: number): void {
    zone.state = state;
    zone.limiter.swap(rate, at);
    this.changes.push({
      at,
      zone: zone.key,
      state,
      readyNodes: zone.ready,
      notReadyNodes: zone.notReady,
      ratePerSecond: zone.limiter.ratePerSecond === Math.fround(rate) ? rate : zone.limiter.ratePerSecond,
    });
  }
}

const size = ({ ready, notReady }: Zone): number => ready + notReady;
