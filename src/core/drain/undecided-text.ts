import type { ClusterState } from '../cluster/cluster-state.js';
import type { LiveBudget } from './live-budget.js';
import type { ReplacementRecords } from './replacement-records.js';
import type { Undecided } from './rolling-drain.js';

/** What the texts of one drain are written from. */
export interface DrainFacts {
  readonly state: ClusterState;
  readonly budgets: ReadonlyMap<number, LiveBudget>;
  readonly records: ReplacementRecords;
  /** The drained nodes by place. */
  readonly nodes: readonly number[];
  /** Namespace and name of a budget. */
  readonly budgetKey: (budget: number) => string;
}

/** Why something is not decided, as a sentence without a full stop. */
export function undecidedText(cause: Undecided, facts: DrainFacts): string {
  const { state, budgets, records, nodes, budgetKey } = facts;
  switch (cause.what) {
    case 'budget':
      return `the status of PodDisruptionBudget ${budgetKey(cause.budget)} is not known: ${budgets.get(cause.budget)?.unknownBecause ?? ''}`;
    case 'replacement': {
      const because = records.of(cause.pod)?.unknownBecause ?? [];
      return `whether the replacement of pod ${state.pods.key(cause.pod)} becomes ready is not known: ${because.map(({ message }) => message).join('; ')}`;
    }
    case 'landsBefore':
      return `the replacement of pod ${state.pods.key(cause.pod)} tolerates the cordon and is placed on node ${state.nodes.name(nodes[cause.place]!)} before its drain, which would evict it again; this is not simulated`;
    case 'earlierNode':
      return `whether the drain of node ${state.nodes.name(nodes[cause.place]!)} ends is not known`;
  }
}
