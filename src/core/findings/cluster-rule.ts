import type { TolerationGates } from '../kubernetes/toleration.js';
import type { ClusterTaints } from './cluster-taints.js';
import type { Finding } from './finding.js';

/** One rule on a stored cluster as such: its nodes, and its pods where they are. */
export type ClusterRule = (cluster: ClusterTaints, gates: TolerationGates) => readonly Finding[];
