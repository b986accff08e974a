import { DEFAULT_GATES } from '../../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { Dice } from '../../../../test/support/dice.js';
import { ClusterState } from '../../cluster/cluster-state.js';
import type { Node } from '../../kubernetes/objects/node.js';
import type { Pod, PodAffinityTerm } from '../../kubernetes/objects/pod.js';
import type { NodeSelectorRequirement } from '../../kubernetes/objects/selectors.js';
import { DEFAULT_PROFILE } from '../../scheduler-configuration/default-profile.js';
import { profilePlugins } from '../../scheduling/profile-plugins.js';

const PROFILE = profilePlugins(DEFAULT_PROFILE, DEFAULT_GATES);
const KEYS = ['zone', 'rack', 'size', 'nowhere'];
const VALUES = ['a', 'b', '3', '7'];

const labelsOf = (dice: Dice): Record<string, string> =>
  Object.fromEntries(dice.some(KEYS.slice(0, 3), 70).map((key) => [key, dice.one(VALUES)]));

const node = (dice: Dice, index: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `n${index}`, labels: labelsOf(dice) },
  status: { allocatable: { pods: '99' } },
});
const pod = (dice: Dice, index: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `p${index}`, namespace: dice.one(['x', 'y']), labels: labelsOf(dice) },
  spec: { nodeName: `n${dice.below(9)}`, containers: [{ name: 'c' }] },
  status: { phase: dice.one(['Running', 'Running', 'Succeeded']) },
});

/** What a requirement says of labels, as the documentation of Kubernetes has it. */
function holds(
  { key, operator, values = [] }: NodeSelectorRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = labels[key];
  if (operator === 'In') return value !== undefined && values.includes(value);
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  const [given, bound] = [Number(value), Number(values[0])];
  return value !== undefined && (operator === 'Gt' ? given > bound : given < bound);
}

function requirement(dice: Dice, operators: readonly string[]): NodeSelectorRequirement {
  const [key, operator] = [dice.one(KEYS), dice.one(operators)];
  if (operator.endsWith('In'))
    return { key, operator, values: Array.from({ length: 1 + dice.below(2) }, () => dice.one(VALUES)) };
  return operator === 'Gt' || operator === 'Lt' ? { key, operator, values: [dice.one(['3', '5'])] } : { key, operator };
}

const many = <Item>(dice: Dice, most: number, make: () => Item): Item[] =>
  Array.from({ length: 1 + dice.below(most) }, make);

function rawOf(name: string, state: ClusterState, asked: Pod): readonly number[] | undefined {
  const { plugin } = PROFILE.scores.find((one) => one.plugin.name === name)!;
  const nodes = Int32Array.from({ length: state.nodes.count }, (_, index) => index);
  const scored = plugin.score({ state, pod: asked, nodes, ...PROFILE });
  if (scored.outcome !== 'Score') return undefined;
  // What is told of each node adds up to its score.
  const told = [...nodes].map((index) => scored.arithmetic(index).terms.reduce((sum, { score }) => sum + score, 0));
  expect(told).toEqual([...scored.raw]);
  return [...scored.raw];
}

const asking = (affinity: Pod['spec']['affinity']): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'asked', namespace: 'x' },
  spec: { containers: [{ name: 'c' }], ...(affinity === undefined ? {} : { affinity }) },
});

describe('preferred terms', () => {
  it.each(Array.from({ length: 60 }, (_, seed) => seed))('weigh what each of them says, seed %i', (seed) => {
    const dice = new Dice(seed);
    const nodes = Array.from({ length: 9 }, (_, index) => node(dice, index));
    const pods = Array.from({ length: 40 }, (_, index) => pod(dice, index));
    const state = ClusterState.build([...nodes, ...pods], ['Node', 'Pod']);

    const ofNodes = many(dice, 30, () => ({
      weight: 1 + dice.below(100),
      preference: {
        matchExpressions: many(dice, 2, () => requirement(dice, ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'])),
        ...(dice.chance(10)
          ? { matchFields: [{ key: 'metadata.name', operator: dice.one(['In', 'NotIn']), values: ['n3'] }] }
          : {}),
      },
    }));
    const nodeSums = nodes.map(({ metadata: { name, labels = {} } }) =>
      ofNodes
        .filter(
          ({ preference: { matchExpressions, matchFields = [] } }) =>
            matchExpressions.every((one) => holds(one, labels)) &&
            matchFields.every((one) => holds(one, { 'metadata.name': name })),
        )
        .reduce((sum, { weight }) => sum + weight, 0),
    );
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: ofNodes };
    expect(rawOf('NodeAffinity', state, asking({ nodeAffinity }))).toEqual(nodeSums);

    const terms = (): { weight: number; podAffinityTerm: PodAffinityTerm }[] =>
      many(dice, 30, () => ({
        weight: 1 + dice.below(100),
        podAffinityTerm: {
          topologyKey: dice.one(KEYS),
          labelSelector: {
            matchExpressions: many(dice, 2, () => requirement(dice, ['In', 'NotIn', 'Exists', 'DoesNotExist'])),
          },
          ...(dice.chance(30) ? { namespaces: ['x', 'y'] } : {}),
        },
      }));
    const [near, far] = [terms(), terms()];
    const podSums = nodes.map(({ metadata: { labels: here = {} } }) => {
      const sumOf = (list: ReturnType<typeof terms>): number =>
        list.reduce((sum, { weight, podAffinityTerm: { topologyKey, labelSelector, namespaces = ['x'] } }) => {
          const matched = pods.filter(({ metadata: { namespace = '', labels = {} }, spec: { nodeName }, status }) => {
            const there = nodes.find(({ metadata: { name } }) => name === nodeName)!.metadata.labels ?? {};
            return (
              status?.phase !== 'Succeeded' &&
              namespaces.includes(namespace) &&
              here[topologyKey] !== undefined &&
              there[topologyKey] === here[topologyKey] &&
              labelSelector!.matchExpressions!.every((one) => holds(one, labels))
            );
          });
          return sum + weight * matched.length;
        }, 0);
      return sumOf(near) - sumOf(far);
    });
    const affinity = {
      podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: near },
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: far },
    };
    expect(rawOf('InterPodAffinity', state, asking(affinity)) ?? nodes.map(() => 0)).toEqual(podSums);
  });
});
