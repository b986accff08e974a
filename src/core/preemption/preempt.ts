import type { PodTable } from '../cluster/pod-table.js';
import { finish } from '../collections/finish.js';
import type { Placement } from '../placement/placement.js';
import {
  ERROR,
  SUCCESS,
  UNKNOWN,
  UNRESOLVABLE,
  UNSCHEDULABLE,
  type Assumption,
  type StatusCode,
} from '../placement/plugin.js';
import { budgetsInTheWay } from './budgets-in-the-way.js';
import { bestCandidates } from './choose-candidate.js';
import { extensionsOf, type MakeExtensions } from './placement-extensions.js';
import { selectVictims, type PreemptionCandidate } from './select-victims.js';

export interface PreemptionOptions {
  /** Milliseconds since the epoch; a pod without a start time counts as started then. */
  readonly now: number;
  /** How filters are evaluated while pods of a node are removed; incrementally by default. */
  readonly extensionsFor?: (placement: Placement) => MakeExtensions;
}

interface Tried {
  /** The nodes for which preemption was tried, as ascending indexes: those whose first refusal is `Unschedulable`. */
  readonly potentialNodes: readonly number[];
  /** Every node on which preemption would help, in the same order. */
  readonly candidates: readonly PreemptionCandidate[];
  readonly assumes: readonly Assumption[];
}

/** The result of preemption for a pod that fits on no node. Messages are those of Kubernetes' PostFilter step. */
export type Preemption = Tried &
  (
    | {
        readonly outcome: 'nominated';
        readonly chosen: PreemptionCandidate;
        /**
         * The candidates that are as good as the chosen one, including it. Upstream takes any of them; this service takes the
         * first by name.
         */
        readonly tied: readonly PreemptionCandidate[];
      }
    | {
        readonly outcome: 'unschedulable';
        readonly message: string;
        /** Whether the pod's `status.nominatedNodeName` is cleared, because no candidate helps; otherwise the pod keeps it. */
        readonly clearsNomination: boolean;
      }
    /** A filter failed on a node, and no other node is a candidate. */
    | { readonly outcome: 'error'; readonly message: string }
    /** The result depends on a filter whose result is unknown. */
    | { readonly outcome: 'unknown' }
    /**
     * The scheduler does not try preemption: the pod fits on a node or is gated, there are no nodes, or scheduling ends in an
     * error.
     */
    | { readonly outcome: 'notTried' }
  );

const NOT_HELPFUL = 'Preemption is not helpful for scheduling';

/**
 * What kube-scheduler would do for a pod that fits on no node: which pods of lower priority it would evict, from which node.
 *
 * Every node where evictions may help is tried. Upstream starts at a random node and stops once it has enough candidates: a
 * tenth of these nodes, but at least a hundred (`minCandidateNodesPercentage`, `minCandidateNodesAbsolute`). So in a large
 * cluster it may not choose the best node; among equal ones it chooses at random. Extenders are not called.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/preemption/preemption.go, `Preempt`, `findCandidates` and
 * `DryRunPreemption`; pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
 *
 * @param placement of the pod on all nodes, by every filter of the scheduler
 */
export function preempt(placement: Placement, options: PreemptionOptions): Preemption {
  return finish(stepPreempt(placement, options));
}

/** As `preempt`, with a pause before each node where evictions may help. */
export function* stepPreempt(
  placement: Placement,
  { now, extensionsFor = extensionsOf }: PreemptionOptions,
): Generator<undefined, Preemption> {
  const { state, podReasons, counts } = placement;
  const { pod } = placement.input;
  const nothing: Tried = { potentialNodes: [], candidates: [], assumes: [] };
  const [refusal] = podReasons;
  if (refusal?.status === 'Unknown') return { ...nothing, outcome: 'unknown' };
  if (counts.feasible > 0 || state.nodes.count === 0) return { ...nothing, outcome: 'notTried' };
  if (placement.keepsOutOfQueue || refusal?.status === 'Error') return { ...nothing, outcome: 'notTried' };
  const first = firstRefusals(placement);
  if (refusal === undefined && first.includes(ERROR)) return { ...nothing, outcome: 'notTried' };
  if (counts.unknown > 0) return { ...nothing, outcome: 'unknown' };

  const potentialNodes: number[] = [];
  first.forEach((code, node) => {
    if (code === UNSCHEDULABLE) potentialNodes.push(node);
  });
  const assumes: readonly Assumption[] = state.loadedKinds.has('PodDisruptionBudget') ? [] : [NO_BUDGETS];
  const tried: Tried = { potentialNodes, candidates: [], assumes };
  const refused = notEligible(placement, first);
  if (refused !== undefined) {
    return { ...tried, outcome: 'unschedulable', message: `preemption: ${refused}`, clearsNomination: false };
  }

  const makeExtensions = extensionsFor(placement);
  const budgets = budgetsInTheWay(state);
  const priority = pod.spec.priority ?? 0;
  const candidates: PreemptionCandidate[] = [];
  const errors = new Set<string>();
  const reasons = new Map<string, number>();
  let anyUnknown = false;
  for (const node of potentialNodes) {
    yield;
    const found = selectVictims(state, node, priority, { makeExtensions, budgets, now });
    if ('victims' in found) candidates.push(found);
    else if (found.code === UNKNOWN) anyUnknown = true;
    else {
      if (found.code === ERROR) errors.add(found.messages.join(', '));
      for (const message of found.messages) reasons.set(message, (reasons.get(message) ?? 0) + 1);
    }
  }
  const answered: Tried = { ...tried, candidates };
  if (anyUnknown) return { ...answered, outcome: 'unknown' };
  const tied = bestCandidates(state.pods, candidates, now);
  const [chosen] = tied;
  if (chosen !== undefined) return { ...answered, outcome: 'nominated', chosen, tied };
  if (errors.size > 0) {
    const [one] = errors;
    const text = errors.size === 1 ? one! : `[${[...errors].join(', ')}]`;
    return { ...answered, outcome: 'error', message: `preemption: ${text}` };
  }
  const { count } = state.nodes;
  if (potentialNodes.length < count) reasons.set(NOT_HELPFUL, count - potentialNodes.length);
  const texts = [...reasons].map(([reason, nodes]) => `${nodes} ${reason}`).sort();
  return {
    ...answered,
    outcome: 'unschedulable',
    message: `preemption: 0/${count} nodes are available: ${texts.join(', ')}.`,
    clearsNomination: true,
  };
}

const NO_BUDGETS: Assumption = {
  plugin: 'DefaultPreemption',
  kind: 'PodDisruptionBudget',
  message: 'no PodDisruptionBudget is known, so victims are assumed not to be protected by one',
};

/**
 * By node, the status code of the first filter that refuses it; that of PreFilter if PreFilter refuses the pod or excludes the
 * node.
 */
function firstRefusals(placement: Placement): Uint8Array {
  const { state, plugins, podReasons } = placement;
  const first = new Uint8Array(state.nodes.count);
  const [refusal] = podReasons;
  if (refusal !== undefined) return first.fill(refusal.status === 'Unschedulable' ? UNSCHEDULABLE : UNRESOLVABLE);
  if (placement.preFilterNodes !== undefined) {
    for (let node = 0; node < first.length; node++) if (placement.isExcluded(node)) first[node] = UNRESOLVABLE;
  }
  for (const { statuses, passesAll } of plugins) {
    if (statuses === undefined || passesAll === true) continue;
    for (let node = 0; node < first.length; node++) {
      const status = statuses[node]!;
      if (first[node] === SUCCESS && status !== UNKNOWN) first[node] = status;
    }
  }
  return first;
}

/**
 * Why the pod may not preempt others: its policy forbids it, or pods that were preempted for it are still terminating on its
 * nominated node, unless preemption can no longer help on that node.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go,
 * `PodEligibleToPreemptOthers`.
 */
function notEligible({ state, input }: Placement, first: Uint8Array): string | undefined {
  const { spec, status } = input.pod;
  if (spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const nominated = status?.nominatedNodeName ?? '';
  const node = nominated === '' ? -1 : state.nodes.indexOf(nominated);
  if (node < 0 || (first[node] as StatusCode) === UNRESOLVABLE) return undefined;
  const { nodes, pods } = state;
  const priority = spec.priority ?? 0;
  const ends = nodes
    .podsOf(node)
    .some((pod) => pods.active(pod) && pods.priority(pod) < priority && endsByPreemption(pods, pod));
  return ends ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

/** Source: `podTerminatingByPreemption` in the same file. */
function endsByPreemption(pods: PodTable, pod: number): boolean {
  if (!pods.terminating(pod)) return false;
  const conditions = pods.statusOf(pods.statusId(pod))?.conditions ?? [];
  const target = conditions.find(({ type }) => type === 'DisruptionTarget');
  return target?.status === 'True' && target.reason === 'PreemptionByScheduler';
}
