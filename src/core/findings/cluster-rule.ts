import type { TolerationGates } from '../kubernetes/toleration.js';
import type { ClusterTaints } from './cluster-taints.js';
import type { Finding } from './finding.js';

/**
 * A rule about a stored cluster: its nodes, its pods on the nodes where they run, its quotas and budgets. A rule that does
 * more than a pass over the pods is a generator, so that other work can run between its steps; it yields nothing.
 */
export type ClusterRule = (
  cluster: ClusterTaints,
  gates: TolerationGates,
) => readonly Finding[] | Generator<undefined, readonly Finding[]>;
