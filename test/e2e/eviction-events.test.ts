import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { node } from '../support/dumps.js';
import { both, on, podsOf, SetClock, shownMoment, tolerates, TestSchedules } from '../support/eviction-schedules.js';
import { startTestService, type TestService } from '../support/service.js';

const clock = new SetClock();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { clock });
});
afterAll(() => service.close());

let made = 0;
const newCluster = (): TestSchedules => new TestSchedules(service, `c${++made}`);

/** The parts of a recording of a real controller that are compared. */
interface Recording {
  readonly input: {
    readonly node: { readonly metadata: { readonly name: string } };
    readonly pods: readonly object[];
    readonly extras: readonly object[];
  };
  readonly observed: {
    readonly startTime: string;
    /** Absent if the recording has the pods only as they were sent. */
    readonly podsStored?: readonly object[];
    readonly actions: readonly {
      readonly sentAt: number;
      readonly action: {
        readonly do: string;
        readonly pod?: string;
        readonly taints?: { key: string }[];
        readonly tolerations?: object[];
      };
      readonly resultTaints?: { key: string }[] | null;
      readonly resultTolerations?: object[] | null;
    }[];
    readonly pods: Readonly<Record<string, { readonly markedAt?: number; readonly survivedUntil?: number }>>;
    readonly eventsWatch?: readonly { readonly seenAt: number; readonly message: string }[];
  };
}

const FOLDER = join(process.cwd(), 'test/conformance/recorded/eviction');
/** The operators Gt and Lt are behind a feature gate that is off by default in v1.36, and off in the service. */
const LEFT_OUT = ['gt-lt-operators'];
const RECORDINGS = readdirSync(FOLDER)
  .map((file) => file.replace(/\.json$/, ''))
  .filter((name) => !LEFT_OUT.includes(name));

const recordingOf = (name: string): Recording =>
  JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Recording;

const recordedPods = ({ input, observed }: Recording): readonly object[] =>
  (observed.podsStored ?? input.pods).map((stored) => ({ apiVersion: 'v1', kind: 'Pod', ...stored }));

interface Step {
  readonly at: number;
  readonly do: string;
  readonly node?: string;
  readonly pod?: string;
  readonly taints?: readonly { readonly key: string }[] | undefined;
  readonly tolerations?: readonly object[] | undefined;
}

/** The steps of a recording as events, without changes of labels, on which no eviction depends. */
function eventsOf(recording: Recording): object[] {
  const { input, observed } = recording;
  const start = Date.parse(observed.startTime);
  const nodeName = input.node.metadata.name;
  const [{ metadata }] = recordedPods(recording) as [{ metadata: { namespace: string } }];
  const events = observed.actions.flatMap(({ sentAt, action, resultTaints, resultTolerations }): Step[] => {
    const at = start + sentAt * 1000;
    switch (action.do) {
      case 'setTaints':
        return [{ at, do: action.do, node: nodeName, taints: resultTaints ?? action.taints }];
      case 'setTolerations': {
        const tolerations = resultTolerations ?? action.tolerations;
        return [{ at, do: action.do, pod: `${metadata.namespace}/${action.pod!}`, tolerations }];
      }
      case 'deleteNode':
        return [{ at, do: action.do, node: nodeName }];
      case 'stopController':
      case 'startController':
        return [{ at, do: action.do }];
      case 'labelNode':
        return [];
      default:
        throw new Error(`no event stands for ${action.do}`);
    }
  });
  // The node lifecycle controller takes its taint off a Ready node; its pass is where the watch shows what that cancelled.
  const cancelled = observed.eventsWatch?.find(({ message }) => message.startsWith('Cancelling deletion'));
  if (cancelled !== undefined && events.at(-1)?.taints?.[0]?.key === 'node.kubernetes.io/not-ready') {
    events.push({ at: start + cancelled.seenAt * 1000, do: 'setTaints', node: nodeName, taints: [] });
  }
  return events.map((event) => ({ ...event, at: new Date(event.at).toISOString() }));
}

describe('the recordings of a real controller agree with schedules of the same events', () => {
  beforeAll(() => {
    clock.at = '2027-01-01T00:00:00Z';
  });

  it('for every recording except those that are listed', () => {
    expect(RECORDINGS).toHaveLength(37);
  });

  it.each(RECORDINGS)('%s', async (name) => {
    const recording = recordingOf(name);
    const { input, observed } = recording;
    const schedules = newCluster();
    const pods = recordedPods(recording);
    await schedules.store([input.node, ...pods, ...input.extras], observed.startTime);
    const asked = await schedules.pods({ asOf: observed.startTime, events: eventsOf(recording) });
    const seconds = (time: string): number => (Date.parse(time) - Date.parse(observed.startTime)) / 1000;
    expect([...asked.keys()].sort()).toEqual(Object.keys(observed.pods).sort());
    for (const [podName, { markedAt, survivedUntil }] of Object.entries(observed.pods)) {
      const { at } = asked.get(podName)!;
      const exact = at === null || at.earliest === at.latest;
      const difference = at === null ? null : seconds(at.latest) - (markedAt ?? survivedUntil!);
      // What happens in the last second may have been seen, or not.
      const agrees =
        markedAt === undefined ? difference === null || difference > -1 : Math.abs(difference ?? Infinity) <= 1;
      expect({ podName, at, exact, agrees }).toEqual({ podName, at, exact: true, agrees: true });
    }
  });

  it('second-taint-shorter explains that the running timer is kept', async () => {
    const recording = recordingOf('second-taint-shorter');
    const { input, observed } = recording;
    const schedules = newCluster();
    const pods = recordedPods(recording);
    await schedules.store([input.node, ...pods], observed.startTime);
    const answer = await both(schedules, { asOf: observed.startTime, events: eventsOf(recording) });
    const shown = podsOf(answer).get('p')!;
    expect(shown.because).toMatch(
      /^a:NoExecute is tolerated for 12 s by the first toleration that matches it\. .*timer/,
    );
    expect(shown.base).toMatchObject({ known: 'question' });
  });
});

describe('events', () => {
  const NOON = '2026-05-04T12:00:00Z';
  const after = (seconds: number): string =>
    new Date(Date.parse(NOON) + seconds * 1000).toISOString().replace('.000Z', 'Z');
  const M = 'm=x:NoExecute';
  let schedules: TestSchedules;
  beforeAll(async () => {
    clock.at = '2026-05-04T13:00:00Z';
    schedules = newCluster();
    await schedules.store(
      [
        node('a'),
        node('b'),
        node('tainted', { spec: { taints: [{ key: 'm', value: 'x', effect: 'NoExecute' }] } }),
        on('a', 'p', [tolerates('m', 60)]),
        on('a', 'q', [tolerates('m', 600)]),
        on('a', 'none'),
        on('tainted', 'waits', [tolerates('m', 7200)]),
      ],
      '2026-05-04T11:30:00Z',
    );
  });
  const told = async (...events: object[]): Promise<Record<string, unknown>> => {
    const answer = await both(schedules, { asOf: NOON, events, nodes: ['a', 'b'] });
    return Object.fromEntries([...podsOf(answer)].map(([name, { action, at }]) => [name, [action, shownMoment(at)]]));
  };
  const setTaints = (seconds: number, ...taints: unknown[]): object => ({
    at: after(seconds),
    do: 'setTaints',
    node: 'a',
    taints,
  });

  it('set and remove taints, without saving pods that are marked already', async () => {
    expect(await told(setTaints(10, M), setTaints(100))).toEqual({
      none: ['at', after(10)],
      p: ['at', after(70)],
      q: ['never', null],
    });
    expect(await told(setTaints(10, M), setTaints(20), setTaints(30, M))).toMatchObject({
      none: ['at', after(10)],
      p: ['at', after(90)],
      q: ['at', after(630)],
    });
  });

  it('report when a timer was cancelled, and why', async () => {
    const answer = await both(schedules, { asOf: NOON, events: [setTaints(10, M), setTaints(100)] });
    expect(podsOf(answer).get('q')).toMatchObject({
      action: 'never',
      cancelled: {
        at: { earliest: after(100), latest: after(100) },
        why: 'The node has no NoExecute taint left, so the timer is cancelled.',
      },
    });
    expect(answer.at('changes.items')).toEqual([
      expect.objectContaining({ at: after(10), node: 'a', added: [M], removed: [], why: 'Specified by the request.' }),
      expect.objectContaining({ at: after(100), node: 'a', added: [], removed: [M] }),
    ]);
  });

  it('change tolerations, delete pods, and create others', async () => {
    const manifest = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'late', namespace: 'd' },
      spec: { containers: [{ name: 'c', image: 'i' }], tolerations: [tolerates('m', 5)] },
    };
    const events = [
      setTaints(10, M),
      { at: after(20), do: 'createPod', node: 'a', manifest },
      { at: after(30), do: 'setTolerations', pod: 'd/q', tolerations: [tolerates('m')] },
      { at: after(40), do: 'deletePod', pod: 'd/p' },
    ];
    expect(await told(...events)).toEqual({
      none: ['at', after(10)],
      late: ['at', after(25)],
      q: ['never', null],
      p: ['never', null],
    });
  });

  it('give a created pod the tolerations of admission: five minutes on a node that is not ready', async () => {
    const manifest = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'plain', namespace: 'd' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    const events = [
      { at: after(5), do: 'createPod', node: 'b', manifest },
      { at: after(10), do: 'setTaints', node: 'b', taints: ['node.kubernetes.io/not-ready:NoExecute'] },
    ];
    expect(await told(...events)).toMatchObject({ plain: ['at', after(310)] });
  });

  it('keep a timer running after its node is deleted', async () => {
    const gone = { at: after(20), do: 'deleteNode', node: 'a' };
    expect(await told(setTaints(10, M), gone)).toMatchObject({ p: ['at', after(70)], q: ['at', after(610)] });
    // A new node of the same name has no taints.
    expect(await told(setTaints(10, M), gone, setTaints(30))).toMatchObject({ p: ['never', null] });
  });

  it('clear all timers if the controller stops, and restart them if it starts', async () => {
    const [stop, start] = [
      { at: after(20), do: 'stopController' },
      { at: after(50), do: 'startController' },
    ];
    expect(await told(setTaints(10, M), stop)).toEqual({
      none: ['at', after(10)],
      p: ['never', null],
      q: ['never', null],
    });
    expect(await told(setTaints(10, M), stop, start)).toMatchObject({ p: ['at', after(110)], q: ['at', after(650)] });
    expect(await told(setTaints(10, M), start)).toMatchObject({ p: ['at', after(110)], q: ['at', after(650)] });
    expect(await told(stop, setTaints(30, M), start)).toMatchObject({ none: ['at', after(50)], p: ['at', after(110)] });
  });

  it('report a pod that stays because no controller is running', async () => {
    const stop = { at: after(20), do: 'stopController' };
    const pods = await schedules.pods({ asOf: NOON, events: [setTaints(10, M), stop] });
    expect(pods.get('p')).toMatchObject({
      action: 'never',
      cancelled: { at: { latest: after(20) }, why: 'The controller is stopped and loses its timers.' },
    });
    const [stopped, tainted] = [{ at: after(5), do: 'stopController' }, setTaints(10, M)];
    const unseen = (await schedules.pods({ asOf: NOON, events: [stopped, tainted] })).get('none')!;
    expect([unseen.action, unseen.because]).toEqual([
      'never',
      'No toleration matches m=x:NoExecute. The controller is stopped, so the pod is not evicted.',
    ]);
  });

  it('continue from the stored history', async () => {
    const ask = { asOf: NOON, nodes: ['tainted'] };
    const runs = [null, '2026-05-04T11:30:00Z'];
    expect(shownMoment((await schedules.pods(ask)).get('waits')!.base)).toEqual(runs);
    const more = { at: after(1), do: 'setTaints', node: 'tainted', taints: [M, 'n:NoExecute'] };
    const untolerated = (await schedules.pods({ ...ask, events: [more] })).get('waits')!;
    expect([shownMoment(untolerated.at), untolerated.because]).toEqual([
      after(1),
      'No toleration matches n:NoExecute.',
    ]);
    const tolerated = [
      { at: after(0), do: 'setTolerations', pod: 'd/waits', tolerations: [tolerates('m', 7200), tolerates('n', 1)] },
      more,
    ];
    expect(shownMoment((await schedules.pods({ ...ask, events: tolerated })).get('waits')!.base)).toEqual(runs);
  });

  it('apply to the scenario of the request', async () => {
    const scenario = { changes: [{ movePods: { pods: ['d/none'], nodeName: 'b' } }] };
    const events = [{ at: after(10), do: 'setTaints', node: 'b', taints: [M] }];
    const answer = await both(schedules, { asOf: NOON, scenario, events });
    expect(podsOf(answer).get('none')).toMatchObject({ node: 'b', action: 'at', at: { latest: after(10) } });
  });
});
