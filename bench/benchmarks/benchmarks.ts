import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark } from '../measure.js';
import { stateApplyDelta } from './state-apply-delta.js';
import { stateBuild } from './state-build.js';
import { taintMatrix } from './taint-matrix.js';

/** Every benchmark, in the order of the table. */
export const benchmarks = (cluster: BenchCluster): readonly Benchmark[] => [
  taintMatrix(cluster),
  stateBuild(cluster),
  stateApplyDelta(cluster),
];
