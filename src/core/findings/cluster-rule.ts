import type { TolerationGates } from '../kubernetes/toleration.js';
import type { ClusterTaints } from './cluster-taints.js';
import type { Finding } from './finding.js';

/** A rule about a stored cluster: its nodes, and its pods on the nodes where they run. */
export type ClusterRule = (cluster: ClusterTaints, gates: TolerationGates) => readonly Finding[];
