import type { ClusterState } from '../cluster/cluster-state.js';
import type { Expectation, ExpectationKind, Finding } from './expectation.js';
import type { LostNodes } from './lost-nodes.js';
import type { NodeSets } from './node-sets.js';
import type { PodsByWorkload } from './pods-by-workload.js';
import type { SubjectMemory } from './subject.js';

/** One state, and what several expectations about it share. */
export interface Evaluation {
  readonly state: ClusterState;
  /** Milliseconds since the epoch; only preemption looks at it, for pods without a start time. */
  readonly now: number;
  readonly nodeSets: NodeSets;
  readonly pods: PodsByWorkload;
  readonly lost: LostNodes;
  readonly subjects: SubjectMemory;
}

export type Evaluate<Kind extends ExpectationKind> = (
  expectation: Extract<Expectation, { kind: Kind }>,
  evaluation: Evaluation,
) => Generator<undefined, Finding>;
