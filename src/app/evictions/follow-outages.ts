import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { exactly, type KnownMoment } from '../../core/eviction/known-moment.js';
import { UNREACHABLE } from '../../core/kubernetes/condition-taints.js';
import { LEASE_RENEWAL_SECONDS } from '../../core/node-lifecycle/lifecycle-parameters.js';
import { type Outage, type OutageChange, type OutageTimeline, stepOutage } from '../../core/node-lifecycle/outage.js';
import { stepOutageBounds, type TurnBounds } from '../../core/node-lifecycle/outage-bounds.js';
import { zoneKey, zoneName } from '../../core/node-lifecycle/zone-key.js';
import { runSteps } from '../states/run-steps.js';
import type { TimeSlices } from '../states/time-slices.js';
import type { ReadQuestion } from './read-question.js';
import type { NodeChange } from './schedule-inputs.js';

const HEARTBEAT_MS = LEASE_RENEWAL_SECONDS * 1000;

/** The simulated node failures: their timeline, and the taint changes with the bounds of their times. */
export interface FollowedOutages {
  readonly timeline: OutageTimeline;
  readonly changes: readonly NodeChange[];
  /**
   * Rate-limited taints that occur only in another phase of the controller's passes: the earliest in each zone, by zone
   * name.
   */
  readonly perhapsFrom: ReadonlyMap<string, number>;
}

/** Simulates node failures up to the horizon; undefined if the request has none. */
export async function followOutages(
  { state, outages, lifecycle, asOf, horizon }: ReadQuestion,
  slices: TimeSlices,
): Promise<FollowedOutages | undefined> {
  if (outages.length === 0) return undefined;
  const options = { parameters: lifecycle, fromAt: asOf, untilAt: horizon };
  const timeline = await runSteps(stepOutage(state, outages, { ...options, phaseMs: 0 }), slices);
  const bounds = await runSteps(stepOutageBounds(state, outages, options), slices);
  const period = lifecycle.nodeMonitorPeriodSeconds * 1000;
  const edges = outages.flatMap(({ fromAt, untilAt }) => (untilAt === undefined ? [fromAt] : [fromAt, untilAt]));
  const endAfter = endsByZone(state, outages);
  const moments = new Moments(state, bounds, { period, edges: [asOf, ...edges], endAfter });
  const changes: NodeChange[] = [];
  for (const change of timeline.changes) {
    if (slices.due()) await slices.pause();
    const { at, node, taints, why } = change;
    const known = moments.of(change);
    changes.push({ at, ...known, known: 'nodeLifecycle', node, taints, gone: false, why });
  }
  return { timeline, changes, perhapsFrom: moments.notTaken() };
}

/**
 * When the first node of a zone recovers after a given time; the order in which the controller processes the nodes of a
 * zone is random.
 */
function endsByZone(state: ClusterState, outages: readonly Outage[]): (zone: string, at: number) => number {
  const ends = new Map<string, Set<number>>();
  for (const { nodes, untilAt } of outages) {
    if (untilAt === undefined) continue;
    for (const node of nodes) {
      const zone = zoneName(zoneKey(state.nodes.labels(node)));
      const ofZone = ends.get(zone);
      if (ofZone === undefined) ends.set(zone, new Set([untilAt]));
      else ofZone.add(untilAt);
    }
  }
  return (zone, at) => Math.min(...[...(ends.get(zone) ?? [])].filter((end) => end > at));
}

/**
 * Computes time bounds. Neither the phase of the controller's passes nor the last heartbeat of a silent node is known
 * from outside: a rate-limited taint lies within the bounds of its turn, any other NoExecute taint within one period
 * and not before the start or end of the failure that causes it. Silence is detected within one heartbeat interval
 * before or after.
 */
class Moments {
  private readonly turns = new Map<string, number>();
  private readonly bounds = new Map<string, TurnBounds>();
  /** By node: a change does not end before the previous one. */
  private readonly last = new Map<number, number>();
  /** In order of time; changes are requested in order of time as well. */
  private readonly edges: readonly number[];
  private nextEdge = 0;

  constructor(
    private readonly state: ClusterState,
    private readonly listed: readonly TurnBounds[],
    private readonly passes: {
      readonly period: number;
      readonly edges: readonly number[];
      /** When the first node of a zone recovers after a given time. */
      readonly endAfter: (zone: string, at: number) => number;
    },
  ) {
    this.edges = [...new Set(passes.edges)].sort((a, b) => a - b);
    for (const bound of listed) this.bounds.set(`${bound.zone} ${bound.turn}`, bound);
  }

  of(change: OutageChange): { readonly moment: KnownMoment; readonly perhaps?: boolean } {
    if (change.cause === 'conditions' && change.added.some(({ key }) => key === UNREACHABLE))
      return { moment: this.ofSilence(change) };
    if (change.cause === 'conditions' || change.cause === 'written') return { moment: exactly(change.at) };
    const { earliest, latest, perhaps } = change.cause === 'turn' ? this.ofTurn(change) : this.ofPass(change);
    const moment = { earliest, latest: Math.max(latest, this.last.get(change.node) ?? -Infinity) };
    this.last.set(change.node, moment.latest);
    return perhaps ? { moment, perhaps } : { moment };
  }

  /** The earliest possible time of the turns that did not occur, for each zone. */
  notTaken(): ReadonlyMap<string, number> {
    const first = new Map<string, number>();
    for (const { zone, turn, earliestAt } of this.listed) {
      if (turn > (this.turns.get(zone) ?? 0)) first.set(zone, Math.min(first.get(zone) ?? Infinity, earliestAt));
    }
    return first;
  }

  private ofSilence({ at }: OutageChange): KnownMoment {
    return { earliest: Math.max(this.edgeBefore(at), at - HEARTBEAT_MS), latest: at + HEARTBEAT_MS };
  }

  private ofTurn({ node, at }: OutageChange): KnownMoment & { readonly perhaps: boolean } {
    const zone = zoneName(zoneKey(this.state.nodes.labels(node)));
    const turn = (this.turns.get(zone) ?? 0) + 1;
    this.turns.set(zone, turn);
    const bound = this.bounds.get(`${zone} ${turn}`);
    const latest = Math.max(at, bound?.latestAt ?? at + 2 * this.passes.period);
    const perhaps = bound?.latestAt === undefined || latest >= this.passes.endAfter(zone, at);
    return { earliest: Math.min(at, bound?.earliestAt ?? at), latest, perhaps };
  }

  private ofPass({ at }: OutageChange): KnownMoment & { readonly perhaps: false } {
    const { period } = this.passes;
    return { earliest: Math.max(this.edgeBefore(at), at - period), latest: at + period, perhaps: false };
  }

  private edgeBefore(at: number): number {
    while ((this.edges[this.nextEdge] ?? Infinity) <= at) this.nextEdge++;
    return this.edges[this.nextEdge - 1] ?? -Infinity;
  }
}
