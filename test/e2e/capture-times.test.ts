import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, node, send } from '../support/dumps.js';
import { SetClock } from '../support/eviction-schedules.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

let service: TestService;
const clock = new SetClock();
beforeAll(async () => {
  service = await startTestService({}, { clock });
});
afterAll(() => service.close());

const NOW = '2026-05-04T13:00:00.000Z';
const AHEAD = '2027-06-08T13:00:00.000Z';
const LATER = '2026-05-04T14:00:00.000Z';
const tainted = (value: string): object => node('a', { spec: { taints: [{ key: 'k', value, effect: 'NoSchedule' }] } });

const request = (method: string, path: string, body?: object): Promise<Answer> =>
  service.request(method, `/api/v1/clusters/${path}`, body);
const take = (cluster: string, value: string, query = ''): Promise<Answer> =>
  send(service, `/api/v1/clusters/${cluster}/snapshots?createCluster=true${query}`, list([tainted(value)]));

/** A snapshot, one more while the clock is ahead, and the clock as it was. */
async function jam(cluster: string): Promise<void> {
  clock.at = NOW;
  expect((await take(cluster, 'one')).status).toBe(201);
  clock.at = AHEAD;
  expect((await take(cluster, 'two')).status).toBe(201);
  clock.at = LATER;
}

describe('a snapshot that was taken while the clock was ahead', () => {
  it('blocks later ones, with an error that names the remedy, until its time is corrected', async () => {
    await jam('c');
    const jammed = await take('c', 'three');
    expect(jammed.json).toMatchObject({ status: 409, code: 'snapshot-older-than-head' });
    expect(jammed.at('detail')).toContain('capture-time-corrections');

    const corrected = await request('POST', 'c/capture-time-corrections', { reason: 'NTP was off' });
    expect(corrected.status).toBe(200);
    expect(corrected.json).toEqual({ cluster: 'c', head: 3, count: 1, first: [{ revision: 2, capturedAt: AHEAD }] });
    expect((await request('GET', 'c/snapshots/head')).json).toMatchObject({
      snapshot: {
        revision: 3,
        kind: 'restatement',
        capturedAt: LATER,
        receivedAt: LATER,
        source: `capture times in the future corrected (NTP was off); they were 2: ${AHEAD}`,
        counts: [{ kind: 'Node', added: 0, changed: 0, removed: 0, unchanged: 1 }],
      },
    });
    clock.at = '2026-05-04T15:00:00.000Z';
    expect((await take('c', 'three')).at('revision')).toBe(4);
    for (const [time, revision] of [
      [NOW, 1],
      ['2026-05-04T14:30:00Z', 3],
      ['2026-05-04T15:30:00Z', 4],
      ['2028-01-01T00:00:00Z', 4],
    ] as const) {
      expect((await request('GET', `c/snapshots/${time}`)).at('basis.revision')).toBe(revision);
    }
  });

  it('keeps its records, superseded by records with the right times, in an intact chain', async () => {
    await jam('trail');
    await request('POST', 'trail/capture-time-corrections', { reason: 'NTP was off' });
    clock.at = '2026-05-04T15:00:00.000Z';
    await take('trail', 'three');
    const all = (await request('GET', 'trail/taint-trail/records?current=false&order=oldest')).at('items') as {
      summary: string;
      when: { to: string };
    }[];
    expect(all.map(({ when }) => when.to)).toContain(AHEAD);
    const current = (await request('GET', 'trail/taint-trail/records?order=oldest')).at('items') as typeof all;
    expect(current.filter(({ when }) => when.to > '2027')).toEqual([]);
    expect(current.map(({ summary }) => summary).join('\n')).toMatch(/one.*\n.*two.*\n.*three/);
    expect((await request('GET', 'trail/taint-trail/verify')).json).toMatchObject({
      holds: true,
      verified: all.length,
    });
  });

  it('does not prevent changes made in the meantime from being confirmed', async () => {
    await jam('changed');
    clock.at = AHEAD;
    const made = await request('POST', 'changed/taint-changes', {
      nodes: ['a'],
      taints: ['new=x:NoSchedule'],
      reason: 'r',
    });
    expect(made.status).toBe(201);
    clock.at = LATER;
    await request('POST', 'changed/capture-time-corrections', { reason: 'NTP was off' });
    clock.at = '2026-05-04T15:00:00.000Z';
    const taints = [
      { key: 'k', value: 'two', effect: 'NoSchedule' },
      { key: 'new', value: 'x', effect: 'NoSchedule' },
    ];
    const shown = list([node('a', { spec: { taints } })]);
    expect((await send(service, '/api/v1/clusters/changed/snapshots', shown)).status).toBe(201);
    const change = await request('GET', `changed/taint-changes/${String(made.at('change.id'))}`);
    expect(change.at('change.status')).toBe('confirmed');
  });

  it('can be corrected over GraphQL', async () => {
    await jam('graphql');
    const answer = await service.graphql(
      'mutation { correctCaptureTimes(input: { cluster: "graphql", reason: "r" }) { head count first { revision capturedAt } } }',
    );
    expect(answer.at('data.correctCaptureTimes')).toEqual({
      head: 3,
      count: 1,
      first: [{ revision: 2, capturedAt: AHEAD }],
    });
  });
});

describe('a correction of capture times', () => {
  it('changes nothing if no capture time is in the future, and is refused without a cluster or a reason', async () => {
    clock.at = NOW;
    await take('fine', 'one');
    const nothing = await request('POST', 'fine/capture-time-corrections', { reason: 'r' });
    expect(nothing.json).toEqual({ cluster: 'fine', head: 1, count: 0, first: [] });
    expect((await request('POST', 'none/capture-time-corrections', { reason: 'r' })).at('code')).toBe(
      'cluster-not-found',
    );
    for (const body of [{}, { reason: 'a\0b' }, { reason: 5 }]) {
      expect((await request('POST', 'fine/capture-time-corrections', body)).at('code')).toBe('invalid-request');
    }
    expect((await request('GET', 'fine')).at('headRevision')).toBe(1);
  });
});

describe('a capturedAt parameter', () => {
  it.each([
    ['2026-05-04T13:04:59Z', 201],
    ['2026-05-04T13:05:01Z', 400],
    ['2027-06-08T13:00:00Z', 400],
  ])('%s is answered %d at 13:00', async (capturedAt, status) => {
    clock.at = NOW;
    expect((await take(`given-${status}`, 'one', `&capturedAt=${capturedAt}`)).status).toBe(status);
  });
});
