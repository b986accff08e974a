import { timeText } from '../evictions/schedule-response.js';
import { type DuePod, type EvictionDue, MAX_LISTED, type ScheduleSummary } from './cluster-events.js';

/** A pod that the schedule evicts. */
export interface LeavingPod {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  /** The latest time of its eviction, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * The watched part of a revision's eviction schedule: which pods are evicted, and by when. It depends only on stored
 * data; the current time only decides which evictions are past.
 */
export class WatchedSchedule {
  /** In order of time. */
  private readonly pods: readonly LeavingPod[];
  /** Equal for two schedules with the same pods, the same times, and the same number of pods that stay. */
  readonly digest: string;

  /** @param never number of pods that stay although their nodes have taints that evict others */
  constructor(
    readonly revision: number,
    pods: Iterable<LeavingPod>,
    private readonly never: number,
  ) {
    this.pods = [...pods].sort((a, b) => a.at - b.at);
    let [one, other] = [0, 0];
    // Sums do not depend on the order.
    for (const pod of this.pods) {
      const text = `${placeOf(pod)} ${pod.at}`;
      one = (one + hash(text, 0x811c9dc5)) >>> 0;
      other = (other + hash(text, 0x9747b28c)) >>> 0;
    }
    this.digest = `${this.pods.length} ${never} ${one} ${other}`;
  }

  get isEmpty(): boolean {
    return this.pods.length === 0 && this.never === 0;
  }

  /** The time of the next eviction after a given time. */
  nextAfter(moment: number): number | undefined {
    return this.pods[this.countUntil(moment)]?.at;
  }

  summary(now: number): ScheduleSummary {
    const past = this.countUntil(now);
    const next = this.nextAfter(now);
    return {
      revision: this.revision,
      counts: { now: past, at: this.pods.length - past, never: this.never },
      next: next === undefined ? null : { at: timeText(next), pods: this.countUntil(next) - past },
    };
  }

  /**
   * The pods that are due and that the follower has not been told about.
   * @param former the schedule from which it was told about evictions up to `until`; undefined if unknown
   */
  due(now: number, { former, until }: { readonly former: WatchedSchedule | undefined; readonly until: number }) {
    const come = this.pods.slice(0, this.countUntil(now));
    if (former === undefined || former === this) return come.filter(({ at }) => at > until);
    const reported = new Set(former.pods.slice(0, former.countUntil(until)).map(placeOf));
    return come.filter((pod) => !reported.has(placeOf(pod)));
  }

  /** Number of pods evicted up to a given time. */
  private countUntil(moment: number): number {
    let [low, high] = [0, this.pods.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.pods[middle]!.at <= moment) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** @param pods at least one */
export function evictionDue(revision: number, pods: readonly LeavingPod[]): EvictionDue {
  const listed = pods
    .slice(0, MAX_LISTED)
    .map(({ namespace, name, node, at }): DuePod => ({ namespace, name, node, at: timeText(at) }));
  return { revision, at: timeText(pods.at(-1)!.at), pods: listed, podCount: pods.length };
}

const placeOf = ({ namespace, name, node }: LeavingPod): string => `${namespace}/${name} ${node}`;

/** FNV-1a, 32 bits. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
