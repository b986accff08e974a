import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject, OwnerReference } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import { stepBudgetMatches } from './budget-matches.js';
import { budgetStanding, type BudgetStanding } from './budget-standing.js';
import { stateScaleSource } from './state-scale-source.js';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const owned = (kind: string, name: string, apiVersion = 'apps/v1'): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid: `${kind}-${name}`,
  controller: true,
});
const workload = (kind: string, name: string, replicas: number, owner?: OwnerReference): KubernetesObject =>
  ({
    apiVersion: 'apps/v1',
    kind,
    metadata: {
      name,
      namespace: 'shop',
      uid: `${kind}-${name}`,
      ...(owner !== undefined && { ownerReferences: [owner] }),
    },
    spec: { replicas },
  }) as KubernetesObject;
const pods = (app: string, count: number, owner: OwnerReference | undefined, namespace = 'shop'): Pod[] =>
  Array.from({ length: count }, (_, i) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${app}-${i}`,
      namespace,
      labels: { app, index: String(i) },
      ...(owner !== undefined && { ownerReferences: [owner] }),
    },
    spec: { containers: [], nodeName: 'n' },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  }));
const budget = (
  name: string,
  spec: NonNullable<PodDisruptionBudget['spec']>,
  status?: NonNullable<PodDisruptionBudget['status']>,
): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace: 'shop', generation: 1 },
  spec,
  ...(status !== undefined && { status }),
});

const KINDS: readonly KeptKind[] = ['Pod', 'PodDisruptionBudget', 'ReplicaSet', 'Deployment', 'StatefulSet'];
const WEB = [workload('Deployment', 'web', 5), workload('ReplicaSet', 'web-1', 5, owned('Deployment', 'web'))];

function standing(objects: readonly KubernetesObject[], kinds = KINDS): BudgetStanding {
  const state = ClusterState.build(objects, kinds);
  return budgetStanding(state, finish(stepBudgetMatches(state)), 0, stateScaleSource(state), NOW);
}

const selectingWeb = { selector: { matchLabels: { app: 'web' } } };

describe('budgetStanding', () => {
  it.each<[string, BudgetStanding, string]>([
    [
      'spells a percentage out',
      standing([
        ...WEB,
        ...pods('web', 5, owned('ReplicaSet', 'web-1')),
        budget('b', { ...selectingWeb, minAvailable: '70%' }),
      ]),
      'minAvailable 70% of 5 expected pods (Deployment web wants 5) rounds up to 4; 5 are healthy; 1 disruption is allowed',
    ],
    [
      'says where nothing is rounded',
      standing([
        ...WEB,
        ...pods('web', 5, owned('ReplicaSet', 'web-1')),
        budget('b', { ...selectingWeb, maxUnavailable: '40%' }),
      ]),
      'maxUnavailable 40% of 5 expected pods (Deployment web wants 5) is 2, so 3 must be healthy; 5 are healthy; 2 disruptions are allowed',
    ],
    [
      'counts the pods themselves for a number',
      standing([...pods('web', 2, owned('ReplicaSet', 'gone')), budget('b', { ...selectingWeb, minAvailable: 2 })]),
      'minAvailable 2 of 2 expected pods (all that it selects); 2 are healthy; no disruption is allowed',
    ],
    [
      'says that the sync fails',
      standing([...pods('web', 1, owned('DaemonSet', 'web')), budget('b', { ...selectingWeb, maxUnavailable: 1 })]),
      'the sync fails (daemonsets.apps does not implement the scale subresource): no disruption is allowed, and the other numbers are unchanged',
    ],
    [
      'knows nothing of custom resources',
      standing([
        ...pods('web', 1, owned('Rollout', 'web', 'argoproj.io/v1alpha1')),
        budget('b', { ...selectingWeb, maxUnavailable: 1 }),
      ]),
      'not known: the number of pods that Rollout shop/web (argoproj.io/v1alpha1) wants is not stored',
    ],
    [
      'nor of kinds that were not loaded',
      standing(
        [...pods('web', 1, owned('ReplicaSet', 'web')), budget('b', { ...selectingWeb, maxUnavailable: 1 })],
        ['Pod'],
      ),
      'not known: no ReplicaSet is stored, and the result depends on whether ReplicaSet shop/web exists',
    ],
    [
      'nor of anything where no pods were loaded',
      standing([budget('b', { ...selectingWeb, minAvailable: 1 })], ['PodDisruptionBudget']),
      'not known: no Pod is stored',
    ],
  ])('%s', (_, { text }, expected) => {
    expect(text).toBe(expected);
  });

  it('reports where the stored status is outdated', () => {
    const status = {
      currentHealthy: 5,
      desiredHealthy: 4,
      expectedPods: 5,
      disruptionsAllowed: 1,
      observedGeneration: 1,
    };
    const objects = [...WEB, ...pods('web', 4, owned('ReplicaSet', 'web-1'))];
    const { differs, pods: counts } = standing([
      ...objects,
      budget('b', { ...selectingWeb, minAvailable: '80%' }, status),
    ]);
    expect(differs).toEqual(['currentHealthy', 'disruptionsAllowed', 'condition']);
    expect(counts).toEqual({ selected: 4, healthy: 4, notReady: 0, terminating: 0, evicting: 0, unmanaged: 0 });
  });

  it('counts the selected pods by what makes them healthy', () => {
    const [ready, ill, going, evicting, adopted] = pods('web', 5, owned('ReplicaSet', 'web-1'));
    const notReady = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };
    const deletionTimestamp = '2026-01-15T12:00:20Z';
    const objects = [
      ...WEB,
      ready!,
      { ...ill!, status: notReady },
      { ...going!, status: notReady, metadata: { ...going!.metadata, deletionTimestamp } },
      evicting!,
      {
        ...adopted!,
        metadata: { ...adopted!.metadata, ownerReferences: [{ ...owned('Node', 'n', 'v1'), controller: false }] },
      },
    ];
    const disruptedPods = { [evicting!.metadata.name]: '2026-01-15T11:59:30Z' };
    const found = standing([...objects, budget('b', { ...selectingWeb, minAvailable: 1 }, { disruptedPods })]);
    expect(found.pods).toEqual({ selected: 5, healthy: 2, notReady: 1, terminating: 1, evicting: 1, unmanaged: 1 });
    expect(found.differs).not.toContain('disruptedPods');
  });

  it.each<[string, NonNullable<PodDisruptionBudget['spec']>, string]>([
    ['the pods that it selects, for a number that must be there', { minAvailable: 1 }, 'pods'],
    ['the controllers, for a share that must be there', { minAvailable: '50%' }, 'controllers'],
    ['the controllers, for a number that may be missing', { maxUnavailable: 1 }, 'controllers'],
    ['nothing, if neither is set', {}, 'nothing'],
  ])('expects as many as %s', (_, spec, from) => {
    const objects = [...WEB, ...pods('web', 2, owned('ReplicaSet', 'web-1'))];
    expect(standing([...objects, budget('b', { ...selectingWeb, ...spec })]).arithmetic?.expectedFrom).toBe(from);
  });

  it('reports a stored status of another generation or of another failure, and an absent one', () => {
    const inOrder = { currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, disruptionsAllowed: 1 };
    const sufficient = { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods' };
    const two = [...WEB, ...pods('web', 2, owned('ReplicaSet', 'web-1'))];
    const differs = (status?: NonNullable<PodDisruptionBudget['status']>): readonly string[] =>
      standing([...two, budget('b', { ...selectingWeb, minAvailable: 1 }, status)]).differs;
    expect(differs({ ...inOrder, observedGeneration: 1, conditions: [sufficient] })).toEqual([]);
    expect(differs({ ...inOrder, observedGeneration: 0, conditions: [sufficient] })).toEqual(['observedGeneration']);
    expect(differs()).toHaveLength(6);
    const failed = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'something else' };
    const spec = { ...selectingWeb, maxUnavailable: 1 };
    const daemon = pods('web', 1, owned('DaemonSet', 'web'));
    expect(standing([...daemon, budget('b', spec, { conditions: [failed] })]).differs).toEqual(['condition']);
    const custom = pods('web', 1, owned('Rollout', 'web', 'argoproj.io/v1alpha1'));
    expect(standing([...custom, budget('b', spec)]).differs).toEqual([]);
  });

  it('lists the budgets of a pod in order, whichever requirement selects it', () => {
    const other = { selector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['db'] }] } };
    const budgets = [budget('a', other), budget('b', selectingWeb), budget('c', { selector: {} })];
    const state = ClusterState.build([...budgets, ...pods('web', 1, undefined)], KINDS);
    expect(finish(stepBudgetMatches(state)).guarding(0)).toEqual([0, 1, 2]);
  });

  it('selects only pods of its own namespace, by any kind of requirement', () => {
    const notDb = { selector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['db'] }] } };
    const all = [...pods('web', 3, undefined), ...pods('db', 2, undefined), ...pods('web', 4, undefined, 'other')];
    expect(standing([...all, budget('b', { ...notDb, minAvailable: 1 })]).pods.selected).toBe(3);
    expect(standing([...all, budget('b', { selector: {}, minAvailable: 1 })]).pods.selected).toBe(5);
    expect(standing([...all, budget('b', { minAvailable: 1 })]).pods.selected).toBe(0);
  });
});
