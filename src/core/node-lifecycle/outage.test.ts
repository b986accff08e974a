import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import { formatTaint } from '../kubernetes/taint.js';
import { DEFAULT_LIFECYCLE_PARAMETERS } from './lifecycle-parameters.js';
import { stepOutage, type Outage, type OutageOptions, type OutageTimeline } from './outage.js';

const NOON = Date.parse('2026-06-26T12:00:00Z');
const HOUR = 3600;

const nodeIn = (zone: string, index: number, more: Partial<Node> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: `${zone}-${String(index).padStart(4, '0')}`,
    creationTimestamp: '2026-06-01T00:00:00Z',
    labels: { 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': zone },
  },
  spec: {},
  status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-06-26T11:58:00Z' }] },
  ...more,
});

const zoneOf = (zone: string, count: number): readonly Node[] =>
  Array.from({ length: count }, (_, index) => nodeIn(zone, index));

interface Course {
  readonly objects: readonly KubernetesObject[];
  /** The prefix of the nodes' names, and seconds after noon. */
  readonly outages: readonly {
    readonly of: string;
    readonly from?: number;
    readonly until?: number;
    readonly how?: Outage['how'];
  }[];
  readonly until?: number;
  readonly options?: Partial<OutageOptions>;
}

/** Starts at noon, with passes at 2 s, 7 s, 12 s and so on. */
function run({
  objects,
  outages,
  until = 600,
  options = {},
}: Course): OutageTimeline & { readonly state: ClusterState } {
  const state = ClusterState.build(objects, ['Node', 'Lease']);
  const steps = stepOutage(
    state,
    outages.map(({ of, from = 0, until: end, how = 'silent' }) => ({
      nodes: Array.from({ length: state.nodes.count }, (_, index) => index).filter((index) =>
        state.nodes.name(index).startsWith(of),
      ),
      fromAt: NOON + from * 1000,
      ...(end !== undefined && { untilAt: NOON + end * 1000 }),
      how,
    })),
    { parameters: DEFAULT_LIFECYCLE_PARAMETERS, phaseMs: 2000, fromAt: NOON, untilAt: NOON + until * 1000, ...options },
  );
  for (;;) {
    const step = steps.next();
    if (step.done === true) return { ...step.value, state };
  }
}

const seconds = (at: number): number => (at - NOON) / 1000;

function told(course: Course): readonly string[] {
  const { changes, state } = run(course);
  return changes.map(({ at, node, added, removed }) =>
    [
      seconds(at),
      state.nodes.name(node),
      ...added.map((t) => `+${formatTaint(t)}`),
      ...removed.map((t) => `-${formatTaint(t)}`),
    ]
      .join(' ')
      .replaceAll('node.kubernetes.io/', ''),
  );
}

describe('stepOutage', () => {
  it('follows a node that goes silent and comes back', () => {
    const course = { objects: zoneOf('a', 4), outages: [{ of: 'a-0001', until: 300 }] };
    expect(told(course)).toEqual([
      '52 a-0001 +unreachable:NoSchedule',
      '52 a-0001 +unreachable:NoExecute',
      '300 a-0001 -unreachable:NoSchedule',
      '302 a-0001 -unreachable:NoExecute',
    ]);
    const { conditionChanges, changes } = run(course);
    expect(conditionChanges.map(({ at, ready }) => [seconds(at), ready])).toEqual([
      [52, 'Unknown'],
      [300, 'True'],
    ]);
    expect(changes.map(({ why }) => why)).toEqual([
      'Ready is Unknown.',
      'The node reached the head of the queue of zone r/a, which processes one node every 10 seconds.',
      'Ready is no longer Unknown.',
      'Ready is True: the NoExecute taint is removed on the next pass.',
    ]);
  });

  it('follows a node that reports not ready', () => {
    expect(told({ objects: zoneOf('a', 4), outages: [{ of: 'a-0001', how: 'notReady', from: 3, until: 20 }] })).toEqual(
      [
        '3 a-0001 +not-ready:NoSchedule',
        '7 a-0001 +not-ready:NoExecute',
        '20 a-0001 -not-ready:NoSchedule',
        '22 a-0001 -not-ready:NoExecute',
      ],
    );
  });

  it('treats a node as silent if one of its outages silences it and another does not', () => {
    const outages = [
      { of: 'a-0001', how: 'notReady' as const, until: 200 },
      { of: 'a-0001', from: 20, until: 100 },
    ];
    expect(told({ objects: zoneOf('a', 4), outages }).filter((line) => line.includes('NoExecute'))).toEqual([
      '2 a-0001 +not-ready:NoExecute',
      '72 a-0001 +unreachable:NoExecute -not-ready:NoExecute',
      '102 a-0001 +not-ready:NoExecute -unreachable:NoExecute',
      '202 a-0001 -not-ready:NoExecute',
    ]);
  });

  it('starts silence at a stored heartbeat that is later than the outage, and reports it', () => {
    const lease = (renewTime: string): KubernetesObject =>
      ({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace: 'kube-node-lease', name: 'a-0001' },
        spec: { renewTime },
      }) as KubernetesObject;
    const course = (renewTime: string): Course => ({
      objects: [...zoneOf('a', 4), lease(renewTime)],
      outages: [{ of: 'a-0001' }],
    });
    const later = run(course('2026-06-26T12:00:06.500000Z'));
    expect(later.laterHeartbeats).toEqual([{ node: 1, at: NOON + 6500, from: 'lease' }]);
    expect(later.changes.map(({ at }) => seconds(at))).toEqual([57, 57]);
    for (const time of ['2026-06-26T11:59:55.000000Z', '2026-06-26T12:00:00.000000Z']) {
      const earlier = run(course(time));
      expect([earlier.laterHeartbeats, seconds(earlier.changes[0]!.at)]).toEqual([[], 52]);
    }
  });

  it('ignores an outage that ends at or before its beginning', () => {
    const outages = [
      { of: 'a-0001', from: 60, until: 60 },
      { of: 'a-0001', from: 90, until: 30 },
    ];
    expect(told({ objects: zoneOf('a', 4), outages })).toEqual([]);
  });

  it('does not count nodes with the exclusion label', () => {
    const excluded = zoneOf('a', 9).map((node): Node => ({
      ...node,
      metadata: { ...node.metadata, labels: { ...node.metadata.labels, 'node.kubernetes.io/exclude-disruption': '' } },
    }));
    const objects = [...zoneOf('a', 14).slice(9), ...excluded];
    const outages = ['a-0009', 'a-0010', 'a-0011'].map((of) => ({ of, how: 'notReady' as const }));
    expect(run({ objects, outages }).changes.filter(({ cause }) => cause === 'turn')).toEqual([]);
  });

  it('simulates an outage that began earlier from its beginning', () => {
    expect(told({ objects: zoneOf('a', 4), outages: [{ of: 'a-0001', from: -40 }] })).toEqual([
      '12 a-0001 +unreachable:NoSchedule',
      '12 a-0001 +unreachable:NoExecute',
    ]);
  });

  it('counts a node stored without conditions as ready, and corrects stored taints', () => {
    const bare = nodeIn('a', 0, { status: {} });
    const cordoned = nodeIn('a', 1, { spec: { unschedulable: true } });
    expect(told({ objects: [bare, cordoned, ...zoneOf('b', 2)], outages: [] })).toEqual([
      '0 a-0001 +unschedulable:NoSchedule',
    ]);
  });

  it('sets no NoExecute taint while the whole cluster is silent, and starts when a node is back', () => {
    const outages = [{ of: 'a', until: 200 }, { of: 'b' }];
    const { changes, zones, state } = run({ objects: [...zoneOf('a', 2), ...zoneOf('b', 3)], outages, until: 240 });
    const executed = changes.filter(({ added }) => added.some(({ effect }) => effect === 'NoExecute'));
    expect(executed.map(({ at, node }) => [seconds(at), state.nodes.name(node)])).toEqual([
      [212, 'b-0000'],
      [222, 'b-0001'],
      [232, 'b-0002'],
    ]);
    expect(
      zones.map(({ zone, states }) => [
        zone,
        ...states.map(({ at, state: is, ratePerSecond }) => [seconds(at), is, ratePerSecond]),
      ]),
    ).toEqual([
      ['r/a', [0, 'Normal', 0.1], [52, 'FullDisruption', 0], [202, 'Normal', 0.1]],
      ['r/b', [0, 'Normal', 0.1], [52, 'FullDisruption', 0], [202, 'FullDisruption', 0.1]],
    ]);
  });

  it('taints one of three zones of 5,000 nodes at one node per 10 s for four hours', () => {
    const objects = [...zoneOf('a', 1667), ...zoneOf('b', 1667), ...zoneOf('c', 1666)];
    const { changes, zones, queued } = run({ objects, outages: [{ of: 'b' }], until: 4 * HOUR });
    const executed = changes.filter(({ cause }) => cause === 'turn');
    expect(changes).toHaveLength(1667 + executed.length);
    // From 52 s on, one node every 10 s until 4 h have passed.
    expect(executed).toHaveLength(Math.floor((4 * HOUR - 52) / 10) + 1);
    expect(executed.map(({ node }) => node)).toEqual(executed.map((_, index) => 1667 + index));
    expect(executed.every(({ at }, index) => seconds(at) === 52 + 10 * index)).toBe(true);
    expect(queued).toHaveLength(1667 - executed.length);
    expect(zones.map(({ zone, nodes, failing, states }) => [zone, nodes, failing, states.at(-1)?.state])).toEqual([
      ['r/a', 1667, 0, 'Normal'],
      ['r/b', 1667, 1667, 'FullDisruption'],
      ['r/c', 1666, 0, 'Normal'],
    ]);
  });

  it('ends at the horizon, however distant, with nothing left to do', () => {
    const until = 10_000 * 365 * 24 * HOUR;
    const objects = [...zoneOf('a', 3), ...zoneOf('b', 3)];
    expect(run({ objects, outages: [{ of: 'a' }], until }).queued).toEqual([]);
  });

  it('refuses an unknown node', () => {
    const state = ClusterState.build(zoneOf('a', 1), ['Node']);
    const steps = stepOutage(state, [{ nodes: [7], fromAt: NOON, how: 'silent' }], {
      parameters: DEFAULT_LIFECYCLE_PARAMETERS,
      phaseMs: 0,
      fromAt: NOON,
      untilAt: NOON,
    });
    expect(() => {
      while (steps.next().done !== true);
    }).toThrow('no node has the index 7');
  });
});
