import { ClusterState } from '../../src/core/cluster/cluster-state.js';
import type { Node } from '../../src/core/kubernetes/objects/node.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import { DEFAULT_GATES } from '../../src/core/kubernetes/toleration.js';
import { evaluatePlacement } from '../../src/core/placement/evaluate-placement.js';
import type { Placement } from '../../src/core/placement/placement.js';
import { budgetsInTheWay } from '../../src/core/preemption/budgets-in-the-way.js';
import { reevaluatingExtensionsOf } from '../../src/core/preemption/placement-extensions.js';
import { preempt, type Preemption } from '../../src/core/preemption/preempt.js';
import { selectVictims } from '../../src/core/preemption/select-victims.js';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark } from '../measure.js';
import { size } from '../brief.js';

const NOW = Date.UTC(2026, 4, 4);
/** Higher than every priority except those of system-critical pods. */
const PRIORITY = 1_000_000_000;
const SAMPLED = size(12, 1);

/** Computes the victims on every node for a pod that fits nowhere in a full cluster. */
export const preemption = (cluster: BenchCluster): Benchmark => ({
  name: 'preemption',
  unit: 'ms',
  target: { absolute: 50, ratio: 10 },
  about:
    `one pod of high priority on ${cluster.shape.nodes} full nodes: filters, victims and candidates of all nodes, and the choice; ` +
    `reference: every filter evaluated again for each pod that goes or stays, on ${SAMPLED} nodes, scaled up`,
  rounds: 5,
  prepare: () => {
    const state = full(cluster.state);
    const placement = evaluatePlacement(state, { pod: POD, gates: DEFAULT_GATES });
    const answer = preempt(placement, { now: NOW });
    const sample = sampled(answer.potentialNodes);
    check(placement, answer, sample);
    console.log(`  ${answer.potentialNodes.length} nodes tried, ${answer.candidates.length} candidates`);
    return {
      subject: () => {
        const started = performance.now();
        preempt(evaluatePlacement(state, { pod: POD, gates: DEFAULT_GATES }), { now: NOW });
        return performance.now() - started;
      },
      reference: () => {
        const started = performance.now();
        for (const node of sample) plainly(placement, node);
        return ((performance.now() - started) / sample.length) * answer.potentialNodes.length;
      },
    };
  },
});

const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'urgent', namespace: 'default' },
  spec: {
    priority: PRIORITY,
    tolerations: [{ operator: 'Exists' }],
    containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '1500m', memory: '2Gi' } } }],
  },
};

/** The same cluster, with each node's allocatable cpu reduced to the requests of its pods. */
function full(state: ClusterState): ClusterState {
  const { nodes } = state;
  const upserts = Array.from({ length: nodes.count }, (_, index): Node => {
    const node = nodes.node(index);
    const cpu = `${nodes.requested.at('cpu', index)}m`;
    return { ...node, status: { ...node.status, allocatable: { ...node.status?.allocatable, cpu } } };
  });
  return state.apply({ upserts });
}

function sampled(nodes: readonly number[]): readonly number[] {
  const stride = Math.max(1, Math.floor(nodes.length / SAMPLED));
  return nodes.filter((_, place) => place % stride === 0).slice(0, SAMPLED);
}

function plainly(placement: Placement, node: number): ReturnType<typeof selectVictims> {
  return selectVictims(placement.state, node, PRIORITY, {
    makeExtensions: reevaluatingExtensionsOf(placement),
    budgets: budgetsInTheWay(placement.state),
    now: NOW,
  });
}

function check(placement: Placement, { outcome, candidates }: Preemption, sample: readonly number[]): void {
  if (outcome !== 'nominated') throw new Error(`preemption: ${outcome}`);
  for (const node of sample) {
    const found = plainly(placement, node);
    const wanted = 'victims' in found ? found : undefined;
    if (JSON.stringify(candidates.find((candidate) => candidate.node === node)) !== JSON.stringify(wanted)) {
      throw new Error(`other victims on ${placement.state.nodes.name(node)} than by the plain evaluation`);
    }
  }
}
