import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { finish } from '../../src/core/collections/finish.js';
import { ExpectationMemory, stepExpectations } from '../../src/core/expectations/evaluate-expectations.js';
import type { Expectation, Finding } from '../../src/core/expectations/expectation.js';
import { readExpectations } from '../../src/core/expectations/read-expectations.js';
import type { JsonObject, JsonValue } from '../../src/core/json/json-value.js';
import type { Node } from '../../src/core/kubernetes/objects/node.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';

const ZONE = 'topology.kubernetes.io/zone';
const NODE_POOL = 'example.com/node-pool';

/** Evaluates a hundred expectations after a taint has come to one node, or gone. */
export const expectations = (cluster: BenchCluster): Benchmark => ({
  name: 'expectations',
  unit: 'ms',
  target: { absolute: 200, ratio: 10 },
  about: `100 expectations of every kind after a change of one of ${cluster.shape.nodes} nodes with ${cluster.shape.pods} pods; reference: the same, each by itself, without what is remembered`,
  rounds: 5,
  prepare: () => {
    const { state } = cluster;
    const list = hundred(state);
    const memory = new ExpectationMemory();
    const states = [state, tainted(state)];
    let turn = 0;
    const next = (): ClusterState => {
      turn++;
      // A state that was not evaluated before, as every revision is one.
      return states[0]!.apply({ upserts: [changedNode(states[turn % 2]!)] });
    };
    evaluate(state, list, memory);
    check(next(), list, memory);
    return {
      subject: timed('ms', () => evaluate(next(), list, memory).length, 1),
      reference: timed('ms', () => alone(next(), list).length, 1),
    };
  },
});

const changedNode = ({ nodes }: ClusterState): Node => ({ ...nodes.node(nodes.count >> 2) });

function tainted(state: ClusterState): ClusterState {
  const node = changedNode(state);
  const taints = [...(node.spec?.taints ?? []), { key: 'bench', effect: 'NoSchedule' }];
  const changed: Node = { ...node, spec: { ...node.spec, taints } };
  return state.apply({ upserts: [changed] });
}

const evaluate = (state: ClusterState, list: readonly Expectation[], memory: ExpectationMemory): readonly Finding[] =>
  finish(stepExpectations(state, list, { now: 0, memory }));

const alone = (state: ClusterState, list: readonly Expectation[]): readonly Finding[] =>
  list.flatMap((one) => finish(stepExpectations(state, [one], { now: 0 })));

function check(state: ClusterState, list: readonly Expectation[], memory: ExpectationMemory): void {
  const found = evaluate(state, list, memory);
  const plain = alone(state, list);
  const verdicts = new Map<string, number>();
  for (const { verdict } of found) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  console.log(`  ${[...verdicts].map(([verdict, count]) => `${count} ${verdict}`).join(', ')}`);
  for (const [index, one] of found.entries()) {
    if (JSON.stringify(one) !== JSON.stringify(plain[index])) {
      throw new Error(`expectations: ${list[index]!.text} differs: ${JSON.stringify([one, plain[index]])}`);
    }
  }
}

/** A hundred sentences about the pools and workloads of the cluster. */
function hundred(state: ClusterState): readonly Expectation[] {
  const pools = [...new Set(state.nodes.labelColumn(NODE_POOL)?.values ?? [])].sort();
  const workloads = stateful(state);
  const specs: JsonObject[] = [];
  const add = (count: number, make: (index: number) => JsonObject): void => {
    for (let index = 0; index < count; index++) specs.push({ name: `sentence ${specs.length}`, ...make(index) });
  };
  const nodes = (index: number): JsonObject => ({ labelSelector: `${NODE_POOL}=${pools[index % pools.length]!}` });
  add(25, (index) => ({ taintedNodes: { nodes: nodes(index), taint: { effect: 'NoExecute' }, atMost: 2 } }));
  add(10, (index) => ({ nodeCount: { nodes: nodes(index), ready: true, schedulable: true, atLeast: 3 } }));
  add(15, (index) => ({ podFits: { pod: podOf(state, index * 977), nodes: nodes(index), atLeast: 3 } }));
  add(15, (index) => ({ podFits: { workload: workloads[index]!, atLeast: 3 } }));
  add(15, (index) => ({ capacityFor: { workload: workloads[15 + index]!, replicas: 32 } }));
  add(10, (index) => ({ tolerates: { taint: `dedicated=team-${index}`, only: { namespaces: ['kube-system'] } } }));
  add(10, (index) => ({ survives: { workloads: [workloads[index * 7]!], lossOf: { label: ZONE } } }));
  const read = readExpectations({ apiVersion: 'kube-placement/v1', kind: 'Expectations', expectations: specs });
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  return read.expectations;
}

function stateful(state: ClusterState): readonly JsonObject[] {
  return state.objects('Deployment').map(({ kind, metadata: { namespace = '', name } }) => ({ kind, namespace, name }));
}

/** The pod of a stored one, as a manifest. */
function podOf({ pods }: ClusterState, index: number): JsonObject {
  const { apiVersion, kind, metadata, spec } = pods.pod(index % pods.count);
  const rest = { ...spec, nodeName: '' };
  const { namespace, labels } = metadata;
  return JSON.parse(
    JSON.stringify(
      { apiVersion, kind, metadata: { namespace, name: `asked-${index}`, labels }, spec: rest },
      (_key, value: unknown) => (typeof value === 'bigint' ? Number(value) : value),
    ),
  ) as JsonObject & JsonValue;
}
