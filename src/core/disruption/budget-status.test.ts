import { describe, expect, it } from '@jest/globals';
import type { OwnerReference } from '../kubernetes/objects/meta.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import { disruptionAllowedOf, syncBudget, type BudgetPod } from './budget-status.js';
import type { ScaleSource } from './controller-scale.js';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const WEB: OwnerReference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'rs', controller: true };

/** A Deployment `web` with this number of replicas, which owns the ReplicaSet of `WEB`. */
const deployment = (replicas: number, found = true): ScaleSource => ({
  find: (kind) => {
    const metadata = { name: 'web-1', namespace: 'default', uid: 'rs' };
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'dep', controller: true };
    if (kind === 'ReplicaSet') {
      return {
        object: {
          apiVersion: 'apps/v1',
          kind,
          metadata: { ...metadata, ownerReferences: [owner] },
          spec: { replicas: 9 },
        },
      };
    }
    if (!found) return { object: undefined };
    return { object: { apiVersion: 'apps/v1', kind, metadata: { name: 'web', uid: 'dep' }, spec: { replicas } } };
  },
  scale: (_group, _version, kind, _namespace, name) =>
    kind === 'ReplicaSet'
      ? { scale: { apiVersion: 'apps/v1', kind, metadata: { name, uid: 'rs' }, spec: { replicas: 9 } } }
      : { error: 'daemonsets.apps does not implement the scale subresource' },
});

const pods = (count: number, more: Partial<BudgetPod> = {}): BudgetPod[] =>
  Array.from({ length: count }, (_, i) => ({
    name: `web-${i}`,
    ready: true,
    terminating: false,
    ownerReferences: [WEB],
    ...more,
  }));

const budget = (
  spec: NonNullable<PodDisruptionBudget['spec']>,
  status?: NonNullable<PodDisruptionBudget['status']>,
): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web', namespace: 'default', generation: 3 },
  spec,
  ...(status !== undefined && { status }),
});

const numbers = (sync: ReturnType<typeof syncBudget>): unknown => {
  if (sync.outcome === 'unknown') return sync.reason;
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = sync.status;
  return [expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed];
};

describe('syncBudget', () => {
  it.each<[string, NonNullable<PodDisruptionBudget['spec']>, BudgetPod[], number[]]>([
    ['80% of 5 rounds up to 4', { minAvailable: '80%' }, pods(5), [5, 4, 5, 1]],
    ['so does maxUnavailable, which then allows more', { maxUnavailable: '34%' }, pods(5), [5, 3, 5, 2]],
    ['a percentage counts what the Deployment wants, whatever exists', { minAvailable: '50%' }, pods(2), [5, 3, 2, 0]],
    ['a number counts the pods that exist', { minAvailable: 1 }, pods(2), [2, 1, 2, 1]],
    ['maxUnavailable wins over minAvailable', { minAvailable: 5, maxUnavailable: 2 }, pods(5), [5, 3, 5, 2]],
    ['with neither nothing is expected and nothing allowed', {}, pods(5), [0, 0, 5, 0]],
    ['more unavailable than there are is no negative number', { maxUnavailable: 7 }, pods(5), [5, 0, 5, 5]],
    [
      'pods without a controller are healthy but not expected',
      { maxUnavailable: 1 },
      [...pods(5), ...pods(1, { name: 'bare', ownerReferences: [] })],
      [5, 4, 6, 2],
    ],
    ['terminating pods are not healthy', { minAvailable: 1 }, pods(2, { terminating: true }), [2, 1, 0, 0]],
  ])('%s', (_, spec, matching, expected) => {
    expect(numbers(syncBudget(budget(spec), { pods: matching }, deployment(5), NOW))).toEqual(expected);
  });

  it('uses the replicas of a ReplicaSet whose Deployment is gone', () => {
    expect(numbers(syncBudget(budget({ maxUnavailable: 1 }), { pods: pods(5) }, deployment(5, false), NOW))).toEqual([
      9, 8, 5, 0,
    ]);
  });

  it('counts a pod with a granted eviction as gone for two minutes, and at their very end as healthy but still listed', () => {
    const disruptedPods = {
      'web-0': '2026-01-15T11:58:00Z',
      'web-1': '2026-01-15T11:58:01Z',
      'web-2': '2026-01-15T11:57:59Z',
    };
    const sync = syncBudget(budget({ minAvailable: 1 }, { disruptedPods }), { pods: pods(3) }, deployment(3), NOW);
    expect(sync).toMatchObject({ outcome: 'synced', events: ['NotDeleted'], recheckAt: NOW });
    expect(numbers(sync)).toEqual([3, 1, 2, 1]);
    if (sync.outcome === 'synced') expect([...sync.status.disruptedPods.keys()]).toEqual(['web-0', 'web-1']);
  });

  it('fails for a single pod whose controller has no scale, and leaves the other numbers unchanged', () => {
    const daemon = { ...WEB, kind: 'DaemonSet', uid: 'ds' };
    const before = {
      currentHealthy: 7,
      desiredHealthy: 6,
      expectedPods: 7,
      disruptionsAllowed: 1,
      observedGeneration: 2,
    };
    const sync = syncBudget(
      budget({ maxUnavailable: 1 }, before),
      { pods: [...pods(2), ...pods(1, { ownerReferences: [daemon] })] },
      deployment(2),
      NOW,
    );
    const error = 'daemonsets.apps does not implement the scale subresource';
    expect(sync).toMatchObject({ outcome: 'failed', error, events: ['CalculateExpectedPodCountFailed'] });
    expect(numbers(sync)).toEqual([7, 6, 7, 0]);
    if (sync.outcome === 'failed') {
      expect(disruptionAllowedOf(sync.status)).toMatchObject({ status: 'False', reason: 'SyncFailed', message: error });
      expect(sync.status.observedGeneration).toBe(2);
    }
  });

  it('is unknown if the controllers are not known', () => {
    const source: ScaleSource = { ...deployment(5), find: () => ({ unknown: 'no ReplicaSet is stored' }) };
    expect(syncBudget(budget({ maxUnavailable: 1 }), { pods: pods(1) }, source, NOW)).toEqual({
      outcome: 'unknown',
      reason: 'no ReplicaSet is stored',
    });
    expect(numbers(syncBudget(budget({ minAvailable: 1 }), { pods: pods(2) }, source, NOW))).toEqual([2, 1, 2, 1]);
  });

  it('reports too few healthy pods while the stored condition still reports a failed sync, as of its time', () => {
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const condition = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', lastTransitionTime };
    const stored = {
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
      disruptionsAllowed: 0,
      observedGeneration: 3,
      conditions: [condition],
    };
    const sync = syncBudget(budget({ minAvailable: 1 }, stored), { pods: pods(1) }, deployment(1), NOW);
    expect(sync.outcome === 'synced' && disruptionAllowedOf(sync.status)).toMatchObject({
      status: 'False',
      reason: 'InsufficientPods',
      lastTransitionTime,
    });
  });

  it('changes the time of the condition only with its status', () => {
    const condition = {
      type: 'DisruptionAllowed',
      status: 'True',
      reason: 'SufficientPods',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const stored = { conditions: [condition] };
    const [same, other] = [pods(3), pods(1)].map((matching) => {
      const sync = syncBudget(budget({ minAvailable: 1 }, stored), { pods: matching }, deployment(3), NOW);
      return sync.outcome === 'synced' ? disruptionAllowedOf(sync.status)?.lastTransitionTime : undefined;
    });
    expect([same, other]).toEqual(['2026-01-01T00:00:00Z', '2026-01-15T12:00:00Z']);
  });
});
