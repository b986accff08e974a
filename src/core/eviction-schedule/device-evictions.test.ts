import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import { exactly } from '../eviction/known-moment.js';
import { DEFAULT_RULES, rulesOfMinor, withGates } from '../kubernetes/kubernetes-rules.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { stepDeviceEvictions } from './device-evictions.js';
import type { PodOutcome } from './fold-pod.js';
import { stepSchedule, type ScheduleQuestion } from './step-schedule.js';

const NOW = Date.parse('2026-05-04T12:00:00Z');
const ADDED = '2026-05-04T12:00:00Z';
const DRIVER = 'gpu.example.com';
const minutes = (count: number): number => NOW + count * 60_000;

const node = (name: string, taints: object[] = []): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: { taints },
});
const pod = (name: string, nodeName: string, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'd', uid: name },
  spec: { containers: [{ name: 'c' }], nodeName, resourceClaims: [{ name: 'gpu', resourceClaimName: name }], ...spec },
  status: { phase: 'Running' },
});
/** A claim with the name of its pod. */
const claim = (name: string, device: string, tolerations: object[] = []): object => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name, namespace: 'd' },
  status: {
    allocation: { devices: { results: [{ request: 'gpu', driver: DRIVER, pool: 'p', device, tolerations }] } },
    reservedFor: [{ resource: 'pods', name, uid: name }],
  },
});
const slice = (...devices: object[]): object => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: 'p' },
  spec: { driver: DRIVER, allNodes: true, pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, devices },
});
const BROKEN = { key: 'broken', effect: 'NoExecute', timeAdded: ADDED };
const rule = (device: string): object => ({
  apiVersion: 'resource.k8s.io/v1beta2',
  kind: 'DeviceTaintRule',
  metadata: { name: 'drain' },
  spec: { deviceSelector: { device }, taint: BROKEN },
});
const tolerated = (tolerationSeconds?: number): object => ({
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});
const stateOf = (...objects: object[]): ClusterState => ClusterState.build(objects as KubernetesObject[], []);

function outcomesIn(state: ClusterState, more: Partial<ScheduleQuestion> = {}): Record<string, PodOutcome> {
  const devices = finish(stepDeviceEvictions(state, NOW));
  const question: ScheduleQuestion = {
    state,
    gates: DEFAULT_GATES,
    seenAt: NOW - 1,
    timelineOf: (index) => {
      const taints = state.taintSets[state.nodes.taintSetId(index)]!;
      return taints.length === 0 ? undefined : [{ moment: exactly(NOW), known: 'question', taints }];
    },
    boundAt: () => exactly(0),
    devices,
    ...more,
  };
  const { pods, outcomes } = finish(stepSchedule(question));
  return Object.fromEntries(Array.from(pods, (index, row) => [state.pods.name(index), outcomes[row]!]));
}
const timesIn = (...given: Parameters<typeof outcomesIn>): Record<string, number | undefined> =>
  Object.fromEntries(Object.entries(outcomesIn(...given)).map(([name, { at }]) => [name, at?.latest]));

describe('device taints in a schedule', () => {
  it('of rules are those of the slices until 1.34, by class and CEL, and matched by name since, without these', () => {
    const ofClass = (name: string, selector: object | undefined): object => ({
      apiVersion: 'resource.k8s.io/v1alpha3',
      kind: 'DeviceTaintRule',
      metadata: { name },
      spec: { ...(selector && { deviceSelector: selector }), taint: BROKEN },
    });
    const deviceClass = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name: 'old' },
      spec: { selectors: [{ cel: { expression: 'device.attributes["x.com"].age > 5' } }] },
    };
    const device = (name: string, age: number): object => ({ name, attributes: { 'x.com/age': { int: age } } });
    const evicted = (minor: number, selector: object | undefined): readonly string[] => {
      const state = stateOf(
        ...['old', 'new', 'gone'].flatMap((name) => [pod(name, 'n'), claim(name, name)]),
        ...[node('n'), deviceClass, ofClass('drain', selector), slice(device('old', 9), device('new', 1))],
      ).under(
        withGates(rulesOfMinor(minor), {
          DynamicResourceAllocation: true,
          DRADeviceTaints: true,
          DRADeviceTaintRules: true,
        }),
      );
      const found = finish(stepDeviceEvictions(state, NOW));
      expect([...found.values()].flatMap(({ reasons }) => reasons.map(({ taint }) => taint.reason))).toEqual(
        Array.from(found, () => ({ rule: 'drain' })),
      );
      return [...found.keys()].map((index) => state.pods.name(index)).sort();
    };
    const expression = 'device.attributes["x.com"].age < 5';
    const selectors = [{ cel: { expression } }];
    for (const minor of [33, 34]) {
      expect(evicted(minor, { deviceClassName: 'old' })).toEqual(['old']);
      expect(evicted(minor, { driver: DRIVER, selectors })).toEqual(['new']);
      expect(evicted(minor, { deviceClassName: 'missing' })).toEqual([]);
      expect(evicted(minor, { pool: 'p' })).toEqual(['new', 'old']);
      expect(evicted(minor, undefined)).toEqual(['new', 'old']);
    }
    for (const minor of [35, 36]) {
      expect(evicted(minor, { deviceClassName: 'old' })).toEqual(['gone', 'new', 'old']);
      expect(evicted(minor, { device: 'new', selectors })).toEqual(['new']);
      expect(evicted(minor, undefined)).toEqual([]);
    }
  });

  it('evict the pods that use the device, after the seconds that their allocation tolerates, and no others', () => {
    const state = stateOf(
      node('a'),
      slice({ name: 'gpu-0', taints: [BROKEN] }, { name: 'gpu-1' }),
      ...[pod('at-once', 'a'), claim('at-once', 'gpu-0')],
      ...[pod('later', 'a'), claim('later', 'gpu-0', [tolerated(120)])],
      ...[pod('never', 'a'), claim('never', 'gpu-0', [tolerated()])],
      ...[pod('other', 'a'), claim('other', 'gpu-1')],
    );
    expect(timesIn(state)).toEqual({ 'at-once': NOW, later: minutes(2) });
  });

  it('evict before the taints of the node, or after them, whichever comes first', () => {
    const maint = { key: 'maint', effect: 'NoExecute' };
    const forNode = (tolerationSeconds: number): object => ({
      tolerations: [{ key: 'maint', operator: 'Exists', tolerationSeconds }],
    });
    const state = stateOf(
      node('a', [maint]),
      slice({ name: 'gpu-0', taints: [BROKEN] }),
      ...[pod('device', 'a', forNode(300)), claim('device', 'gpu-0', [tolerated(60)])],
      ...[pod('node', 'a', forNode(60)), claim('node', 'gpu-0', [tolerated(300)])],
    );
    const { device, node: byNode } = outcomesIn(state);
    expect(device).toMatchObject({ at: exactly(minutes(1)), known: 'deviceTaint', devices: { isFirst: true } });
    expect(byNode).toMatchObject({
      at: exactly(minutes(1)),
      known: 'question',
      devices: { isFirst: false, at: minutes(5) },
    });
  });

  it('count from rules only where the feature gate is on', () => {
    const state = stateOf(node('a'), slice({ name: 'gpu-0' }), rule('gpu-0'), pod('p', 'a'), claim('p', 'gpu-0'));
    expect(timesIn(state)).toEqual({});
    const outcome = outcomesIn(state.under(withGates(DEFAULT_RULES, { DRADeviceTaintRules: true })))['p'];
    expect(outcome).toMatchObject({
      at: exactly(NOW),
      devices: { decides: { taint: { reason: { rule: 'drain' }, device: { device: 'gpu-0' } } } },
    });
  });

  it('do not evict a pod that somebody else deletes before', () => {
    const state = stateOf(
      node('a'),
      slice({ name: 'gpu-0', taints: [BROKEN] }),
      pod('p', 'a'),
      claim('p', 'gpu-0', [tolerated(60)]),
    );
    const deletedAt = (at: number): Partial<ScheduleQuestion> => ({
      histories: new Map([[0, { tolerations: [], events: [{ what: 'removed', moment: exactly(at) }] }]]),
    });
    expect(timesIn(state, deletedAt(NOW))).toEqual({});
    expect(timesIn(state, deletedAt(minutes(2)))).toEqual({ p: minutes(1) });
  });

  it('of pods that were seen later are overdue', () => {
    const state = stateOf(node('a'), slice({ name: 'gpu-0', taints: [BROKEN] }), pod('p', 'a'), claim('p', 'gpu-0'));
    expect(outcomesIn(state, { seenAt: NOW })['p']).toMatchObject({ overdue: true });
    expect(outcomesIn(state, { seenAt: NOW - 1 })['p']).toMatchObject({ overdue: false });
  });

  it('without a time count from the time of the question, as the API server sets it', () => {
    const { timeAdded, ...timeless } = BROKEN;
    expect(timeAdded).toBe(ADDED);
    const state = stateOf(
      node('a'),
      slice({ name: 'gpu-0', taints: [timeless] }),
      pod('p', 'a'),
      claim('p', 'gpu-0', [tolerated(60)]),
    );
    expect(timesIn(state)).toEqual({ p: minutes(1) });
  });
});
