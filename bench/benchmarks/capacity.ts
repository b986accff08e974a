import { DEFAULT_GATES } from '../../src/core/kubernetes/toleration.js';
import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import { stepCapacity, type Capacity } from '../../src/core/scheduling/capacity/step-capacity.js';
import { DEFAULT_PROFILE } from '../../src/core/scheduler-configuration/default-profile.js';
import { profilePlugins } from '../../src/core/scheduling/profile-plugins.js';
import { SchedulingRun } from '../../src/core/scheduling/run/scheduling-run.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';

const PROFILE = profilePlugins(DEFAULT_PROFILE, DEFAULT_GATES);

/** A workload's pod that tolerates one pool's taint, selects no nodes, and requests cpu and memory. */
const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: 'asked' },
  spec: {
    containers: [{ name: 'c', resources: { requests: { cpu: '250m', memory: '512Mi' } } }],
    tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
  },
};

/** Computes how many replicas of a pod fit, and the scheduler's message for the next one. */
export const capacity = (cluster: BenchCluster): Benchmark => ({
  name: 'capacity',
  unit: 'ms',
  target: { absolute: 20, ratio: 10 },
  about: `replicas of a pod that fit into ${cluster.shape.nodes} nodes with ${cluster.shape.pods} pods, and why not one more; reference: placing them one after another by the fast run until none fits, with the same result node by node`,
  rounds: 9,
  prepare: () => {
    const { state } = cluster;
    const found = capacityOf(state);
    const plain = placedOneByOne(state);
    if (found.method !== 'byNode' || found.replicas.join() !== plain.join()) {
      throw new Error('capacity: the two disagree');
    }
    console.log(`  ${found.total} replicas fit`);
    return {
      subject: timed('ms', () => capacityOf(state).next?.message().text?.length ?? 0, 1),
      reference: timed('ms', () => placedOneByOne(state).length, 1),
    };
  },
});

function capacityOf(state: ClusterState): Capacity {
  const steps = stepCapacity(state, { pod: POD, profile: PROFILE, unknowns: [] });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function placedOneByOne(state: ClusterState): Float64Array {
  const run = new SchedulingRun(state, PROFILE);
  const replicas = new Float64Array(state.nodes.count);
  for (let number = 0; ; number++) {
    const decision = run.schedule({ ...POD, metadata: { ...POD.metadata, name: `asked-${number}` } });
    if (decision.outcome !== 'placed') return replicas;
    replicas[decision.node]!++;
  }
}
