import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { evaluatePlacement } from './evaluate-placement.js';
import { stepFixesForGroup, type GroupFixes } from './fixes/fixes-for-group.js';
import { groupNodes, type PlacementGroup } from './node-groups.js';
import type { Placement } from './placement.js';
import { finish } from '../collections/finish.js';

const fixesForGroup = (...given: Parameters<typeof stepFixesForGroup>) => finish(stepFixesForGroup(...given));

const node = (
  name: string,
  spec: Node['spec'] = {},
  labels: Readonly<Record<string, string>> = {},
  cpu = '4',
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
  spec,
  status: { allocatable: { cpu, memory: '8Gi', pods: '110' } },
});

const pod = (name: string, spec: Partial<PodSpec> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'd' },
  spec: { containers: [{ name: 'c' }], ...spec },
});

const asking = (cpu: string): Partial<PodSpec> => ({ containers: [{ name: 'c', resources: { requests: { cpu } } }] });

const place = (objects: readonly KubernetesObject[], asked: Pod): Placement =>
  evaluatePlacement(ClusterState.build(objects, ['Node', 'Pod', 'Namespace', 'DeviceClass']), { pod: asked });

const all = ({ state }: Placement): readonly number[] => Array.from({ length: state.nodes.count }, (_, index) => index);
const groupsOf = (placement: Placement): readonly PlacementGroup[] => groupNodes(placement, all(placement));

/** `verdict: names` of each group. */
const told = (placement: Placement): readonly string[] =>
  groupsOf(placement).map(
    ({ verdict, nodes }) => `${verdict}: ${nodes.map((index) => placement.state.nodes.name(index)).join(' ')}`,
  );

const fixesOf = (placement: Placement, group: number): GroupFixes =>
  fixesForGroup(placement, groupsOf(placement)[group]!);

describe('fixesForGroup', () => {
  it('lowers a request to what the roomiest node has, and counts the nodes that then take the pod', () => {
    const used = (name: string, cpu: string): Pod => pod(`on-${name}`, { ...asking(cpu), nodeName: name });
    const placement = place(
      [node('a'), node('b'), node('c'), used('a', '2'), used('b', '1'), used('c', '1')],
      pod('p', asking('3500m')),
    );
    const { evaluatedOn, pod: plan, node: ofNode } = fixesOf(placement, 0);
    expect(placement.state.nodes.name(evaluatedOn)).toBe('b');
    expect(plan).toMatchObject({ changes: [{ kind: 'LowerRequest', to: '3' }], verdict: 'feasible', nodes: 2 });
    expect(ofNode).toBeNull();
  });

  it('evaluates a toleration on all nodes of the group', () => {
    const gpu = { taints: [{ key: 'gpu', value: 'true', effect: 'NoSchedule' }] };
    const placement = place([node('a', gpu), node('b', gpu)], pod('p'));
    expect(fixesOf(placement, 0)).toMatchObject({
      pod: { changes: [{ kind: 'AddToleration' }], verdict: 'feasible', nodes: 2 },
      node: { changes: [{ kind: 'RemoveTaint', command: 'kubectl taint nodes a gpu:NoSchedule-' }], nodes: null },
    });
  });

  it('counts one node where the change names it', () => {
    const placement = place([node('a'), node('b')], pod('p', { nodeName: 'gone' }));
    expect(fixesOf(placement, 0).pod).toMatchObject({ changes: [{ kind: 'SetNodeName' }], nodes: 1 });
  });
});

describe('groupNodes', () => {
  it('puts feasible nodes first, and then the most frequent cause', () => {
    const gpu = { taints: [{ key: 'gpu', value: 'true', effect: 'NoSchedule' }] };
    const placement = place(
      [node('a', { unschedulable: true }), node('b', gpu), node('c', gpu), node('d'), node('e', gpu)],
      pod('p'),
    );
    expect(told(placement)).toEqual(['feasible: d', 'infeasible: b c e', 'infeasible: a']);
  });

  it('tells the amounts that differ in columns, and those that do not in the facts', () => {
    const placement = place(
      [
        node('a'),
        node('b'),
        node('c', {}, {}, '6'),
        pod('x', { ...asking('1'), nodeName: 'a' }),
        pod('y', { ...asking('1500m'), nodeName: 'c' }),
      ],
      pod('p', asking('5')),
    );
    const [onC, others] = groupsOf(placement);
    // It would fit c were c empty: preemption may help there, so c is another story.
    expect(onC!.explanation.reasons[0]!.status).toBe('UnschedulableAndUnresolvable');
    expect(others!.nodes.map((index) => placement.state.nodes.name(index))).toEqual(['c']);
    expect(onC!.explanation.reasons.map(({ facts }) => facts)).toEqual([
      { resource: 'cpu', requested: '5', allocatable: '4' },
    ]);
    expect(onC!.columns).toEqual([{ reason: 0, name: 'available', unit: 'millicores', values: [3000, 4000] }]);
    expect(placement.state.nodes.name(onC!.nearest)).toBe('b');
    expect(others!.columns).toEqual([]);
  });

  it('makes one group of each value of a label that the pod asks for in vain', () => {
    const zones = ['a', 'b', 'a', 'b', 'a'];
    const placement = place(
      zones.map((zone, index) => node(`n${index}`, {}, { zone })),
      pod('p', { nodeSelector: { zone: 'c' } }),
    );
    expect(told(placement)).toEqual(['infeasible: n0 n2 n4', 'infeasible: n1 n3']);
  });

  it('makes one group with a column where each node has a value of its own', () => {
    const placement = place(
      Array.from({ length: 40 }, (_, index) => node(`n${index}`, {}, { rack: `r${index}` })),
      pod('p', { nodeSelector: { rack: 'none' } }),
    );
    const groups = groupsOf(placement);
    expect(groups).toHaveLength(1);
    const [{ columns, explanation, nodes }] = groups as [PlacementGroup];
    expect(explanation.reasons[0]!.facts).toEqual({ label: { key: 'rack', wanted: 'none' } });
    expect(columns).toEqual([
      {
        reason: 0,
        name: 'label.actual',
        unit: null,
        values: nodes.map((index) => placement.state.nodes.labels(index)['rack']),
      },
    ]);
  });

  it('explains two of the nodes that differ in their names alone, whatever their number', () => {
    const nodeSelectorTerms = [
      { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['n3'] }] },
      { matchExpressions: [{ key: 'zone', operator: 'In' as const, values: ['c'] }] },
    ];
    const placement = place(
      Array.from({ length: 40 }, (_, index) => node(`n${index}`, {}, { zone: index < 30 ? 'a' : 'b' })),
      pod('p', {
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
      }),
    );
    const explained: unknown[] = [];
    const groups = groupNodes(placement, all(placement), (reasons) => explained.push(reasons));
    expect(explained).toEqual([]);
    expect(groups.map(({ verdict, nodes, columns }) => [verdict, nodes.length, columns])).toEqual([
      ['feasible', 1, []],
      ['infeasible', 29, []],
      ['infeasible', 10, []],
    ]);
    for (const { nodes, explanation } of groups) {
      const withoutName = (text: string, index: number) =>
        text.replaceAll(`"actual":"${placement.state.nodes.name(index)}",`, '');
      const shared = JSON.stringify(explanation.reasons);
      for (const index of nodes) {
        expect(withoutName(JSON.stringify(placement.explainNode(index).reasons), index)).toBe(shared);
      }
    }
  });

  it('makes one column of a list whose items are about different things on different nodes', () => {
    const wanted = (key: string, value: string) => ({ key, operator: 'In', values: [value] });
    const nodes = Array.from({ length: 20 }, (_, index) =>
      node(`n${index}`, {}, index % 2 === 0 ? { disk: 'ssd', rack: `r${index}` } : { disk: `d${index}`, rack: 'r' }),
    );
    const matchExpressions = [wanted('disk', 'ssd'), wanted('rack', 'r')];
    const required = { nodeSelectorTerms: [{ matchExpressions }] };
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required };
    const [group] = groupsOf(place(nodes, pod('p', { affinity: { nodeAffinity } })));
    expect(group!.explanation.reasons[0]!.facts).toEqual({ terms: [{ index: 0 }] });
    expect(group!.columns.map(({ name }) => name)).toEqual(['terms.0.unmet']);
    expect(group!.columns[0]!.values.slice(0, 2)).toMatchObject([
      [{ key: 'rack', actual: 'r0' }],
      [{ key: 'disk', actual: 'd1' }],
    ]);
  });

  it('names the pods in the way of a host port beside each node', () => {
    const onPort: Partial<PodSpec> = {
      containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] }],
    };
    const placement = place(
      [node('a'), node('b'), pod('x', { ...onPort, nodeName: 'a' }), pod('y', { ...onPort, nodeName: 'b' })],
      pod('p', onPort),
    );
    const [group] = groupsOf(placement);
    expect(group!.nodes).toHaveLength(2);
    expect(group!.columns).toEqual([{ reason: 0, name: 'pods', unit: null, values: [['d/x'], ['d/y']] }]);
  });

  it('leaves out what only repeats the name of the node', () => {
    const placement = place([node('a'), node('b'), node('c')], pod('p', { nodeName: 'a' }));
    const groups = groupsOf(placement);
    expect(groups.map(({ nodes }) => nodes.length)).toEqual([1, 2]);
    expect(groups[1]!.columns).toEqual([]);
  });

  it('groups only the nodes that it is given, and has no group of none', () => {
    const placement = place([node('a'), node('b')], pod('p'));
    expect(groupNodes(placement, [1]).map(({ nodes }) => nodes)).toEqual([[1]]);
    expect(groupNodes(placement, [])).toEqual([]);
  });
});
