import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import { evaluatePlacement } from '../../core/placement/evaluate-placement.js';
import { knownJson } from '../known-json.js';
import { NamedNodes } from './named-nodes.js';
import { explainedNode, type ExplainedNode } from './node-response.js';

const limits = { keys: 10, parts: 10 };

/** A node whose reasons say something of it. */
const node = (name: string, facts: (name: string) => object): ExplainedNode =>
  ({
    node: name,
    verdict: 'infeasible',
    firstFail: 'NodeAffinity',
    reasons: [{ plugin: 'NodeAffinity', code: 'X', facts: facts(name) }, { plugin: 'Other' }],
    untoleratedTaints: [],
    toleratedTaints: [],
  }) as unknown as ExplainedNode;

/** How many of four nodes are explained, and that what is said of each is what its own explanation says. */
function explainedOf(facts: (name: string) => object): number {
  const nodes = new NamedNodes(limits);
  let explained = 0;
  for (const name of ['a', 'b', 'c"', 'd']) {
    const own = node(name, facts);
    const told = nodes.explained(
      'key',
      name,
      () => {
        explained += 1;
        return own;
      },
      () => undefined,
    );
    expect(told).toEqual(own);
    expect(stringifyJson(told)).toBe(stringifyJson(own));
    expect(knownJson(told.reasons) ?? stringifyJson(own.reasons)).toBe(stringifyJson(own.reasons));
  }
  return explained;
}

describe('nodes whose explanations differ in their names', () => {
  it.each<[string, number, (name: string) => object]>([
    ['a name in several places', 2, (name) => ({ nodeName: name, terms: [{ index: 0n, unmet: [{ actual: name }] }] })],
    ['no name at all', 2, () => ({ wanted: 'z' })],
    ['a label that is the same for all, and the name of one', 4, (name) => ({ nodeName: name, label: 'a' })],
    ['a name as a key', 4, (name) => ({ [name]: 1 })],
    ['a name within a text', 4, (name) => ({ text: `node ${name}` })],
    ['something else that differs', 4, (name) => ({ nodeName: name, other: name === 'a' ? 1 : 2 })],
  ])('are told of two: %s', (_, explained, facts) => {
    expect(explainedOf(facts)).toBe(explained);
  });

  it('are explained one by one beyond the limits', () => {
    const nodes = new NamedNodes({ keys: 1, parts: 1 });
    let kept = 0;
    for (const name of ['a', 'b', 'c']) {
      const own = node(name, () => ({}));
      const told = nodes.explained(
        'key',
        name,
        () => own,
        () => (kept += 1),
      );
      expect(told).toBe(own);
    }
    expect(kept).toBe(0);
  });
});

describe('the nodes of a placement', () => {
  const cluster = Array.from({ length: 30 }, (_, index): Node => {
    const name = `n${index}`;
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': index === 7 ? 'n8' : name, zone: `z${index % 2}` } },
      spec: index % 5 === 0 ? { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } : {},
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
    };
  });
  const state = ClusterState.build(cluster, ['Node', 'Pod', 'Namespace']);
  const subject = { pointer: '/pod', path: 'pod.', givenTolerations: [], placedFields: new Map() };
  const onName = { key: 'metadata.name', operator: 'In', values: ['n3'] };
  const onLabel = (key: string) => ({ matchExpressions: [{ key, operator: 'In', values: ['z1', 'n8'] }] });

  it.each([
    ['one node by name', [{ matchFields: [onName] }]],
    ['a node by name or a zone', [{ matchFields: [onName] }, onLabel('zone')]],
    ['a host by its label or name', [{ matchFields: [onName] }, onLabel('kubernetes.io/hostname')]],
    ['all but a node', [{ matchFields: [{ ...onName, operator: 'NotIn' }], ...onLabel('zone') }]],
  ])('say the same of each as its own explanation: %s', (_, nodeSelectorTerms) => {
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'd' },
      spec: {
        containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }],
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
      },
    };
    const placement = evaluatePlacement(state, { pod });
    const nodes = new NamedNodes({ keys: 200, parts: 16 });
    let explained = 0;
    for (let index = 0; index < state.nodes.count; index++) {
      const own = explainedNode({ placement, subject }, index);
      const key = placement.namelessKey(index)!;
      const told = nodes.explained(
        key,
        own.node,
        () => {
          explained += 1;
          return own;
        },
        () => undefined,
      );
      expect(told).toEqual(own);
      expect(knownJson(told.reasons) ?? stringifyJson(own.reasons)).toBe(stringifyJson(own.reasons));
    }
    expect(explained).toBeLessThan(state.nodes.count);
  });
});
