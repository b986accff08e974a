import type { Placement } from '../../placement/placement.js';
import type { LivePod } from '../live-pod.js';
import { wakesOf, type ClusterEvent, type Wakes } from './wakes.js';

/** So many placements are kept; each may take a megabyte for thousands of nodes. */
const MOST_PLACEMENTS = 64;

/** A pod that no node takes, as of its last attempt. */
export interface Waiting {
  /** Undefined for gated pods, for pods that the scheduler has not evaluated in this rollout, and where too many are kept already. */
  readonly placement: Placement | undefined;
  /** Names of filters; undefined if this is not known. */
  readonly refusedBy: ReadonlySet<string> | undefined;
  /** When it was tried last. */
  readonly triedAt: number;
}

interface Sleeper extends Waiting {
  readonly wakes: Wakes;
  /** Position in the order in which pods began to wait. */
  readonly order: number;
}

/** The pods that no node takes, found by the events after which one may take them. */
export class WaitingPods {
  private readonly all = new Map<LivePod, Sleeper>();
  private readonly byEvent: Readonly<Record<ClusterEvent['kind'], Set<LivePod>>> = {
    podAdded: new Set(),
    podDeleted: new Set(),
    storage: new Set(),
    devices: new Set(),
  };
  /** Those that wait for pods that their topology spread counts, by namespace. */
  private readonly spreading = new Map<string, Set<LivePod>>();
  /** How many pods have a placement. */
  private readonly placements = new Map<Placement, number>();
  private came = 0;

  get(pod: LivePod): Waiting | undefined {
    return this.all.get(pod);
  }

  /** A pod begins to wait, or was tried again in vain. */
  set(pod: LivePod, waiting: Waiting): void {
    this.rouse(pod);
    const order = this.all.get(pod)?.order ?? this.came++;
    const wakes = wakesOf(pod.stored, waiting.refusedBy);
    this.release(pod);
    this.all.set(pod, { ...waiting, placement: this.retained(waiting.placement), wakes, order });
    for (const kind of wakes.always) this.byEvent[kind].add(pod);
    if (!wakes.isSpread) return;
    const others = this.spreading.get(pod.namespace);
    if (others === undefined) this.spreading.set(pod.namespace, new Set([pod]));
    else others.add(pod);
  }

  delete(pod: LivePod): void {
    this.rouse(pod);
    this.release(pod);
    this.all.delete(pod);
  }

  private retained(placement: Placement | undefined): Placement | undefined {
    const count = placement === undefined ? 0 : (this.placements.get(placement) ?? 0);
    if (placement === undefined || (count === 0 && this.placements.size >= MOST_PLACEMENTS)) return undefined;
    this.placements.set(placement, count + 1);
    return placement;
  }

  private release(pod: LivePod): void {
    const placement = this.all.get(pod)?.placement;
    if (placement === undefined) return;
    const count = this.placements.get(placement)! - 1;
    if (count === 0) this.placements.delete(placement);
    else this.placements.set(placement, count);
  }

  /** The pod is to be tried again: until then, no event finds it. */
  rouse(pod: LivePod): void {
    const known = this.all.get(pod);
    if (known === undefined) return;
    for (const kind of known.wakes.always) this.byEvent[kind].delete(pod);
    if (known.wakes.isSpread) this.spreading.get(pod.namespace)?.delete(pod);
  }

  /** The pods that are to be tried again after an event, in the order in which they began to wait. */
  wokenBy(event: ClusterEvent): readonly LivePod[] {
    const found = new Set(this.byEvent[event.kind]);
    if ('pod' in event) {
      for (const pod of this.spreading.get(event.pod.metadata.namespace ?? '') ?? []) {
        if (!found.has(pod) && this.all.get(pod)!.wakes.spreadsWith(event.pod)) found.add(pod);
      }
    }
    return [...found].sort((a, b) => this.all.get(a)!.order - this.all.get(b)!.order);
  }
}
