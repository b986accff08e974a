import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { node, pod } from '../support/dumps.js';
import {
  both,
  podsOf,
  SetClock,
  shownMoment,
  tolerates,
  TestSchedules,
  withMore,
  type ShownPod,
} from '../support/eviction-schedules.js';
import { startTestService, type TestService } from '../support/service.js';
import { TestTrail } from '../support/trails.js';

const clock = new SetClock();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { clock });
});
afterAll(() => service.close());

let made = 0;
let schedules: TestSchedules;
let trail: TestTrail;
beforeEach(() => {
  clock.at = '2026-05-04T13:00:00Z';
  schedules = new TestSchedules(service, `c${++made}`);
  trail = new TestTrail(service, schedules.cluster);
});

const M = { key: 'm', value: 'x', effect: 'NoExecute' };
const N = { key: 'n', effect: 'NoExecute' };
const UNREACHABLE = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' };
const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' };

/** A moment of 4 May 2026. */
const at = (time: string): string => `2026-05-04T${time.length === 5 ? `${time}:00` : time}Z`;
const nodeA = (...taints: object[]): object =>
  node('a', { metadata: { name: 'a', creationTimestamp: at('01:00') }, spec: { taints } });
const running = (name: string, tolerations: readonly object[], boundAt = '08:00', on = 'a'): object =>
  withMore(pod(`d/${name}`, on, { tolerations }), {
    metadata: { uid: `uid-${name}`, creationTimestamp: at(boundAt) },
    status: {
      phase: 'Running',
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: at(boundAt) }],
    },
  });
const lease = (acquireTime: string): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'kube-controller-manager', namespace: 'kube-system' },
  spec: { holderIdentity: 'x', acquireTime, renewTime: at('11:00') },
});

/** Two snapshots, an hour apart; only the second has the taints. */
async function between(taints: readonly object[], ...pods: readonly object[]): Promise<void> {
  await schedules.store([nodeA(), ...pods], at('10:00'));
  await schedules.store([nodeA(...taints), ...pods], at('11:00'));
}
const asked = async (body: object = {}, query = ''): Promise<ShownPod> => {
  const pods = await schedules.pods({ asOf: at('11:00'), ...body }, query);
  expect([...pods.keys()]).toEqual(['p']);
  return pods.get('p')!;
};
const timer = ({ action, base, at: leaves }: ShownPod): unknown[] => [
  action,
  base?.known ?? null,
  shownMoment(base),
  shownMoment(leaves),
];

describe('a taint that was set between two snapshots', () => {
  it('has its seconds counted from an interval, and evicts no pod before the pod was last seen', async () => {
    await between([M], running('p', [tolerates('m', 5400)]), running('q', [tolerates('m', 1800)]));
    const pods = podsOf(await both(schedules, { asOf: at('11:05') }));
    expect(timer(pods.get('p')!)).toEqual(['at', 'snapshots', [at('10:00'), at('11:00')], [at('11:30'), at('12:30')]]);
    expect(timer(pods.get('q')!)).toEqual(['at', 'snapshots', [at('10:00'), at('11:00')], [at('11:00'), at('11:30')]]);
    expect(timer((await schedules.pods({ asOf: at('11:30') })).get('q')!)[0]).toBe('now');
  });

  it('has its seconds counted from the audit event that set it', async () => {
    await between([M], running('p', [tolerates('m', 5400)]));
    await trail.events({ id: 'e1', node: 'a', at: '2026-05-04T10:20:30.500000Z', user: 'alice', taints: [M] });
    expect(timer(await asked())).toEqual(['at', 'auditEvent', '2026-05-04T10:20:30.500Z', '2026-05-04T11:50:30.500Z']);
  });

  it.each<[string, object, unknown, RegExp]>([
    [
      'the node controller writes it',
      { ...UNREACHABLE, timeAdded: at('10:30') },
      [at('10:30'), at('10:30:01')],
      /timer counts from it/,
    ],
    [
      'anybody may have written it',
      { ...M, timeAdded: at('10:30') },
      [at('10:00'), at('11:00')],
      /any client can write it/,
    ],
    [
      'it lies before the taint',
      { ...NOT_READY, timeAdded: at('09:00') },
      [at('10:00'), at('11:00')],
      /ignores this time, and so does the schedule/,
    ],
    [
      'it lies before the node',
      { ...NOT_READY, timeAdded: '2020-01-01T00:00:00Z' },
      [at('10:00'), at('11:00')],
      /before the creation of the node/,
    ],
    [
      'it lies ahead',
      { ...UNREACHABLE, timeAdded: '2030-01-01T00:00:00Z' },
      [at('10:00'), at('11:00')],
      /after the taint was first observed/,
    ],
  ])('has its timeAdded trusted only in part: %s', async (_, taint, base, note) => {
    const { key } = taint as { key: string };
    await between([taint], running('p', [tolerates(key, 5400)]));
    const found = await asked();
    expect(shownMoment(found.base)).toEqual(base);
    expect(found.taints[0]!['timeAddedNote']).toMatch(note);
  });

  it('does not continue an earlier one that was removed', async () => {
    const p = running('p', [tolerates('m', 5400)]);
    await schedules.store([nodeA(M), p], at('10:00'));
    await schedules.store([nodeA(), p], at('10:30'));
    await schedules.store([nodeA(M), p], at('11:00'));
    expect(timer(await asked())).toEqual(['at', 'snapshots', [at('10:30'), at('11:00')], [at('12:00'), at('12:30')]]);
  });

  it('counts from the change of its effect', async () => {
    const p = running('p', [tolerates('m', 5400)]);
    await schedules.store([nodeA({ ...M, effect: 'NoSchedule' }), p], at('10:00'));
    await schedules.store([nodeA(M), p], at('11:00'));
    expect(timer(await asked())).toEqual(['at', 'snapshots', [at('10:00'), at('11:00')], [at('11:30'), at('12:30')]]);
  });
});

describe('a taint that existed when the node was first seen', () => {
  it('dates from some time after the creation of the node', async () => {
    await schedules.store([nodeA(M), running('p', [tolerates('m', 5400)])], at('11:00'));
    expect(timer(await asked())).toEqual(['at', 'firstSeen', [at('08:00'), at('11:00')], [at('11:00'), at('12:30')]]);
  });

  it('has no earliest time on a node without a creation time', async () => {
    const p = pod('d/p', 'a', { tolerations: [tolerates('m', 5400)] });
    await schedules.store([node('a', { spec: { taints: [M] } }), p], at('11:00'));
    expect(timer(await asked())).toEqual(['at', 'firstSeen', [null, at('11:00')], [at('11:00'), at('12:30')]]);
  });
});

describe('a change of taints made through this service', () => {
  const change = { nodes: ['a'], taints: ['m=x:NoExecute'] };
  const p = running('p', [tolerates('m', 5400)]);

  it('counts from when it was made, or from when the cluster shows it, if that is known', async () => {
    await schedules.store([nodeA(), p], at('11:00'));
    clock.at = at('11:30');
    await trail.change(change);
    clock.at = at('13:00');
    expect(timer(await asked({ asOf: at('11:30') }))).toEqual(['at', 'recordedChange', at('11:30'), at('13:00')]);
    await schedules.store([nodeA(M), p], at('11:40'));
    const known = ['at', 'recordedChange', [at('11:30'), at('11:40')], [at('13:00'), at('13:10')]];
    expect(timer(await asked({ asOf: at('11:40') }))).toEqual(known);
    await trail.events({ id: 'e1', node: 'a', at: '2026-05-04T11:35:00.000000Z', user: 'alice', taints: [M] });
    expect(timer(await asked({ asOf: at('11:40') }))).toEqual(['at', 'auditEvent', at('11:35'), at('13:05')]);
  });

  it('does not count if unconfirmed changes are excluded', async () => {
    await schedules.store([nodeA(), p], at('11:00'));
    clock.at = at('11:30');
    await trail.change(change);
    const answer = await both(schedules, { asOf: at('11:30') }, { intents: 'exclude' });
    expect([answer.at('counts'), answer.at('items')]).toEqual([{ pods: 1, marked: 0, now: 0, at: 0, never: 0 }, []]);
    expect((await both(schedules, { asOf: at('11:30') }, { intents: 'include' })).at('counts.at')).toBe(1);
  });

  it('cancels timers if it removes the taint', async () => {
    await between([M], p);
    clock.at = at('11:10');
    await trail.change({ nodes: ['a'], taints: ['m:NoExecute-'] });
    const answer = await both(schedules, { asOf: at('11:10') });
    expect(answer.at('counts')).toEqual({ pods: 1, marked: 0, now: 0, at: 0, never: 0 });
  });
});

describe('a running timer', () => {
  const three = async (second: readonly object[], third: readonly object[], pods: readonly (readonly object[])[]) => {
    const [first = [], next = first] = pods;
    await schedules.store([nodeA(), running('p', first)], at('10:00'));
    await schedules.store([nodeA(...second), running('p', first)], at('10:10'));
    await schedules.store([nodeA(...third), running('p', next)], at('10:20'));
  };
  const runs = ['at', 'snapshots', [at('10:00'), at('10:10')], [at('12:00'), at('12:10')]];

  it('is not shortened by another taint that is tolerated for less', async () => {
    await three([M], [M, N], [[tolerates('m', 7200), tolerates('n', 2)]]);
    expect(timer(await asked())).toEqual(runs);
  });

  it('is not extended by a taint that is tolerated for longer, or by a new value of its taint', async () => {
    const tolerations = [
      { ...tolerates('m', 7200), operator: 'Equal', value: 'x' },
      tolerates('m', 9000),
      tolerates('n', 9000),
    ];
    await three([M], [{ ...M, value: 'y' }, N], [tolerations]);
    expect(timer(await asked())).toEqual(runs);
  });

  it('is overridden by a taint that nothing tolerates', async () => {
    await three([M], [M, N], [[tolerates('m', 7200)]]);
    expect(timer(await asked())).toEqual(['now', 'snapshots', [at('10:10'), at('10:20')], at('10:20')]);
  });

  it('is not changed by shorter tolerations', async () => {
    await three([M], [M], [[tolerates('m', 7200)], [tolerates('m', 60)]]);
    expect(timer(await asked())).toEqual(runs);
  });

  it('is not changed by appending a toleration without a limit', async () => {
    await three([M], [M], [[tolerates('m', 7200)], [tolerates('m', 7200), tolerates('m')]]);
    expect(timer(await asked())).toEqual(runs);
  });

  it('is cancelled by prepending a toleration without a limit', async () => {
    await three([M], [M], [[tolerates('m', 7200)], [tolerates('m'), tolerates('m', 7200)]]);
    const answer = await both(schedules, { asOf: at('11:00') });
    expect(podsOf(answer).get('p')).toMatchObject({
      action: 'never',
      at: null,
      because: 'Every NoExecute taint of its node is tolerated forever.',
      mayHaveLeftSince: null,
    });
  });

  it('starts when a toleration without a limit gets seconds, after it was last seen without them', async () => {
    const [ever, timed] = [running('p', [tolerates('m')]), running('p', [tolerates('m', 7200)])];
    await schedules.store([nodeA(), ever], at('10:00'));
    await schedules.store([nodeA(M), ever], at('10:10'));
    await schedules.store([nodeA(M), ever], at('10:20'));
    await schedules.store([nodeA(M), timed], at('10:30'));
    expect(timer(await asked())).toEqual(['at', 'tolerations', [at('10:20'), at('10:30')], [at('12:20'), at('12:30')]]);
  });

  it('belongs to a pod, not to an earlier pod of the same name', async () => {
    await schedules.store([nodeA(M), running('p', [tolerates('m', 60)])], at('10:00'));
    const second = withMore(running('p', [tolerates('m', 7200)], '10:15'), { metadata: { uid: 'another' } });
    await schedules.store([nodeA(M), second], at('10:20'));
    expect(timer(await asked())).toEqual([
      'at',
      'binding',
      [at('10:15'), at('10:15:01')],
      [at('12:15'), at('12:15:01')],
    ]);
  });

  it('starts at asOf for a pod that a scenario moves to a tainted node', async () => {
    const b = node('b', { metadata: { name: 'b', creationTimestamp: at('01:00') } });
    const onB = running('p', [tolerates('m', 5400)], '08:00', 'b');
    await schedules.store([nodeA(), b, onB], at('10:00'));
    await schedules.store([nodeA(M), b, onB], at('11:00'));
    const scenario = { changes: [{ movePods: { pods: ['d/p'], nodeName: 'a' } }] };
    const pod = await asked({ asOf: at('12:00'), scenario });
    expect(timer(pod)).toEqual(['at', 'binding', at('12:00'), at('13:30')]);
  });

  it('starts with the binding of a pod that was bound after the taint', async () => {
    await schedules.store([nodeA(M)], at('10:00'));
    await schedules.store([nodeA(M), running('p', [tolerates('m', 7200)], '10:45')], at('11:00'));
    expect(timer(await asked())).toEqual([
      'at',
      'binding',
      [at('10:45'), at('10:45:01')],
      [at('12:45'), at('12:45:01')],
    ]);
  });

  it('is overdue if the pod was seen after its end', async () => {
    await between([M], running('p', [tolerates('m', 60)]));
    await trail.events({ id: 'e1', node: 'a', at: '2026-05-04T10:20:00.000000Z', user: 'alice', taints: [M] });
    const found = await asked();
    expect([found.overdue, ...timer(found)]).toEqual([true, 'now', 'auditEvent', at('10:20'), at('10:21')]);
    expect(found.because).toMatch(/It was later observed without a deletion mark/);
  });
});

describe('a start of the controller', () => {
  const p = running('p', [tolerates('m', 5400)]);
  const stored = async (...objects: object[]): Promise<void> => {
    await schedules.store([nodeA(), p, ...objects], at('10:00'));
    await schedules.store([nodeA(M), p, ...objects], at('10:30'));
    await schedules.store([nodeA(M), p, ...objects], at('11:00'));
  };

  it("restarts all timers, as shown by its leader's lease", async () => {
    await stored(lease('2026-05-04T10:50:00.250000Z'));
    const answer = await both(schedules, { asOf: at('11:00') });
    expect(answer.at('controllerStart')).toEqual({ at: '2026-05-04T10:50:00.250Z', known: 'lease' });
    const [start, end] = ['2026-05-04T10:50:00.250Z', '2026-05-04T12:20:00.250Z'];
    expect(timer(podsOf(answer).get('p')!)).toEqual(['at', 'controllerStart', start, end]);
    expect(String(answer.at('assumptions'))).not.toContain('is unknown');
  });

  it('changes nothing if it precedes the taint', async () => {
    await stored(lease(at('09:00')));
    expect(timer(await asked())).toEqual(['at', 'snapshots', [at('10:00'), at('10:30')], [at('11:30'), at('12:00')]]);
  });

  it('is taken from the request if the request has it', async () => {
    await stored(lease(at('10:50')));
    const answer = await both(schedules, { asOf: at('11:00'), controllerStartedAt: at('10:55') });
    expect(answer.at('controllerStart')).toEqual({ at: at('10:55'), known: 'request' });
    expect(timer(podsOf(answer).get('p')!)).toEqual(['at', 'controllerStart', at('10:55'), at('12:25')]);
  });

  it('saves a pod that is overdue', async () => {
    await between([M], running('p', [tolerates('m', 60)]));
    await trail.events({ id: 'e1', node: 'a', at: '2026-05-04T10:20:00.000000Z', user: 'alice', taints: [M] });
    const found = await asked({ controllerStartedAt: at('10:59:30') });
    expect([found.overdue, ...timer(found)]).toEqual([false, 'at', 'controllerStart', at('10:59:30'), at('11:00:30')]);
  });
});

describe('the past', () => {
  it('is selected by revision or by time, and evaluated from that time on', async () => {
    const p = running('p', [tolerates('m', 5400)]);
    await between([M], p);
    await schedules.store([nodeA(), p], at('12:00'));
    for (const parameters of [{ revision: 2 }, { at: at('11:20') }]) {
      const answer = await both(schedules, {}, parameters);
      expect(answer.at('asOf')).toBe('revision' in parameters ? at('11:00') : at('11:20'));
      expect(answer.at('basis.revision')).toBe(2);
      expect(timer(podsOf(answer).get('p')!).slice(2)).toEqual([
        [at('10:00'), at('11:00')],
        [at('11:30'), at('12:30')],
      ]);
    }
    expect((await schedules.schedule({})).at('asOf')).toBe('2026-05-04T13:00:00Z');
    expect((await schedules.schedule({})).at('counts')).toEqual({ pods: 1, marked: 0, now: 0, at: 0, never: 0 });
    const early = await schedules.ask({ asOf: at('10:59') }, '?revision=2');
    expect([early.status, early.at('errors.0')]).toEqual([
      400,
      expect.objectContaining({ pointer: '/asOf', code: 'before-the-state' }),
    ]);
  });
});
