import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import { exactly } from '../eviction/known-moment.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { stepOrderedRows } from './ordered-rows.js';
import { stepScheduleSummary } from './schedule-summary.js';
import { type Schedule, type ScheduleQuestion, stepChangedSchedule, stepSchedule } from './step-schedule.js';

const gates = DEFAULT_GATES;
const NOW = 1_000_000;
const maint: Taint = { key: 'maint', effect: 'NoExecute' };
const tolerating = (seconds?: number): object => ({
  tolerations: [
    {
      key: 'maint',
      operator: 'Exists',
      ...(seconds !== undefined && { tolerationSeconds: seconds, effect: 'NoExecute' }),
    },
  ],
});
const node = (name: string, ...taints: Taint[]) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: { taints },
});
const pod = (name: string, nodeName: string, spec: object = {}, rest: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'd',
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: name.split('-')[0]!, controller: true }],
  },
  spec: { containers: [{ name: 'c' }], nodeName, ...spec },
  status: { phase: 'Running' },
  ...rest,
});
const stateOf = (...objects: object[]): ClusterState =>
  ClusterState.build(objects as KubernetesObject[], ['Node', 'Pod']);

function questionOf(state: ClusterState, more: Partial<ScheduleQuestion> = {}): ScheduleQuestion {
  return {
    state,
    gates,
    seenAt: NOW,
    timelineOf: (index) => {
      const taints = state.taintSets[state.nodes.taintSetId(index)]!.filter(({ effect }) => effect === 'NoExecute');
      return taints.length === 0 ? undefined : [{ moment: exactly(NOW), known: 'question', taints }];
    },
    boundAt: () => exactly(0),
    ...more,
  };
}

const told = (state: ClusterState, { pods, outcomes }: Schedule): Record<string, number | null> =>
  Object.fromEntries(Array.from(pods, (index, row) => [state.pods.name(index), outcomes[row]!.at?.latest ?? null]));

describe('stepSchedule', () => {
  const state = stateOf(
    node('a', maint),
    node('b'),
    node('c', maint),
    pod('web-1', 'a'),
    pod('web-2', 'a', tolerating(60)),
    pod('web-3', 'b'),
    pod('db-1', 'c', tolerating()),
    pod('db-2', 'c', tolerating(30)),
    pod('elsewhere', ''),
  );

  it('has a row for each pod of a node with NoExecute taints, and only counts the other pods', () => {
    const schedule = finish(stepSchedule(questionOf(state)));
    expect(told(state, schedule)).toEqual({
      'web-1': NOW,
      'web-2': NOW + 60_000,
      'db-1': null,
      'db-2': NOW + 30_000,
    });
    expect(schedule.looked).toBe(5);
  });

  it('evaluates only the requested nodes', () => {
    const schedule = finish(stepSchedule(questionOf(state, { nodes: [state.nodes.indexOf('c')] })));
    expect(Object.keys(told(state, schedule)).sort()).toEqual(['db-1', 'db-2']);
  });

  it('asks for the binding time of a pod if the taint is older than the observation, and counts from it', () => {
    const before: ScheduleQuestion = questionOf(state, {
      timelineOf: () => [{ moment: exactly(1000), known: 'auditEvent', taints: [maint] }],
      boundAt: (index) => exactly(state.pods.name(index) === 'web-2' ? NOW - 5000 : 0),
      nodes: [state.nodes.indexOf('a')],
    });
    expect(told(state, finish(stepSchedule(before)))['web-2']).toBe(NOW + 55_000);
  });

  describe('of a pod that may have been bound before or after its node was tainted', () => {
    const tainted = (
      taintedAt: number,
      bound: { earliest: number; latest: number },
      until?: number,
    ): ScheduleQuestion =>
      questionOf(state, {
        timelineOf: () => [
          { moment: exactly(taintedAt), known: 'auditEvent', taints: [maint] },
          ...(until === undefined ? [] : [{ moment: exactly(until), known: 'auditEvent' as const, taints: [] }]),
        ],
        boundAt: () => bound,
        nodes: [state.nodes.indexOf('a')],
      });
    const outcomeOf = (question: ScheduleQuestion): Schedule['outcomes'][number] => {
      const schedule = finish(stepSchedule(question));
      return schedule.outcomes[Array.from(schedule.pods).indexOf(state.pods.indexOf('d', 'web-2'))]!;
    };

    it('counts from the taint at the earliest, and from the binding at the latest', () => {
      const question = tainted(NOW - 50_000, { earliest: NOW - 55_000, latest: NOW - 45_000 });
      expect(outcomeOf(question).base).toEqual({ earliest: NOW - 50_000, latest: NOW - 45_000 });
    });

    it('counts from a taint that is added at the moment when the pod is seen', () => {
      expect(outcomeOf(tainted(NOW, { earliest: NOW - 500, latest: NOW + 500 })).base).toEqual(exactly(NOW));
    });

    it('reports no cancelled timer if the taint was gone before the pod was bound', () => {
      expect(outcomeOf(tainted(1000, exactly(5000), 4000))).toMatchObject({ action: 'never', cancelled: null });
      expect(outcomeOf(tainted(1000, exactly(500), 4000))).toMatchObject({
        action: 'never',
        cancelled: { why: 'taintsRemoved' },
      });
    });

    it('counts the binding of a pod that has a history of its own', () => {
      const pod = state.pods.indexOf('d', 'web-2');
      const tolerations = state.tolerationSets[state.pods.tolerationSetId(pod)]!;
      const question = tainted(1000, exactly(NOW - 5000));
      const histories = new Map([[pod, { tolerations, events: [] }]]);
      expect(outcomeOf({ ...question, histories })).toMatchObject({ base: exactly(NOW - 5000), known: 'binding' });
    });
  });

  it('follows stops and starts of the controller and the history of a pod', () => {
    const restarted = questionOf(state, {
      controller: [{ what: 'controllerStarts', moment: exactly(NOW + 10_000) }],
      histories: new Map([
        [
          state.pods.indexOf('d', 'db-2'),
          {
            tolerations: [{ key: 'maint', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 }],
            events: [{ what: 'removed' as const, moment: exactly(NOW + 5000) }],
          },
        ],
      ]),
    });
    expect(told(state, finish(stepSchedule(restarted)))).toEqual({
      'web-1': NOW,
      'web-2': NOW + 70_000,
      'db-1': null,
      'db-2': null,
    });
  });

  it('recomputes changed nodes to the same schedule as from scratch', () => {
    const former = finish(stepSchedule(questionOf(state)));
    for (const names of [['a'], ['b'], ['c'], ['a', 'c'], ['b', 'c'], ['c', 'a', 'a'], []]) {
      const upserts = names.map((name) =>
        node(name, ...(name === 'c' ? [] : [{ ...maint, key: 'other' }])),
      ) as KubernetesObject[];
      const after = state.apply({ upserts, deletes: [] });
      const nodes = names.map((name) => after.nodes.indexOf(name));
      const changed = finish(stepChangedSchedule(former, { ...questionOf(after), nodes }));
      const anew = finish(stepSchedule(questionOf(after)));
      expect(Array.from(changed.pods)).toEqual(Array.from(anew.pods));
      expect(changed.outcomes).toEqual(anew.outcomes);
      expect(changed.looked).toBe(anew.looked);
    }
  });

  it('is listed in order of time, then node and name', () => {
    const schedule = finish(stepSchedule(questionOf(state)));
    const rows = finish(stepOrderedRows(state, schedule, NOW, {}));
    expect(Array.from(rows, (row) => state.pods.name(schedule.pods[row]!))).toEqual(['web-1', 'db-2', 'web-2', 'db-1']);
    const never = finish(stepOrderedRows(state, schedule, NOW, { actions: new Set(['never']) }));
    expect(Array.from(never, (row) => state.pods.name(schedule.pods[row]!))).toEqual(['db-1']);
  });

  it('is summarized by moment, minute, node and workload', () => {
    const schedule = finish(stepSchedule(questionOf(state)));
    const summary = finish(stepScheduleSummary(state, schedule, { asOf: NOW, mostListed: 1, mostMinutes: 10 }));
    expect(summary.counts).toEqual({ pods: 5, marked: 0, now: 1, at: 2, never: 1 });
    expect(summary.moments).toEqual({ total: 3, items: [{ at: exactly(NOW), pods: 1 }] });
    expect(summary.minutes.items).toEqual([
      { minute: 960_000, pods: 1 },
      { minute: 1_020_000, pods: 2 },
    ]);
    expect(summary.nodes).toEqual({
      total: 2,
      items: [{ node: 0, marked: 0, now: 1, at: 1, never: 0, first: exactly(NOW), last: exactly(NOW + 60_000) }],
    });
    const all = finish(stepScheduleSummary(state, schedule, { asOf: NOW, mostListed: 9, mostMinutes: 10 }));
    expect(all.workloads.items).toEqual([
      {
        workload: { kind: 'ReplicaSet', namespace: 'd', name: 'web' },
        replicas: 3,
        now: 1,
        at: 1,
        firstLoss: exactly(NOW),
        lastReplica: null,
      },
      {
        workload: { kind: 'ReplicaSet', namespace: 'd', name: 'db' },
        replicas: 2,
        now: 0,
        at: 1,
        firstLoss: exactly(NOW + 30_000),
        lastReplica: null,
      },
    ]);
  });

  it('lists a pod as leaving until its latest moment, and counts it in the minute of that', () => {
    const schedule = finish(
      stepSchedule(
        questionOf(state, {
          seenAt: 0,
          timelineOf: () => [{ moment: { earliest: NOW - 90_000, latest: NOW }, known: 'snapshots', taints: [maint] }],
          nodes: [state.nodes.indexOf('c')],
        }),
      ),
    );
    const between = { asOf: NOW - 10_000, mostListed: 9, mostMinutes: 9 };
    const { counts, minutes } = finish(stepScheduleSummary(state, schedule, between));
    expect(counts).toMatchObject({ now: 0, at: 1, never: 1 });
    expect(minutes.items).toEqual([{ minute: 1_020_000, pods: 1 }]);
  });

  it('reports when the last replica of a workload leaves, ignoring pods that are being deleted or have ended', () => {
    const small = stateOf(
      node('a', maint),
      pod('web-1', 'a', tolerating(10)),
      pod('web-2', 'a', tolerating(20)),
      { ...pod('web-3', 'a', tolerating(90)), status: { phase: 'Succeeded' } },
      {
        ...pod('web-4', 'a', tolerating(99)),
        metadata: {
          ...pod('web-4', 'a').metadata,
          deletionTimestamp: '2026-05-04T00:00:00Z',
          deletionGracePeriodSeconds: 30,
        },
      },
    );
    const schedule = finish(stepSchedule(questionOf(small)));
    const { workloads, counts } = finish(
      stepScheduleSummary(small, schedule, { asOf: NOW, mostListed: 9, mostMinutes: 9 }),
    );
    expect(counts).toEqual({ pods: 4, marked: 1, now: 0, at: 3, never: 0 });
    expect(workloads.items[0]).toMatchObject({ replicas: 2, at: 2, lastReplica: exactly(NOW + 20_000) });
  });
});
