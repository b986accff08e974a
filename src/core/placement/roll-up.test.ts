import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { DEFAULT_RULES, KNOWN_RULES } from '../kubernetes/kubernetes-rules.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { evaluatePlacement } from './evaluate-placement.js';
import type { Placement } from './placement.js';
import { isShared, type ReasonCount } from './roll-up.js';

/** Names differ from indexes in order, as the examples are the first by name. */
const NODES = Array.from({ length: 40 }, (_, index): Node => {
  const taints = [
    ...(index % 3 === 0 ? [{ key: 'dedicated', value: `team-${index % 4}`, effect: 'NoSchedule' }] : []),
    ...(index % 4 === 0 ? [{ key: 'dedicated', value: `team-${index % 4}`, effect: 'NoExecute' }] : []),
    ...(index % 5 === 0 ? [{ key: 'gpu', effect: 'NoSchedule' }] : []),
    ...(index % 7 === 0 ? [{ key: 'soft', effect: 'PreferNoSchedule' }] : []),
  ];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `n${(index * 17) % 40}`, labels: { zone: `z${index % 2}` } },
    spec: { ...(taints.length > 0 && { taints }), ...(index % 6 === 1 && { unschedulable: true }) },
    status: { allocatable: { cpu: `${1 + (index % 3)}`, memory: '8Gi', pods: '110' } },
  };
});

const TOLERATIONS: readonly (readonly Toleration[])[] = [
  [],
  [{ operator: 'Exists' }],
  [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }],
  [{ key: 'dedicated', value: 'team-0' }],
  [{ key: 'gpu', operator: 'Exists' }],
  [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }],
  [{ key: 'gpu', operator: 'Exists', tolerationSeconds: 5, effect: 'NoExecute' }],
];

const SPECS: readonly Partial<PodSpec>[] = [
  {},
  { nodeSelector: { zone: 'z1' } },
  { nodeName: 'n3' },
  { containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }] },
  { schedulingGates: [{ name: 'wait' }] },
  {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n5', 'n6'] }] }],
        },
      },
    },
  },
];

/** The messages of 1.33 name the first taint, those of the newest version none. */
const RULES = [DEFAULT_RULES, KNOWN_RULES.find(({ minor }) => minor === 33)!];

const state = (rules = DEFAULT_RULES): ClusterState => ClusterState.build(NODES, ['Node', 'Pod', 'Namespace'], rules);

const place = (on: ClusterState, spec: Partial<PodSpec>, tolerations: readonly Toleration[]): Placement => {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'd' },
    spec: { containers: [{ name: 'c' }], ...spec, tolerations },
  };
  return evaluatePlacement(on, { pod });
};

/** Counted node by node, from what is explained of each. */
function counted(placement: Placement): ReadonlyMap<string, Partial<ReasonCount>> {
  const { nodes } = placement.state;
  const found = new Map<string, { nodes: number; first: number; examples: string[]; taints: Map<string, number> }>();
  for (let node = 0; node < nodes.count; node++) {
    const seen = new Set<string>();
    for (const { plugin, message, first, facts } of placement.explainNode(node).reasons) {
      const key = `${plugin}: ${message}`;
      const count = found.get(key) ?? { nodes: 0, first: 0, examples: [], taints: new Map<string, number>() };
      found.set(key, count);
      if ('taint' in facts && plugin === 'TaintToleration') {
        const text = formatTaint(facts.taint);
        count.taints.set(text, (count.taints.get(text) ?? 0) + 1);
      }
      if (seen.has(key)) continue;
      seen.add(key);
      count.nodes += 1;
      if (first) count.first += 1;
      if (count.examples.length < 3) count.examples.push(nodes.name(node));
    }
  }
  return new Map(
    [...found].map(([key, { taints, ...count }]) => [
      key,
      {
        ...count,
        ...(taints.size > 0 && { taints: taintsOf([...taints].map(([taint, many]) => ({ taint, nodes: many }))) }),
      },
    ]),
  );
}

const taintsOf = (taints: NonNullable<ReasonCount['taints']>): NonNullable<ReasonCount['taints']> =>
  [...taints].sort((a, b) => b.nodes - a.nodes || (a.taint < b.taint ? -1 : 1));

describe('the reasons of a placement by count', () => {
  it.each(RULES)('are those of the nodes, however many pods were asked about before: 1.$minor', (rules) => {
    const on = state(rules);
    for (let round = 0; round < 2; round++) {
      for (const spec of SPECS) {
        for (const tolerations of TOLERATIONS) {
          const placement = place(on, spec, tolerations);
          const counts = placement.rollUp();
          const byNodes = counted(placement);
          expect(
            new Map(
              counts.map(({ plugin, message, nodes, first, examples, taints }) => [
                `${plugin}: ${message}`,
                { nodes, first, examples, ...(taints && { taints }) },
              ]),
            ),
          ).toEqual(byNodes);
          expect(counts).toEqual(place(state(rules), spec, tolerations).rollUp());
        }
      }
    }
  });

  it('are the same objects for pods that tolerate the same, and for the untouched taints of others', () => {
    const on = state(RULES[1]);
    const ofTaints = (tolerations: readonly Toleration[], spec = {}): readonly ReasonCount[] =>
      place(on, spec, tolerations)
        .rollUp()
        .filter(({ plugin }) => plugin === 'TaintToleration');
    const [first, again] = [ofTaints([]), ofTaints([], { nodeSelector: { zone: 'z0' } })];
    expect(first.length).toBeGreaterThan(1);
    expect(first.every(isShared)).toBe(true);
    expect(again.every((count, index) => count === first[index])).toBe(true);
    const gpu = ofTaints([{ key: 'gpu', operator: 'Exists' }]);
    expect(gpu.some((count) => first.includes(count))).toBe(true);
    expect(gpu).not.toEqual(first);
  });
});
