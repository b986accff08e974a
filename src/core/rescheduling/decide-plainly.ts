import type { ClusterState } from '../cluster/cluster-state.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import type { Placement } from '../placement/placement.js';
import { NAME as NODE_VOLUME_LIMITS } from '../placement/plugins/node-volume-limits/node-volume-limits.js';
import { NAME as VOLUME_BINDING } from '../placement/plugins/volume-binding/volume-binding.js';
import { NAME as VOLUME_RESTRICTIONS } from '../placement/plugins/volume-restrictions/volume-restrictions.js';
import type { Reason, ReasonCode } from '../placement/reason.js';
import { rankNodes, uncertainScores } from '../placement/rank-nodes.js';
import { BestNodes } from '../scheduling/run/best-nodes.js';
import { feasibleNodes, type SchedulingProfile } from '../scheduling/schedule-pod.js';
import type { NodesFound, ReschedulingUnknown } from './rescheduling.js';

export interface PlainDecision {
  /** Node indexes in the evaluated state. */
  readonly found: NodesFound;
  /** Empty if a node was found. */
  readonly unknownBecause: readonly ReschedulingUnknown[];
  /** Scores that are not known, so that another node may have the highest total. */
  readonly uncertain: readonly string[];
}

/** A claim that is created together with a pod: nothing is known about the replacement pod's claim. */
const OWN_CLAIM: ReschedulingUnknown = {
  code: 'filterNotImplemented',
  message: 'a new claim is created for the pod, and nothing is known about its volume yet',
  plugin: VOLUME_BINDING,
};

/** The filters that check the volumes of claims. */
const OF_CLAIMS: ReadonlySet<string> = new Set([VOLUME_BINDING, VOLUME_RESTRICTIONS, NODE_VOLUME_LIMITS]);

/** Decides one pod with every filter and score of its scheduler's profile. */
export function decidePlainly(
  state: ClusterState,
  pod: Pod,
  {
    profile,
    hasOwnClaims,
    most,
  }: { readonly profile: SchedulingProfile; readonly hasOwnClaims: boolean; readonly most: number },
): PlainDecision {
  const { gates, scores, args } = profile;
  const filters = profile.filters.filter(({ name }) => !(hasOwnClaims && OF_CLAIMS.has(name)));
  const placement = evaluatePlacement(state, { pod, gates, filters });
  const { feasible, unknown } = placement.counts;
  const nothing = { feasible: 0, unknown: unknown + (hasOwnClaims ? feasible : 0), best: [] };
  if (hasOwnClaims && nothing.unknown > 0) {
    return { found: nothing, unknownBecause: [OWN_CLAIM], uncertain: [] };
  }
  if (feasible === 0) return { found: nothing, unknownBecause: unknown > 0 ? unknownIn(placement) : [], uncertain: [] };
  const nodes = feasibleNodes(placement);
  if (feasible === 1) return { found: { feasible, unknown, best: [nodes[0]!] }, unknownBecause: [], uncertain: [] };
  const ranking = rankNodes(state, { pod, nodes, gates, scores, args });
  const failed = ranking.plugins.find(({ error }) => error !== undefined);
  if (failed?.error !== undefined) {
    const message = `the scheduler rejects the pod: ${failed.name}: ${failed.error}`;
    return { found: nothing, unknownBecause: [{ code: 'scoreFailed', message, plugin: failed.name }], uncertain: [] };
  }
  const best = new BestNodes(most);
  ranking.totals.forEach((total, position) => {
    best.add(nodes[position]!, total);
  });
  const found = { feasible, unknown, best: best.nodes };
  return { found, unknownBecause: [], uncertain: uncertainScores(ranking) };
}

/** Why the result of a filter is not known. */
const NOT_KNOWN: ReadonlySet<ReasonCode> = new Set(['NotImplemented', 'KindNotLoaded', 'OutOfTreePlugin']);

/** The results of filters that cannot be evaluated. */
const unknownIn = (placement: Placement): readonly ReschedulingUnknown[] =>
  placement
    .rollUp()
    .filter(({ code }) => NOT_KNOWN.has(code))
    .map(unknownBy);

/** What cannot be evaluated, as a cause. */
export const unknownBy = ({ plugin, message }: Pick<Reason, 'plugin' | 'message'>): ReschedulingUnknown => ({
  code: 'filterNotImplemented',
  message,
  plugin,
});
