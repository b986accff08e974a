import type { TolerationGates } from '../core/kubernetes/toleration.js';

/** Kubernetes' feature gates at their defaults, as far as they decide here. */
export const DEFAULT_GATES: TolerationGates = { comparisonOperators: false };
