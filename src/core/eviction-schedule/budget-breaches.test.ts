import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import { stepBudgetMatches } from '../disruption/budget-matches.js';
import { exactly } from '../eviction/known-moment.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { type BudgetBreach, stepBudgetBreaches } from './budget-breaches.js';
import { stepSchedule } from './step-schedule.js';

const NOW = 1_000_000;
const maint: Taint = { key: 'maint', effect: 'NoExecute' };

/** A pod of `web` that tolerates `maint` for `seconds`, or without a limit if `seconds` is undefined. */
const web = (name: string, seconds: number | undefined, { ready = true, deleting = false } = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'd',
    labels: { app: 'web' },
    ...(deleting && { deletionTimestamp: '1970-01-01T00:17:00Z', deletionGracePeriodSeconds: 30 }),
  },
  spec: {
    containers: [{ name: 'c' }],
    nodeName: 'n',
    tolerations: [
      {
        key: 'maint',
        operator: 'Exists',
        effect: 'NoExecute',
        ...(seconds !== undefined && { tolerationSeconds: seconds }),
      },
    ],
  },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});

function breaches(minAvailable: number, ...pods: object[]): readonly BudgetBreach[] {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: { taints: [maint] } };
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'd' },
    spec: { minAvailable, selector: { matchLabels: { app: 'web' } } },
  };
  const state = ClusterState.build([node, budget, ...pods] as KubernetesObject[], [
    'Node',
    'Pod',
    'PodDisruptionBudget',
  ]);
  const schedule = finish(
    stepSchedule({
      state,
      gates: DEFAULT_GATES,
      seenAt: NOW,
      timelineOf: () => [{ moment: exactly(NOW), known: 'question', taints: [maint] }],
      boundAt: () => exactly(0),
    }),
  );
  return finish(stepBudgetBreaches(state, schedule, finish(stepBudgetMatches(state)), NOW));
}

describe('stepBudgetBreaches', () => {
  it('reports the moment at which fewer pods than required stay healthy, counting pods in the order in which they leave', () => {
    expect(breaches(2, web('a', 90), web('b', 30), web('c', 60), web('stays', undefined))).toMatchObject([
      {
        namespace: 'd',
        name: 'web',
        leaving: 3,
        currentHealthy: 4,
        desiredHealthy: 2,
        brokenAt: exactly(NOW + 90_000),
      },
    ]);
  });

  it('reports the first pod that leaves if no disruption is allowed, or if too few pods are healthy already', () => {
    const pods = [web('a', 60), web('b', 30)];
    expect(breaches(2, ...pods)).toMatchObject([{ brokenAt: exactly(NOW + 30_000) }]);
    expect(breaches(9, ...pods)).toMatchObject([{ brokenAt: exactly(NOW + 30_000) }]);
  });

  it('reports no breach if enough pods stay', () => {
    expect(breaches(1, web('a', 60), web('stays', undefined))).toMatchObject([{ leaving: 1, brokenAt: null }]);
  });

  it('does not count pods that are not ready or are already being deleted', () => {
    const pods = [web('a', 60), web('ill', 10, { ready: false }), web('going', 20, { deleting: true })];
    expect(breaches(1, ...pods)).toMatchObject([{ leaving: 1, currentHealthy: 1, brokenAt: exactly(NOW + 60_000) }]);
  });

  it('omits budgets that no pod leaves', () => {
    expect(breaches(1, web('stays', undefined))).toEqual([]);
  });
});
