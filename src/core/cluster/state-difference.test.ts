import { describe, expect, it } from '@jest/globals';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import { ClusterState } from './cluster-state.js';
import { stateDifference, type StateDifference } from './state-difference.js';

const node = (name: string, rest: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  ...rest,
});
const pod = (name: string, nodeName?: string, owner?: string): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      ...(owner === undefined
        ? {}
        : {
            ownerReferences: [
              { apiVersion: 'apps/v1', kind: 'StatefulSet', name: owner, uid: owner, controller: true },
            ],
          }),
    },
    spec: { containers: [{ name: 'c' }], ...(nodeName === undefined ? {} : { nodeName }) },
  }) as KubernetesObject;

const KINDS: readonly KeptKind[] = ['Node', 'Pod'];

function compare(
  before: KubernetesObject[],
  after: KubernetesObject[],
  kinds: readonly (readonly KeptKind[])[] = [KINDS, KINDS],
): StateDifference {
  const steps = stateDifference(ClusterState.build(before, kinds[0]!), ClusterState.build(after, kinds[1]!));
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

const same = {
  taintsAdded: [],
  taintsRemoved: [],
  labels: [],
  allocatable: [],
  cordoned: null,
  ready: null,
  kubeletVersion: null,
};

describe('the difference of two states', () => {
  it('is empty for equal states, whatever the order and the notation', () => {
    const before = [node('a', { status: { allocatable: { cpu: '4', memory: '1024Mi' } } }), node('b'), pod('p', 'a')];
    const after = [pod('p', 'a'), node('b'), node('a', { status: { allocatable: { memory: '1Gi', cpu: '4000m' } } })];
    expect(compare(before, after)).toEqual({
      nodes: [],
      workloads: [],
      tolerations: [],
      quotas: undefined,
      budgets: undefined,
      pods: { before: 1, after: 1, added: 0, removed: 0, moved: 0, scheduled: 0 },
    });
  });

  it('lists added and removed nodes, and each changed part of a node', () => {
    const before = [
      node('gone', { metadata: { name: 'gone', labels: { zone: 'a' } } }),
      node('kept', {
        metadata: { name: 'kept', labels: { a: '1', b: '2', constructor: 'x' } },
        spec: {
          taints: [
            { key: 'old', effect: 'NoSchedule' },
            { key: 'stays', value: 'v', effect: 'NoExecute' },
          ],
        },
        status: { allocatable: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] },
      }),
    ];
    const after = [
      node('come', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }),
      node('kept', {
        metadata: { name: 'kept', labels: { a: '1', b: '3', __proto__x: 'y' } },
        spec: {
          unschedulable: true,
          taints: [
            { key: 'stays', value: 'v', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' },
            { key: 'new', value: 'x', effect: 'NoSchedule' },
          ],
        },
        status: {
          allocatable: { cpu: '8', 'nvidia.com/gpu': '1' },
          conditions: [{ type: 'Ready', status: 'Unknown' }],
        },
      }),
    ];
    expect(compare(before, after).nodes).toEqual([
      {
        ...same,
        node: 'come',
        change: 'added',
        taintsAdded: ['k:NoSchedule'],
        cordoned: { before: null, after: false },
      },
      {
        ...same,
        node: 'gone',
        change: 'removed',
        labels: [{ name: 'zone', before: 'a', after: null }],
        cordoned: { before: false, after: null },
      },
      {
        ...same,
        node: 'kept',
        change: 'changed',
        taintsAdded: ['new=x:NoSchedule'],
        taintsRemoved: ['old:NoSchedule'],
        labels: [
          { name: '__proto__x', before: null, after: 'y' },
          { name: 'b', before: '2', after: '3' },
          { name: 'constructor', before: 'x', after: null },
        ],
        allocatable: [
          { name: 'cpu', before: '4', after: '8' },
          { name: 'nvidia.com/gpu', before: null, after: '1' },
        ],
        cordoned: { before: false, after: true },
        ready: { before: 'True', after: 'Unknown' },
      },
    ]);
  });

  it('counts added, removed, moved and scheduled pods by workload', () => {
    const before = [
      node('a'),
      node('b'),
      pod('db-0', 'a', 'db'),
      pod('db-1', 'a', 'db'),
      pod('lone'),
      pod('still', 'a'),
    ];
    const after = [
      node('a'),
      node('b'),
      pod('db-0', 'b', 'db'),
      pod('db-2', 'b', 'db'),
      pod('lone', 'a'),
      pod('still', 'a'),
    ];
    const { workloads, pods } = compare(before, after);
    expect(workloads).toEqual([
      {
        kind: 'Pod',
        namespace: 'default',
        name: 'lone',
        before: 1,
        after: 1,
        added: 0,
        removed: 0,
        moved: 0,
        scheduled: 1,
      },
      {
        kind: 'StatefulSet',
        namespace: 'default',
        name: 'db',
        before: 2,
        after: 2,
        added: 1,
        removed: 1,
        moved: 1,
        scheduled: 0,
      },
    ]);
    expect(pods).toEqual({ before: 4, after: 4, added: 1, removed: 1, moved: 1, scheduled: 1 });
  });

  it('yields often', () => {
    const pods = Array.from({ length: 3000 }, (_, i) => pod(`p${i}`));
    const state = ClusterState.build(pods, ['Pod']);
    expect([...stateDifference(state, state)].length).toBeGreaterThan(20);
  });
});

describe('differing tolerations', () => {
  const gpu: Toleration = { key: 'gpu', operator: 'Exists' };
  const batch: Toleration = { key: 'team', value: 'batch', effect: 'NoSchedule' };
  const tolerating = (name: string, tolerations: readonly Toleration[], owner?: string): KubernetesObject => {
    const bare = pod(name, undefined, owner) as KubernetesObject & { spec: object };
    return { ...bare, spec: { ...bare.spec, tolerations } } as KubernetesObject;
  };
  const template = (kind: string, tolerations: readonly Toleration[]): KubernetesObject => {
    const spec = { template: { spec: { containers: [{ name: 'c' }], tolerations } } };
    return {
      apiVersion: kind === 'Deployment' ? 'apps/v1' : 'batch/v1',
      kind,
      metadata: { name: 'web', namespace: 'shop' },
      spec: kind === 'CronJob' ? { jobTemplate: { spec } } : spec,
    } as KubernetesObject;
  };

  it('are those of pods that keep their name, counted by workload and change', () => {
    const before = [tolerating('lone', [gpu]), tolerating('db-0', [], 'db'), tolerating('db-1', [], 'db')];
    const after = [tolerating('lone', [batch]), tolerating('db-0', [gpu], 'db'), tolerating('db-1', [gpu], 'db')];
    const field = 'spec.tolerations';
    const difference = compare(before, after);
    expect(difference.tolerations).toEqual([
      { kind: 'Pod', namespace: 'default', name: 'lone', field, pods: 1, before: [gpu], after: [batch] },
      { kind: 'StatefulSet', namespace: 'default', name: 'db', field, pods: 2, before: [], after: [gpu] },
    ]);
    expect(difference.workloads).toEqual([]);
  });

  it('are those of templates, at the field where the template has them', () => {
    const before = [template('Deployment', [gpu]), template('CronJob', [])];
    const after = [template('Deployment', [gpu, batch]), template('CronJob', [{ ...gpu, tolerationSeconds: 0n }])];
    expect(compare(before, after).tolerations).toEqual([
      expect.objectContaining({
        kind: 'CronJob',
        namespace: 'shop',
        name: 'web',
        field: 'spec.jobTemplate.spec.template.spec.tolerations',
        pods: null,
      }),
      {
        kind: 'Deployment',
        namespace: 'shop',
        name: 'web',
        field: 'spec.template.spec.tolerations',
        pods: null,
        before: [gpu],
        after: [gpu, batch],
      },
    ]);
  });

  it('are not order, repetition, a spelled-out Equal, or objects that only one state has', () => {
    const before = [tolerating('p', [gpu, batch]), template('Deployment', [batch]), tolerating('gone', [gpu])];
    const after = [
      tolerating('p', [{ ...batch, operator: 'Equal' }, gpu, gpu]),
      template('Deployment', [{ ...batch, operator: 'Equal' }]),
      template('CronJob', [gpu]),
      tolerating('come', [batch]),
    ];
    expect(compare(before, after).tolerations).toEqual([]);
  });

  it.each([
    ['key', { key: 'other' }],
    ['operator', { operator: 'Exists' }],
    ['value', { value: 'other' }],
    ['effect', { effect: 'NoExecute' }],
    ['seconds', { tolerationSeconds: 5n }],
  ])('include a different %s', (_, part) => {
    const after = { ...batch, ...part };
    expect(compare([tolerating('p', [batch])], [tolerating('p', [after])]).tolerations).toMatchObject([
      { before: [batch], after: [after] },
    ]);
  });

  it('are also those of replaced pods: one list for one, or each on its own', () => {
    const before = [tolerating('db-a', [gpu], 'db'), tolerating('db-b', [gpu], 'db')];
    const whole = [
      tolerating('db-c', [batch], 'db'),
      tolerating('db-d', [batch], 'db'),
      tolerating('db-e', [batch], 'db'),
    ];
    expect(compare(before, whole).tolerations).toMatchObject([{ name: 'db', pods: 3, before: [gpu], after: [batch] }]);
    const half = [before[0]!, whole[0]!];
    expect(compare(before, half).tolerations).toMatchObject([{ pods: 1, before: null, after: [batch] }]);
    expect(compare(half, whole).tolerations).toMatchObject([{ pods: 1, before: [gpu], after: null }]);
    const mixed = [tolerating('db-c', [batch], 'db'), tolerating('db-d', [], 'db')];
    expect(compare(before, mixed).tolerations).toMatchObject([
      { pods: 2, before: [gpu], after: null },
      { pods: 1, before: null, after: [] },
      { pods: 1, before: null, after: [batch] },
    ]);
    expect(compare(before, before.slice(0, 1)).tolerations).toEqual([]);
    expect(compare(before, []).tolerations).toEqual([]);
  });
});

describe('differing quotas and budgets', () => {
  const kinds: readonly KeptKind[] = ['Node', 'Pod', 'ResourceQuota', 'PodDisruptionBudget'];
  const compareAll = (before: KubernetesObject[], after: KubernetesObject[]) => compare(before, after, [kinds, kinds]);
  const quota = (name: string, spec: object, status: object = {}): KubernetesObject =>
    ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name, namespace: 'shop' },
      spec,
      status,
    }) as KubernetesObject;
  const budget = (name: string, spec: object, status: object = {}): KubernetesObject =>
    ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace: 'shop' },
      spec,
      status,
    }) as KubernetesObject;

  it('list amounts and scopes of a quota before and after', () => {
    const before = [
      quota('gone', { hard: { pods: '1' } }),
      quota('kept', { hard: { pods: '5', cpu: '1', 'limits.cpu': '2' }, scopes: ['BestEffort'] }),
    ];
    const after = [
      quota('come', { hard: { cpu: '2' }, scopes: ['Terminating'] }),
      quota('kept', {
        hard: { pods: '6', cpu: '1000m', memory: '1Gi' },
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['b', 'a'] }] },
      }),
    ];
    const of = { namespace: 'shop', scopesAdded: [], scopesRemoved: [] };
    expect(compareAll(before, after).quotas).toEqual([
      {
        ...of,
        name: 'come',
        change: 'added',
        hard: [{ name: 'cpu', before: null, after: '2' }],
        scopesAdded: ['{Terminating Exists []}'],
      },
      { ...of, name: 'gone', change: 'removed', hard: [{ name: 'pods', before: '1', after: null }] },
      {
        ...of,
        name: 'kept',
        change: 'changed',
        hard: [
          { name: 'limits.cpu', before: '2', after: null },
          { name: 'memory', before: null, after: '1Gi' },
          { name: 'pods', before: '5', after: '6' },
        ],
        scopesAdded: ['{PriorityClass In [b a]}'],
        scopesRemoved: ['{BestEffort Exists []}'],
      },
    ]);
  });

  it('list each field of a budget before and after', () => {
    const web = { matchLabels: { app: 'web' } };
    const before = [budget('gone', { minAvailable: 1 }), budget('kept', { minAvailable: 1, selector: web })];
    const tiers = [{ key: 'tier', operator: 'In', values: ['b', 'a'] }];
    const after = [
      budget('come', { maxUnavailable: 0, selector: {} }),
      budget('kept', {
        maxUnavailable: '50%',
        selector: { ...web, matchExpressions: tiers },
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
      }),
    ];
    const of = { namespace: 'shop', minAvailable: null, maxUnavailable: null, selector: null };
    expect(compareAll(before, after).budgets).toEqual([
      {
        ...of,
        name: 'come',
        change: 'added',
        maxUnavailable: { before: null, after: '0' },
        selector: { before: null, after: '' },
        unhealthyPodEvictionPolicy: { before: null, after: 'IfHealthyBudget' },
      },
      {
        ...of,
        name: 'gone',
        change: 'removed',
        minAvailable: { before: '1', after: null },
        unhealthyPodEvictionPolicy: { before: 'IfHealthyBudget', after: null },
      },
      {
        ...of,
        name: 'kept',
        change: 'changed',
        minAvailable: { before: '1', after: null },
        maxUnavailable: { before: null, after: '50%' },
        selector: { before: 'app=web', after: 'app=web,tier in (a,b)' },
        unhealthyPodEvictionPolicy: { before: 'IfHealthyBudget', after: 'AlwaysAllow' },
      },
    ]);
  });

  it('are none for a status, notation, or the default written out', () => {
    const expressions = [{ key: 'a', operator: 'In', values: ['x', 'y'] }];
    const turned = [{ key: 'a', operator: 'In', values: ['y', 'x'] }];
    const before = [
      quota('q', { hard: { cpu: '1' }, scopes: ['BestEffort'] }, { used: { cpu: '0' } }),
      budget('b', { selector: { matchExpressions: expressions } }),
    ];
    const after = [
      quota(
        'q',
        {
          hard: { cpu: '1000m' },
          scopeSelector: { matchExpressions: [{ scopeName: 'BestEffort', operator: 'Exists' }] },
        },
        { used: { cpu: '1' } },
      ),
      budget(
        'b',
        { selector: { matchExpressions: turned }, unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
        { expectedPods: 3 },
      ),
    ];
    expect(compareAll(before, after)).toMatchObject({ quotas: [], budgets: [] });
  });

  it('are unknown if one of the states has never contained the kind', () => {
    const objects = [quota('q', {}), budget('b', {})];
    expect(compare([], objects, [['Node', 'Pod', 'ResourceQuota'], kinds])).toMatchObject({
      quotas: [{ name: 'q', change: 'added' }],
      budgets: undefined,
    });
    expect(compare(objects, [], [kinds, ['Node', 'Pod', 'PodDisruptionBudget']])).toMatchObject({
      quotas: undefined,
      budgets: [{ name: 'b', change: 'removed' }],
    });
  });
});
