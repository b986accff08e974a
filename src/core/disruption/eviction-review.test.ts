import { describe, expect, it } from '@jest/globals';
import type { BudgetStatus } from './budget-status.js';
import { reviewEviction, type EvictedPod, type GuardingBudget } from './eviction-review.js';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const running: EvictedPod = { name: 'web-0', phase: 'Running', ready: true, terminating: false };

const guard = (status: Partial<BudgetStatus> = {}, more: Partial<GuardingBudget> = {}): GuardingBudget => ({
  name: 'web',
  generation: 2,
  status: {
    currentHealthy: 3,
    desiredHealthy: 2,
    expectedPods: 3,
    disruptionsAllowed: 1,
    observedGeneration: 2,
    disruptedPods: new Map(),
    conditions: [],
    ...status,
  },
  ...more,
});
const exhausted = { disruptionsAllowed: 0, currentHealthy: 2 };
const failing = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'oh' };

describe('reviewEviction', () => {
  it.each<[string, Partial<EvictedPod>, GuardingBudget[], unknown]>([
    ['lets a pod go that nothing guards', {}, [], { allowed: true, why: 'noBudget' }],
    [
      'asks no budget about a pending pod',
      { phase: 'Pending', ready: false },
      [guard(exhausted)],
      { allowed: true, why: 'budgetNotAsked' },
    ],
    [
      'uses up a disruption',
      {},
      [guard()],
      { allowed: true, why: 'disruptionUsed', status: { disruptionsAllowed: 0 } },
    ],
    [
      'lets an unready pod go where the budget has what it wants, and uses nothing up',
      { ready: false },
      [guard(exhausted)],
      { allowed: true, why: 'unreadyBudgetHealthy' },
    ],
    [
      'keeps an unready pod of a budget that wants none, and so has no disruption left',
      { ready: false },
      [guard({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0 })],
      { allowed: false, why: 'noDisruptionLeft' },
    ],
    [
      'lets any unready pod go under AlwaysAllow',
      { ready: false },
      [guard({ disruptionsAllowed: 0, currentHealthy: 0 }, { unhealthyPodEvictionPolicy: 'AlwaysAllow' })],
      { allowed: true, why: 'unreadyAlwaysAllowed' },
    ],
    [
      'cannot answer for two budgets, AlwaysAllow or not',
      { ready: false },
      [guard({}, { unhealthyPodEvictionPolicy: 'AlwaysAllow' }), guard({}, { name: 'other' })],
      { allowed: false, code: 500, reason: '' },
    ],
    [
      'asks to come again in 10 s while the status is behind',
      {},
      [guard({ observedGeneration: 1 })],
      { code: 429, retryAfterSeconds: 10 },
    ],
    ['is forbidden if the number is negative', {}, [guard({ disruptionsAllowed: -1 })], { code: 403 }],
    [
      'still grants one while 2000 evictions are open',
      {},
      [guard({ disruptedPods: new Map(Array.from({ length: 2000 }, (_, i) => [`p${i}`, ''])) })],
      { allowed: true, why: 'disruptionUsed' },
    ],
    [
      'forbids while too many evictions are open',
      {},
      [guard({ disruptedPods: new Map(Array.from({ length: 2001 }, (_, i) => [`p${i}`, ''])) })],
      { code: 403, why: 'tooManyDisrupted' },
    ],
    [
      'tells the numbers of an exhausted budget',
      {},
      [guard(exhausted)],
      {
        causes: [
          { reason: 'DisruptionBudget', message: 'The disruption budget web needs 2 healthy pods and has 2 currently' },
        ],
      },
    ],
    [
      'tells rather of the failed sync, where the numbers mean nothing',
      {},
      [guard({ ...exhausted, conditions: [failing] })],
      {
        causes: [
          { message: 'The disruption budget web does not allow evicting pods currently because it failed sync: oh' },
        ],
      },
    ],
  ])('%s', (_, pod, budgets, expected) => {
    expect(reviewEviction({ ...running, ...pod }, budgets, NOW)).toMatchObject(expected as object);
  });

  it('records the granted evictions, and sets the condition when no disruption is left', () => {
    const review = reviewEviction(running, [guard()], NOW);
    expect(review.allowed && review.status?.disruptedPods.has('web-0')).toBe(true);
    expect(review.allowed && review.status?.conditions).toMatchObject([
      { status: 'False', reason: 'InsufficientPods' },
    ]);
  });
});
