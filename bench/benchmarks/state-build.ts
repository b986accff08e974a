import { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { LOADED_KINDS, type BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';

/** Builds a state from objects in memory, which is the core's part of loading a head revision. */
export const stateBuild = (cluster: BenchCluster): Benchmark => ({
  name: 'state-build',
  unit: 'ms',
  target: { absolute: 5000 },
  about: 'a ClusterState from decoded objects; reference: JSON.parse of the same objects, which every loader must do',
  rounds: 3,
  prepare: () => {
    const objects = [...cluster.objects()];
    const texts = objects.map((object) => JSON.stringify(object));
    return {
      subject: timed('ms', () => ClusterState.build(objects, LOADED_KINDS)),
      reference: timed('ms', () => {
        for (const text of texts) JSON.parse(text);
      }),
    };
  },
});
