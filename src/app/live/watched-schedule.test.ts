import { describe, expect, it } from '@jest/globals';
import { evictionDue, type LeavingPod, WatchedSchedule } from './watched-schedule.js';

const pod = (name: string, at: number, node = 'a'): LeavingPod => ({ namespace: 'd', name, node, at });
const names = (pods: readonly LeavingPod[]): readonly string[] => pods.map(({ name }) => name);

describe('a watched schedule', () => {
  const pods = [pod('late', 3000), pod('early', 1000), pod('mid', 2000), pod('also', 2000)];
  const schedule = new WatchedSchedule(2, pods, 5);

  it('summarizes past and future evictions and the pods that stay', () => {
    const at = (moment: number) => schedule.summary(moment);
    expect(at(999)).toEqual({
      revision: 2,
      counts: { now: 0, at: 4, never: 5 },
      next: { at: '1970-01-01T00:00:01Z', pods: 1 },
    });
    expect(at(1000)).toMatchObject({ counts: { now: 1, at: 3 }, next: { at: '1970-01-01T00:00:02Z', pods: 2 } });
    expect(at(3000)).toMatchObject({ counts: { now: 4, at: 0 }, next: null });
  });

  it('has the same digest in any order, and another one for a different pod, time or number of pods that stay', () => {
    expect(new WatchedSchedule(9, [...pods].reverse(), 5).digest).toBe(schedule.digest);
    const others = [
      new WatchedSchedule(2, pods, 6),
      new WatchedSchedule(2, pods.slice(1), 5),
      new WatchedSchedule(2, [...pods.slice(1), pod('late', 3001)], 5),
      new WatchedSchedule(2, [...pods.slice(1), pod('later', 3000)], 5),
      new WatchedSchedule(2, [...pods.slice(1), pod('late', 3000, 'b')], 5),
    ];
    expect(others.map(({ digest }) => digest === schedule.digest)).toEqual(others.map(() => false));
  });

  it('reports each pod as due once', () => {
    const due = (now: number, until: number) => names(schedule.due(now, { former: schedule, until }));
    expect(due(1500, 0)).toEqual(['early']);
    expect(due(1500, 1000)).toEqual([]);
    expect(due(2000, 1500)).toEqual(['mid', 'also']);
    expect(due(9000, 2000)).toEqual(['late']);
  });

  it('reports pods of the schedule of a new head that were not reported by the previous one', () => {
    const next = new WatchedSchedule(3, [pod('early', 900), pod('mid', 4000), pod('late', 1900), pod('new', 500)], 0);
    const due = (now: number, until: number) => names(next.due(now, { former: schedule, until }));
    // A pod that was reported is not reported again if its time changes; one whose time moved into the past is
    // reported.
    expect(due(2500, 2000)).toEqual(['new', 'late']);
    expect(due(2500, 0)).toEqual(['new', 'early', 'late']);
    expect(names(next.due(2500, { former: undefined, until: 800 }))).toEqual(['early', 'late']);
  });

  it('lists some of the due pods, and can represent the latest possible time', () => {
    const many = Array.from({ length: 30 }, (_, index) => pod(`p${index}`, index));
    expect(evictionDue(4, many)).toMatchObject({ revision: 4, podCount: 30, at: '1970-01-01T00:00:00.029Z' });
    expect(evictionDue(4, many).pods).toHaveLength(10);
    expect(evictionDue(4, [pod('ever', Infinity)]).at).toBe('9999-12-31T23:59:59Z');
  });
});
