import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import { decodeObject } from '../kubernetes/decode.js';
import { DEFAULT_RULES, withGates } from '../kubernetes/kubernetes-rules.js';
import { KINDS, type KeptKind } from '../kubernetes/kinds.js';
import { rulesOfMinor } from '../kubernetes/kubernetes-rules.js';
import type { ResourceClaim } from '../kubernetes/objects/dra.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import { DEFAULT_GATES, gatesOf } from '../kubernetes/toleration.js';
import type { ManifestObject, Rollout, RolloutOptions, WorkloadOutcome } from './rollout.js';
import { stepRollout } from './step-rollout.js';

const NOW = Date.UTC(2026, 6, 1);
const ALL = KINDS.map(({ kind }) => kind);

function stored(value: JsonValue): KubernetesObject {
  const decoded = decodeObject(value);
  if (decoded.outcome !== 'object') throw new Error(JSON.stringify(decoded));
  return decoded.object;
}

const node = (name: string, cpu = '4', spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  spec,
  status: { allocatable: { cpu, memory: '16Gi', pods: '110' } },
});
const namespace = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const quota = (hard: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'quota', namespace: 'shop' },
  spec: { hard },
});
const priority = (name: string, value: number): JsonObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
});

function cluster(objects: readonly JsonObject[], kinds: readonly KeptKind[] = ALL): ClusterState {
  return ClusterState.build([namespace('shop'), ...objects].map(stored), kinds);
}

const podSpec = (cpu: string, more: JsonObject = {}): JsonObject => ({
  containers: [{ name: 'app', image: 'nginx:1.27', resources: { requests: { cpu } } }],
  ...more,
});

function workload(kind: string, name: string, spec: JsonObject, pod: JsonObject): JsonObject {
  const template = { metadata: { labels: { app: name } }, spec: pod };
  return {
    apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: { name },
    spec: { ...(kind === 'Job' ? {} : { selector: { matchLabels: { app: name } } }), ...spec, template },
  };
}

const deployment = (
  name: string,
  replicas: number,
  cpu: string,
  spec: JsonObject = {},
  pod: JsonObject = {},
): JsonObject => workload('Deployment', name, { replicas, ...spec }, podSpec(cpu, pod));

function manifest(value: JsonObject, document: number): ManifestObject {
  const { name = '' } = value['metadata'] as { readonly name?: string };
  const { apiVersion, kind } = value as { readonly apiVersion: string; readonly kind: string };
  const ofCluster = KINDS.find((info) => info.kind === kind)?.namespaced === false;
  return {
    source: { document, pointer: '' },
    apiVersion,
    kind,
    namespace: ofCluster ? undefined : 'shop',
    name,
    value,
  };
}

function rollOut(state: ClusterState, values: readonly JsonObject[], options: Partial<RolloutOptions> = {}): Rollout {
  const objects = values.map(manifest);
  return finish(stepRollout(state, objects, { now: NOW, gates: DEFAULT_GATES, ...options }));
}

const outcomeOf = ({ workloads }: Rollout, name: string): WorkloadOutcome =>
  workloads.find((one) => one.name === name)!;

const counts = ({ desired, created, bound, pending, ready }: WorkloadOutcome) => ({
  desired,
  created,
  bound,
  pending,
  ready,
});

describe('stepRollout', () => {
  it('places the replicas of a Deployment one after another', () => {
    const rollout = rollOut(cluster([node('a'), node('b')]), [deployment('web', 4, '1')]);
    expect(rollout.objects).toEqual([{ outcome: 'created', code: 201, warnings: [], undecided: [] }]);
    const web = outcomeOf(rollout, 'web');
    expect(counts(web)).toEqual({ desired: 4, created: 4, bound: 4, pending: 0, ready: 4 });
    expect([...web.nodes]).toEqual([
      ['a', 2],
      ['b', 2],
    ]);
    expect(web.conditions).toEqual({ available: 'True', progressing: 'NewReplicaSetAvailable' });
    expect(web.unknownBecause).toEqual([]);
  });

  it('spreads a pod by a Service of the same request', () => {
    const pod = (name: string, app: string, cpu: string, nodeName?: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'shop', labels: { app } },
      spec: podSpec(cpu, nodeName === undefined ? {} : { nodeName }),
    });
    const service: JsonObject = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' } },
    };
    const state = cluster([
      node('a'),
      node('b'),
      pod('web-1', 'web', '100m', 'a'),
      pod('web-2', 'web', '100m', 'a'),
      pod('other', 'other', '2', 'b'),
    ]);
    const nodesOf = (values: readonly JsonObject[]): readonly string[] => [
      ...outcomeOf(rollOut(state, values), 'web-3').nodes.keys(),
    ];
    expect(nodesOf([pod('web-3', 'web', '100m')])).toEqual(['a']);
    expect(nodesOf([service, pod('web-3', 'web', '100m')])).toEqual(['b']);
  });

  it('says in the words of the scheduler what stops the next replica', () => {
    const web = outcomeOf(rollOut(cluster([node('a', '2')]), [deployment('web', 3, '1')]), 'web');
    expect(counts(web)).toEqual({ desired: 3, created: 3, bound: 2, pending: 1, ready: 2 });
    const [waiting] = web.failedScheduling;
    expect(waiting).toMatchObject({
      reason: 'Unschedulable',
      text: '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
      pods: 1,
    });
    expect(waiting?.placement?.counts.infeasible).toBe(1);
  });

  it('says in the words of the API server why pods are not created', () => {
    const state = cluster([node('a'), quota({ pods: '1' })]);
    const rollout = rollOut(state, [deployment('web', 3, '1')]);
    const text =
      'Error creating: pods "web-HASH-RAND" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=1, limited: pods=1';
    expect(outcomeOf(rollout, 'web').failedCreate).toMatchObject([
      { text, by: 'ResourceQuota', code: 403, persists: true },
    ]);
    expect(rollout.quotas).toEqual([
      { namespace: 'shop', name: 'quota', hard: { pods: '1' }, before: { pods: '0' }, after: { pods: '1' } },
    ]);
  });

  it('replaces the pods of a stored Deployment, whose quota is free again once they have left', () => {
    const state = cluster([node('a'), quota({ pods: '2' })]);
    const strategy = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } };
    const before = rollOut(state, [deployment('web', 2, '1', strategy)]);
    const after = rollOut(before.state(), [deployment('web', 2, '2', strategy)]);
    const web = outcomeOf(after, 'web');
    expect(after.objects[0]).toMatchObject({ outcome: 'configured', code: 200 });
    expect(counts(web)).toEqual({ desired: 2, created: 2, bound: 2, pending: 0, ready: 2 });
    expect(web.replicaSets?.map(({ revision, desired, ready }) => [revision, desired, ready])).toEqual([
      [1, 0, 0],
      [2, 2, 2],
    ]);
    expect(web.failedCreate.map(({ persists }) => persists)).toEqual([false]);
  });

  it('leaves the pods of an unchanged Deployment where they are', () => {
    const before = rollOut(cluster([node('a')]), [deployment('web', 2, '1')]);
    const after = rollOut(before.state(), [deployment('web', 2, '1')]);
    expect(outcomeOf(after, 'web').replicaSets).toHaveLength(1);
    expect(counts(outcomeOf(after, 'web'))).toEqual({ desired: 2, created: 2, bound: 2, pending: 0, ready: 2 });
  });

  it('deletes all old pods before it creates new ones, if the strategy is Recreate', () => {
    const recreate = { strategy: { type: 'Recreate' } };
    const before = rollOut(cluster([node('a')]), [deployment('web', 2, '2', recreate)]);
    const web = outcomeOf(rollOut(before.state(), [deployment('web', 2, '1500m', recreate)]), 'web');
    expect(counts(web)).toEqual({ desired: 2, created: 2, bound: 2, pending: 0, ready: 2 });
  });

  it('evicts pods of lower priority, whose workload is reported, too', () => {
    const state = cluster([node('a'), priority('high', 1000)]);
    const before = rollOut(state, [deployment('batch', 4, '1')]);
    const after = rollOut(before.state(), [deployment('web', 1, '2', {}, { priorityClassName: 'high' })]);
    expect(counts(outcomeOf(after, 'web'))).toEqual({ desired: 1, created: 1, bound: 1, pending: 0, ready: 1 });
    expect(after.preempted).toHaveLength(2);
    expect(after.preempted[0]).toMatchObject({ node: 'a', workload: { kind: 'Deployment', name: 'batch' } });
    const batch = outcomeOf(after, 'batch');
    expect(batch.object).toBeUndefined();
    expect(counts(batch)).toEqual({ desired: 4, created: 4, bound: 2, pending: 2, ready: 2 });
  });

  it('creates a pod of a StatefulSet only once those before it are ready, and its claims before it', () => {
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'manual', resources: { requests: { storage: '1Gi' } } },
    };
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v0' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '2Gi' },
        storageClassName: 'manual',
        hostPath: { path: '/d' },
      },
      status: { phase: 'Available' },
    };
    const set = workload('StatefulSet', 'db', { replicas: 3, volumeClaimTemplates: [claim] }, podSpec('1'));
    const rollout = rollOut(cluster([node('a'), volume]), [set]);
    const db = outcomeOf(rollout, 'db');
    expect(db.podNames).toEqual(['db-0', 'db-1']);
    expect(counts(db)).toEqual({ desired: 3, created: 2, bound: 1, pending: 1, ready: 1 });
    expect(rollout.claims).toEqual([
      { namespace: 'shop', name: 'data-db-0', phase: 'Bound', volume: 'v0' },
      { namespace: 'shop', name: 'data-db-1', phase: 'Pending' },
    ]);
    expect(db.failedScheduling[0]?.text).toBe(
      '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
    );
  });

  it('replaces the pods of a StatefulSet from the last on, down to its partition', () => {
    const spec = { replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } };
    const before = rollOut(cluster([node('a')]), [workload('StatefulSet', 'db', spec, podSpec('1'))]);
    const after = rollOut(before.state(), [workload('StatefulSet', 'db', spec, podSpec('500m'))]);
    expect(outcomeOf(after, 'db').status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      currentReplicas: 1,
      updatedReplicas: 2,
    });
  });

  it('replaces a pod of a StatefulSet that is not ready, unless maxUnavailable counts it', () => {
    const spec = {
      replicas: 2,
      podManagementPolicy: 'Parallel',
      updateStrategy: { rollingUpdate: { maxUnavailable: 2 } },
    };
    const outcomes = [false, true].map((MaxUnavailableStatefulSet) => {
      const state = cluster([node('a')]).under(withGates(DEFAULT_RULES, { MaxUnavailableStatefulSet }));
      const before = rollOut(state, [workload('StatefulSet', 'db', spec, podSpec('3'))]);
      expect(counts(outcomeOf(before, 'db'))).toMatchObject({ created: 2, bound: 1, pending: 1 });
      const fewer = { ...spec, updateStrategy: { rollingUpdate: { maxUnavailable: 1 } } };
      return counts(outcomeOf(rollOut(before.state(), [workload('StatefulSet', 'db', fewer, podSpec('1'))]), 'db'));
    });
    expect(outcomes).toMatchObject([
      { created: 2, bound: 2, ready: 2 },
      { created: 2, bound: 1, pending: 1, ready: 1 },
    ]);
  });

  it('runs one pod of a DaemonSet on each node that its template allows', () => {
    const nodes = [
      node('a'),
      node('b', '4', { unschedulable: true, taints: [CORDON] }),
      node('c', '4', { taints: [{ key: 'x', effect: 'NoSchedule' }] }),
    ];
    const agent = outcomeOf(rollOut(cluster(nodes), [workload('DaemonSet', 'agent', {}, podSpec('1'))]), 'agent');
    expect(counts(agent)).toEqual({ desired: 2, created: 2, bound: 2, pending: 0, ready: 2 });
    expect([...agent.nodes.keys()].sort()).toEqual(['a', 'b']);
  });

  it('creates the next pods of a Job as others succeed', () => {
    const job = workload('Job', 'batch', { completions: 5, parallelism: 2 }, podSpec('3', { restartPolicy: 'Never' }));
    const batch = outcomeOf(rollOut(cluster([node('a')]), [job], { kubelet: () => 'succeeded' }), 'batch');
    expect(batch).toMatchObject({ complete: true, created: 0, status: { succeeded: 5, active: 0 } });
  });

  it('takes one run of a CronJob, and bare pods', () => {
    const cronJob = {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'nightly' },
      spec: {
        schedule: '0 0 * * *',
        jobTemplate: { spec: { parallelism: 2, template: { spec: podSpec('1', { restartPolicy: 'Never' }) } } },
      },
    };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' }, spec: podSpec('1') };
    const rollout = rollOut(cluster([node('a')]), [cronJob, pod]);
    expect(counts(outcomeOf(rollout, 'nightly'))).toEqual({ desired: 2, created: 2, bound: 2, pending: 0, ready: 2 });
    expect(counts(outcomeOf(rollout, 'one'))).toEqual({ desired: 1, created: 1, bound: 1, pending: 0, ready: 1 });
  });

  it('counts a namespace of the request as created first, and refuses what has none', () => {
    const state = ClusterState.build([stored(node('a'))], ALL);
    const refused = rollOut(state, [deployment('web', 1, '1')]);
    expect(refused.objects[0]).toMatchObject({ outcome: 'refused', code: 404, message: 'namespaces "shop" not found' });
    const accepted = rollOut(state, [deployment('web', 1, '1'), namespace('shop')]);
    expect(counts(outcomeOf(accepted, 'web')).bound).toBe(1);
  });

  it.each<[string, JsonObject, string]>([
    [
      'a selector that does not match the template',
      workload('Deployment', 'web', { selector: { matchLabels: { app: 'other' } } }, podSpec('1')),
      'Deployment.apps "web" is invalid: spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
    [
      'a request above its limit',
      workload(
        'Deployment',
        'web',
        {},
        {
          containers: [{ name: 'app', image: 'x', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }],
        },
      ),
      'Deployment.apps "web" is invalid: spec.template.spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    ],
    [
      'a Job whose pods would be restarted for ever',
      workload('Job', 'web', {}, podSpec('1')),
      'Job.batch "web" is invalid: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
  ])('refuses %s', (_, value, message) => {
    const [outcome] = rollOut(cluster([node('a')]), [value]).objects;
    expect(outcome).toMatchObject({ outcome: 'refused', code: 422, by: 'validation', message, certain: true });
  });

  it('refuses a change of what must stay as it is', () => {
    const before = rollOut(cluster([node('a')]), [workload('StatefulSet', 'db', { serviceName: 'db' }, podSpec('1'))]);
    const after = rollOut(before.state(), [workload('StatefulSet', 'db', { serviceName: 'other' }, podSpec('1'))]);
    expect(after.objects[0]).toMatchObject({ outcome: 'refused', code: 422, by: 'update' });
  });

  it('refuses a change that would be refused of a new workload, too', () => {
    const state = rollOut(cluster([node('a')]), [
      deployment('web', 1, '1'),
      workload('StatefulSet', 'db', { replicas: 1 }, podSpec('1')),
    ]).state();
    const refusals = (values: readonly JsonObject[]): readonly unknown[] =>
      rollOut(state, values).objects.map((outcome) =>
        outcome.outcome === 'refused' ? outcome.message : outcome.outcome,
      );
    const labelled = deployment('web', 1, '1');
    expect(
      refusals([
        deployment('web', 1, '1', {}, { restartPolicy: 'Never' }),
        deployment('web', -1, '1', { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } }),
        { ...labelled, metadata: { name: 'web', labels: { 'a b': 'c' } } },
        workload('StatefulSet', 'db', { replicas: -1 }, podSpec('1')),
        workload(
          'StatefulSet',
          'db',
          { updateStrategy: { type: 'OnDelete' } },
          podSpec('1', { nodeSelector: { a: '-' } }),
        ),
      ]),
    ).toEqual([
      'Deployment.apps "web" is invalid: spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'Deployment.apps "web" is invalid: [spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0]',
      expect.stringContaining(
        'Deployment.apps "web" is invalid: metadata.labels: Invalid value: "a b": name part must consist',
      ),
      'StatefulSet.apps "db" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      'configured',
    ]);
  });

  it('keeps what cannot be changed of objects that pods depend on, and refuses what could not be created', () => {
    const runtimeClass = (handler: string): JsonObject => ({
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'kata' },
      handler,
    });
    const storageClass = (more: JsonObject): JsonObject => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fast' },
      provisioner: 'p',
      ...more,
    });
    const state = cluster([priority('high', 1000), runtimeClass('kata'), storageClass({}), quota({ pods: '2' })]);
    const scoped = { ...quota({ pods: '2' }), spec: { hard: { pods: '2' }, scopes: ['BestEffort'] } };
    const { objects } = rollOut(state, [
      priority('high', 1001),
      runtimeClass('qemu'),
      storageClass({ provisioner: 'q', volumeBindingMode: 'WaitForFirstConsumer' }),
      scoped,
      quota({ pods: '-1' }),
      quota({ pods: '3' }),
      priority('system-own', 1),
      priority('higher', 1_000_000_001),
      {
        apiVersion: 'resource.k8s.io/v1beta2',
        kind: 'DeviceTaintRule',
        metadata: { name: 'rule' },
        spec: { taint: { key: 'k', effect: 'Evict' } },
      },
    ]);
    expect(objects.map((outcome) => (outcome.outcome === 'refused' ? outcome.message : outcome.outcome))).toEqual([
      'PriorityClass.scheduling.k8s.io "high" is invalid: value: Forbidden: may not be changed in an update.',
      'RuntimeClass.node.k8s.io "kata" is invalid: handler: Invalid value: "qemu": field is immutable',
      'StorageClass.storage.k8s.io "fast" is invalid: [provisioner: Forbidden: updates to provisioner are forbidden., volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable]',
      'ResourceQuota "quota" is invalid: spec.scopes: Invalid value: ["BestEffort"]: field is immutable',
      'ResourceQuota "quota" is invalid: spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
      'configured',
      `PriorityClass.scheduling.k8s.io "system-own" is invalid: metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-own is not a known system priority class`,
      'PriorityClass.scheduling.k8s.io "higher" is invalid: value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
      'DeviceTaintRule.resource.k8s.io "rule" is invalid: spec.taint.effect: Unsupported value: "Evict": supported values: "NoExecute", "NoSchedule", "None"',
    ]);
  });

  it('takes out of a stored object what cannot stand beside what is sent, as kubectl apply does', () => {
    const budget = (spec: JsonObject): JsonObject => ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
    });
    const rolling = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } };
    const state = rollOut(cluster([node('a'), budget({ minAvailable: 1 })]), [deployment('web', 2, '2', rolling)]);
    const after = rollOut(state.state(), [
      budget({ maxUnavailable: '50%' }),
      deployment('web', 2, '1500m', { strategy: { type: 'Recreate' } }),
    ]);
    expect(after.objects.map(({ outcome }) => outcome)).toEqual(['configured', 'configured']);
    expect(counts(outcomeOf(after, 'web'))).toMatchObject({ bound: 2, ready: 2 });
    const back = rollOut(after.state(), [
      deployment('web', 2, '2', { strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } } }),
    ]);
    expect(back.objects.map(({ outcome }) => outcome)).toEqual(['configured']);
  });

  it('keeps the template and the completions of a Job, but for what a suspended one may get', () => {
    const job = (cpu: string, spec: JsonObject = {}, pod: JsonObject = {}): JsonObject =>
      workload('Job', 'batch', spec, podSpec(cpu, { restartPolicy: 'Never', ...pod }));
    const changed = (before: JsonObject, after: JsonObject, minor = 36): unknown => {
      const rules = rulesOfMinor(minor);
      const state = rollOut(cluster([node('a')]).under(rules), [before]).state();
      const [outcome] = rollOut(state, [after], { gates: gatesOf(rules) }).objects;
      return outcome?.outcome === 'refused' ? outcome.causes.map(({ field }) => field) : outcome?.outcome;
    };
    const suspended = { suspend: true };
    expect(changed(job('1'), job('1', { parallelism: 2 }))).toBe('configured');
    expect(changed(job('1'), job('2', { completions: 3 }))).toEqual(['spec.completions', 'spec.template']);
    expect(changed(job('1'), job('1', {}, { nodeSelector: { a: 'b' } }))).toEqual(['spec.template']);
    expect(changed(job('1', suspended), job('1', suspended, { nodeSelector: { a: 'b' } }))).toBe('configured');
    expect(changed(job('1', suspended), job('2', suspended))).toBe('configured');
    expect(changed(job('1', suspended), job('2', suspended), 35)).toEqual(['spec.template']);
    const indexed = (completions: number, parallelism: number): JsonObject =>
      job('1', { completionMode: 'Indexed', completions, parallelism });
    expect(changed(indexed(2, 2), indexed(3, 3))).toBe('configured');
    expect(changed(indexed(2, 2), indexed(3, 2))).toEqual(['spec.completions']);
  });

  it('keeps the policies of a Job, of one whose policies are known', () => {
    const job = (spec: JsonObject): JsonObject =>
      workload(
        'Job',
        'batch',
        { completionMode: 'Indexed', completions: 2, ...spec },
        podSpec('1', { restartPolicy: 'Never' }),
      );
    const refused = (before: JsonObject, after: JsonObject): unknown => {
      const state = rollOut(cluster([node('a')]), [job(before)]).state();
      const [outcome] = rollOut(state, [job(after)]).objects;
      return outcome?.outcome === 'refused'
        ? outcome.causes.map(({ field, message }) => `${field}: ${message}`)
        : outcome?.outcome;
    };
    const failure = (action: string, status?: string): JsonObject => ({
      rules: [{ action, onPodConditions: [{ type: 'DisruptionTarget', ...(status !== undefined && { status }) }] }],
    });
    const policies = { podFailurePolicy: failure('Ignore', 'True'), backoffLimitPerIndex: 1 };
    const stored = { ...policies, backoffLimit: 6, successPolicy: { rules: [{ succeededCount: 1 }] } };
    // What is left out stays, and the status of a condition is True by default.
    expect(refused(stored, { podFailurePolicy: failure('Ignore') })).toBe('configured');
    expect(
      refused(stored, {
        podFailurePolicy: failure('FailJob'),
        backoffLimitPerIndex: 2,
        successPolicy: { rules: [{ succeededCount: 2 }] },
      }),
    ).toEqual([
      'spec.podFailurePolicy: Invalid value: {"Rules":[{"Action":"FailJob","OnExitCodes":null,"OnPodConditions":[{"Type":"DisruptionTarget","Status":"True"}]}]}: field is immutable',
      'spec.backoffLimitPerIndex: Invalid value: 2: field is immutable',
      'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":2}]}: field is immutable',
    ]);
    // Stored before policies were kept.
    expect(refused({}, policies)).toBe('configured');
    expect(refused({ backoffLimit: 6 }, policies)).toHaveLength(2);
  });

  it('names what keeps the outcome from being certain', () => {
    const kinds = ALL.filter((kind) => kind !== 'LimitRange');
    const web = outcomeOf(rollOut(cluster([node('a')], kinds), [deployment('web', 1, '1')]), 'web');
    expect(web.unknownBecause).toMatchObject([
      { code: 'admission', plugin: 'LimitRanger', missingKinds: ['LimitRange'] },
    ]);
    const other = deployment('other', 1, '1', {}, { schedulerName: 'mine' });
    const unserved = outcomeOf(rollOut(cluster([node('a')]), [other]), 'other');
    expect(unserved.unknownBecause.map(({ code }) => code)).toEqual(['scheduler']);
  });

  it('is unknown where fields that are not stored decide whether pods are replaced, and the outcome hangs on it', () => {
    const all = deployment('web', 2, '2', { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } });
    const before = rollOut(cluster([node('a')]), [all]).state();
    const kept = [
      ...ALL.filter((kind) => kind !== 'Pod').flatMap((kind) => before.objects(kind)),
      ...before.objects('Pod'),
    ];
    const state = ClusterState.build(
      kept.map((object) => stored(object as unknown as JsonValue)),
      ALL,
    );
    expect(outcomeOf(rollOut(state, [all]), 'web').unknownBecause).toEqual([]);
    const cramped = state.apply({ upserts: [stored(node('a', '4', { taints: [CORDON] }))] });
    const web = outcomeOf(rollOut(cramped, [all]), 'web');
    expect(web.unknownBecause.map(({ code }) => code)).toEqual(['template']);
  });

  it('stops at the most pods that it may create', () => {
    const rollout = rollOut(cluster([node('a', '100')]), [deployment('web', 1_000_000, '1')], { mostPods: 10 });
    const web = outcomeOf(rollout, 'web');
    expect(web.created).toBe(10);
    expect(web.unknownBecause.map(({ code }) => code)).toEqual(['limit']);
  });

  it('lets a pod of the cluster that waits take a place that is freed', () => {
    const first = rollOut(cluster([node('a')]), [deployment('batch', 4, '1')]);
    const before = rollOut(first.state(), [deployment('late', 2, '1')]);
    expect(counts(outcomeOf(before, 'late')).pending).toBe(2);
    const after = rollOut(before.state(), [deployment('batch', 3, '1')]);
    expect(counts(outcomeOf(after, 'late'))).toEqual({ desired: 2, created: 2, bound: 1, pending: 1, ready: 1 });
  });

  it('does not place a pod that waited and is deleted before a place is freed', () => {
    const first = rollOut(cluster([node('a')]), [deployment('batch', 4, '1')]);
    const before = rollOut(first.state(), [deployment('late', 1, '1')]);
    const after = rollOut(before.state(), [deployment('late', 0, '1'), deployment('batch', 3, '1')]);
    expect(counts(outcomeOf(after, 'late'))).toEqual({ desired: 0, created: 0, bound: 0, pending: 0, ready: 0 });
    expect(after.state().pods.count).toBe(3);
  });

  it('tries the new pod of a StatefulSet, not the one of the same name that waited', () => {
    const first = rollOut(cluster([node('a')]), [deployment('batch', 4, '1')]);
    const set = (cpu: string): JsonObject =>
      workload('StatefulSet', 'db', { replicas: 1, podManagementPolicy: 'Parallel' }, podSpec(cpu));
    const before = rollOut(first.state(), [set('2')]);
    expect(counts(outcomeOf(before, 'db')).pending).toBe(1);
    const after = rollOut(before.state(), [set('1'), deployment('batch', 3, '1')]);
    expect(counts(outcomeOf(after, 'db'))).toEqual({ desired: 1, created: 1, bound: 1, pending: 0, ready: 1 });
  });

  it('does not change the state that it starts from', () => {
    const state = cluster([node('a')]);
    rollOut(state, [deployment('web', 2, '1')]);
    expect(state.pods.count).toBe(0);
    expect(state.find('Deployment', 'shop', 'web')).toBeUndefined();
  });

  it('does not look at kinds that say nothing about where pods run', () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'r' } };
    expect(rollOut(cluster([node('a')]), [role]).objects[0]).toMatchObject({ outcome: 'notLookedAt' });
  });
});

const CORDON = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

describe('stepRollout with devices', () => {
  const request = { name: 'gpu', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } };
  const gpuNode = (name: string, gpus: number): readonly JsonObject[] => [
    node(name),
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      metadata: { name },
      spec: {
        driver: 'gpu.example.com',
        nodeName: name,
        pool: { name, generation: 1, resourceSliceCount: 1 },
        devices: Array.from({ length: gpus }, (_, index) => ({ name: `gpu-${index}` })),
      },
    },
  ];
  const state = cluster([
    ...gpuNode('a', 2),
    ...gpuNode('b', 1),
    { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} },
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'gpu', namespace: 'shop' },
      spec: { spec: { devices: { requests: [request] } } },
    },
  ]);
  const claims = { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }] };
  const train = (replicas: number, cpu: string): JsonObject =>
    deployment('train', replicas, cpu, { strategy: { type: 'Recreate' } }, claims);

  it('gives each replica devices of its own, and says what stops the next', () => {
    const rollout = rollOut(state, [train(4, '100m')]);
    const outcome = outcomeOf(rollout, 'train');
    expect(counts(outcome)).toEqual({ desired: 4, created: 4, bound: 3, pending: 1, ready: 3 });
    expect([...outcome.nodes].sort()).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect(outcome.failedScheduling[0]?.text).toContain('2 cannot allocate all claims');
    expect(rollout.state().objects('ResourceClaim')).toHaveLength(4);
  });

  it('lets pods wait for whose claims a quota has no room, until others have left', () => {
    const quota = (devices: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'devices', namespace: 'shop' },
      spec: { hard: { 'gpu.deviceclass.resource.k8s.io/devices': devices } },
    });
    const within = rollOut(state, [quota('3'), train(3, '100m')]);
    expect(outcomeOf(within, 'train').unknownBecause).toEqual([]);
    const beyond = rollOut(state, [quota('2'), train(3, '100m')]);
    const device = 'gpu.deviceclass.resource.k8s.io/devices';
    expect(outcomeOf(beyond, 'train')).toMatchObject({
      created: 3,
      bound: 2,
      unknownBecause: [],
      failedScheduling: [
        {
          pods: 1,
          by: 'ResourceQuota',
          text: `PodResourceClaim gpu: create ResourceClaim : resourceclaims.resource.k8s.io "train-HASH-RAND-gpu-RAND" is forbidden: exceeded quota: devices, requested: ${device}=1, used: ${device}=2, limited: ${device}=2`,
        },
      ],
    });
    expect(beyond.state().objects('ResourceClaim')).toHaveLength(2);
    const next = deployment('next', 1, '100m', {}, claims);
    const full = rollOut(state, [quota('2'), train(2, '100m')]).state();
    expect(counts(outcomeOf(rollOut(full, [next]), 'next'))).toMatchObject({ created: 1, pending: 1 });
    const freed = rollOut(full, [next, train(1, '100m')]);
    expect(counts(outcomeOf(freed, 'next'))).toMatchObject({ created: 1, bound: 1, pending: 0 });
    expect(freed.quotas).toMatchObject([{ after: { [device]: '2' } }]);
  });

  it('charges the claim of a pod that no node has devices for', () => {
    const { quotas } = rollOut(state, [
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'devices', namespace: 'shop' },
        spec: { hard: { 'gpu.deviceclass.resource.k8s.io/devices': '9' } },
      },
      train(4, '100m'),
    ]);
    expect(quotas).toMatchObject([{ after: { 'gpu.deviceclass.resource.k8s.io/devices': '4' } }]);
  });

  it('charges a quota once for pods that ask for devices by the name of an extended resource, and for the claims made for them', () => {
    const gpuClass = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name: 'gpu' },
      spec: { extendedResourceName: 'example.com/gpu' },
    };
    const extended = state.apply({ upserts: [stored(gpuClass)] });
    const quota: JsonObject = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'gpus', namespace: 'shop' },
      spec: { hard: { 'requests.example.com/gpu': '3', 'gpu.deviceclass.resource.k8s.io/devices': '9' } },
    };
    const gpus = { 'example.com/gpu': '1' };
    const containers = [{ name: 'c', image: 'c', resources: { requests: gpus, limits: gpus } }];
    const asking = (replicas: number): JsonObject =>
      deployment('train', replicas, '100m', { strategy: { type: 'Recreate' } }, { containers });
    const rollout = rollOut(extended, [quota, asking(3)]);
    expect(outcomeOf(rollout, 'train').unknownBecause).toEqual([]);
    expect(counts(outcomeOf(rollout, 'train'))).toMatchObject({ bound: 3, ready: 3 });
    const used = { 'requests.example.com/gpu': '3', 'gpu.deviceclass.resource.k8s.io/devices': '3' };
    expect(rollout.quotas).toMatchObject([{ name: 'gpus', after: used }]);
    const fewer = rollOut(rollout.state(), [asking(1)]);
    expect(fewer.quotas).toMatchObject([
      { after: { 'requests.example.com/gpu': '1', 'gpu.deviceclass.resource.k8s.io/devices': '1' } },
    ]);
    // A claim that nobody's pod is charged for counts, too. In the words of kube-apiserver v1.36.2.
    const claim: JsonObject = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'own', namespace: 'shop' },
      spec: { devices: { requests: [request] } },
    };
    const refused = rollOut(rollout.state(), [claim]).objects[0];
    expect(JSON.stringify(refused)).toContain(
      'exceeded quota: gpus, requested: requests.example.com/gpu=1, used: requests.example.com/gpu=3, limited: requests.example.com/gpu=3',
    );
  });

  it('says once of all replicas what is wrong with their claims, without names that nobody can know', () => {
    const said = (name: string, more: readonly JsonObject[]): readonly (readonly [string | undefined, number])[] => {
      const own = { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: name }] };
      const rollout = rollOut(state, [...more, deployment('train', 3, '100m', {}, own)]);
      return outcomeOf(rollout, 'train').failedScheduling.map(({ text, pods }) => [text, pods]);
    };
    expect(said('missing', [])).toEqual([['pod "shop/train-HASH-RAND": ResourceClaim not created yet', 3]]);
    const exactly = { ...request.exactly, selectors: [{ cel: { expression: 'device.attributes["x"].y == 1' } }] };
    const template: JsonObject = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'odd', namespace: 'shop' },
      spec: { spec: { devices: { requests: [{ ...request, exactly }] } } },
    };
    const fault = 'claim shop/train-HASH-RAND-gpu-RAND: selector #0: CEL runtime error: no such key: y';
    expect(said('odd', [template])).toEqual([[`running "DynamicResources" filter plugin: ${fault}`, 3]]);
  });

  it('makes claims as the API server stores them: without the fields of gates that are off', () => {
    const asking = { ...request, exactly: { ...request.exactly, capacity: { requests: { memory: '1Gi' } } } };
    const claim: JsonObject = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'own', namespace: 'shop' },
      spec: { devices: { requests: [asking] } },
    };
    const stored = [34, 36].map((minor) => {
      const claims = rollOut(state.under(rulesOfMinor(minor)), [claim])
        .state()
        .objects('ResourceClaim');
      return (claims[0] as ResourceClaim).spec?.devices?.requests;
    });
    expect(stored).toEqual([[request], [asking]]);
  });

  it('refuses another spec of a claim, whatever its count', () => {
    const claim = (count: bigint): JsonObject => ({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'own', namespace: 'shop' },
      spec: { devices: { requests: [{ name: 'gpu', exactly: { ...request.exactly, count } }] } },
    });
    const before = rollOut(state, [claim(1n)]).state();
    expect(rollOut(before, [claim(9_007_199_254_740_993n)]).objects[0]).toMatchObject({
      outcome: 'refused',
      message: expect.stringMatching(
        /^ResourceClaim.resource.k8s.io "own" is invalid: .*9007199254740993.*field is immutable/,
      ),
    });
  });

  it('has the devices of pods that are replaced for those that follow', () => {
    const before = rollOut(state, [train(3, '100m')]).state();
    const rollout = rollOut(before, [train(3, '200m')]);
    expect(counts(outcomeOf(rollout, 'train'))).toMatchObject({ bound: 3, pending: 0, ready: 3 });
    expect(rollout.state().objects('ResourceClaim')).toHaveLength(3);
  });
});
