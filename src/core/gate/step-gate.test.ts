import { describe, expect, it } from '@jest/globals';
import { documentsOf } from '../../app/manifests/given-manifests.js';
import { parseManifests } from '../../ingest/parse-manifests.js';
import { ClusterState } from '../cluster/cluster-state.js';
import { settingOf, THE_ONE } from '../cluster/setting.js';
import { finish } from '../collections/finish.js';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import { decodeObject } from '../kubernetes/decode.js';
import { KINDS } from '../kubernetes/kinds.js';
import { findFields, type FieldValidation } from '../kubernetes/manifests/check-fields.js';
import { readManifests } from '../kubernetes/manifests/read-manifests.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { DEFAULT_RULES, rulesOfMinor, withGates, type KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import { DEFAULT_GATES, gatesOf, type TolerationGates } from '../kubernetes/toleration.js';
import { markWholeObject } from '../rollout/templates.js';
import { stepGate, type Gate } from './step-gate.js';

const NOW = Date.parse('2026-05-04T03:02:01Z');
const EVERY_KIND = KINDS.map(({ kind }) => kind);

const decoded = (value: JsonObject): KubernetesObject => {
  const result = decodeObject(value);
  if (result.outcome !== 'object') throw new Error(JSON.stringify(result));
  return result.object;
};

const stateOf = (
  objects: readonly JsonObject[],
  kinds = EVERY_KIND,
  rules: KubernetesRules = DEFAULT_RULES,
): ClusterState => ClusterState.build(objects.map(decoded), kinds, rules);

interface Asked {
  readonly fieldValidation?: FieldValidation;
  readonly proposes?: boolean;
  readonly gates?: TolerationGates;
  readonly unknownVersion?: string;
}

function ask(state: ClusterState, manifests: readonly JsonObject[], asked: Asked = {}): Gate {
  const { fieldValidation = 'Strict', proposes = true, gates = DEFAULT_GATES, ...others } = asked;
  const read = readManifests(documentsOf(manifests, '/manifests'), { namespace: 'shop' });
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  const objects = read.objects.map((object) => ({ object, fields: findFields(object, undefined) }));
  return finish(stepGate(state, objects, { now: NOW, gates, fieldValidation, proposes, ...others }));
}

const node = (name: string, more: JsonObject = {}, taints: JsonValue[] = []): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...more } },
  spec: { taints },
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' }, conditions: [{ type: 'Ready', status: 'True' }] },
});

const GPU = { key: 'gpu', value: 'true', effect: 'NoSchedule' };
const CONTAINER: JsonObject = { name: 'web', image: 'web:1' };
const NAMESPACE: JsonObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };

const quota = (hard: JsonObject, used: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'team', namespace: 'shop' },
  spec: { hard },
  status: { hard, used },
});

const deployment = (replicas: number, spec: JsonObject = {}, cpu = '1'): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu } } }], ...spec },
    },
  },
});

const texts = ({ proposal }: Gate): readonly string[] | undefined => proposal?.map(({ text }) => text);

describe('stepGate', () => {
  it('says yes if every object is accepted and every pod has a node', () => {
    const { judgement, rollout, proposal } = ask(stateOf([node('a'), NAMESPACE]), [deployment(3)]);
    expect([judgement.verdict, judgement.summary]).toEqual([
      'yes',
      'the object is accepted, and all 3 pods have a node',
    ]);
    expect(rollout.workloads).toMatchObject([{ desired: 3, created: 3, bound: 3, pending: 0 }]);
    expect([judgement.reasons, proposal]).toEqual([[], undefined]);
  });

  describe('in a cluster of an older version', () => {
    const of = (minor: number, manifests: readonly JsonObject[], asked: Asked = {}): Gate => {
      const rules = rulesOfMinor(minor);
      return ask(stateOf([node('a'), NAMESPACE], EVERY_KIND, rules), manifests, { gates: gatesOf(rules), ...asked });
    };
    const reasonsOf = ({ judgement: { verdict, reasons } }: Gate): readonly unknown[] => [
      verdict,
      ...reasons.map(({ by, message }) => `${by}: ${message}`),
    ];
    const claim = (apiVersion: string): JsonObject => ({
      apiVersion,
      kind: 'ResourceClaim',
      metadata: { name: 'c' },
      spec: { devices: { requests: [{ name: 'r', deviceClassName: 'gpu' }] } },
    });

    it('refuses fields that the version lacks, in the text order of all faults, and proposes to leave them out', () => {
      const manifest = deployment(1, { hostnameOverride: 'a', tolleration: [] });
      const gate = of(33, [manifest]);
      expect(reasonsOf(gate)).toEqual([
        'no',
        'fieldValidation: Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.template.spec.hostnameOverride", unknown field "spec.template.spec.tolleration"',
      ]);
      expect(texts(of(33, [deployment(1, { hostnameOverride: 'a' })]))).toEqual([
        'remove the unknown field spec.template.spec.hostnameOverride',
      ]);
      expect(of(34, [deployment(1, { hostnameOverride: 'a' })]).judgement.verdict).toBe('yes');
    });

    it('says what only the text told, also where the version has something to say', () => {
      const text =
        '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"hostnameOverride":"a","hostPID":true,"hostPID":true,"containers":[{"name":"c","image":"c"}]}}';
      const read = readManifests(parseManifests(text).documents, { namespace: 'shop' });
      if ('faults' in read) throw new Error(JSON.stringify(read.faults));
      const objects = read.objects.map((object) => ({
        object,
        fields: findFields(object, read.documents.get(object)),
      }));
      const rules = rulesOfMinor(33);
      const gate = finish(
        stepGate(stateOf([node('a'), NAMESPACE], EVERY_KIND, rules), objects, {
          now: NOW,
          gates: gatesOf(rules),
          fieldValidation: 'Strict',
          proposes: false,
        }),
      );
      expect(gate.judgement.reasons[0]?.message).toBe(
        'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.hostnameOverride", duplicate field "spec.hostPID"',
      );
    });

    it('drops what the version lacks where it does not refuse it, whatever its type', () => {
      const manifest = deployment(1, { hostnameOverride: 5 });
      const { judgement, rollout } = of(33, [manifest], { fieldValidation: 'Warn' });
      expect(judgement.verdict).toBe('yes');
      expect(rollout.objects[0]).toMatchObject({
        warnings: ['unknown field "spec.template.spec.hostnameOverride"'],
      });
      expect(of(34, [manifest], { fieldValidation: 'Warn' }).judgement.verdict).toBe('no');
    });

    it('finds no match for a version of an API that the cluster does not serve', () => {
      const old = { ...deployment(1), apiVersion: 'extensions/v1beta1' };
      expect(reasonsOf(of(36, [old]))).toEqual([
        'no',
        'discovery: no matches for kind "Deployment" in version "extensions/v1beta1"',
      ]);
      expect(texts(of(36, [old]))).toEqual(['change the apiVersion of Deployment web to apps/v1']);
      const policy = { apiVersion: 'policy/v1beta1', kind: 'PodSecurityPolicy', metadata: { name: 'p' }, spec: {} };
      expect(reasonsOf(of(36, [deployment(1), policy]))).toEqual([
        'no',
        'discovery: no matches for kind "PodSecurityPolicy" in version "policy/v1beta1"',
      ]);
      expect(reasonsOf(of(33, [claim('resource.k8s.io/v1')]))).toEqual([
        'no',
        'discovery: no matches for kind "ResourceClaim" in version "resource.k8s.io/v1"',
      ]);
    });

    it('does not know of one that a version serves whose rules are not known', () => {
      const budget = { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', metadata: { name: 'b' }, spec: {} };
      const gate = ask(stateOf([node('a'), NAMESPACE]), [budget, deployment(1)], { unknownVersion: 'v1.24.9' });
      expect(reasonsOf(gate)).toEqual([
        'unknown',
        'discovery: whether Kubernetes v1.24.9 serves PodDisruptionBudget in policy/v1beta1 is not known',
        expect.stringContaining('only the fields of PodDisruptionBudget in policy/v1 are known'),
      ]);
      expect(ask(stateOf([node('a'), NAMESPACE]), [budget, deployment(1)]).judgement.verdict).toBe('no');
    });

    it('does not know of a field that a newer version may have', () => {
      const newer = deployment(1, { futureField: 1, foo: 2 });
      const fieldValidations = ['Strict', 'Warn', 'Ignore'] as const;
      for (const fieldValidation of fieldValidations) {
        const gate = ask(stateOf([node('a'), NAMESPACE]), [newer], { unknownVersion: 'v1.37.1', fieldValidation });
        expect(reasonsOf(gate)).toEqual([
          'unknown',
          'fieldValidation: unknown field "spec.template.spec.futureField", unknown field "spec.template.spec.foo" in 1.36; whether Kubernetes v1.37.1 has them is not known',
        ]);
      }
      const strictly = ask(stateOf([node('a'), NAMESPACE]), [newer]);
      expect(strictly.judgement.verdict).toBe('no');
    });

    it('does not know of one that is served only where it is enabled, unless a gate that needs it is on', () => {
      expect(reasonsOf(of(33, [claim('resource.k8s.io/v1beta1')]))).toEqual([
        'unknown',
        'discovery: Kubernetes v1.33 serves resource.k8s.io/v1beta1 only where it is enabled (--runtime-config)',
      ]);
      const rules = withGates(rulesOfMinor(33), { DynamicResourceAllocation: true });
      const state = stateOf([node('a'), NAMESPACE], EVERY_KIND, rules);
      expect(ask(state, [claim('resource.k8s.io/v1beta1')], { gates: gatesOf(rules) }).judgement.verdict).toBe('yes');
      expect(reasonsOf(of(34, [claim('resource.k8s.io/v1beta1')]))[0]).toBe('unknown');
    });
  });

  describe('of a StatefulSet that is there', () => {
    const set = (updateStrategy: JsonObject | undefined, image = 'web:1'): JsonObject => ({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db', namespace: 'shop', uid: 'db' },
      spec: {
        replicas: 3,
        serviceName: 'db',
        selector: { matchLabels: { app: 'db' } },
        template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ ...CONTAINER, image }] } },
        ...(updateStrategy && { updateStrategy }),
      },
    });
    const rolling = (partition = 0): JsonObject => ({ type: 'RollingUpdate', rollingUpdate: { partition } });
    const state = (updateStrategy: JsonObject): ClusterState => stateOf([node('a'), NAMESPACE, set(updateStrategy)]);

    it('refuses OnDelete over a rolling strategy, whose members stay', () => {
      const { judgement } = ask(state(rolling()), [set({ type: 'OnDelete' })]);
      expect(judgement.reasons[0]?.message).toBe(
        `StatefulSet.apps "db" is invalid: spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":0,"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`,
      );
      const { rollout } = ask(state({ type: 'OnDelete' }), [set({ type: 'OnDelete' }, 'web:2')]);
      expect(rollout.objects[0]?.outcome).toBe('configured');
    });

    it('keeps the partition that the manifest leaves out', () => {
      const partition = (gate: Gate): unknown => gate.rollout.workloads[0]?.updateStrategy?.rollingUpdate?.partition;
      const gate = ask(state(rolling(2)), [set(undefined, 'web:2')]);
      expect([gate.judgement.verdict, partition(gate)]).toEqual(['yes', 2]);
      expect(partition(ask(state(rolling(2)), [set(rolling(1), 'web:2')]))).toBe(1);
    });
  });

  it('warns of declared feature gates that are not evaluated, of pods', () => {
    const featureGates = { StorageCapacityScoring: true, PodLevelResources: true };
    const declared = settingOf('KubernetesVersion', THE_ONE, { featureGates });
    const state = stateOf([node('a'), NAMESPACE]).apply({ upserts: [declared] });
    const warned = (manifest: JsonObject): unknown =>
      ask(state, [manifest])
        .warnings.filter(({ rule }) => rule === 'feature-gate-not-evaluated')
        .map(({ message }) => message);
    expect(warned(deployment(1))).toEqual([
      'The feature gate StorageCapacityScoring is on in this cluster. What that changes is not evaluated: responses follow its default.',
    ]);
    expect(warned(quota({ pods: '3' }, {}))).toEqual([]);
  });

  describe('with pods that are placed together', () => {
    const rules = withGates(DEFAULT_RULES, { GangScheduling: true, GenericWorkload: true });
    const podGroup = (spec: JsonObject, apiVersion = 'scheduling.k8s.io/v1alpha2'): JsonObject => ({
      apiVersion,
      kind: 'PodGroup',
      metadata: { name: 'g' },
      spec,
    });
    const gang = (minCount: number): JsonObject => podGroup({ schedulingPolicy: { gang: { minCount } } });
    const workers = (replicas: number, cpu = '1', more: JsonObject = {}): JsonObject =>
      deployment(replicas, { schedulingGroup: { podGroupName: 'g' }, ...more }, cpu);
    const judged = (manifests: readonly JsonObject[], stored: readonly JsonObject[] = []): Gate =>
      ask(stateOf([node('a'), NAMESPACE, ...stored], EVERY_KIND, rules), manifests, { gates: gatesOf(rules) });
    const REFUSAL = '0/1 nodes are available: 1 Insufficient cpu.';

    it('says yes if all find a node at once', () => {
      const { judgement, rollout } = judged([gang(4), workers(4)]);
      expect(judgement).toMatchObject({ verdict: 'yes', reasons: [] });
      expect(rollout.workloads).toMatchObject([{ created: 4, bound: 4 }]);
    });

    it('places none if too few find a node, and gives the reasons of the one that finds none first', () => {
      const { judgement, rollout } = judged([gang(6), workers(6)]);
      expect(judgement.verdict).toBe('no');
      expect(judgement.reasons[0]?.message).toContain('1 Insufficient cpu');
      expect(judgement.reasons[1]?.message).toContain('pod group is unschedulable, waiting for minCount pods');
      expect(judgement.reasons.map(({ pods }) => pods)).toEqual([2, 4]);
      expect(rollout.workloads).toMatchObject([{ created: 6, bound: 0, pending: 6 }]);
    });

    it('leaves the room of a gang that is not placed to others, and places one of which enough find a node', () => {
      const other = { ...(deployment(3) as { metadata: object }), metadata: { name: 'other' } };
      const none = judged([gang(6), workers(6), other]);
      expect(none.rollout.workloads.map(({ name, bound }) => [name, bound])).toEqual([
        ['web', 0],
        ['other', 3],
      ]);
      const some = judged([gang(3), workers(6)]);
      expect(some.rollout.workloads).toMatchObject([{ bound: 4, pending: 2 }]);
      expect(some.judgement.reasons).toMatchObject([{ code: 'Unschedulable', pods: 2 }]);
    });

    it('says no while pods or the PodGroup are missing, and counts pods that are there', () => {
      const few = judged([gang(5), workers(4)]);
      expect(few.judgement).toMatchObject({
        verdict: 'no',
        reasons: [{ message: 'waiting for minCount pods from a gang to appear in scheduling queue', pods: 4 }],
      });
      const none = judged([workers(1)]);
      expect(none.judgement.reasons).toMatchObject([
        { message: 'waiting for pods\'s pod group "g" to appear in scheduling queue' },
      ]);
      const there = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', namespace: 'shop' },
        spec: { nodeName: 'a', schedulingGroup: { podGroupName: 'g' }, containers: [CONTAINER] },
        status: { phase: 'Running' },
      };
      expect(judged([gang(5), workers(4)], [there]).judgement.verdict).toBe('yes');
    });

    it('tries pods that complete a gang with those of it that wait', () => {
      const waiting = (name: string, cpu = '1'): JsonObject => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'shop' },
        spec: {
          schedulingGroup: { podGroupName: 'g' },
          containers: [{ ...CONTAINER, resources: { requests: { cpu } } }],
        },
        status: { phase: 'Pending' },
      });
      const group = { ...gang(3), metadata: { name: 'g', namespace: 'shop' } };
      const sent = waiting('x');
      const complete = judged([sent], [group, waiting('a0'), waiting('a1')]);
      expect(complete.judgement).toMatchObject({ verdict: 'yes', reasons: [] });
      expect(complete.rollout.workloads).toMatchObject([{ name: 'x', bound: 1 }]);
      expect(judged([workers(1)], [group, waiting('a0'), waiting('a1')]).judgement.verdict).toBe('yes');
      const large = judged([sent], [group, waiting('a0'), waiting('a1', '3')]);
      expect(large.judgement).toMatchObject({ verdict: 'no', reasons: [{ code: 'Unschedulable', pods: 1 }] });
      // Those that wait take their room first.
      const full = judged([sent], [group, ...['a0', 'a1', 'a2', 'a3'].map((name) => waiting(name))]);
      expect(full.judgement.reasons[0]?.message).toContain(REFUSAL);
    });

    it('does not take a PodGroup of the coscheduling plugin for one of the scheduler', () => {
      const ofPlugin = podGroup({ minMember: 1 }, 'scheduling.x-k8s.io/v1alpha1');
      const { judgement } = judged([ofPlugin, workers(1)]);
      expect([judgement.verdict, judgement.reasons[0]?.message]).toEqual([
        'no',
        'waiting for pods\'s pod group "g" to appear in scheduling queue',
      ]);
      expect(judged([ofPlugin, gang(1), workers(1)]).judgement.verdict).toBe('yes');
    });

    it('does not know of what is not modelled', () => {
      const topology = podGroup({
        schedulingPolicy: { gang: { minCount: 1 } },
        schedulingConstraints: { topology: [{ key: 'zone' }] },
      });
      const { judgement: ofTopology } = judged([topology, workers(1)]);
      expect([ofTopology.verdict, ofTopology.reasons[0]?.message]).toEqual([
        'unknown',
        expect.stringContaining('topology constraints'),
      ]);
      const low = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'low', namespace: 'shop' },
        spec: { nodeName: 'a', priority: -5, containers: [{ ...CONTAINER, resources: { requests: { cpu: '3' } } }] },
        status: { phase: 'Running' },
      };
      const { judgement } = judged([gang(2), workers(2)], [low]);
      expect([judgement.verdict, judgement.reasons[0]?.message]).toEqual([
        'unknown',
        expect.stringContaining('PodGroup shop/g'),
      ]);
      const { judgement: strange } = judged([
        podGroup({ schedulingPolicy: { gang: { minCount: 1 } }, x: 1 }),
        workers(1),
      ]);
      expect(strange).toMatchObject({ verdict: 'no', reasons: [{ by: 'fieldValidation' }, { code: 'Unschedulable' }] });
    });

    it('asks the coscheduling plugin where the profile has it', () => {
      const profile = { plugins: { multiPoint: { enabled: [{ name: 'Coscheduling' }] } } };
      const configuration = {
        kind: 'SchedulerConfiguration',
        metadata: { name: THE_ONE },
        content: {
          apiVersion: 'kubescheduler.config.k8s.io/v1',
          kind: 'KubeSchedulerConfiguration',
          profiles: [profile],
        },
      } as unknown as KubernetesObject;
      const state = stateOf([node('a'), NAMESPACE]).apply({ upserts: [configuration], deletes: [] });
      const group = podGroup({ minMember: 4 }, 'scheduling.x-k8s.io/v1alpha1');
      const labelled = (cpu: string): JsonObject => {
        const manifest = deployment(4, {}, cpu) as { spec: { template: { metadata: { labels: JsonObject } } } };
        manifest.spec.template.metadata.labels = { app: 'web', 'scheduling.x-k8s.io/pod-group': 'g' };
        return manifest;
      };
      expect(ask(state, [group, labelled('1')]).judgement.verdict).toBe('yes');
      const { judgement } = ask(state, [group, labelled('2')]);
      expect(judgement.verdict).toBe('no');
      expect(judgement.reasons.map(({ message }) => message)).toEqual([
        expect.stringContaining(REFUSAL),
        'PodGroup shop/g has nodes for 2 of at least 4 pods',
      ]);
      const waiting = ['a', 'b', 'c'].map((name) =>
        decoded({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, namespace: 'shop', labels: { 'scheduling.x-k8s.io/pod-group': 'g' } },
          spec: { containers: [CONTAINER] },
          status: { phase: 'Pending' },
        }),
      );
      const last = labelled('1') as { spec: JsonObject };
      const completing = { ...last, spec: { ...last.spec, replicas: 1 } };
      const others = state.apply({ upserts: waiting, deletes: [] });
      expect(ask(others, [group, completing]).judgement.verdict).toBe('yes');
    });
  });

  it('does not know of pods that are placed or admitted only together with others', () => {
    const kueue = { ...deployment(1), metadata: { name: 'web', labels: { 'kueue.x-k8s.io/queue-name': 'team-a' } } };
    const { judgement } = ask(stateOf([node('a'), NAMESPACE]), [kueue]);
    expect(judgement.verdict).toBe('unknown');
    expect(judgement.reasons).toMatchObject([{ code: 'ObjectUnknown', by: 'Kueue' }]);
    const plain = { ...deployment(1), metadata: { name: 'web', labels: { 'scheduling.x-k8s.io/pod-group': 'g' } } };
    expect(ask(stateOf([node('a'), NAMESPACE]), [plain]).judgement.verdict).toBe('yes');
    // The API server drops the field, because its gate is off.
    const dropped = deployment(1, { schedulingGroup: { podGroupName: 'g' } });
    expect(ask(stateOf([node('a'), NAMESPACE]), [dropped]).judgement.verdict).toBe('yes');
  });

  it('says no where no node can take a pod, though a filter besides is not known, and so not what the scheduler says', () => {
    const kinds = EVERY_KIND.filter((kind) => kind !== 'ResourceClaim' && kind !== 'ResourceClaimTemplate');
    const claims = { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }] };
    const verdict = (taints: JsonValue[]): readonly unknown[] => {
      const { judgement } = ask(stateOf([node('a', {}, taints), NAMESPACE], kinds), [deployment(1, claims)], {
        proposes: false,
      });
      const { code, message } = judgement.reasons.find(({ by }) => by === 'default-scheduler') ?? {};
      return [judgement.verdict, code, message];
    };
    expect(verdict([GPU])).toEqual([
      'no',
      'Unschedulable',
      'no node can take the pods; in which words the scheduler says so is not known',
    ]);
    expect(verdict([])[0]).toBe('unknown');
  });

  it('refuses the field that names the group of a pod where only another version has it', () => {
    const [ofWorkload, ofGroup] = [
      { workloadRef: { name: 'w', podGroup: 'g' } },
      { schedulingGroup: { podGroupName: 'g' } },
    ];
    const both = { GenericWorkload: true, GangScheduling: true };
    const verdict = (minor: number, spec: JsonObject, fieldValidation: FieldValidation): string => {
      const state = stateOf([node('a'), NAMESPACE], EVERY_KIND, withGates(rulesOfMinor(minor), both));
      return ask(state, [deployment(1, spec)], { fieldValidation, proposes: false }).judgement.verdict;
    };
    expect([verdict(35, ofGroup, 'Strict'), verdict(35, ofGroup, 'Ignore')]).toEqual(['no', 'yes']);
    expect([verdict(36, ofWorkload, 'Strict'), verdict(36, ofWorkload, 'Ignore')]).toEqual(['no', 'yes']);
    expect(verdict(35, ofWorkload, 'Strict')).toBe('unknown');
  });

  it('wants no more pods of a Job at a time than completions', () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'work:1' }] } };
    const job = (spec: JsonObject): JsonObject => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'work' },
      spec: { ...spec, template },
    });
    const summaries = [{ parallelism: 4, completions: 1 }, { parallelism: 2, completions: 6 }, { parallelism: 3 }].map(
      (spec) => ask(stateOf([node('a'), NAMESPACE]), [job(spec)]).judgement.summary,
    );
    expect(summaries).toEqual([
      'the object is accepted, and its pod has a node',
      'the object is accepted, and all 2 pods have a node',
      'the object is accepted, and all 3 pods have a node',
    ]);
  });

  it('refuses objects that pods depend on as the API server does, and creates the pods without them', () => {
    const policy = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'p' },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        },
        validations: [{ expression: "object.metadata.name.startsWth('x')" }],
      },
    };
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q' },
      spec: { hard: { pods: '-1' } },
    };
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'b' },
      spec: { minAvailable: 1, maxUnavailable: 1 },
    };
    const { judgement, rollout } = ask(stateOf([node('a'), NAMESPACE]), [policy, quota, budget, deployment(2)]);
    expect(judgement.verdict).toBe('no');
    expect(judgement.reasons.map(({ code, message }) => [code, message])).toEqual([
      [
        'ObjectRefused',
        expect.stringMatching(
          /^ValidatingAdmissionPolicy\.admissionregistration\.k8s\.io "p" is invalid: spec\.validations\[0\]\.expression: Invalid value: .*compilation failed/s,
        ),
      ],
      [
        'ObjectRefused',
        'ResourceQuota "q" is invalid: spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
      ],
      ['ObjectRefused', expect.stringContaining('minAvailable and maxUnavailable cannot be both set')],
    ]);
    expect(rollout.workloads).toMatchObject([{ created: 2, bound: 2 }]);
  });

  it('refuses claims with admin access where the namespace does not allow it', () => {
    const admin = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'all' },
      spec: {
        spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu', adminAccess: true } }] } },
      },
    };
    const claim = { ...admin, kind: 'ResourceClaim', spec: admin.spec.spec };
    const fault =
      '"all" is invalid: spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace';
    const messages = (
      namespace: JsonObject,
      sent: JsonObject[] = [admin, claim],
      rules?: KubernetesRules,
    ): readonly string[] => {
      const { judgement } = ask(stateOf([node('a')], EVERY_KIND, rules), [namespace, ...sent]);
      return judgement.reasons.map(({ message }) => message);
    };
    expect(messages(NAMESPACE)).toEqual([
      `ResourceClaimTemplate.resource.k8s.io ${fault}`,
      `ResourceClaim.resource.k8s.io ${fault}`,
    ]);
    const labels = { 'resource.kubernetes.io/admin-access': 'true' };
    expect(messages({ ...NAMESPACE, metadata: { name: 'shop', labels } })).toEqual([]);
    // Before 1.34 the API server drops the field.
    const flat = {
      ...claim,
      apiVersion: 'resource.k8s.io/v1beta1',
      spec: { devices: { requests: [{ name: 'gpu', deviceClassName: 'gpu', adminAccess: true }] } },
    };
    const rules = withGates(rulesOfMinor(33), { DynamicResourceAllocation: true });
    expect(messages(NAMESPACE, [flat], rules)).toEqual([]);
  });

  it('refuses claims and classes whose devices are invalid, in the words of the API server', () => {
    const devices = { requests: [{ name: 'BAD', exactly: { count: -1 } }] };
    const template = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 't' },
      spec: { spec: { devices } },
    };
    const deviceClass = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name: 'c' },
      spec: { selectors: [{ cel: { expression: '"x"' } }], extendedResourceName: 'cpu' },
    };
    const { judgement } = ask(stateOf([node('a'), NAMESPACE]), [template, deviceClass]);
    expect(judgement.reasons.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^ResourceClaimTemplate\.resource\.k8s\.io "t" is invalid: \[spec\.spec\.devices\.requests\[0\]\.name: Invalid value: "BAD".*exactly\.deviceClassName: Required value.*exactly\.count: Invalid value: -1: must be greater than zero/s,
      ),
      'DeviceClass.resource.k8s.io "c" is invalid: [spec.selectors[0].cel.expression: Invalid value: "\\"x\\"": must evaluate to bool or the unknown type, not string, spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name]',
    ]);
  });

  it('answers the same question in the same way, whatever was asked of the state before', () => {
    const state = stateOf([node('a'), node('b'), NAMESPACE]);
    const nodesOf = (replicas: number): unknown => ask(state, [deployment(replicas)]).rollout.workloads[0]?.nodes;
    const first = nodesOf(3);
    expect(nodesOf(8)).toEqual(
      new Map([
        ['a', 4],
        ['b', 4],
      ]),
    );
    expect(nodesOf(3)).toEqual(first);
  });

  it('says no for pods without a node, in the words of the scheduler, and proposes what lets them in', () => {
    const state = stateOf([node('a', {}, [GPU]), node('b', {}, [GPU]), NAMESPACE]);
    const { judgement, proposal } = ask(state, [deployment(3)]);
    expect(judgement.verdict).toBe('no');
    expect(judgement.reasons).toMatchObject([
      {
        code: 'Unschedulable',
        verdict: 'no',
        by: 'default-scheduler',
        pods: 3,
        message:
          '0/2 nodes are available: 2 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
      },
    ]);
    expect(proposal).toMatchObject([
      {
        of: 'Manifest',
        object: { kind: 'Deployment', name: 'web' },
        text: 'tolerate gpu=true:NoSchedule',
        patch: [
          {
            op: 'add',
            path: '/spec/template/spec/tolerations',
            value: [{ key: 'gpu', operator: 'Equal', value: 'true', effect: 'NoSchedule' }],
          },
        ],
      },
    ]);
  });

  it('proposes that requests for devices tolerate their taints, in the template that comes with the pods', () => {
    const api = { apiVersion: 'resource.k8s.io/v1' };
    const devices = [{ name: 'gpu-0', taints: [{ key: 'ecc', value: 'errors', effect: 'NoSchedule' }] }];
    const pool = { name: 'a', generation: 1, resourceSliceCount: 1 };
    const state = stateOf([
      node('a'),
      NAMESPACE,
      { ...api, kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} },
      { ...api, kind: 'ResourceSlice', metadata: { name: 'a' }, spec: { driver: 'd', nodeName: 'a', pool, devices } },
    ]);
    const template: JsonObject = {
      ...api,
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'one' },
      spec: { spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } } },
    };
    const asking = deployment(1, { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one' }] });
    const { judgement, proposal } = ask(state, [template, asking]);
    expect(judgement.verdict).toBe('no');
    expect(proposal).toMatchObject([
      {
        of: 'Manifest',
        object: { kind: 'ResourceClaimTemplate', name: 'one' },
        text: 'tolerate ecc=errors:NoSchedule in request gpu of ResourceClaimTemplate shop/one',
        patch: [
          {
            op: 'add',
            path: '/spec/spec/devices/requests/0/exactly/tolerations',
            value: [{ key: 'ecc', operator: 'Equal', value: 'errors', effect: 'NoSchedule' }],
          },
        ],
      },
    ]);
    // The spec of a stored template cannot be changed.
    const stored = { ...template, metadata: { name: 'one', namespace: 'shop' } };
    for (const manifests of [[asking], [template, asking]]) {
      expect(ask(state.apply({ upserts: [decoded(stored)] }), manifests).proposal ?? []).toEqual([]);
    }
  });

  it('proposes changes of several objects together, and none that is not needed', () => {
    const state = stateOf([node('a', {}, [GPU]), NAMESPACE, quota({ pods: '2' }, { pods: '1' })]);
    const spec = { serviceAccountName: 'web' };
    const gate = ask(state, [deployment(3, spec)]);
    expect(gate.judgement.verdict).toBe('no');
    expect(texts(gate)).toEqual([
      'add ServiceAccount shop/web',
      'tolerate gpu=true:NoSchedule',
      'raise pods of quota team from 2 to 4',
    ]);
    expect(gate.proposal?.[2]).toMatchObject({
      of: 'ResourceQuota',
      command: `kubectl patch resourcequota team -n shop --type=merge -p '{"spec":{"hard":{"pods":"4"}}}'`,
    });
  });

  it('proposes nothing that was not seen to give yes', () => {
    const state = stateOf([
      node('a', {}, [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }]),
      NAMESPACE,
    ]);
    const gate = ask(state, [deployment(3)]);
    expect([gate.judgement.verdict, gate.proposal]).toEqual(['no', undefined]);
  });

  it('proposes the greatest requests with which all replicas find room', () => {
    const asking = (requests: JsonObject): JsonObject =>
      deployment(5, { containers: [{ name: 'web', image: 'web:1', resources: { requests } }] });
    const proposed = (requests: JsonObject, nodes = [node('a')]): unknown => {
      const gate = ask(stateOf([...nodes, NAMESPACE]), [asking(requests)]);
      expect(gate.judgement.verdict).toBe('no');
      return texts(gate);
    };
    expect(proposed({ cpu: '1500m' })).toEqual(['request 700m less cpu: 800m instead of 1500m']);
    // Two nodes take two and three.
    expect(proposed({ cpu: '3' }, [node('a'), node('b')])).toEqual(['request 1667m less cpu: 1333m instead of 3']);
    expect(proposed({ memory: '3Gi' })).toEqual(['request 1434Mi less memory: 1638Mi instead of 3Gi']);
    expect(proposed({ cpu: '1500m', memory: '3Gi' })).toEqual([
      'request 700m less cpu: 800m instead of 1500m; request 1434Mi less memory: 1638Mi instead of 3Gi',
    ]);
    // One node is short of memory, the other one of cpu, so that neither can be as great as by itself.
    const uneven = [
      { ...node('a'), status: { allocatable: { cpu: '8', memory: '2Gi', pods: '110' } } },
      { ...node('b'), status: { allocatable: { cpu: '2', memory: '16Gi', pods: '110' } } },
    ];
    expect(proposed({ cpu: '4', memory: '8Gi' }, uneven)).toEqual([
      'request 3500m less cpu: 500m instead of 4; request 7Gi less memory: 1Gi instead of 8Gi',
    ]);
  });

  it('proposes a toleration rather than a lower request', () => {
    const gate = ask(stateOf([node('a'), node('b', {}, [GPU]), NAMESPACE]), [deployment(4, {}, '2')]);
    expect(texts(gate)).toEqual([expect.stringContaining('tolerat')]);
  });

  it('proposes the request of a DaemonSet that every node has room for', () => {
    const { spec, ...rest } = deployment(1, {}, '3') as { readonly spec: JsonObject } & JsonObject;
    const daemonSet: JsonObject = {
      ...rest,
      kind: 'DaemonSet',
      spec: { selector: spec['selector']!, template: spec['template']! },
    };
    const full = ask(stateOf([node('a'), node('b'), NAMESPACE]), [
      { ...deployment(1, { nodeSelector: { 'kubernetes.io/hostname': 'b' } }, '2500m'), metadata: { name: 'other' } },
    ]);
    expect(texts(ask(full.rollout.state(), [daemonSet]))).toEqual(['request 1500m less cpu: 1500m instead of 3']);
  });

  it('proposes no request of nothing', () => {
    const full = ask(stateOf([node('a'), NAMESPACE]), [{ ...deployment(1, {}, '4'), metadata: { name: 'other' } }]);
    const gate = ask(full.rollout.state(), [deployment(1, {}, '1')]);
    expect([gate.judgement.verdict, gate.proposal, gate.searchNote]).toEqual([
      'no',
      undefined,
      'None of the changes that were tried gives yes.',
    ]);
  });

  it('proposes fewer replicas only as a last resort', () => {
    const spread = {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'web' } },
        },
      ],
    };
    const alone = {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
          ],
        },
      },
    };
    const gate = ask(stateOf([node('a'), NAMESPACE]), [deployment(2, { ...spread, ...alone })]);
    expect(gate.judgement.verdict).toBe('no');
    expect(texts(gate)).toEqual(['set replicas to 1 instead of 2']);
  });

  it('counts what pods of the former template hold, if it lowers requests of an update', () => {
    const nodes = [node('a'), node('b'), NAMESPACE];
    const stored = ask(stateOf(nodes), [deployment(4, {}, '1500m')]).rollout.state();
    const gate = ask(stored, [deployment(4, {}, '2500m')]);
    expect(gate.judgement.verdict).toBe('no');
    expect(texts(gate)).toEqual(['request 500m less cpu: 2 instead of 2500m']);
    expect(ask(stored, [deployment(4, {}, '2')]).judgement.verdict).toBe('yes');
  });

  it('says nothing more of a pod that is refused', () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [] } };
    const { judgement } = ask(stateOf([node('a'), NAMESPACE]), [pod]);
    expect(judgement.reasons.map(({ code }) => code)).toEqual(['ObjectRefused']);
    expect(judgement.summary).toBe('1 object is refused');
  });

  it('says why it proposes nothing', () => {
    const state = stateOf([node('a', {}, [GPU]), NAMESPACE], ['Node', 'Pod', 'Namespace']);
    expect(ask(state, [deployment(1)])).toMatchObject({
      judgement: { verdict: 'no' },
      proposal: undefined,
      searchNote:
        'No changes were looked for, because not everything is known: LimitRange was never loaded: which default limits and constraints the namespace has is not known.',
    });
    expect(ask(state, [deployment(1)], { proposes: false }).searchNote).toBeUndefined();
    const found = ask(stateOf([node('a', {}, [GPU]), NAMESPACE]), [deployment(1)]);
    expect(found.searchNote).toBeUndefined();
  });

  it('refuses misspelt fields like the API server, and proposes the right spelling', () => {
    const state = stateOf([node('a', {}, [GPU]), NAMESPACE]);
    const manifests = [deployment(1, { tollerations: [{ key: 'gpu', operator: 'Exists' }] })];
    const gate = ask(state, manifests);
    expect(gate.judgement.reasons).toMatchObject([
      {
        code: 'ObjectRefused',
        by: 'fieldValidation',
        message:
          'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.template.spec.tollerations"',
      },
    ]);
    expect(texts(gate)).toEqual(['rename spec.template.spec.tollerations to tolerations']);
    const warned = ask(state, manifests, { fieldValidation: 'Warn' });
    expect(warned.rollout.objects).toMatchObject([
      { outcome: 'created', warnings: ['unknown field "spec.template.spec.tollerations"'] },
    ]);
  });

  it('is unknown, by the kinds to load, if something that was never loaded may refuse', () => {
    const { judgement } = ask(stateOf([node('a'), NAMESPACE], ['Node', 'Pod', 'Namespace']), [deployment(1)]);
    expect(judgement.verdict).toBe('unknown');
    expect(judgement.load).toEqual(expect.arrayContaining(['LimitRange', 'ResourceQuota', 'ServiceAccount']));
    expect(judgement.summary).toContain('to know');
  });

  it('is unknown if a webhook that is called may let in pods without a node', () => {
    const webhook = (operation: string): JsonObject => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'inject' },
      webhooks: [
        {
          name: 'inject.example.com',
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: [operation], resources: ['pods'] }],
        },
      ],
    });
    const verdictWith = (operation: string): string =>
      ask(stateOf([node('a', {}, [GPU]), NAMESPACE, webhook(operation)]), [deployment(1)], { proposes: false })
        .judgement.verdict;
    expect([verdictWith('CREATE'), verdictWith('DELETE')]).toEqual(['unknown', 'no']);
  });

  it('is unknown if nothing was looked at', () => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: {} };
    const { judgement } = ask(stateOf([node('a'), NAMESPACE]), [config]);
    expect([judgement.verdict, judgement.reasons[0]?.code]).toEqual(['unknown', 'NothingToRun']);
  });

  it('warns of a quota of which a tenth or less is left', () => {
    const state = stateOf([node('a'), NAMESPACE, quota({ pods: '10' }, { pods: '6' })]);
    const { judgement, warnings } = ask(state, [deployment(3)]);
    expect(judgement.verdict).toBe('yes');
    expect(warnings).toMatchObject([
      { code: 'QuotaNearlyFull', message: 'quota shop/team: 9 of 10 pods are used afterwards (90%)' },
    ]);
  });

  it('gives the same answer to the same question', () => {
    const state = stateOf([node('a', {}, [GPU]), NAMESPACE, quota({ pods: '2' }, { pods: '1' })]);
    const answers = [1, 2].map(() => {
      const { judgement, proposal, warnings } = ask(state, [deployment(3)]);
      return JSON.stringify([judgement.summary, judgement.reasons.map(({ message }) => message), proposal, warnings]);
    });
    expect(answers[0]).toBe(answers[1]);
  });

  it('replaces a workload that is there, whose surge needs room', () => {
    const first = ask(stateOf([node('a'), NAMESPACE]), [deployment(4, {}, '1')]);
    expect(first.judgement.verdict).toBe('yes');
    const other = (strategy: JsonObject): JsonObject => {
      const changed = deployment(4, {
        containers: [{ name: 'web', image: 'web:2', resources: { requests: { cpu: '1' } } }],
      });
      return { ...changed, spec: { ...(changed['spec'] as JsonObject), strategy } };
    };
    const surge = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    const stuck = ask(first.rollout.state(), [other(surge)], { proposes: false });
    expect(stuck.judgement.reasons).toMatchObject([{ code: 'Unschedulable', verdict: 'no', pods: 1 }]);
    expect(stuck.rollout.objects).toMatchObject([{ outcome: 'configured', code: 200 }]);
    const inPlace = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
    expect(ask(first.rollout.state(), [other(inPlace)]).judgement.verdict).toBe('yes');
  });

  it('says no for a Deployment that is paused', () => {
    const paused = deployment(2);
    const manifest = { ...paused, spec: { ...(paused['spec'] as JsonObject), paused: true } };
    const { judgement } = ask(stateOf([node('a'), NAMESPACE]), [manifest]);
    expect(judgement.reasons).toMatchObject([{ code: 'NotCreated', message: 'the Deployment is paused', pods: 2 }]);
  });

  it('warns of the pods that it evicts', () => {
    const high = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 };
    const before = ask(stateOf([node('a'), NAMESPACE, high]), [
      { ...deployment(4, {}, '1'), metadata: { name: 'low' } },
    ]);
    const { judgement, warnings } = ask(before.rollout.state(), [deployment(1, { priorityClassName: 'high' })]);
    expect(judgement.verdict).toBe('yes');
    expect(warnings).toMatchObject([
      {
        code: 'Preemption',
        message: 'the scheduler evicts 1 pod of lower priority for it: 1 of Deployment shop/low',
        object: { kind: 'Deployment', name: 'web' },
      },
    ]);
  });

  describe('for a Deployment that is there', () => {
    const APART = {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
        ],
      },
    };
    const container = (value: string): JsonObject => ({ ...CONTAINER, env: [{ name: 'MODE', value }] });
    /** Without room for another pod, so that a rollout of another template would not end. */
    const tight = (value: string): JsonObject => deployment(2, { affinity: APART, containers: [container(value)] });
    const policy = (expression: string): readonly JsonObject[] => [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: 'small' },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [
              {
                apiGroups: ['apps'],
                apiVersions: ['v1'],
                operations: ['CREATE', 'UPDATE'],
                resources: ['deployments'],
              },
            ],
          },
          validations: [{ expression }],
        },
      },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: 'small' },
        spec: { policyName: 'small', validationActions: ['Deny'] },
      },
    ];
    /** A cluster in which the manifest was rolled out, of whose workloads all fields are known, or those that are kept. */
    const after = (manifest: JsonObject, whole: boolean, more: readonly JsonObject[] = []): ClusterState => {
      const { rollout } = ask(stateOf([node('a'), node('b'), NAMESPACE]), [manifest]);
      const state = rollout.state();
      const [{ metadata }] = state.objects('ReplicaSet') as [KubernetesObject];
      // The hash of Kubernetes is another one.
      const hash = metadata.labels!['pod-template-hash']!;
      const objects = KINDS.flatMap(({ kind }) => state.objects(kind)).map((object) => {
        const text = JSON.stringify(object).replaceAll(hash, '7c5ddbdf54');
        const read = decodeObject(JSON.parse(text) as JsonObject, { whole });
        if (read.outcome !== 'object') throw new Error(JSON.stringify(read));
        if (whole) markWholeObject(read.object);
        return read.object;
      });
      return ClusterState.build([...objects, ...more.map(decoded)], EVERY_KIND);
    };
    const verdict = ({ judgement, rollout }: Gate) => [
      judgement.verdict,
      rollout.objects.map(({ outcome }) => outcome),
    ];

    it('is certain if all its fields are known: it stays as it is, or its pods are replaced', () => {
      const state = after(tight('a'), true);
      expect(verdict(ask(state, [tight('a')]))).toEqual(['yes', ['unchanged']]);
      const changed = ask(state, [tight('b')]);
      expect(verdict(changed)).toEqual(['no', ['configured']]);
      expect(changed.judgement.reasons[0]?.message).toContain("2 node(s) didn't match pod anti-affinity rules");
    });

    it('is not certain if only the kept fields are known, and the replacement of its pods would not end', () => {
      const gate = ask(after(tight('a'), false), [tight('a')]);
      expect(gate.judgement.verdict).toBe('unknown');
      expect(gate.judgement.reasons[0]?.message).toContain('not all fields of the stored pod template are kept');
    });

    it('takes a change of its annotations for a change of the template', () => {
      const manifest = tight('a');
      const spec = manifest['spec'] as { readonly template: JsonObject };
      const metadata = { labels: { app: 'web' }, annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } };
      const restarted = { ...manifest, spec: { ...spec, template: { ...spec.template, metadata } } };
      expect(verdict(ask(after(manifest, true), [restarted]))).toEqual(['no', ['configured']]);
    });

    it('asks policies if all that they read is known', () => {
      const manifest = deployment(2);
      const small = policy('object.spec.replicas <= 5 && oldObject.spec.replicas == 2');
      const judged = (state: ClusterState, sent = manifest) => ask(state, [sent]).judgement;
      expect(judged(after(manifest, true, small)).verdict).toBe('yes');
      expect(judged(after(manifest, true, small), deployment(3)).verdict).toBe('yes');
      expect(judged(after(manifest, true, small), deployment(6))).toMatchObject({
        verdict: 'no',
        reasons: [{ code: 'ObjectRefused', message: expect.stringContaining('denied request: failed expression') }],
      });
      expect(judged(after(manifest, false, small)).reasons[0]?.message).toBe(
        'ValidatingAdmissionPolicy "small" applies to the Deployment, of which not every field is known',
      );
    });

    it('asks policies that read only what is sent about an object that was read from the API server', () => {
      const manifest = deployment(2);
      const [ofSent, ofStored] = [policy('object.spec.replicas <= 5'), policy('oldObject.spec.replicas <= 5')];
      const stored = after(manifest, false, ofSent);
      const { uid } = stored.find('Deployment', 'shop', 'web')!.metadata;
      const read = { ...manifest, metadata: { name: 'web', uid: uid! } };
      expect(ask(stored, [read]).judgement.verdict).toBe('yes');
      expect(ask(stored, [manifest]).judgement.verdict).toBe('unknown');
      expect(ask(after(manifest, false, ofStored), [read]).judgement.verdict).toBe('unknown');
    });
  });

  it('counts a Service once against a quota on Services', () => {
    const service = (ports: JsonObject[]): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { selector: { app: 'web' }, ports },
    });
    const state = stateOf([node('a'), NAMESPACE, quota({ services: '1' }, { services: '1' }), service([{ port: 80 }])]);
    expect(ask(state, [service([{ port: 81 }])]).judgement.verdict).toBe('yes');
    const other = { ...service([{ port: 80 }]), metadata: { name: 'other', namespace: 'shop' } };
    expect(ask(state, [other]).judgement.verdict).toBe('unknown');
  });

  describe('for a workload that is there, unchanged, and whose pods wait', () => {
    const pod = (spec: JsonObject = {}): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '1' } } }], ...spec },
    });
    /** After a first request, all of whose pods wait. */
    const asked = (nodes: readonly JsonObject[], manifest: JsonObject, again = manifest): Gate => {
      const first = ask(stateOf([...nodes, NAMESPACE]), [manifest]);
      expect(first.judgement.verdict).toBe('no');
      return ask(first.rollout.state(), [again]);
    };

    it('proposes for a pod what may still change: a toleration, or the node', () => {
      const volumes = [{ name: 'cache', emptyDir: {} }];
      const gate = asked([node('a', {}, [GPU])], pod({ volumes }));
      expect(gate.rollout.objects).toMatchObject([{ outcome: 'unchanged' }]);
      expect(gate.judgement.reasons).toMatchObject([{ code: 'Unschedulable', pods: 1 }]);
      expect(texts(gate)).toEqual(['tolerate gpu=true:NoSchedule']);
      const elsewhere = asked([node('a', { zone: 'z1' })], pod({ nodeSelector: { zone: 'z2' } }));
      expect(texts(elsewhere)).toEqual(['label the node zone=z2']);
    });

    it('proposes nothing that the API server refuses for a stored pod', () => {
      const gate = asked([node('a')], pod({ containers: [{ ...CONTAINER, resources: { requests: { cpu: '6' } } }] }));
      expect([gate.judgement.verdict, gate.proposal]).toEqual(['no', undefined]);
    });

    it('proposes the same for a Deployment as for a new one', () => {
      const gate = asked([node('a', {}, [GPU])], deployment(2));
      expect(texts(gate)).toEqual(texts(ask(stateOf([node('a', {}, [GPU]), NAMESPACE]), [deployment(2)])));
    });

    it('takes a toleration that the manifest adds to the pod', () => {
      const tolerating = pod({ tolerations: [{ key: 'gpu', operator: 'Exists' }] });
      const { judgement, rollout } = asked([node('a', {}, [GPU])], pod(), tolerating);
      expect(judgement.verdict).toBe('yes');
      expect(rollout.objects).toMatchObject([{ outcome: 'configured', code: 200 }]);
      const stored = rollout.state().find('Pod', 'shop', 'web') as Pod;
      expect(stored.spec.tolerations?.map(({ key }) => key)).toEqual([
        'gpu',
        'node.kubernetes.io/not-ready',
        'node.kubernetes.io/unreachable',
      ]);
    });

    it('refuses a manifest that changes what a pod may not change', () => {
      const gate = asked([node('a', {}, [GPU])], pod(), pod({ nodeSelector: { zone: 'z1' } }));
      expect(gate.judgement.reasons).toMatchObject([
        {
          code: 'ObjectRefused',
          message: expect.stringMatching(
            /^Pod "web" is invalid: spec: Forbidden: pod updates may not change fields other than /,
          ),
        },
      ]);
    });
  });

  it('creates what the file brings along before the pods', () => {
    const manifests = [
      deployment(1, { serviceAccountName: 'web' }),
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'web' } },
      NAMESPACE,
    ];
    expect(ask(stateOf([node('a')]), manifests).judgement.verdict).toBe('yes');
  });
});
