import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../../cluster/cluster-state.js';
import type { KeptKind } from '../../../kubernetes/kinds.js';
import type { KubernetesObject } from '../../../kubernetes/objects/meta.js';
import type { Node } from '../../../kubernetes/objects/node.js';
import type { Pod, PodAffinityTerm } from '../../../kubernetes/objects/pod.js';
import { evaluatePlacement } from '../../evaluate-placement.js';
import type { Placement } from '../../placement.js';
import { NAME } from './inter-pod-affinity.js';
import type { PodAffinityFacts } from '../../reason.js';

const node = (name: string, zone: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { zone } },
});
const NODES = [node('a1', 'a'), node('a2', 'a'), node('b1', 'b')];

interface Parts {
  readonly on?: string;
  readonly nominated?: string;
  readonly near?: Partial<PodAffinityTerm>;
  readonly far?: Partial<PodAffinityTerm>;
  readonly namespace?: string;
}

const required = (term: Partial<PodAffinityTerm>): object => ({
  requiredDuringSchedulingIgnoredDuringExecution: [
    { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'web' } }, ...term },
  ],
});
const pod = (name: string, app: string, { on, nominated, near, far, namespace = 'd' }: Parts = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { app } },
  spec: {
    containers: [{ name: 'c' }],
    ...(on !== undefined && { nodeName: on }),
    affinity: {
      ...(near !== undefined && { podAffinity: required(near) }),
      ...(far !== undefined && { podAntiAffinity: required(far) }),
    },
  },
  ...(nominated !== undefined && { status: { phase: 'Pending', nominatedNodeName: nominated } }),
});
const namespace = (name: string, team?: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, ...(team !== undefined && { labels: { team } }) },
});

const place = (
  objects: readonly KubernetesObject[],
  asked: Pod,
  loaded: readonly KeptKind[] = ['Node', 'Pod', 'Namespace'],
): Placement =>
  evaluatePlacement(ClusterState.build([...NODES, ...objects], loaded), { pod: asked, filterNames: [NAME] });
const verdicts = (placement: Placement): readonly string[] =>
  NODES.map((_, index) => placement.explainNode(index).reasons[0]?.code ?? placement.verdict(index));
const UNMET = 'PodAffinityUnmet';

describe('affinity between pods', () => {
  it('lets the first of a group go anywhere, and the others only to it', () => {
    const asked = pod('p', 'web', { near: {} });
    expect(verdicts(place([], asked))).toEqual(['feasible', 'feasible', 'feasible']);
    expect(verdicts(place([pod('w', 'web', { on: 'a1' })], asked))).toEqual(['feasible', 'feasible', UNMET]);
    // One that does not meet its own terms is no first.
    expect(verdicts(place([], pod('p', 'db', { near: {} })))).toEqual([UNMET, UNMET, UNMET]);
  });

  it('lets the first of a group in a namespace without pods go anywhere too, where its terms select that namespace', () => {
    const asked = pod('p', 'web', { near: { namespaceSelector: { matchLabels: { team: 'x' } } }, namespace: 'e' });
    expect(verdicts(place([namespace('e', 'x')], asked))).toEqual(['feasible', 'feasible', 'feasible']);
    expect(verdicts(place([namespace('e', 'y')], asked))).toEqual([UNMET, UNMET, UNMET]);
  });

  it('weighs thousands of terms against sets of labels and not against each pod, and names the first of them', () => {
    const web = Array.from({ length: 20_000 }, (_, i) => pod(`w${String(i).padStart(5, '0')}`, 'web', { on: 'a1' }));
    const terms = Array.from({ length: 2000 }, (_, index): PodAffinityTerm => ({
      topologyKey: 'zone',
      labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: [`x${index}`] }] },
    }));
    for (const [kind, node] of [
      ['podAntiAffinity', 0],
      ['podAffinity', 2],
    ] as const) {
      const affinity = { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
      const asked = pod('p', 'x0', {});
      const placement = place(web, { ...asked, spec: { ...asked.spec, affinity } });
      const { fields, ...reason } = placement.explainNode(node).reasons[0]!;
      const facts = reason.facts as PodAffinityFacts;
      expect(facts.affinityTerms.map(({ index }) => index)).toEqual(Array.from({ length: 20 }, (_, index) => index));
      expect(fields).toHaveLength(21);
      expect(facts.pods?.at(-1)).toBe(kind === 'podAffinity' ? undefined : 'd/w00019');
    }
  }, 5000);

  it('names the terms that decide and the pods that stand in the way', () => {
    const web = [pod('w1', 'web', { on: 'a1' }), pod('w2', 'web', { on: 'a2' })];
    const [reason] = place(web, pod('p', 'db', { far: {} })).explainNode(0).reasons;
    expect(reason).toMatchObject({
      code: 'PodAntiAffinityConflict',
      status: 'Unschedulable',
      facts: {
        pods: ['d/w1', 'd/w2'],
        affinityTerms: [{ index: 0, topology: { key: 'zone', value: 'a' }, selector: 'app=web' }],
      },
    });
    expect(reason!.fields[0]!.pointer).toBe(
      '/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0',
    );
  });

  it('names the existing pod whose anti-affinity repels the pod', () => {
    const placement = place([pod('lone', 'db', { on: 'a1', far: {} })], pod('p', 'web'));
    expect(verdicts(placement)).toEqual(['ExistingPodAntiAffinity', 'ExistingPodAntiAffinity', 'feasible']);
    expect(placement.explainNode(1).reasons[0]!.facts).toEqual({
      pods: ['d/lone'],
      affinityTerms: [{ index: 0, topology: { key: 'zone', value: 'a' }, selector: 'app=web', pod: 'd/lone' }],
    });
  });

  it('minds no existing pod of which one required term cannot be read', () => {
    const lone = pod('lone', 'db', { on: 'a1', far: {} });
    const bad = { topologyKey: 'zone', labelSelector: { matchLabels: { app: '-3' } } };
    const terms = lone.spec.affinity!.podAntiAffinity!.requiredDuringSchedulingIgnoredDuringExecution!;
    const spoiled: Pod = {
      ...lone,
      spec: {
        ...lone.spec,
        affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [...terms, bad] } },
      },
    };
    expect(verdicts(place([spoiled], pod('p', 'web')))).toEqual(['feasible', 'feasible', 'feasible']);
  });

  it('counts nominated pods on their node alone: they may stand in the way, but are nobody to go to', () => {
    const nominated = pod('n', 'web', { nominated: 'a1' });
    expect(verdicts(place([nominated], pod('p', 'db', { far: {} })))).toEqual([
      'PodAntiAffinityConflict',
      'feasible',
      'feasible',
    ]);
    expect(verdicts(place([nominated], pod('p', 'db', { near: {} })))).toEqual([UNMET, UNMET, UNMET]);
    // The anti-affinity of a nominated pod is not looked at where the rule has nothing else to ask (upstream skips it then).
    const shy = pod('n', 'db', { nominated: 'a1', far: {} });
    expect(verdicts(place([shy], pod('p', 'web')))).toEqual(['feasible', 'feasible', 'feasible']);
    expect(verdicts(place([shy, pod('lone', 'db', { on: 'b1', far: {} })], pod('p', 'web')))).toEqual([
      'ExistingPodAntiAffinity',
      'feasible',
      'ExistingPodAntiAffinity',
    ]);
  });

  it.each<[string, Partial<PodAffinityTerm>, readonly string[]]>([
    [
      'by labels that were never loaded',
      { namespaceSelector: { matchLabels: { team: 'x' } } },
      Array(3).fill('KindNotLoaded'),
    ],
    [
      'by their names, which need not be loaded',
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'e' } } },
      ['PodAntiAffinityConflict', 'PodAntiAffinityConflict', 'feasible'],
    ],
    ['all of them', { namespaceSelector: {} }, ['PodAntiAffinityConflict', 'PodAntiAffinityConflict', 'feasible']],
  ])('selects namespaces %s', (_, far, expected) => {
    const other = pod('w', 'web', { on: 'a1', namespace: 'e' });
    expect(verdicts(place([other], pod('p', 'db', { far }), ['Node', 'Pod']))).toEqual(expected);
  });

  it('refuses a pod with a selector that cannot be read, whatever the node', () => {
    const placement = place([], pod('p', 'web', { near: { labelSelector: { matchLabels: { app: '-3' } } } }));
    expect(placement.counts).toEqual({ feasible: 0, infeasible: 3, unknown: 0 });
    expect(placement.podReasons[0]!.message).toMatch(
      /^parsing pod: requiredAffinityTerms: values\[0\]\[app\]: Invalid/,
    );
  });
});
