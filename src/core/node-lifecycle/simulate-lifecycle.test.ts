import { DEFAULT_RULES } from '../kubernetes/kubernetes-rules.js';
import { describe, expect, it } from '@jest/globals';
import type { Condition } from '../kubernetes/objects/pod.js';
import { formatTaint } from '../kubernetes/taint.js';
import { DEFAULT_LIFECYCLE_PARAMETERS, type LifecycleParameters } from './lifecycle-parameters.js';
import type { LifecycleEvent, LifecycleNode, LifecycleTimeline } from './lifecycle-timeline.js';
import { simulateLifecycle } from './simulate-lifecycle.js';

const ready = (status: string, ...pressures: string[]): readonly Condition[] => [
  { type: 'Ready', status },
  ...pressures.map((type) => ({ type, status: 'True' })),
];

const node = (name: string, more: Partial<LifecycleNode> = {}): LifecycleNode => ({
  name,
  zone: 'a',
  conditions: ready('True'),
  taints: [],
  heartbeats: true,
  ...more,
});

const nodes = (count: number, more: Partial<LifecycleNode> = {}): readonly LifecycleNode[] =>
  Array.from({ length: count }, (_, index) => node(`${more.zone ?? 'a'}${index}`, more));

interface Course {
  readonly nodes: readonly LifecycleNode[];
  readonly events?: readonly LifecycleEvent[];
  readonly parameters?: Partial<LifecycleParameters>;
  readonly until?: number;
}

/** Starts at 0, with passes at 1 s, 6 s, 11 s and so on; times are in seconds. */
function timelineOf({ nodes: given, events = [], parameters = {}, until = 200 }: Course): LifecycleTimeline {
  const steps = simulateLifecycle({
    nodes: given,
    rules: DEFAULT_RULES,
    events: events.map((event) => ({ ...event, at: event.at * 1000 })),
    parameters: { ...DEFAULT_LIFECYCLE_PARAMETERS, ...parameters },
    phaseMs: 1000,
    fromAt: 0,
    untilAt: until * 1000,
  });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const SHORT = /node\.kubernetes\.io\//g;

/** Each change in the form `second node +added -removed (cause)`. */
const told = (course: Course): readonly string[] =>
  timelineOf(course).changes.map(({ at, node: name, added, removed, cause }) =>
    [
      String(at / 1000),
      name,
      ...added.map((taint) => `+${formatTaint(taint)}`),
      ...removed.map((taint) => `-${formatTaint(taint)}`),
      `(${cause})`,
    ]
      .join(' ')
      .replaceAll(SHORT, ''),
  );

/** The seconds at which the queue sets NoExecute taints. */
const turns = (course: Course): readonly number[] =>
  timelineOf(course)
    .changes.filter(({ cause }) => cause === 'turn')
    .map(({ at }) => at / 1000);

const post = (at: number, name: string, conditions: readonly Condition[]): LifecycleEvent => ({
  kind: 'conditions',
  at,
  node: name,
  conditions,
});
const fail = (at: number, count: number, zone = 'a', from = 0): readonly LifecycleEvent[] =>
  Array.from({ length: count }, (_, index) => post(at, `${zone}${from + index}`, ready('False')));
const silence = (at: number, name: string): LifecycleEvent => ({ kind: 'silent', at, node: name });

describe('simulateLifecycle', () => {
  it('changes NoSchedule with Ready immediately and NoExecute on the next pass, in both directions', () => {
    const events = [post(2, 'a0', ready('False')), post(22, 'a0', ready('True'))];
    expect(told({ nodes: nodes(3), events })).toEqual([
      '2 a0 +not-ready:NoSchedule (conditions)',
      '6 a0 +not-ready:NoExecute (turn)',
      '22 a0 -not-ready:NoSchedule (conditions)',
      '26 a0 -not-ready:NoExecute (ready)',
    ]);
  });

  it('appends the taints of pressures in the order of the conditions, the cordon last', () => {
    const own = [{ key: 'z', effect: 'NoSchedule' }];
    const { changes } = timelineOf({
      nodes: [node('a0', { taints: own }), node('a1')],
      events: [
        post(2, 'a0', ready('True', 'PIDPressure', 'DiskPressure')),
        { kind: 'unschedulable', at: 3, node: 'a0', unschedulable: true },
        post(4, 'a0', ready('True', 'DiskPressure')),
      ],
    });
    expect(changes.map(({ taints }) => taints.map(({ key }) => key.replace(SHORT, '')))).toEqual([
      ['z', 'pid-pressure', 'disk-pressure'],
      ['z', 'pid-pressure', 'disk-pressure', 'unschedulable'],
      ['z', 'disk-pressure', 'unschedulable'],
    ]);
  });

  it('detects a silent node one grace period after the last pass that observed it, and removes its pressure taints', () => {
    const pressed = node('a0', { conditions: ready('True', 'MemoryPressure') });
    const events: LifecycleEvent[] = [{ kind: 'silent', at: 2, node: 'a0', lastHeartbeatAt: 500 }];
    const course = { nodes: [pressed, node('a1')], events };
    expect(told(course)).toEqual([
      '0 a0 +memory-pressure:NoSchedule (conditions)',
      '51 a0 +unreachable:NoSchedule -memory-pressure:NoSchedule (conditions)',
      '51 a0 +unreachable:NoExecute (turn)',
    ]);
    expect(timelineOf(course).conditionChanges).toMatchObject([
      {
        at: 51_000,
        by: 'controller',
        conditions: [
          { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' },
          { type: 'MemoryPressure', status: 'Unknown', reason: 'NodeStatusUnknown' },
          { type: 'DiskPressure', status: 'Unknown', reason: 'NodeStatusNeverUpdated' },
          { type: 'PIDPressure', status: 'Unknown', reason: 'NodeStatusNeverUpdated' },
        ],
      },
    ]);
  });

  it('keeps the pressure of a silent node whose kubelet had reported Unknown itself', () => {
    const events = [post(2, 'a0', ready('Unknown', 'DiskPressure')), silence(3, 'a0')];
    expect(told({ nodes: nodes(2), events })).toEqual([
      '2 a0 +unreachable:NoSchedule +disk-pressure:NoSchedule (conditions)',
      '6 a0 +unreachable:NoExecute (turn)',
    ]);
  });

  it('counts from the creation, in whole seconds, if no status was ever posted', () => {
    const silent = node('new', { createdAt: 1900, conditions: [], heartbeats: false });
    const added: LifecycleEvent = { kind: 'added', at: 1.9, node: silent };
    // The grace period is over a minute after the first second, when there is a pass, too.
    const { conditionChanges } = timelineOf({ nodes: nodes(2), events: [added] });
    expect(conditionChanges.map(({ at }) => at)).toEqual([61_000]);
    const pressed = post(30, 'new', [{ type: 'MemoryPressure', status: 'False' }]);
    const byController = timelineOf({ nodes: nodes(2), events: [added, pressed] }).conditionChanges.slice(1);
    expect(byController).toMatchObject([{ at: 61_000, by: 'controller' }]);
    const leased = node('new', { createdAt: 3900, conditions: [] });
    expect(told({ nodes: nodes(2), events: [{ kind: 'added', at: 3.9, node: leased }] })).toEqual([]);
  });

  it('swaps the NoExecute taint on the pass that observes another Ready, without waiting for a turn', () => {
    const events = [post(2, 'a0', ready('False')), post(8, 'a0', ready('Unknown'))];
    expect(told({ nodes: nodes(2), events }).slice(2)).toEqual([
      '8 a0 +unreachable:NoSchedule -not-ready:NoSchedule (conditions)',
      '11 a0 +unreachable:NoExecute -not-ready:NoExecute (swap)',
    ]);
  });

  it.each([
    ['not-ready:NoSchedule immediately', 'not-ready', 'NoSchedule', ['2.5 a0 -not-ready:NoSchedule (conditions)']],
    ['not-ready:NoExecute on the next pass', 'not-ready', 'NoExecute', ['6 a0 -not-ready:NoExecute (ready)']],
    ['unreachable:NoExecute on the next pass', 'unreachable', 'NoExecute', ['6 a0 -unreachable:NoExecute (ready)']],
    ['memory-pressure:NoExecute never', 'memory-pressure', 'NoExecute', []],
    ['not-ready:PreferNoSchedule never', 'not-ready', 'PreferNoSchedule', []],
  ])('removes from a ready node a taint that was set manually: %s', (_name, key, effect, removals) => {
    const taints = [{ key: `node.kubernetes.io/${key}`, effect }];
    const events: LifecycleEvent[] = [{ kind: 'taints', at: 2.5, node: 'a0', taints }];
    expect(told({ nodes: nodes(2), events }).slice(1)).toEqual(removals);
  });

  it('sets taints again that a client removed: NoSchedule immediately, NoExecute in another turn', () => {
    const events: LifecycleEvent[] = [post(2, 'a0', ready('False')), { kind: 'taints', at: 8, node: 'a0', taints: [] }];
    expect(told({ nodes: nodes(2), events }).slice(2)).toEqual([
      '8 a0 -not-ready:NoSchedule -not-ready:NoExecute (written)',
      '8 a0 +not-ready:NoSchedule (conditions)',
      '16 a0 +not-ready:NoExecute (turn)',
    ]);
  });

  describe('the queue of a zone', () => {
    it.each<[string, number[], Course]>([
      ['serves one node in 10 s', [6, 16, 26, 36, 46], { nodes: nodes(12), events: fail(2, 5) }],
      [
        'keeps that rate if the whole zone is down and another is not',
        [6, 16, 26],
        { nodes: [...nodes(3), ...nodes(1, { zone: 'b' })], events: fail(2, 3) },
      ],
      ['stops if 55% of a small zone is not ready', [], { nodes: nodes(20), events: fail(2, 11) }],
      ['continues below 55%', [6, 16, 26], { nodes: nodes(20), events: fail(2, 10), until: 30 }],
      ['continues if two of three are not ready', [6, 16], { nodes: nodes(3), events: fail(2, 2) }],
      ['stops in a zone of 50 nodes', [], { nodes: nodes(50), events: fail(2, 30) }],
      ['processes one node in 100 s in a zone of 51', [6, 106.1], { nodes: nodes(51), events: fail(2, 30) }],
      [
        'processes each zone separately',
        [6, 6, 16, 16],
        { nodes: [...nodes(5), ...nodes(5, { zone: 'b' })], events: [...fail(2, 2), ...fail(2, 2, 'b')] },
      ],
      [
        'processes only the first node at a rate of zero',
        [6],
        { nodes: nodes(9), events: fail(2, 3), parameters: { nodeEvictionRate: 0 } },
      ],
      [
        'serves at other rates',
        [6, 8, 10],
        { nodes: nodes(9), events: fail(2, 3), parameters: { nodeEvictionRate: 0.5 } },
      ],
    ])('%s', (_name, expected, course) => {
      expect(turns(course)).toEqual(expected);
    });

    it('restarts a stopped queue without a token', () => {
      const nine = nodes(9);
      const events = [...fail(2, 6), post(22, 'a0', ready('True')), post(22, 'a1', ready('True'))];
      expect(turns({ nodes: nine, events, until: 60 })).toEqual([36, 46, 56]);
    });

    it('does not restart a stopped queue at a rate of exactly 1, like upstream', () => {
      const events = [...fail(2, 6), post(22, 'a0', ready('True')), post(22, 'a1', ready('True'))];
      expect(turns({ nodes: nodes(9), events, parameters: { nodeEvictionRate: 1 } })).toEqual([]);
    });

    it('wastes the turn of a node that is ready again or deleted', () => {
      const events: LifecycleEvent[] = [
        ...fail(2, 4),
        post(13, 'a1', ready('True')),
        { kind: 'deleted', at: 23, node: 'a2' },
      ];
      // The pass at 16 s removes the ready node from the queue before its turn; the deleted one remains in it.
      expect(turns({ nodes: nodes(9), events })).toEqual([6, 16, 26]);
      const late = [...fail(2, 4), post(15.5, 'a1', ready('True')), post(15.9, 'a1', ready('False'))];
      expect(turns({ nodes: nodes(9), events: late, until: 50 })).toEqual([6, 16, 26, 36]);
    });

    it('uses up the turn of a node that is deleted by then, and sets no taint', () => {
      const events: LifecycleEvent[] = [...fail(2, 4), { kind: 'deleted', at: 8, node: 'a2' }];
      expect(turns({ nodes: nodes(9), events })).toEqual([6, 16, 36]);
    });

    it('does not process a node again that has its taint and reports again', () => {
      const events = [...fail(2, 2), post(12, 'a0', ready('False')), post(22, 'a2', ready('False'))];
      expect(turns({ nodes: nodes(9), events })).toEqual([6, 16, 26]);
    });

    it('starts again in a zone that had lost all of its nodes', () => {
      const late = node('b1', { zone: 'b', conditions: ready('False') });
      const events: LifecycleEvent[] = [
        ...fail(2, 1, 'b'),
        { kind: 'deleted', at: 7, node: 'b0' },
        { kind: 'added', at: 12, node: late },
      ];
      const course = {
        nodes: [...nodes(3), ...nodes(1, { zone: 'b' })],
        events,
        parameters: { nodeEvictionRate: 0.01 },
      };
      expect(turns(course)).toEqual([6, 16]);
    });

    it('lists the nodes that still wait at the end', () => {
      const { queued } = timelineOf({ nodes: nodes(9), events: fail(2, 3), until: 17 });
      expect(queued).toEqual([{ node: 'a2', zone: 'a', since: 6000 }]);
    });

    it('does not count nodes that are excluded from disruption checks', () => {
      const excluded = nodes(9, { zone: 'x', excluded: true }).map((given) => ({ ...given, zone: 'a' }));
      expect(turns({ nodes: [...nodes(5), ...excluded], events: fail(2, 3) })).toEqual([]);
      expect(turns({ nodes: nodes(14), events: fail(2, 3) })).toEqual([6, 16, 26]);
    });
  });

  describe('while no node of the cluster is ready', () => {
    const two = [...nodes(2), ...nodes(2, { zone: 'b' })];
    const down = [...fail(2, 2), ...fail(12, 2, 'b')];

    it('removes existing NoExecute taints, and sets none', () => {
      expect(told({ nodes: two, events: down }).filter((line) => line.includes('NoExecute'))).toEqual([
        '6 a0 +not-ready:NoExecute (turn)',
        '16 a0 -not-ready:NoExecute (allZonesDown)',
      ]);
    });

    it('sets none if no node was ready before the beginning', () => {
      expect(turns({ nodes: nodes(3, { conditions: ready('False') }) })).toEqual([]);
    });

    it('starts again after the recovery, ten seconds late and with reset heartbeats', () => {
      const events = [...down, silence(14, 'a1'), post(42, 'b0', ready('True'))];
      const course = { nodes: two, events, until: 110 };
      expect(turns(course)).toEqual([6, 56, 56, 66]);
      // Silent since 14 s, but unknown only one grace period after the pass at 46 s.
      expect(timelineOf(course).conditionChanges.filter(({ by }) => by === 'controller')).toMatchObject([
        { at: 96_000, node: 'a1' },
      ]);
    });

    it('reports the states of the zones', () => {
      const { zoneChanges } = timelineOf({ nodes: two, events: [...down, post(42, 'b0', ready('True'))] });
      expect(zoneChanges.map(({ at, zone, state, ratePerSecond }) => [at / 1000, zone, state, ratePerSecond])).toEqual([
        [0, 'a', 'Normal', 0.1],
        [0, 'b', 'Normal', 0.1],
        [6, 'a', 'FullDisruption', 0.1],
        [16, 'a', 'FullDisruption', 0],
        [16, 'b', 'FullDisruption', 0],
        [46, 'a', 'FullDisruption', 0.1],
        [46, 'b', 'Normal', 0.1],
      ]);
    });
  });

  it('removes NoExecute from a node that it observes for the first time, and sets it in a turn', () => {
    const taints = [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }];
    const late = node('late', { conditions: ready('Unknown'), taints });
    expect(told({ nodes: nodes(3), events: [{ kind: 'added', at: 2, node: late }] })).toEqual([
      '2 late +unreachable:NoSchedule (conditions)',
      '6 late -unreachable:NoExecute (registered)',
      '6 late +unreachable:NoExecute (turn)',
    ]);
  });

  it('does not change a node that has its taint at the beginning', () => {
    const taints = ['NoSchedule', 'NoExecute'].map((effect) => ({ key: 'node.kubernetes.io/unreachable', effect }));
    const gone = node('gone', { conditions: ready('Unknown'), taints, heartbeats: false });
    expect(told({ nodes: [...nodes(3), gone] })).toEqual([]);
    expect(turns({ nodes: [...nodes(3), gone], events: fail(2, 1) })).toEqual([6]);
  });
});
