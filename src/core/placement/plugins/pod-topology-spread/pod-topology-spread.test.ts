import { DEFAULT_GATES } from '../../../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../../cluster/cluster-state.js';
import { DEFAULT_RULES, rulesOfMinor, withGates } from '../../../kubernetes/kubernetes-rules.js';
import type { KubernetesObject } from '../../../kubernetes/objects/meta.js';
import type { Node } from '../../../kubernetes/objects/node.js';
import type { Pod, TopologySpreadConstraint } from '../../../kubernetes/objects/pod.js';
import { evaluatePlacement } from '../../evaluate-placement.js';
import type { Placement } from '../../placement.js';
import type { NodeFilter, PlacementInput } from '../../plugin.js';
import { NAME, podTopologySpreadWith } from './pod-topology-spread.js';

const node = (name: string, zone?: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...(zone !== undefined && { zone }) } },
});

const pod = (name: string, app: string, more: { on?: string; nominated?: string; constraint?: object } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'd', labels: { app } },
  spec: {
    containers: [{ name: 'c' }],
    ...(more.on !== undefined && { nodeName: more.on }),
    ...(more.constraint !== undefined && {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'web' } },
          ...more.constraint,
        },
      ],
    }),
  },
  status: { phase: 'Running', ...(more.nominated !== undefined && { nominatedNodeName: more.nominated }) },
});

const NODES = [node('a1', 'a'), node('a2', 'a'), node('b1', 'b'), node('x')];
const place = (objects: readonly KubernetesObject[], asked: Pod, rules = DEFAULT_RULES): Placement =>
  evaluatePlacement(ClusterState.build(objects, ['Node', 'Pod'], rules), { pod: asked, filterNames: [NAME] });
const verdicts = (placement: Placement): readonly string[] =>
  NODES.map((_, index) => placement.explainNode(index).reasons[0]?.code ?? placement.verdict(index));

describe('spread constraints that forbid', () => {
  it('show the arithmetic: what matches, the pod itself, the least of any value', () => {
    const web = ['w1', 'w2'].map((name) => pod(name, 'web', { on: 'a1' }));
    const placement = place([...NODES, ...web], pod('p', 'web', { constraint: { maxSkew: 2 } }));
    expect(verdicts(placement)).toEqual([
      'TopologySpreadSkew',
      'TopologySpreadSkew',
      'feasible',
      'TopologyLabelMissing',
    ]);
    const [reason] = placement.explainNode(1).reasons;
    expect(reason).toMatchObject({
      status: 'Unschedulable',
      facts: {
        topology: { key: 'zone', value: 'a' },
        spread: {
          maxSkew: 2,
          matching: 2,
          self: 1,
          minimum: 0,
          skew: 3,
          minDomains: 1,
          domains: 2,
          fewest: [
            { value: 'b', pods: 0 },
            { value: 'a', pods: 2 },
          ],
        },
      },
    });
    expect(reason!.fields.map(({ path }) => path)).toEqual([
      'spec.topologySpreadConstraints[0]',
      'metadata.labels[zone]',
    ]);
    expect(placement.explainNode(3).reasons[0]!.facts).toEqual({ topology: { key: 'zone', value: null } });
  });

  it('take the least for nothing where there are fewer values than minDomains', () => {
    const web = [pod('w1', 'web', { on: 'a1' }), pod('w2', 'web', { on: 'b1' })];
    expect(verdicts(place([...NODES, ...web], pod('p', 'web', { constraint: {} }))).slice(0, 3)).toEqual(
      Array(3).fill('feasible'),
    );
    const three = pod('p', 'web', { constraint: { minDomains: 3 } });
    expect(verdicts(place([...NODES, ...web], three)).slice(0, 3)).toEqual(Array(3).fill('TopologySpreadSkew'));
  });

  it('count a pod nominated to a node on that node alone, and ask again without it', () => {
    const nominated = pod('n', 'web', { nominated: 'a1' });
    const asked = pod('p', 'web', { constraint: {} });
    expect(verdicts(place([...NODES, nominated], asked)).slice(0, 3)).toEqual([
      'TopologySpreadSkew',
      'feasible',
      'feasible',
    ]);
    // It makes up for b's pod only if it comes: without it a1 is one too many still.
    const uneven = [pod('w1', 'web', { on: 'a2' }), nominated];
    expect(verdicts(place([...NODES, ...uneven], asked))[0]).toBe('TopologySpreadSkew');
  });

  it.each<[string, object, readonly string[]]>([
    [
      'no selector counts nothing, nor the pod itself',
      { labelSelector: undefined },
      ['feasible', 'feasible', 'feasible'],
    ],
    ['an empty selector counts the pod itself only', { labelSelector: {} }, ['feasible', 'feasible', 'feasible']],
    [
      'matchLabelKeys adds the values of the pod itself',
      { labelSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, matchLabelKeys: ['app', 'none'] },
      ['TopologySpreadSkew', 'TopologySpreadSkew', 'feasible'],
    ],
  ])('%s', (_, constraint, expected) => {
    const others = [pod('w1', 'web', { on: 'a1' }), pod('d1', 'db', { on: 'b1' }), pod('d2', 'db', { on: 'b1' })];
    expect(verdicts(place([...NODES, ...others], pod('p', 'web', { constraint }))).slice(0, 3)).toEqual(expected);
  });
});

describe('without the gate of a field', () => {
  it('does not add the values of matchLabelKeys', () => {
    const constraint = {
      labelSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
      matchLabelKeys: ['app'],
    };
    const others = [pod('w1', 'web', { on: 'a1' }), pod('d1', 'db', { on: 'b1' }), pod('d2', 'db', { on: 'b1' })];
    const asked = pod('p', 'web', { constraint });
    const off = withGates(DEFAULT_RULES, { MatchLabelKeysInPodTopologySpread: false });
    expect(verdicts(place([...NODES, ...others], asked)).slice(0, 3)).toEqual([
      'TopologySpreadSkew',
      'TopologySpreadSkew',
      'feasible',
    ]);
    expect(verdicts(place([...NODES, ...others], asked, off)).slice(0, 3)).toEqual([
      'feasible',
      'feasible',
      'TopologySpreadSkew',
    ]);
  });

  it('honours node affinity and ignores taints, whatever the policies are', () => {
    const tainted = { ...node('b1', 'b'), spec: { taints: [{ key: 'k', effect: 'NoSchedule' as const }] } };
    const nodes = [node('a1', 'a'), tainted];
    const asked = pod('p', 'web', { constraint: { nodeTaintsPolicy: 'Honor' } });
    const skewed = [pod('w1', 'web', { on: 'a1' })];
    const first = (rules: typeof DEFAULT_RULES): unknown =>
      place([...nodes, ...skewed], asked, rules).explainNode(0).reasons[0]?.code;
    expect(first(rulesOfMinor(32))).toBeUndefined();
    const off = withGates(rulesOfMinor(32), { NodeInclusionPolicyInPodTopologySpread: false });
    expect(first(off)).toBe('TopologySpreadSkew');
  });
});

describe('the constraints of a profile', () => {
  const HARD: TopologySpreadConstraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
  const set = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web', namespace: 'd' },
    spec: { selector: { matchLabels: { app: 'web' } } },
  } as KubernetesObject;
  const owned = (asked: Pod): Pod => ({
    ...asked,
    metadata: {
      ...asked.metadata,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', controller: true }],
    },
  });
  const filterOf = (asked: Pod): NodeFilter | undefined => {
    const state = ClusterState.build([...NODES, set, pod('w1', 'web', { on: 'a1' })], ['Node', 'Pod', 'ReplicaSet']);
    const input: PlacementInput = {
      state,
      pod: asked,
      gates: DEFAULT_GATES,
      filterNames: undefined,
      filters: [],
      nominated: [],
    };
    const prepared = podTopologySpreadWith([HARD]).preFilter(input);
    return prepared.outcome === 'Filter' ? prepared.filter : undefined;
  };

  it('hold for a pod without any of its own, by what its controller selects', () => {
    const filter = filterOf(owned(pod('p', 'web')));
    expect(NODES.map((_, index) => filter!.status(index) === 0)).toEqual([false, false, true, false]);
    expect(filter!.explain(0)[0]!.facts).toMatchObject({
      spread: { matching: 1, self: 1, minimum: 0, skew: 2 },
    });
  });

  it('do not hold for a pod that nothing selects, nor for one with constraints of its own', () => {
    expect(filterOf(pod('p', 'web'))).toBeUndefined();
    const own = pod('p', 'web', { constraint: { whenUnsatisfiable: 'ScheduleAnyway' } });
    expect(filterOf(owned(own))).toBeUndefined();
  });
});
