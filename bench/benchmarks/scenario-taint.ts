import { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { DEFAULT_GATES } from '../../src/core/kubernetes/toleration.js';
import { TaintMatrix } from '../../src/core/placement/taint-matrix.js';
import { applyScenario } from '../../src/core/scenario/apply-scenario.js';
import type { Scenario } from '../../src/core/scenario/scenario.js';
import { LOADED_KINDS, type BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';

const NODES = 500;
const WARM = 10;

/** Evaluates the taints of every node for every pod. */
function ask(state: ClusterState): Int32Array {
  const matrix = new TaintMatrix(state, DEFAULT_GATES);
  matrix.podsByNode();
  return matrix.nodesByPod();
}

/** Adds one taint to many nodes, then evaluates the whole cluster. */
export const scenarioTaint = (cluster: BenchCluster): Benchmark => ({
  name: 'scenario-taint',
  unit: 'ms',
  target: { absolute: 100, ratio: 50 },
  about: `a scenario of one taint on ${NODES} nodes, then every pod against every node on taints; reference: the same state built from scratch, then the same`,
  rounds: 5,
  prepare: () => {
    const { state } = cluster;
    const every = Math.max(1, Math.floor(state.nodes.count / NODES));
    const nodes = Array.from({ length: Math.min(NODES, state.nodes.count) }, (_, i) => state.nodes.name(i * every));
    const scenario: Scenario = {
      changes: [{ type: 'editNodes', nodes, taints: ['example.com/maybe=yes:NoSchedule'] }],
    };
    const apply = (): ClusterState => {
      const result = applyScenario(state, scenario);
      if (result.outcome === 'refused') throw new Error(`scenario-taint: ${result.faults[0]?.message ?? ''}`);
      return result.state;
    };
    const after = apply();
    // A running service is warm. The reference warms up in its own loops.
    for (let i = 0; i < WARM; i++) ask(apply());
    const wanted = new Set(nodes);
    const objects = [...cluster.objects()].map((object) =>
      object.kind === 'Node' && wanted.has(object.metadata.name)
        ? after.find('Node', '', object.metadata.name)!
        : object,
    );
    const rebuild = (): ClusterState => ClusterState.build(objects, LOADED_KINDS);
    const [ours, theirs] = [ask(after), ask(rebuild())];
    if (!ours.every((count, pod) => count === theirs[pod])) {
      throw new Error('scenario-taint: the scenario and the rebuilt state disagree');
    }
    return { subject: timed('ms', () => ask(apply())), reference: timed('ms', () => ask(rebuild())) };
  },
});
