import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { JsonObject } from '../json/json-value.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import type { Placement } from '../placement/placement.js';
import { DEFAULT_FILTERS } from '../placement/profile.js';
import { rankNodes, uncertainScores } from '../placement/rank-nodes.js';
import { DEFAULT_SCORES } from '../placement/score-profile.js';
import { DEFAULT_PROFILE } from '../scheduler-configuration/default-profile.js';
import { readConfiguration } from '../scheduler-configuration/read-configuration.js';
import { profilePlugins, type ProfilePlugins } from './profile-plugins.js';
import { schedulePod } from './schedule-pod.js';

const node = (name: string, given: Partial<Node> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, zone: name.slice(0, 1) } },
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10' } },
  ...given,
});

const pod = (spec: Partial<PodSpec> = {}, labels: Record<string, string> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'asked', namespace: 'default', labels },
  spec: { containers: [{ name: 'c' }], ...spec },
});

function plugins(profile: JsonObject, outOfTreePlugins: 'keep' | 'leave-out' = 'keep'): ProfilePlugins {
  const apiVersion = 'kubescheduler.config.k8s.io/v1';
  const document = { apiVersion, kind: 'KubeSchedulerConfiguration', profiles: [profile] };
  const reading = readConfiguration(document, { outOfTreePlugins });
  if (reading.outcome === 'refused') throw new Error(reading.message);
  return profilePlugins(reading.profiles[0]!, DEFAULT_GATES);
}

const told = (name: string, args: JsonObject): ProfilePlugins => plugins({ pluginConfig: [{ name, args }] });

const build = (objects: readonly KubernetesObject[], kinds: readonly KeptKind[] = ['Node', 'Pod']): ClusterState =>
  ClusterState.build(objects, kinds);

const place = (state: ClusterState, asked: Pod, { filters }: ProfilePlugins): Placement =>
  evaluatePlacement(state, { pod: asked, filters });

describe('the plugins of a profile', () => {
  it('are those of the default profile, in the same order and with the same weights, without a configuration', () => {
    const { filters, scores } = profilePlugins(DEFAULT_PROFILE, DEFAULT_GATES);
    expect(filters).toEqual(DEFAULT_FILTERS);
    expect(scores).toEqual(DEFAULT_SCORES);
    expect(filters.every((filter, index) => filter === DEFAULT_FILTERS[index])).toBe(true);
  });

  it('do not filter on taints without TaintToleration', () => {
    const tainted = node('a1', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } });
    const bare = plugins({ plugins: { multiPoint: { disabled: [{ name: 'TaintToleration' }] } } });
    expect(place(build([tainted]), pod(), bare).verdict(0)).toBe('feasible');
    expect(place(build([tainted]), pod(), profilePlugins(DEFAULT_PROFILE, DEFAULT_GATES)).verdict(0)).toBe(
      'infeasible',
    );
  });

  it('require what addedAffinity requires, before the requirements of the pod', () => {
    const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] };
    const enforcing = told('NodeAffinity', {
      addedAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required },
    });
    const state = build([node('a1'), node('a2'), node('b1'), node('b2')]);
    expect(place(state, pod(), enforcing).counts).toMatchObject({ feasible: 2, infeasible: 2 });
    const placement = place(state, pod({ nodeSelector: { 'kubernetes.io/hostname': 'b2' } }), enforcing);
    expect(placement.message().text).toBe(
      "0/4 nodes are available: 2 node(s) didn't match Pod's node affinity/selector, 2 node(s) didn't match scheduler-enforced node affinity. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
    );
    expect(placement.explainNode(2).reasons.map(({ code }) => code)).toEqual([
      'EnforcedNodeAffinityMismatch',
      'NodeSelectorMismatch',
    ]);
    expect(placement.explainNode(3).reasons.map(({ code }) => code)).toEqual(['EnforcedNodeAffinityMismatch']);
  });

  it.each([
    ['a resource by its name', { ignoredResources: ['example.com/gpu'] }, 'example.com/gpu', 'feasible'],
    [
      'a group by what stands before the slash',
      { ignoredResourceGroups: ['example.com'] },
      'example.com/gpu',
      'feasible',
    ],
    ['no other resource', { ignoredResources: ['example.com/fpga'] }, 'example.com/gpu', 'infeasible'],
    ['no resource of Kubernetes itself', { ignoredResources: ['hugepages-2Mi'] }, 'hugepages-2Mi', 'infeasible'],
  ])('ignore %s', (_, args, resource, verdict) => {
    const asked = pod({ containers: [{ name: 'c', resources: { requests: { [resource]: '2Mi' } } }] });
    expect(place(build([node('a1')]), asked, told('NodeResourcesFit', args)).verdict(0)).toBe(verdict);
  });

  it('spread pods of a service by a list of default constraints', () => {
    const spreading = told('PodTopologySpread', {
      defaultingType: 'List',
      defaultConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
    });
    const labels = { app: 'web' };
    const there: Pod = { ...pod({ nodeName: 'a1' }, labels), metadata: { name: 'x', namespace: 'default', labels } };
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's', namespace: 'default' },
      spec: { selector: labels },
    };
    const nodes = [node('a1'), node('b1')];
    const served = place(build([...nodes, there, service], ['Node', 'Pod', 'Service']), pod({}, labels), spreading);
    expect([served.verdict(0), served.verdict(1)]).toEqual(['infeasible', 'feasible']);
    expect(served.assumptions).toEqual([]);
    const others = place(build([...nodes, there, service], ['Node', 'Pod', 'Service']), pod(), spreading);
    expect(others.verdict(0)).toBe('feasible');
    const unknown = place(build([...nodes, there]), pod({}, labels), spreading);
    expect(unknown.verdict(0)).toBe('feasible');
    expect(unknown.assumptions.map(({ kind }) => kind)).toContain('Service');
  });

  it('are unknown because of an out-of-tree filter, unless it is left out', () => {
    const profile = { plugins: { filter: { enabled: [{ name: 'Strange' }] } } };
    const kept = plugins(profile);
    const placement = place(build([node('a1')]), pod(), kept);
    expect(placement.verdict(0)).toBe('unknown');
    expect(placement.message().text).toBeUndefined();
    expect(placement.rollUp()).toMatchObject([{ plugin: 'Strange', code: 'OutOfTreePlugin', nodes: 1 }]);
    expect(place(build([node('a1')]), pod(), plugins(profile, 'leave-out')).verdict(0)).toBe('feasible');
  });

  it('are unknown because of an out-of-tree plugin that can refuse a pod before filtering', () => {
    const kept = plugins({ plugins: { preFilter: { enabled: [{ name: 'Strange' }] } } });
    expect(place(build([node('a1')]), pod(), kept).verdict(0)).toBe('unknown');
    const late = plugins({ plugins: { permit: { enabled: [{ name: 'Strange' }] } } });
    expect(place(build([node('a1')]), pod(), late).verdict(0)).toBe('feasible');
  });

  it('are known with the coscheduling plugin for a pod without a group', () => {
    const kept = plugins({ plugins: { multiPoint: { enabled: [{ name: 'Coscheduling' }] } } });
    expect(place(build([node('a1')]), pod(), kept).verdict(0)).toBe('feasible');
    const one = pod();
    const grouped = { ...one, metadata: { ...one.metadata, labels: { 'scheduling.x-k8s.io/pod-group': 'g' } } };
    const placement = place(build([node('a1')]), grouped, kept);
    expect(placement.verdict(0)).toBe('unknown');
    expect(placement.rollUp()[0]?.message).toContain('PodGroup default/g');
  });

  it('make a ranking uncertain because of an out-of-tree score', () => {
    const profile = { plugins: { score: { enabled: [{ name: 'LoadAware', weight: 5 }] } } };
    const kept = plugins(profile);
    const state = build([node('a1'), node('b1')]);
    expect(schedulePod(state, pod(), kept)).toMatchObject({ outcome: 'placed', uncertain: ['LoadAware'] });
    const left = plugins(profile, 'leave-out');
    expect(schedulePod(state, pod(), left)).not.toHaveProperty('uncertain');
    const ranking = rankNodes(state, { pod: pod(), nodes: Int32Array.of(0, 1), ...kept });
    expect(uncertainScores(ranking)).toEqual(['LoadAware']);
  });

  it('score by the weights of the profile', () => {
    const { scores } = plugins({
      plugins: { score: { disabled: [{ name: '*' }], enabled: [{ name: 'ImageLocality', weight: 9 }] } },
    });
    expect(scores.map(({ plugin, weight }) => [plugin.name, weight])).toEqual([['ImageLocality', 9]]);
  });
});
