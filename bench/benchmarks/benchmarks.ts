import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark } from '../measure.js';
import { onePodAllFilters } from './one-pod-all-filters.js';
import { onePodTaints } from './one-pod-taints.js';
import { stateApplyDelta } from './state-apply-delta.js';
import { stateBuild } from './state-build.js';
import { taintMatrix } from './taint-matrix.js';

/** Every benchmark, in the order of the table. */
export const benchmarks = (cluster: BenchCluster): readonly Benchmark[] => [
  taintMatrix(cluster),
  onePodTaints(cluster),
  onePodAllFilters(cluster),
  stateBuild(cluster),
  stateApplyDelta(cluster),
];
