import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { settingOf, THE_ONE } from '../cluster/setting.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import { findClusterFindings } from './find-cluster-findings.js';
import type { Finding, FindingCode } from './finding.js';

const KINDS: readonly KeptKind[] = [
  'Node',
  'Pod',
  'ReplicaSet',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'PodDisruptionBudget',
  'ResourceQuota',
  'LimitRange',
];

const object = (apiVersion: string, kind: string, name: string, rest: object): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'team', uid: `${kind}-${name}` },
  ...rest,
});

function of(objects: readonly KubernetesObject[], code: FindingCode, kinds = KINDS): readonly Finding[] {
  return findClusterFindings(ClusterState.build(objects, kinds)).filter((finding) => finding.code === code);
}

describe('a budget that never allows an eviction', () => {
  const labels = { app: 'web' };
  const pods = (count: number, owner?: string, kind = 'StatefulSet', apiVersion = 'apps/v1', phase = 'Running') =>
    Array.from({ length: count }, (_, index) =>
      object('v1', 'Pod', `${owner ?? 'bare'}-${index}`, {
        metadata: {
          name: `${owner ?? 'bare'}-${index}`,
          namespace: 'team',
          labels,
          ...(owner !== undefined && {
            ownerReferences: [{ apiVersion, kind, name: owner, uid: `${kind}-${owner}`, controller: true }],
          }),
        },
        spec: { containers: [{ name: 'c' }] },
        status: { phase },
      }),
    );
  const set = (replicas: number) => object('apps/v1', 'StatefulSet', 'db', { spec: { replicas } });
  const budget = (spec: object) =>
    object('policy/v1', 'PodDisruptionBudget', 'guard', { spec: { selector: { matchLabels: labels }, ...spec } });
  const found = (objects: readonly KubernetesObject[], kinds = KINDS) => of(objects, 'budget-never-allows', kinds);

  it.each([
    [{ maxUnavailable: 0 }, 3, '/spec/maxUnavailable', 'maxUnavailable 0 requires all 3 wanted pods'],
    [{ maxUnavailable: '0%' }, 3, '/spec/maxUnavailable', 'maxUnavailable 0% requires all 3 wanted pods'],
    [{ minAvailable: '100%' }, 3, '/spec/minAvailable', 'minAvailable 100% requires all 3 wanted pods'],
    [{ minAvailable: 3 }, 3, '/spec/minAvailable', 'minAvailable 3 requires all 3 wanted pods'],
    [{ minAvailable: '67%' }, 3, '/spec/minAvailable', 'minAvailable 67% requires all 3 wanted pods'],
    [{ minAvailable: 1 }, 1, '/spec/minAvailable', 'minAvailable 1 requires the only wanted pod'],
    [{ minAvailable: 4 }, 3, '/spec/minAvailable', 'minAvailable 4 requires 4 healthy pods, but only 3 are wanted'],
    [{}, 3, '/spec', 'neither minAvailable nor maxUnavailable'],
  ])('is one with %j of %d replicas', (spec, replicas, pointer, message) => {
    const objects = [set(replicas), ...pods(replicas, 'db'), budget(spec)];
    expect(found(objects)).toMatchObject([
      {
        severity: 'warning',
        subject: { kind: 'PodDisruptionBudget', namespace: 'team', name: 'guard' },
        pointer,
        message: expect.stringContaining(message),
        budgets: ['team/guard'],
        occurrences: { kind: 'Pod', count: replicas },
      },
    ]);
    expect(found(objects)[0]?.suggestions).toHaveLength(1);
  });

  it.each([
    [{ maxUnavailable: 1 }, 1],
    [{ maxUnavailable: '1%' }, 3],
    [{ minAvailable: '66%' }, 3],
    [{ minAvailable: 2 }, 3],
    [{ minAvailable: 0 }, 1],
    [{ minAvailable: '99%' }, 100],
  ])('is not one with %j of %d replicas', (spec, replicas) => {
    expect(found([set(replicas), ...pods(replicas, 'db'), budget(spec)])).toEqual([]);
  });

  it('counts the replicas that the workload wants, not the pods that exist', () => {
    expect(found([set(3), ...pods(2, 'db'), budget({ minAvailable: 2 })])).toEqual([]);
    expect(found([set(2), ...pods(3, 'db'), budget({ minAvailable: 2 })])).toHaveLength(1);
  });

  it('counts pods without a controller as healthy beyond the replicas', () => {
    const objects = [set(2), ...pods(2, 'db'), ...pods(1)];
    expect(found([...objects, budget({ maxUnavailable: 0 })])).toEqual([]);
    expect(found([...objects, budget({ minAvailable: 2 })])).toEqual([]);
    expect(found([...objects, budget({ minAvailable: 3 })])).toHaveLength(1);
  });

  it('is one that expects no pods because none of them has a controller', () => {
    expect(found([...pods(2), budget({ maxUnavailable: 1 })])).toMatchObject([
      { message: expect.stringContaining('None of the pods that the budget selects has a controller') },
    ]);
    expect(found([...pods(2), budget({ minAvailable: 1 })])).toEqual([]);
  });

  it('is one that the controller cannot compute', () => {
    const objects = [object('apps/v1', 'DaemonSet', 'agent', { spec: {} }), ...pods(2, 'agent', 'DaemonSet')];
    expect(found([...objects, budget({ maxUnavailable: 1 })])).toMatchObject([
      { message: expect.stringContaining('daemonsets.apps does not implement the scale subresource') },
    ]);
    expect(found([...objects, budget({ minAvailable: 2 })])).toEqual([]);
  });

  it('is certain of all pods of a custom resource, and of nothing else', () => {
    const custom = pods(2, 'kafka', 'Kafka', 'example.com/v1');
    expect(found([...custom, budget({ maxUnavailable: 0 })])).toMatchObject([
      { message: expect.stringContaining('requires every wanted pod') },
    ]);
    expect(found([...custom, budget({ minAvailable: '100%' })])).toHaveLength(1);
    expect(found([...custom, ...pods(1), budget({ maxUnavailable: 0 })])).toEqual([]);
    for (const spec of [{ minAvailable: 2 }, { minAvailable: '99%' }, { maxUnavailable: 1 }]) {
      expect(found([...custom, budget(spec)])).toEqual([]);
    }
  });

  it('is not looked for without pods, among ended ones, or where the workloads are not stored', () => {
    expect(found([set(1), budget({ maxUnavailable: 0 })])).toEqual([]);
    const ended = pods(1, 'db', 'StatefulSet', 'apps/v1', 'Succeeded');
    expect(found([set(1), ...ended, budget({ maxUnavailable: 0 })])).toEqual([]);
    const partial = KINDS.filter((kind) => kind !== 'StatefulSet');
    expect(found([...pods(1, 'db'), budget({ minAvailable: 1 })], partial)).toEqual([]);
    expect(found([set(0), ...pods(1, 'db'), budget({ maxUnavailable: 0 })])).toEqual([]);
  });
});

describe('a quota whose scopes match no pod', () => {
  const quota = (spec: object) => object('v1', 'ResourceQuota', 'q', { spec: { hard: { pods: '5' }, ...spec } });
  const expression = (scopeName: string, operator: string, ...values: string[]) => ({ scopeName, operator, values });
  const selecting = (...matchExpressions: object[]) => ({ scopeSelector: { matchExpressions } });
  const found = (spec: object) => of([quota(spec)], 'quota-matches-no-pod');

  it.each<[string, object]>([
    [
      'Terminating and NotTerminating',
      { scopes: ['Terminating'], ...selecting(expression('NotTerminating', 'Exists')) },
    ],
    ['BestEffort and NotBestEffort', { scopes: ['BestEffort', 'NotBestEffort'] }],
    ['two lists of classes', selecting(expression('PriorityClass', 'In', 'a'), expression('PriorityClass', 'In', 'b'))],
    ['In and NotIn', selecting(expression('PriorityClass', 'In', 'a'), expression('PriorityClass', 'NotIn', 'a'))],
    [
      'Exists and DoesNotExist',
      selecting(expression('PriorityClass', 'Exists'), expression('PriorityClass', 'DoesNotExist')),
    ],
    ['a scope that does not exist', { scopes: ['Besteffort'] }],
  ])('is one with %s', (_, spec) => {
    expect(found(spec)).toMatchObject([
      {
        severity: 'warning',
        subject: { kind: 'ResourceQuota', namespace: 'team', name: 'q' },
        message: expect.stringContaining('it limits nothing'),
        suggestions: [{ text: expect.any(String) }],
      },
    ]);
  });

  it.each<[string, object]>([
    ['no scopes', {}],
    ['compatible scopes', { scopes: ['BestEffort', 'NotTerminating', 'CrossNamespacePodAffinity'] }],
    [
      'lists with a class in common',
      selecting(expression('PriorityClass', 'In', 'a', 'b'), expression('PriorityClass', 'In', 'b')),
    ],
    [
      'a class that no list names',
      selecting(expression('PriorityClass', 'Exists'), expression('PriorityClass', 'NotIn', 'other')),
    ],
    ['a scope of claims', selecting(expression('VolumeAttributesClass', 'In', 'gold'))],
  ])('is not one with %s', (_, spec) => {
    expect(found(spec)).toEqual([]);
  });
});

describe('a quota that admits no pod', () => {
  const quota = (hard: object, rest: object = {}) => object('v1', 'ResourceQuota', 'q', { spec: { hard, ...rest } });
  const range = (...limits: object[]) => object('v1', 'LimitRange', 'sizes', { spec: { limits } });
  const found = (...objects: KubernetesObject[]) => of(objects, 'quota-admits-no-pod');

  it.each(['pods', 'count/pods'])('is one that allows no %s', (name) => {
    const refused = { severity: 'info', pointer: `/spec/hard/${name.replace('/', '~1')}` };
    expect(found(quota({ [name]: '0' }))).toMatchObject([refused]);
    expect(found(quota({ [name]: '1' }))).toEqual([]);
    expect(found(quota({ [name]: '0' }, { scopes: ['BestEffort'] }))).toEqual([]);
  });

  it('is not one that allows 0 of what a pod can do without, or request 0 of', () => {
    const hard = { 'requests.cpu': '0', memory: '0', 'limits.cpu': '0', services: '0', 'requests.nvidia.com/gpu': '0' };
    expect(found(quota(hard))).toEqual([]);
  });

  it.each(['Container', 'Pod'])('is one that allows less than the minimum of a LimitRange of type %s', (type) => {
    const minimum = range({ type, min: { cpu: '500m' } });
    expect(found(quota({ 'requests.cpu': '499m' }), minimum)).toMatchObject([
      {
        severity: 'warning',
        subject: { kind: 'ResourceQuota', namespace: 'team', name: 'q' },
        field: 'spec.hard[requests.cpu]',
        message: expect.stringContaining(`every ${type.toLowerCase()} to request at least 500m of cpu`),
        suggestions: [{ text: 'Raise requests.cpu to at least 500m, or lower the minimum of the LimitRange.' }],
      },
    ]);
    expect(found(quota({ cpu: '0' }), minimum)).toMatchObject([{ pointer: '/spec/hard/cpu' }]);
    expect(found(quota({ cpu: '0.5', 'requests.cpu': '500m', 'requests.memory': '0' }), minimum)).toEqual([]);
  });

  it('compares limits only if every container must have one', () => {
    const tight = quota({ 'limits.memory': '1Mi' });
    expect(found(tight, range({ type: 'Container', min: { memory: '2Mi' } }))).toEqual([]);
    expect(found(tight, range({ type: 'Container', min: { memory: '2Mi' }, max: { memory: '1Gi' } }))).toHaveLength(1);
    expect(found(tight, range({ type: 'Container', min: { memory: '1Mi' }, max: { memory: '1Gi' } }))).toEqual([]);
  });

  it('names the largest minimum once, and looks only at the namespace of the quota', () => {
    const items = [
      { type: 'Container', min: { cpu: '1' } },
      { type: 'Pod', min: { cpu: '2' } },
    ];
    expect(found(quota({ cpu: '0' }), range(...items))).toMatchObject([
      { message: expect.stringContaining('at least 2 of cpu') },
    ]);
    const elsewhere = { ...range(...items), metadata: { name: 'sizes', namespace: 'other' } };
    expect(found(quota({ cpu: '0' }), elsewhere)).toEqual([]);
    expect(found(quota({ cpu: '0' }), range({ type: 'PersistentVolumeClaim', min: { cpu: '1' } }))).toEqual([]);
  });

  it('is not looked for without the admission plugins that it depends on', () => {
    const objects = [quota({ cpu: '0', pods: '0' }), range({ type: 'Container', min: { cpu: '1' } })];
    const enabling = (...plugins: string[]) => settingOf('AdmissionConfiguration', THE_ONE, { plugins });
    const fields = (...plugins: string[]) => found(...objects, enabling(...plugins)).map(({ field }) => field);
    expect(fields('LimitRanger', 'ResourceQuota')).toEqual(['spec.hard[cpu]', 'spec.hard[pods]']);
    expect(fields('ResourceQuota')).toEqual(['spec.hard[pods]']);
    expect(fields('LimitRanger')).toEqual([]);
  });

  it('is one with an invalid scope, with which admission fails', () => {
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['not valid!'] }];
    expect(found(quota({ pods: '5' }, { scopeSelector: { matchExpressions } }))).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('status 500'), field: 'spec.scopeSelector' },
    ]);
    expect(of([quota({}, { scopeSelector: { matchExpressions } })], 'quota-matches-no-pod')).toEqual([]);
  });
});
