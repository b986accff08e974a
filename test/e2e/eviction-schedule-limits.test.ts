import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod } from '../support/dumps.js';
import { on, podsOf, SetClock, tolerates, TestSchedules } from '../support/eviction-schedules.js';
import { startTestService, type TestService } from '../support/service.js';

const clock = new SetClock();
let service: TestService;
let schedules: TestSchedules;
const MAXIMUM = 9_223_372_036_854_775_807n;

beforeAll(async () => {
  service = await startTestService({}, { clock });
  schedules = new TestSchedules(service, 'c');
  const graceful = { terminationGracePeriodSeconds: '@MAX@', tolerations: [] };
  const objects = [
    node('n'),
    on('n', 'a'),
    on('n', 'b'),
    on('n', 'centuries', [tolerates('x', 9_223_372_036)]),
    pod('d/never-gone', 'n', graceful),
  ];
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }).replace('"@MAX@"', String(MAXIMUM));
  const path = '/api/v1/clusters/c/snapshots?createCluster=true&capturedAt=2026-05-04T12:00:00Z';
  const stored = await service.request('POST', path, body, { 'content-type': 'application/json' });
  expect(stored.status).toBe(201);
});
afterAll(() => service.close());

const SCENARIO = { scenario: { changes: [{ editNodes: { allNodes: true, taints: ['x=1:NoExecute'] } }] } };

describe('the pages of a schedule', () => {
  it('follow one another if the first was requested without a time, over REST and GraphQL', async () => {
    const first = await schedules.schedule({ ...SCENARIO, limit: 2 });
    clock.at = '2026-05-04T14:00:00Z';
    const rest = { ...SCENARIO, limit: 2, asOf: first.at('asOf'), continue: first.at('continue') };
    const second = await schedules.schedule(rest);
    const seen = [...podsOf(first).keys(), ...podsOf(second).keys()];
    expect([seen.sort(), second.at('continue')]).toEqual([['a', 'b', 'centuries', 'never-gone'], null]);
    const page = await schedules.graphql({ ...SCENARIO, limit: 2 });
    const { asOf, pods } = page.at('data.evictionSchedule') as {
      asOf: string;
      pods: { pageInfo: { endCursor: string } };
    };
    const next = await schedules.graphql({ ...SCENARIO, limit: 2, asOf, continue: pods.pageInfo.endCursor });
    expect(next.at('data.evictionSchedule.pods.nodes.1.name')).toBe('centuries');
  });

  it('are limited by the query, which overrides the body', async () => {
    const first = await schedules.schedule({ ...SCENARIO, limit: 1 }, '?limit=2');
    expect([(first.at('items') as unknown[]).length, first.headers.get('link')]).toEqual([2, null]);
    const query = `?limit=2&continue=${String(first.at('continue'))}&totalCount=true`;
    const second = await schedules.schedule({ ...SCENARIO, asOf: first.at('asOf') }, query);
    expect([second.at('continue'), second.at('totalCount')]).toEqual([null, 4]);
  });

  it('belong to one time, and another one is refused', async () => {
    const first = await schedules.schedule({ ...SCENARIO, limit: 2 });
    const rest = { ...SCENARIO, limit: 2, asOf: '2026-05-05T00:00:00Z', continue: first.at('continue') };
    const answer = await schedules.ask(rest);
    expect([answer.status, answer.at('code')]).toEqual([400, 'invalid-continue-token']);
  });
});

describe('times outside the calendar', () => {
  it('are returned as the last second of RFC 3339, also in GraphQL', async () => {
    const body = { ...SCENARIO, asOf: '9699-12-31T00:00:00Z', limit: 10 };
    const pods = await schedules.pods(body);
    expect(pods.get('centuries')!.at).toEqual({ earliest: '9992-04-10T23:47:16Z', latest: '9992-04-10T23:47:16Z' });
    expect(pods.get('never-gone')!.departure!['gone']).toEqual({
      earliest: '9999-12-31T23:59:59Z',
      latest: '9999-12-31T23:59:59Z',
    });
    expect((await schedules.graphql(body)).at('errors')).toBeUndefined();
  });

  it('are refused in a request, each with its pointer', async () => {
    const answer = await schedules.ask({
      asOf: '9700-01-01T00:00:00Z',
      events: [{ at: '9999-12-31T23:59:59Z', do: 'stopController' }],
      outages: [
        { allNodes: true, until: '9999-12-31T23:59:59Z' },
        { allNodes: true, forSeconds: 1e300 },
      ],
    });
    const faults = answer.at('errors') as { pointer: string; code: string }[];
    expect([answer.status, faults.map(({ pointer, code }) => `${pointer} ${code}`)]).toEqual([
      400,
      ['/asOf too-late', '/events/0/at too-late', '/outages/0/until too-late', '/outages/1/forSeconds too-late'],
    ]);
  });
});

describe('a list instead of an object', () => {
  it.each([
    ['eviction-schedules', { pods: [{}] }, '/pods'],
    ['eviction-schedules', { lifecycle: [{ nodeEvictionRate: 1 }] }, '/lifecycle'],
    ['eviction-schedules', { scenario: [{}] }, '/scenario'],
    ['eviction-schedules', { events: [[{}]] }, '/events'],
    ['drains', { nodeSelector: '', options: [{}] }, '/options'],
    ['placements', { pod: 'd/a', scenario: [{}] }, '/scenario'],
  ])('in %s is named', async (list, body, pointer) => {
    const answer = await service.request('POST', `/api/v1/clusters/c/${list}`, body);
    const faults = answer.at('errors') as { pointer: string }[];
    expect([answer.status, faults.map((fault) => fault.pointer)]).toEqual([400, expect.arrayContaining([pointer])]);
  });
});
