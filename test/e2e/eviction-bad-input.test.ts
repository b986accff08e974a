import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, node, send } from '../support/dumps.js';
import { both, on, podsOf, SetClock, shownMoment, tolerates, TestSchedules } from '../support/eviction-schedules.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { processorTime } from '../support/processor-time.js';

const NOON = '2026-05-04T12:00:00Z';
const after = (seconds: number): string =>
  new Date(Date.parse(NOON) + seconds * 1000).toISOString().replace('.000Z', 'Z');

let service: TestService;
let schedules: TestSchedules;
beforeAll(async () => {
  service = await startTestService({}, { clock: new SetClock() });
  schedules = new TestSchedules(service, 'c');
  await schedules.store([node('a'), node('b'), on('a', 'p', [tolerates('m', 60)]), on('a', 'q')], NOON);
});
afterAll(() => service.close());

interface Fault {
  readonly field?: string;
  readonly pointer?: string;
  readonly code: string;
  readonly message: string;
}
const faultsOf = (answer: Answer): readonly Fault[] => answer.at('errors') as Fault[];

/** Both APIs refuse it, naming the same places. */
async function refused(body: object): Promise<readonly (readonly [pointer: string, code: string])[]> {
  const rest = await schedules.ask(body);
  expect([rest.status, rest.at('code')]).toEqual([400, 'invalid-request']);
  const graphql = await schedules.graphql(body);
  const inner = graphql.at('errors.0.extensions.errors') as readonly Fault[];
  const places = faultsOf(rest).map(({ pointer = '', code }) => [pointer, code] as const);
  expect(graphql.at('errors.0.extensions.code')).toBe('invalid-request');
  expect(inner.map(({ pointer = '', code }) => [pointer, code])).toEqual(
    places.map(([pointer, code]) => [`/input${pointer}`, code]),
  );
  return places;
}

const MANIFEST = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'new', namespace: 'd' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};

describe('an invalid request names all its errors', () => {
  it('also if a member alone is refused before the others are checked', async () => {
    expect(
      await refused({
        horizonSeconds: -1,
        nodeSelector: 'a in (',
        events: [{ at: NOON, do: 'setTaints', node: 'a', taints: ['m=x:Never'] }],
        lifecycle: { unhealthyZoneThreshold: 2 },
      }),
    ).toEqual([
      ['/horizonSeconds', 'min'],
      ['/nodeSelector', 'invalid-selector'],
      ['/events/0/taints/0', 'invalid-taint'],
      ['/lifecycle/unhealthyZoneThreshold', 'invalid'],
    ]);
  });

  it('also if members have unreadable types', async () => {
    const answer = await schedules.ask({
      colour: 1,
      events: [7, { taints: 7 }, null],
      lifecycle: ['x'],
      nodeSelector: 5,
    });
    expect(answer.status).toBe(400);
    expect(faultsOf(answer).map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining(['/colour', '/events/0', '/events/2', '/nodeSelector', '/lifecycle/0']),
    );
  });

  const cases: readonly [string, object, readonly (readonly [string, string])[]][] = [
    [
      'moments that cannot be',
      {
        asOf: '2020-01-01T00:00:00Z',
        controllerStartedAt: '2027-01-01T00:00:00Z',
        horizonSeconds: 10_000 * 365.25 * 86_400,
        nodeSelector: 'a in (',
        nodes: ['a', 'nowhere'],
        pods: { labelSelector: '=' },
      },
      [
        ['/asOf', 'before-the-state'],
        ['/horizonSeconds', 'too-late'],
        ['/controllerStartedAt', 'in-the-future'],
        ['/nodeSelector', 'invalid-selector'],
        ['/nodes/1', 'object-not-found'],
        ['/pods/labelSelector', 'invalid-selector'],
      ],
    ],
    ['a moment too late', { asOf: '9999-06-01T00:00:00Z' }, [['/asOf', 'too-late']]],
    [
      'taints that no node can have',
      {
        asOf: NOON,
        events: [
          {
            at: NOON,
            do: 'setTaints',
            node: 'a',
            taints: ['m=x:Never', ':NoExecute', { key: 'm', effect: 'NoExecute', toleration: 1 }, 7, 'm=x'],
          },
          { at: NOON, do: 'setTaints', node: 'a', taints: ['m=x:NoExecute', 'm=y:NoExecute'] },
          {
            at: NOON,
            do: 'setTaints',
            node: 'a',
            taints: [{ key: 'm', effect: 'NoExecute', timeAdded: '2026-05-04T12:00:00' }],
          },
          { at: NOON, do: 'setTaints', node: 'a', taints: [{ key: 'm', effect: 'noexecute' }] },
        ],
      },
      [
        ['/events/0/taints/0', 'invalid-taint'],
        ['/events/0/taints/1', 'invalid-taint'],
        ['/events/0/taints/2/toleration', 'unknown-field'],
        ['/events/0/taints/3', 'invalid-taint'],
        ['/events/0/taints/4', 'invalid-taint'],
        ['/events/1/taints/1', 'FieldValueDuplicate'],
        ['/events/2/taints/0/timeAdded', 'invalid-time'],
        ['/events/3/taints/0/effect', 'FieldValueNotSupported'],
      ],
    ],
    [
      'events out of order, and before their beginning',
      {
        asOf: after(10),
        events: [
          { at: after(5), do: 'stopController' },
          { at: after(20), do: 'startController' },
          { at: after(15), do: 'stopController' },
          { at: '9999-01-01T00:00:00Z', do: 'stopController' },
        ],
      },
      [
        ['/events/3/at', 'too-late'],
        ['/events/0/at', 'before-the-state'],
        ['/events/2/at', 'out-of-order'],
      ],
    ],
    [
      'events about what is not there',
      {
        asOf: NOON,
        events: [
          { at: NOON, do: 'setTaints', node: 'nowhere', taints: [] },
          { at: NOON, do: 'deletePod', pod: 'd/nobody' },
          { at: NOON, do: 'deletePod', pod: 'p' },
          { at: NOON, do: 'setTolerations', pod: '__proto__/constructor', tolerations: [] },
          { at: NOON, do: 'deleteNode', node: 'b' },
          { at: NOON, do: 'createPod', node: 'b', manifest: MANIFEST },
          { at: NOON, do: 'deleteNode', node: 'b' },
          { at: NOON, do: 'deletePod', pod: 'd/p' },
          { at: NOON, do: 'setTolerations', pod: 'd/p', tolerations: [] },
          { at: NOON, do: 'createPod', node: 'a', manifest: { ...MANIFEST, metadata: { name: 'q', namespace: 'd' } } },
        ],
      },
      [
        ['/events/0/node', 'object-not-found'],
        ['/events/1/pod', 'object-not-found'],
        ['/events/2/pod', 'invalid-pod-key'],
        ['/events/3/pod', 'object-not-found'],
        ['/events/5/node', 'object-not-found'],
        ['/events/6/node', 'object-not-found'],
        ['/events/8/pod', 'object-not-found'],
        ['/events/9/manifest/metadata/name', 'already-exists'],
      ],
    ],
    [
      'events with members that are not theirs, or without those that are',
      {
        asOf: NOON,
        events: [
          { at: NOON, do: 'setTaints', pod: 'd/p' },
          { at: NOON, do: 'stopController', node: 'a', taints: [] },
          { at: NOON, do: 'createPod', node: 'a' },
          { at: NOON, do: 'deletePod', pod: 'd/p', tolerations: [] },
        ],
      },
      [
        ['/events/0/node', 'required'],
        ['/events/0/pod', 'unknown-field'],
        ['/events/0/taints', 'required'],
        ['/events/1/node', 'unknown-field'],
        ['/events/1/taints', 'unknown-field'],
        ['/events/2/manifest', 'required'],
        ['/events/3/tolerations', 'unknown-field'],
      ],
    ],
    [
      'pods that nobody could make',
      {
        asOf: NOON,
        events: [
          { at: NOON, do: 'createPod', node: 'a', manifest: {} },
          { at: NOON, do: 'createPod', node: 'a', manifest: { metadata: null } },
          { at: NOON, do: 'createPod', node: 'a', manifest: { metadata: [] } },
          { at: NOON, do: 'createPod', node: 'a', manifest: { metadata: { name: 7 } } },
          { at: NOON, do: 'createPod', node: 'a', manifest: { metadata: { name: 'x', namespace: 7 } } },
        ],
      },
      [0, 1, 2, 3, 4].map(
        (index) =>
          [
            `/events/${index}/manifest/metadata/${index === 4 ? 'namespace' : 'name'}`,
            index === 4 ? 'invalid' : 'required',
          ] as const,
      ),
    ],
    [
      'a manifest that the API server would refuse',
      {
        asOf: NOON,
        events: [
          { at: NOON, do: 'stopController' },
          {
            at: NOON,
            do: 'createPod',
            node: 'a',
            manifest: { ...MANIFEST, spec: { ...MANIFEST.spec, tolerations: [{ key: 'm', operator: 'Sometimes' }] } },
          },
        ],
      },
      [['/events/1/manifest/spec/tolerations/0/operator', 'FieldValueNotSupported']],
    ],
    [
      'tolerations that no pod can have',
      {
        asOf: NOON,
        events: [
          {
            at: NOON,
            do: 'setTolerations',
            pod: 'd/p',
            tolerations: [
              { key: 'm', operator: 'Exists', value: 'x' },
              { key: 'm', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 },
            ],
          },
        ],
      },
      [
        ['/events/0/tolerations/0/operator', 'FieldValueInvalid'],
        ['/events/0/tolerations/1/effect', 'FieldValueInvalid'],
      ],
    ],
    [
      'outages of nothing, of too much, and at no time',
      {
        asOf: NOON,
        outages: [
          {},
          { nodes: ['a'], zone: 'z' },
          { zone: 'atlantis' },
          { nodes: ['a', 'a', 'nowhere'] },
          { labelSelector: '!!' },
          { allNodes: false },
          { allNodes: true, from: after(-1) },
          { allNodes: true, from: after(86_400) },
          { allNodes: true, until: after(5), forSeconds: 5 },
          { allNodes: true, until: NOON },
          { allNodes: true, forSeconds: 0 },
          { allNodes: true, forSeconds: 1e300 },
        ],
      },
      [
        ['/outages/0/nodes', 'required'],
        ['/outages/1/zone', 'conflicting-fields'],
        ['/outages/2/zone', 'object-not-found'],
        ['/outages/3/nodes/2', 'object-not-found'],
        ['/outages/4/labelSelector', 'invalid-selector'],
        ['/outages/5/nodes', 'required'],
        ['/outages/6/from', 'before-the-state'],
        ['/outages/7/from', 'too-late'],
        ['/outages/8/forSeconds', 'conflicting-fields'],
        ['/outages/9/until', 'invalid'],
        ['/outages/10/forSeconds', 'invalid'],
        ['/outages/11/forSeconds', 'too-late'],
      ],
    ],
    [
      'parameters of the controller that make no sense',
      {
        asOf: NOON,
        lifecycle: {
          nodeMonitorPeriodSeconds: 0,
          nodeMonitorGracePeriodSeconds: -1,
          nodeStartupGracePeriodSeconds: 1e12,
          nodeEvictionRate: -0.1,
          secondaryNodeEvictionRate: -1,
          largeClusterSizeThreshold: 1.5,
          unhealthyZoneThreshold: 2,
        },
      },
      [
        ['/lifecycle/nodeMonitorGracePeriodSeconds', 'invalid'],
        ['/lifecycle/nodeStartupGracePeriodSeconds', 'invalid'],
        ['/lifecycle/nodeEvictionRate', 'invalid'],
        ['/lifecycle/secondaryNodeEvictionRate', 'invalid'],
        ['/lifecycle/nodeMonitorPeriodSeconds', 'invalid'],
        ['/lifecycle/unhealthyZoneThreshold', 'invalid'],
        ['/lifecycle/largeClusterSizeThreshold', 'invalid'],
      ],
    ],
    [
      'events and outages that both say what the taints of a node are',
      {
        asOf: NOON,
        outages: [{ nodes: ['a'] }],
        events: [
          { at: NOON, do: 'setTaints', node: 'b', taints: [] },
          { at: NOON, do: 'setTaints', node: 'a', taints: [] },
          { at: NOON, do: 'deleteNode', node: 'a' },
        ],
      },
      [
        ['/events/1/node', 'conflicting-fields'],
        ['/events/2/node', 'conflicting-fields'],
      ],
    ],
  ];
  it.each(cases)('%s', async (_, body, expected) => {
    expect([...(await refused(body))].sort()).toEqual([...expected].sort());
  });

  it.each<[string, object, string[]]>([
    [
      'members of another type, or of none',
      {
        asOf: 'yesterday',
        nodes: 'a',
        nodeSelector: 5,
        horizonSeconds: 'long',
        landing: 'yes',
        events: [{ at: '2026-05-04', do: 'explode', when: 1 }],
        outages: [{ how: 'loud', forSeconds: -1 }],
        lifecycle: { nodeEvictionRate: 'fast', nodeEvictionSpeed: 1 },
        pods: { actions: ['soon'] },
        surprise: true,
      },
      [
        '/asOf',
        '/events/0/at',
        '/events/0/do',
        '/events/0/when',
        '/horizonSeconds',
        '/landing',
        '/lifecycle/nodeEvictionRate',
        '/lifecycle/nodeEvictionSpeed',
        '/nodeSelector',
        '/nodes',
        '/outages/0/forSeconds',
        '/outages/0/how',
        '/pods/actions',
        '/surprise',
      ],
    ],
    ['a horizon before its beginning', { horizonSeconds: -1 }, ['/horizonSeconds']],
    ['pages that are none', { limit: 0 }, ['/limit']],
  ])('%s', async (_, body, pointers) => {
    const answer = await schedules.ask(body);
    expect([answer.status, answer.at('code')]).toEqual([400, 'invalid-request']);
    expect(
      faultsOf(answer)
        .map(({ pointer }) => pointer)
        .sort(),
    ).toEqual(pointers);
    const graphql = await schedules.graphql(body);
    expect(graphql.at('errors.0')).toBeDefined();
    expect(graphql.text).not.toMatch(/internal/i);
  });

  it('including those of a scenario', async () => {
    const body = { asOf: NOON, scenario: { changes: [{ editNodes: { nodes: ['a'], taints: ['m=x:Never'] } }] } };
    const answer = await schedules.ask(body);
    expect([answer.status, answer.at('code'), answer.at('errors.0.pointer')]).toEqual([
      422,
      'invalid-scenario',
      '/scenario/changes/0/editNodes/taints/0',
    ]);
    expect((await schedules.graphql(body)).at('errors.0.extensions.code')).toBe('invalid-scenario');
  });

  it.each(['[]', '7', '"x"', '{', 'null,'])('for a body that is %s', async (body) => {
    const answer = await service.request('POST', schedules.path, body, { 'content-type': 'application/json' });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });

  it('for too many events', async () => {
    const events = Array.from({ length: 10_001 }, () => ({ at: NOON, do: 'stopController' }));
    expect((await schedules.ask({ asOf: NOON, events })).at('errors')).toEqual([
      expect.objectContaining({ pointer: '/events' }),
    ]);
  });
});

describe('a limit', () => {
  it('refuses an invalid number, over REST and GraphQL', async () => {
    const body = `{"asOf":"${NOON}","horizonSeconds":1e999,"lifecycle":{"nodeEvictionRate":-1e999}}`;
    const answer = await service.request('POST', schedules.path, body, { 'content-type': 'application/json' });
    expect(answer.status).toBe(400);
    const pointers = faultsOf(answer).map(({ pointer }) => pointer);
    expect(pointers.sort()).toEqual(['/horizonSeconds', '/lifecycle/nodeEvictionRate']);
    const query = `{ evictionSchedule(cluster: "c", input: { asOf: "${NOON}", horizonSeconds: 1e999 }) { asOf } }`;
    const graphql = await service.graphql(query);
    expect(graphql.at('errors.0')).toBeDefined();
    expect(graphql.text).not.toMatch(/internal/i);
  });

  it('allows events to create a thousand pods', async () => {
    const events = Array.from({ length: 1_001 }, (_, index) => ({
      at: NOON,
      do: 'createPod',
      node: 'a',
      manifest: { ...MANIFEST, metadata: { name: `new-${index}`, namespace: 'd' } },
    }));
    expect(await refused({ asOf: NOON, events })).toEqual([['/events', 'too-long']]);
    const answer = await schedules.schedule({ asOf: NOON, events: events.slice(1) });
    expect(answer.at('counts.pods')).toBe(1_002);
  });

  it('refuses anything but a Pod where an event creates one', async () => {
    const manifest = { ...MANIFEST, apiVersion: 'apps/v1', kind: 'Deployment' };
    const events = [{ at: NOON, do: 'createPod', node: 'a', manifest }];
    expect(await refused({ asOf: NOON, events })).toEqual([['/events/0/manifest/kind', 'invalid']]);
  });
});

describe('odd but valid input is evaluated as the controller would', () => {
  /** JSON with numbers in it that JavaScript has not. */
  const exact = (value: unknown): string => JSON.stringify(value).replaceAll(/"int64:(-?\d+)"/g, '$1');
  const SECONDS: readonly (readonly [string, string | null, RegExp])[] = [
    ['-9223372036854775808', NOON, /tolerated for -9223372036854775808 s/],
    ['-1', NOON, /tolerated for -1 s/],
    ['0', NOON, /tolerated for 0 s/],
    ['1', after(1), /tolerated for 1 s/],
    // The largest that fits into 64 bits of nanoseconds, and the first that does not.
    ['9223372036', '2318-08-14T11:47:16Z', /tolerated for 9223372036 s by the first toleration that matches it\.$/],
    ['9223372037', null, /overflows 64 bits, so the controller tolerates the taint forever/],
    ['18446744074', after(0.290448384), /overflows 64 bits, so the controller tolerates the taint for 0\.29/],
    ['36028797018963968', NOON, /overflows 64 bits, so the controller tolerates the taint for 0 s/],
    ['9223372036854775806', null, /tolerates the taint forever/],
    ['9223372036854775807', null, /tolerates the taint forever/],
  ];

  it('tolerationSeconds at both ends, and where they overflow', async () => {
    const own = new TestSchedules(service, 'int64');
    const pods = SECONDS.map(([text], index) =>
      on('a', `p${index}`, [{ key: 'm', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: `int64:${text}` }]),
    );
    const path = `/api/v1/clusters/int64/snapshots?createCluster=true&capturedAt=${NOON}`;
    const stored = await send(service, path, exact(JSON.parse(list([node('a'), ...pods]))));
    expect(stored.status).toBe(201);
    const body = { asOf: NOON, events: [{ at: NOON, do: 'setTaints', node: 'a', taints: ['m:NoExecute'] }] };
    const answer = await both(own, body);
    const found = podsOf(answer);
    for (const [index, [text, at, because]] of SECONDS.entries()) {
      const shown = found.get(`p${index}`)!;
      expect([text, shownMoment(shown.at)]).toEqual([text, at === null ? null : at.replace(/(\.\d{3})\d+/, '$1')]);
      expect(shown.because).toMatch(because);
      expect(answer.text).toContain(`"seconds":${text},`);
    }
    const toleration = {
      key: 'm',
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 'int64:9223372036854775807',
    };
    const events = [{ at: NOON, do: 'setTolerations', pod: 'd/p3', tolerations: [toleration] }, ...body.events];
    const asked = await service.request('POST', own.path, exact({ ...body, view: 'pods', events }), {
      'content-type': 'application/json',
    });
    expect(podsOf(asked).get('p3')).toMatchObject({ action: 'never' });
    const beyond = exact({ ...body, events }).replace('9223372036854775807', '9223372036854775808');
    const refusedOne = await service.request('POST', own.path, beyond, { 'content-type': 'application/json' });
    expect([refusedOne.status, refusedOne.at('errors.0.pointer')]).toEqual([
      400,
      '/events/0/tolerations/0/tolerationSeconds',
    ]);
  });

  it('grace periods beyond the calendar', async () => {
    const own = new TestSchedules(service, 'grace');
    const pod = on('a', 'p', [], { terminationGracePeriodSeconds: 'int64:9223372036854775807' });
    const path = `/api/v1/clusters/grace/snapshots?createCluster=true&capturedAt=${NOON}`;
    expect((await send(service, path, exact(JSON.parse(list([node('a'), pod]))))).status).toBe(201);
    const scenario = { changes: [{ editNodes: { nodes: ['a'], taints: ['m=x:NoExecute'] } }] };
    const answer = await both(own, { asOf: NOON, scenario, landing: true });
    expect(podsOf(answer).get('p')!.departure).toMatchObject({ gone: { latest: '9999-12-31T23:59:59Z' } });
  });

  it.each(['2030-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '0001-01-01T00:00:00Z'])(
    'a stored timeAdded of %s, which is not trusted',
    async (timeAdded) => {
      const own = new TestSchedules(service, `added-${timeAdded.slice(0, 4)}`);
      const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded };
      const pod = on('a', 'p', [tolerates('node.kubernetes.io/unreachable', 600)]);
      await own.store([node('a'), pod], after(-60));
      await own.store([node('a', { spec: { taints: [taint] } }), pod], NOON);
      const answer = await both(own, { asOf: NOON });
      expect(podsOf(answer).get('p')).toMatchObject({
        base: { earliest: after(-60), latest: NOON, known: 'snapshots' },
        taints: [{ timeAdded, timeAddedNote: expect.stringMatching(/ignores this time, and so does the schedule/) }],
      });
    },
  );

  it('a stored timeAdded without a time zone, which no API server writes', async () => {
    const taint = { key: 'm', effect: 'NoExecute', timeAdded: '2026-05-04T12:00:00' };
    const path = `/api/v1/clusters/zoneless/snapshots?createCluster=true`;
    const answer = await send(service, path, list([node('a', { spec: { taints: [taint] } })]));
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).toContain('timeAdded');
  });

  it('ten thousand events on one node with many pods, without blocking other requests', async () => {
    const own = new TestSchedules(service, 'busy');
    const pods = Array.from({ length: 100 }, (_, index) => on('a', `p${index}`, [tolerates('m', index + 1)]));
    await own.store([node('a'), ...pods], NOON);
    const events = Array.from({ length: 10_000 }, (_, index) => ({
      at: after(index),
      do: 'setTaints',
      node: 'a',
      taints: index % 2 === 0 ? ['m=x:NoExecute'] : [],
    }));
    const used = processorTime();
    let done = false;
    const asked = own.schedule({ asOf: NOON, events }).finally(() => (done = true));
    let longest = 0;
    while (!done) {
      const usedForOne = processorTime();
      expect((await service.request('GET', '/healthz')).status).toBeLessThan(500);
      longest = Math.max(longest, usedForOne());
    }
    const answer = await asked;
    expect(answer.at('counts')).toMatchObject({ at: 1, never: 99 });
    expect(answer.at('changes.total')).toBe(10_000);
    expect(used()).toBeLessThan(30);
    expect(longest).toBeLessThan(10);
  });
});
