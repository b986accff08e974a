import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { type EvictionEvent, type EvictionState, NO_EVICTIONS, stepTaintEviction } from '../eviction/taint-eviction.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { foldPod, type PodEvent, type PodOutcome } from './fold-pod.js';
import { exactly, type KnownMoment } from '../eviction/known-moment.js';
import { Dice } from '../../../test/support/dice.js';

const gates = DEFAULT_GATES;
const execute = (key: string): Taint => ({ key, effect: 'NoExecute' });
const exists = (key: string, seconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(seconds !== undefined && { tolerationSeconds: seconds }),
});
const between = (earliest: number, latest: number): KnownMoment => ({ earliest, latest });
const taints = (moment: KnownMoment, ...list: Taint[]): PodEvent => ({
  what: 'taints',
  moment,
  situation: { moment, known: 'snapshots', taints: list },
});
const a = execute('a');
const b = execute('b');

function fold(
  events: readonly PodEvent[],
  tolerations: readonly Toleration[],
  { seenAt = -Infinity, bound = true } = {},
): PodOutcome {
  return foldPod(events, { tolerations, bound, seenAt }, gates);
}

describe('foldPod', () => {
  it('counts from the whole interval in which the taint may have been added', () => {
    expect(fold([taints(between(1000, 5000), a)], [exists('a', 60)], { seenAt: 5000 })).toMatchObject({
      action: 'leaves',
      base: between(1000, 5000),
      at: between(61_000, 65_000),
      known: 'snapshots',
      overdue: false,
    });
  });

  it('does not let a pod leave before it was last seen', () => {
    const outcome = fold([taints(between(0, 100_000), a)], [exists('a', 60)], { seenAt: 100_000 });
    expect(outcome.at).toEqual(between(100_000, 160_000));
  });

  it('reports a pod as overdue if it was seen after its latest eviction time', () => {
    const outcome = fold([taints(between(0, 1000), a)], [exists('a', 60)], { seenAt: 100_000 });
    expect(outcome).toMatchObject({ action: 'leaves', overdue: true, at: between(60_000, 61_000) });
  });

  it('does not report a pod as overdue if it was seen at its latest eviction time', () => {
    for (const base of [exactly(40_000), between(0, 40_000)]) {
      const outcome = fold([taints(base, a)], [exists('a', 60)], { seenAt: 100_000 });
      expect(outcome).toMatchObject({ at: exactly(100_000), overdue: false });
    }
  });

  it('cancels a timer for an event before or at the time when the pod was seen, however overdue the pod was', () => {
    for (const cancelledAt of [90_000, 100_000]) {
      const events = [taints(exactly(0), a), taints(exactly(cancelledAt))];
      expect(fold(events, [exists('a', 60)], { seenAt: 100_000 })).toMatchObject({
        action: 'never',
        cancelled: { moment: exactly(cancelledAt), why: 'taintsRemoved' },
        mayHaveLeftSince: null,
      });
    }
  });

  it('counts from the last of several events with the same latest time', () => {
    const events: PodEvent[] = [taints(between(0, 5000), a), { what: 'bound', moment: between(3000, 5000) }];
    expect(fold(events, [exists('a', 60)], { bound: false, seenAt: 6000 })).toMatchObject({
      base: between(3000, 5000),
      known: 'binding',
    });
  });

  it('counts from the taint, not from a change of tolerations before any taint', () => {
    const change: PodEvent = {
      what: 'tolerations',
      moment: exactly(3000),
      tolerations: [exists('a', 60)],
      known: 'snapshots',
    };
    expect(fold([taints(exactly(0)), change, taints(between(1000, 5000), a)], [])).toMatchObject({
      base: between(1000, 5000),
      known: 'snapshots',
      at: between(61_000, 65_000),
    });
  });

  it('counts from the binding if that came after the taint', () => {
    const events: PodEvent[] = [taints(between(0, 1000), a), { what: 'bound', moment: between(7000, 8000) }];
    expect(fold(events, [exists('a', 60)], { bound: false, seenAt: 9000 })).toMatchObject({
      base: between(7000, 8000),
      known: 'binding',
    });
  });

  it('counts from the taint at the earliest if the pod may have been bound before or after it', () => {
    const events: PodEvent[] = [{ what: 'bound', moment: between(500, 900) }, taints(between(0, 1000), a)];
    expect(fold(events, [exists('a', 60)], { bound: false, seenAt: 9000 })).toMatchObject({
      base: between(500, 1000),
      known: 'snapshots',
    });
  });

  it('starts the timer again when the controller starts', () => {
    const events: PodEvent[] = [taints(exactly(1000), a), { what: 'controllerStarts', moment: exactly(30_000) }];
    expect(fold(events, [exists('a', 60)], { seenAt: 31_000 })).toMatchObject({
      base: exactly(30_000),
      known: 'controllerStart',
      at: exactly(90_000),
    });
  });

  it('keeps the running timer when another taint is added', () => {
    const events = [taints(exactly(1000), a), taints(exactly(4000), a, b)];
    expect(fold(events, [exists('a', 12), exists('b', 2)])).toMatchObject({
      at: exactly(13_000),
      keptAgainst: { moment: exactly(4000), because: { delay: 2_000_000_000n } },
    });
  });

  it('does not report an ignored event that would have given the same time', () => {
    const events = [taints(exactly(1000), a), taints(exactly(4000), a, b)];
    expect(fold(events, [exists('a', 12), exists('b', 30)])).toMatchObject({ at: exactly(13_000), keptAgainst: null });
  });

  it('does not report an event that an earlier timer ignored', () => {
    const former = [taints(exactly(1000), a), taints(exactly(4000), a, b), taints(exactly(5000))];
    expect(fold([...former, taints(exactly(6000), a)], [exists('a', 12), exists('b', 2)])).toMatchObject({
      at: exactly(18_000),
      keptAgainst: null,
    });
  });

  it('reports the reason for and the time of a cancellation', () => {
    const events = [taints(exactly(1000), a), taints(exactly(4000))];
    expect(fold(events, [exists('a', 12)])).toMatchObject({
      action: 'never',
      at: null,
      cancelled: { moment: exactly(4000), why: 'taintsRemoved' },
      mayHaveLeftSince: null,
    });
  });

  it('reports the time from which a pod may have left if its timer was cancelled within its interval', () => {
    const events = [taints(between(0, 5000), a), taints(exactly(12_000))];
    expect(fold(events, [exists('a', 10)], { seenAt: 5000 })).toMatchObject({
      action: 'never',
      mayHaveLeftSince: 10_000,
    });
  });

  it('keeps that time when a later timer runs', () => {
    const events = [taints(between(0, 5000), a), taints(exactly(12_000)), taints(exactly(20_000), a)];
    expect(fold(events, [exists('a', 10)], { seenAt: 5000 })).toMatchObject({
      action: 'leaves',
      at: between(10_000, 30_000),
      base: exactly(20_000),
    });
  });

  it('forgets running timers and ignores events while the controller is stopped', () => {
    const stops: PodEvent = { what: 'controllerStops', moment: exactly(4000) };
    expect(fold([taints(exactly(1000), a), stops], [exists('a', 12)])).toMatchObject({
      action: 'never',
      cancelled: { moment: exactly(4000), why: 'controllerStopped' },
      unwatched: true,
    });
    expect(fold([stops, taints(exactly(5000), a)], [])).toMatchObject({
      action: 'never',
      because: { action: 'now', untolerated: a },
      cancelled: null,
      unwatched: true,
    });
  });

  it('may have left at the very moment of the cancellation', () => {
    const events = [taints(between(0, 5000), a), taints(exactly(10_000))];
    expect(fold(events, [exists('a', 10)], { seenAt: 5000 }).mayHaveLeftSince).toBe(10_000);
  });

  it('decides nothing for a taint that is tolerated without a time limit', () => {
    expect(fold([taints(exactly(0), a)], [exists('a')])).toMatchObject({
      action: 'never',
      cancelled: null,
      because: { action: 'never' },
    });
  });

  it('keeps a timer running when its node is deleted', () => {
    const gone: PodEvent = {
      what: 'taints',
      moment: exactly(3000),
      situation: { moment: exactly(3000), known: 'question', taints: [], nodeGone: true },
    };
    expect(fold([taints(exactly(1000), a), gone], [exists('a', 6)]).at).toEqual(exactly(7000));
  });

  it('does not evict a pod that another client deleted before', () => {
    const events: PodEvent[] = [taints(exactly(1000), a), { what: 'removed', moment: exactly(3000) }];
    expect(fold(events, [exists('a', 6)])).toMatchObject({ action: 'never', cancelled: { why: 'podRemoved' } });
  });
});

describe('foldPod compared with stepTaintEviction', () => {
  const KEYS = ['a', 'b', 'c'];
  it.each(Array.from({ length: 300 }, (_, seed) => seed))('agrees on a random life of a pod, seed %i', (seed) => {
    const dice = new Dice(seed);
    const someTaints = (): Taint[] => dice.some(KEYS, 40).map(execute);
    const someTolerations = (): Toleration[] =>
      dice.some(KEYS, 80).map((key) => exists(key, dice.one([undefined, 0, 2, 5, 9, 30])));
    const start = someTolerations();
    const bind: EvictionEvent = { at: 0, do: 'setPod', namespace: 'x', name: 'p', node: 'n', tolerations: start };
    const whole: EvictionEvent[] = [{ at: 0, do: 'setNode', node: 'n', taints: [] }, bind];
    const own: PodEvent[] = [];
    let at = 0;
    for (let step = 0; step < 12; step++) {
      at += dice.one([0, 1, 2, 3, 4, 7]) * 1000;
      const moment = exactly(at);
      const kind = dice.below(100);
      if (kind < 70) {
        const list = someTaints();
        whole.push({ at, do: 'setNode', node: 'n', taints: list });
        own.push({ what: 'taints', moment, situation: { moment, known: 'question', taints: list } });
      } else if (kind < 85) {
        const list = someTolerations();
        whole.push({ at, do: 'setPod', namespace: 'x', name: 'p', node: 'n', tolerations: list });
        own.push({ what: 'tolerations', moment, tolerations: list, known: 'question' });
      } else {
        const does = dice.one(['controllerStops', 'controllerStarts'] as const);
        whole.push({ at, do: does === 'controllerStops' ? 'stopController' : 'startController' });
        own.push({ what: does, moment });
      }
    }
    let state: EvictionState = NO_EVICTIONS;
    const evictions: number[] = [];
    for (const event of [...whole, { at: 10_000_000, do: 'wait' } as const]) {
      const step = stepTaintEviction(state, event, gates);
      state = step.state;
      evictions.push(...step.evictions.map((eviction) => eviction.at));
    }
    const { at: leaves } = fold(own, start);
    expect(leaves === null ? [] : [leaves.latest]).toEqual(evictions);
  });
});
