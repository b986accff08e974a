import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod } from '../support/dumps.js';
import {
  both,
  podsOf,
  SetClock,
  shownMoment,
  tolerates,
  TestSchedules,
  withMore,
} from '../support/eviction-schedules.js';
import { startTestService, type TestService } from '../support/service.js';

const NOON = '2026-05-04T12:00:00Z';
const after = (seconds: number): string =>
  new Date(Date.parse(NOON) + seconds * 1000).toISOString().replace('.000Z', 'Z');
const seconds = (time: string): number => (Date.parse(time) - Date.parse(NOON)) / 1000;

let service: TestService;
let schedules: TestSchedules;
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const NOT_READY = 'node.kubernetes.io/not-ready';

const inZone = (name: string, zone: string): object =>
  withMore(node(name), {
    metadata: {
      creationTimestamp: '2026-05-01T00:00:00Z',
      labels: { 'topology.kubernetes.io/zone': zone, 'kubernetes.io/hostname': name },
    },
    status: {
      conditions: [
        { type: 'Ready', status: 'True', lastHeartbeatTime: NOON, lastTransitionTime: '2026-05-01T00:00:00Z' },
      ],
    },
  });
const FIVE_MINUTES = [tolerates(NOT_READY, 300), tolerates(UNREACHABLE, 300)];
const web = (name: string, nodeName: string, more: object = {}): object =>
  withMore(pod(`d/${name}`, nodeName, { tolerations: FIVE_MINUTES, ...more }, { kind: 'ReplicaSet', name: 'web' }), {
    metadata: { labels: { app: 'web' } },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  });

const replicaSet = (name: string, replicas: number, spec: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name, namespace: 'd', uid: name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } },
  },
});

/** Zone a has three nodes and zone b four; on each of b's a pod of `web`. */
beforeAll(async () => {
  service = await startTestService({}, { clock: new SetClock() });
  schedules = new TestSchedules(service, 'c');
  const zoneB = { nodeSelector: { 'topology.kubernetes.io/zone': 'b' }, tolerations: FIVE_MINUTES };
  await schedules.store(
    [
      replicaSet('web', 5, { tolerations: FIVE_MINUTES }),
      replicaSet('bound', 1, zoneB),
      ...['a1', 'a2', 'a3'].map((name) => inZone(name, 'a')),
      ...['b1', 'b2', 'b3', 'b4'].map((name) => inZone(name, 'b')),
      web('a1-web', 'a1'),
      ...['b1', 'b2', 'b3', 'b4'].map((name) => web(`${name}-web`, name)),
      pod('d/b1-daemon', 'b1', { tolerations: [tolerates(NOT_READY), tolerates(UNREACHABLE)] }),
      pod('d/b1-none', 'b1'),
      pod('d/b1-bound', 'b1', zoneB, { kind: 'ReplicaSet', name: 'bound' }),
    ],
    NOON,
  );
});
afterAll(() => service.close());

interface Change {
  readonly node: string;
  readonly at: string;
  readonly moment: { readonly earliest: string; readonly latest: string };
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly why: string;
}
const asked = (outage: object | readonly object[], more: object = {}): object => ({
  asOf: NOON,
  outages: Array.isArray(outage) ? outage : [outage],
  ...more,
});
const changesOf = (answer: { at(path: string): unknown }): readonly Change[] => answer.at('changes.items') as Change[];
/** When NoExecute taints come, by node. */
const tainted = (answer: { at(path: string): unknown }): Record<string, number> =>
  Object.fromEntries(
    changesOf(answer)
      .filter(({ added }) => added.some((taint) => taint.endsWith(':NoExecute')))
      .map(({ node: name, at }) => [name, seconds(at)]),
  );

describe('a zone that stops responding', () => {
  it('has its nodes tainted one after another, ten seconds apart, within bounds', async () => {
    const answer = await both(schedules, asked({ zone: 'b' }));
    expect(tainted(answer)).toEqual({ b1: 50, b2: 60, b3: 70, b4: 80 });
    for (const { node: name, at, moment, added, why } of changesOf(answer)) {
      expect(seconds(moment.earliest)).toBeGreaterThanOrEqual(seconds(at) - 10);
      expect(seconds(moment.latest)).toBeLessThanOrEqual(seconds(at) + 11);
      expect(seconds(moment.earliest)).toBeLessThan(seconds(moment.latest));
      expect([name, added.length, why]).toEqual([
        expect.stringMatching(/^b/),
        1,
        added[0] === `${UNREACHABLE}:NoSchedule`
          ? 'Ready is Unknown.'
          : 'The node reached the head of the queue of zone b, which processes one node every 10 seconds.',
      ]);
    }
    expect(answer.at('outage')).toMatchObject({
      zones: [
        { zone: 'a', nodes: 3, failing: 0 },
        { zone: 'b', nodes: 4, failing: 4 },
      ],
      waiting: 0,
      evicts: 'yes',
      firstEvictionAfterSeconds: 40,
    });
    expect((answer.at('outage.zones.1.states') as object[]).at(-1)).toEqual({
      at: after(50),
      state: 'FullDisruption',
      readyNodes: 0,
      notReadyNodes: 4,
      ratePerSecond: 0.1,
    });
  });

  it('has its pods evicted after their tolerations, and they remain Terminating', async () => {
    const pods = podsOf(await both(schedules, asked({ zone: 'b' })));
    expect(shownMoment(pods.get('b1-none')!.at)).toEqual([after(40), after(60.099)]);
    expect(shownMoment(pods.get('b1-web')!.at)).toEqual([after(340), after(360.099)]);
    expect(shownMoment(pods.get('b4-web')!.at)).toEqual([after(370), after(390.399)]);
    expect(pods.get('b1-daemon')).toMatchObject({ action: 'never', at: null });
    expect(pods.has('a1-web')).toBe(false);
    expect(pods.get('b1-web')).toMatchObject({
      base: { known: 'nodeLifecycle' },
      secondsToOutlast: null,
      departure: { gone: null, by: null, note: expect.stringMatching(/does not respond/) },
      taints: [{ timeAddedNote: expect.stringMatching(/node lifecycle controller would write this time/) }],
    });
  });

  it('evicts nothing if it is too short, and reports what would outlast it', async () => {
    const nodes = { nodes: ['b2', 'b3', 'b4'] };
    const evicts = async (forSeconds: number): Promise<unknown> =>
      (await schedules.schedule(asked({ zone: 'b', forSeconds }, nodes))).at('outage.evicts');
    expect(await evicts(30)).toBe('no');
    expect(await evicts(300)).toBe('no');
    expect(await evicts(900)).toBe('yes');
    const short = await both(schedules, asked({ zone: 'b', forSeconds: 300 }, nodes));
    expect(podsOf(short).get('b2-web')).toMatchObject({
      action: 'never',
      cancelled: { why: 'The node has no NoExecute taint left, so the timer is cancelled.' },
      mayHaveLeftSince: null,
    });
    expect(short.at('outage.firstEvictionAfterSeconds')).toBeNull();
    const long = podsOf(await both(schedules, asked({ zone: 'b', until: after(900) }, nodes))).get('b2-web')!;
    // The taint is set after 50 s at the earliest and removed by 900 s.
    expect(long.secondsToOutlast).toBeGreaterThanOrEqual(900 - 50);
    expect(long.secondsToOutlast).toBeLessThanOrEqual(900 - 50 + 6);
    expect(long.departure).toMatchObject({ gone: { earliest: after(900) }, by: 'kubelet' });
  });

  it('perhaps evicts pods if it lasts as long as they tolerate it', async () => {
    const answer = await both(schedules, asked({ zone: 'b', forSeconds: 360 }, { nodes: ['b2'] }));
    expect(answer.at('outage.evicts')).toBe('perhaps');
    const { action, mayHaveLeftSince, cancelled } = podsOf(answer).get('b2-web')!;
    expect([action, mayHaveLeftSince, cancelled === null]).toEqual(['never', after(350), false]);
  });

  it('is evaluated with the parameters of the controller', async () => {
    const slow = { nodeMonitorPeriodSeconds: 10, nodeMonitorGracePeriodSeconds: 100, nodeEvictionRate: 0.05 };
    const answer = await both(schedules, asked({ zone: 'b' }, { lifecycle: slow }));
    const { b1, b2, b3 } = tainted(answer);
    expect([b1! >= 90 && b1! <= 120, b2! - b1!, b3! - b2!]).toEqual([true, 20, 20]);
    // A bucket that is never filled has one token to begin with.
    const never = await both(schedules, asked({ zone: 'b' }, { lifecycle: { nodeEvictionRate: 0 } }));
    expect([tainted(never), never.at('outage.waiting')]).toEqual([{ b1: 50 }, 3]);
    const warned = await schedules.schedule(asked({ zone: 'b' }, { lifecycle: { nodeMonitorGracePeriodSeconds: 8 } }));
    expect(String(warned.at('assumptions'))).toMatch(/nodeMonitorGracePeriodSeconds is not longer than the 10 seconds/);
  });

  it('is evaluated up to the horizon', async () => {
    const answer = await both(schedules, asked({ zone: 'b' }, { horizonSeconds: 65 }));
    expect(answer.at('horizon')).toBe(after(65));
    expect([tainted(answer), answer.at('outage.waiting')]).toEqual([{ b1: 50, b2: 60 }, 2]);
  });
});

describe('other failures', () => {
  it('of most of a small zone, but not all of it, stop all tainting there', async () => {
    const answer = await both(schedules, asked({ nodes: ['b1', 'b2', 'b3'] }));
    expect([tainted(answer), answer.at('outage.evicts'), answer.at('outage.waiting')]).toEqual([{}, 'no', 3]);
    expect((answer.at('outage.zones.1.states') as { state: string }[]).at(-1)).toMatchObject({
      state: 'PartialDisruption',
      ratePerSecond: 0,
    });
    const lax = await schedules.schedule(
      asked({ nodes: ['b1', 'b2', 'b3'] }, { lifecycle: { unhealthyZoneThreshold: 0.8 } }),
    );
    expect(Object.keys(tainted(lax))).toEqual(['b1', 'b2', 'b3']);
    const large = await schedules.schedule(
      asked({ nodes: ['b1', 'b2', 'b3'] }, { lifecycle: { largeClusterSizeThreshold: 3 } }),
    );
    const { b1, b2 } = tainted(large);
    expect(b2! - b1!).toBeCloseTo(100, 0);
  });

  it('of all zones set no taints and remove existing ones', async () => {
    const answer = await both(schedules, asked({ allNodes: true }));
    expect([tainted(answer), answer.at('outage.evicts'), answer.at('counts.at')]).toEqual([{}, 'no', 0]);
    const later = await both(schedules, asked([{ zone: 'b' }, { zone: 'a', from: after(120) }]));
    const removed = changesOf(later).filter((change) => change.removed.includes(`${UNREACHABLE}:NoExecute`));
    expect(removed.map(({ node: name }) => name)).toEqual(['b1', 'b2', 'b3', 'b4']);
    expect(podsOf(later).get('b1-web')).toMatchObject({ action: 'never', cancelled: { at: expect.anything() } });
  });

  it('of a node that reports itself not ready take effect immediately, and its pods end', async () => {
    const answer = await both(schedules, asked({ labelSelector: 'kubernetes.io/hostname=b1', how: 'notReady' }));
    expect(changesOf(answer).map(({ at, moment, added }) => [at, moment.latest, added])).toEqual([
      [NOON, NOON, [`${NOT_READY}:NoSchedule`]],
      [NOON, after(5.099), [`${NOT_READY}:NoExecute`]],
    ]);
    expect(podsOf(answer).get('b1-web')).toMatchObject({
      action: 'at',
      at: { earliest: after(300), latest: after(305.099) },
      departure: { gone: { earliest: after(330), latest: after(335.099) }, by: 'kubelet' },
    });
  });

  it('do not evict a pod that is being deleted already', async () => {
    const own = new TestSchedules(service, 'terminating');
    const terminating = withMore(pod('d/p', 'b1'), {
      metadata: { deletionTimestamp: after(-10), deletionGracePeriodSeconds: 30 },
    });
    await own.store([inZone('a1', 'a'), inZone('b1', 'b'), terminating], NOON);
    const answer = await both(own, asked({ nodes: ['b1'] }));
    expect([answer.at('counts.marked'), answer.at('outage.evicts')]).toEqual([1, 'no']);
  });
});

describe('the rescheduling of a failed zone', () => {
  it('is listed by pod, with the taints that leave a pod without a node', async () => {
    const answer = await both(schedules, asked({ zone: 'b' }, { landing: true }));
    const landings = new Map(
      (answer.at('landing.pods.items') as { name: string }[]).map((landing) => [landing.name, landing]),
    );
    // Each goes to the node with the fewest of them; among equal nodes to the first by name.
    const best = [
      ['a2', 'a3', 'a1'],
      ['a3', 'a1', 'a2'],
      ['a1', 'a2', 'a3'],
      ['a2', 'a3', 'a1'],
    ];
    for (const [index, name] of ['b1-web', 'b2-web', 'b3-web', 'b4-web'].entries()) {
      const nodes = best[index]!;
      expect(landings.get(name)).toMatchObject({ verdict: 'feasible', nodes, chosen: nodes[0], refusal: null });
    }
    expect(landings.get('b1-none')).toMatchObject({ never: 'barePod', nodes: [], chosen: null });
    const bound = landings.get('b1-bound') as unknown as {
      verdict: string;
      refusal: { message: string; reasons: { taints: { taint: string; nodes: number }[] }[] };
    };
    expect(bound.verdict).toBe('none');
    expect(bound.refusal.message).toMatch(/untolerated taint/);
    const taints = bound.refusal.reasons.flatMap((reason) => reason.taints);
    expect(taints).toContainEqual({
      taint: `${UNREACHABLE}:NoSchedule`,
      nodes: 4,
      wellKnown: expect.stringMatching(/kubelet is unreachable/),
    });
    expect(answer.at('landing.totals')).toMatchObject({ evicted: 6, replaced: 5, landed: 4, withoutNode: 1 });
    expect((await schedules.schedule(asked({ zone: 'b' }))).at('landing')).toBeNull();
  });
});
