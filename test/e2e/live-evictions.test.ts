import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../src/app/clock.js';
import { node, pod } from '../support/dumps.js';
import { withoutIds, type ReadEvent } from '../support/event-reader.js';
import { Followers } from '../support/followers.js';
import { startTestService, type TestService } from '../support/service.js';

/** A clock that tests move. */
class MovedClock extends Clock {
  at = Date.parse('2026-05-04T12:00:00Z');

  override now(): Date {
    return new Date(this.at);
  }
}

const clock = new MovedClock();
let one: TestService;
let other: TestService;
let here: Followers;
let there: Followers;
beforeAll(async () => {
  one = await startTestService({ LIVE_HEARTBEAT: '1' }, { clock });
  other = await startTestService({ DATABASE_URL: one.databaseUrl, LIVE_HEARTBEAT: '1' }, { clock });
  here = new Followers(one);
  there = new Followers(other);
});
afterEach(() => {
  here.cut();
  there.cut();
});
afterAll(async () => {
  await other.close();
  await one.close();
});

const tolerating = (name: string, tolerationSeconds?: number): object =>
  pod(`default/${name}`, 'a', {
    tolerations: [
      {
        key: 'maintenance',
        operator: 'Exists',
        effect: 'NoExecute',
        ...(tolerationSeconds !== undefined && { tolerationSeconds }),
      },
    ],
  });
const OBJECTS = [
  node('a'),
  pod('default/none', 'a'),
  tolerating('five', 300),
  tolerating('ten', 600),
  tolerating('ever'),
];
const MAINTENANCE = { nodes: ['a'], taints: ['maintenance=true:NoExecute'] };
const EVICTIONS = 'types=scheduleChanged,evictionDue';

describe('the eviction schedule of a followed cluster', () => {
  it('is announced when it changes, and each pod once when it is due', async () => {
    await here.take('prod', OBJECTS);
    const reader = await here.sse('prod', `?${EVICTIONS}`);
    const begun = reader.lastEventId;
    const socket = await there.subscription({ cluster: 'prod', types: ['scheduleChanged', 'evictionDue'], after: '1' });
    await here.change('prod', MAINTENANCE);
    const [changed, due] = (await reader.events(2)) as [ReadEvent, ReadEvent];
    expect(changed['scheduleChanged']).toEqual({
      before: { revision: 1, counts: { now: 0, at: 0, never: 0 }, next: null },
      after: {
        revision: 2,
        counts: { now: 1, at: 2, never: 1 },
        next: { at: '2026-05-04T12:05:00Z', pods: 1 },
      },
    });
    expect(due['evictionDue']).toEqual({
      revision: 2,
      at: '2026-05-04T12:00:00Z',
      pods: [{ namespace: 'default', name: 'none', node: 'a', at: '2026-05-04T12:00:00Z' }],
      podCount: 1,
    });
    expect(withoutIds(await socket.events(2))).toEqual(withoutIds([changed, due]));

    clock.at += 300_000;
    const five = await reader.event();
    expect(five['evictionDue']).toMatchObject({ podCount: 1, pods: [{ name: 'five', at: '2026-05-04T12:05:00Z' }] });
    expect(withoutIds(await socket.events(1))).toEqual(withoutIds([five]));
    reader.cut();

    // A follower that reconnects gets what happened in the meantime, once, at any replica.
    clock.at += 200_000;
    const again = await there.sse('prod', `?${EVICTIONS}`, { 'Last-Event-ID': five.id });
    clock.at += 100_000;
    const ten = await again.event();
    expect(ten['evictionDue']).toMatchObject({ podCount: 1, pods: [{ name: 'ten' }] });
    const later = await here.sse('prod', `?${EVICTIONS}&follow=false`, { 'Last-Event-ID': five.id });
    expect((await later.event())['evictionDue']).toEqual(ten['evictionDue']);
    await later.closed;
    const late = await here.sse('prod', `?${EVICTIONS}&follow=false`, { 'Last-Event-ID': begun });
    const all = await late.events(2);
    expect(all.map(({ scheduleChanged, evictionDue }) => [scheduleChanged, evictionDue])).toMatchObject([
      [{ before: { revision: 1 }, after: { revision: 2, counts: { now: 3, at: 0, never: 1 }, next: null } }, undefined],
      [undefined, { podCount: 3, pods: [{ name: 'none' }, { name: 'five' }, { name: 'ten' }] }],
    ]);
    await late.closed;
    expect(late.unread).toEqual([]);
  });

  it('is announced as one change if several heads arrived in the meantime', async () => {
    await here.take('away', OBJECTS);
    const id = await here.change('away', MAINTENANCE);
    await one.request('POST', `/api/v1/clusters/away/taint-changes/${id}/revert`, { reason: 'not today' });
    await here.change('away', { nodes: ['a'], taints: ['other:NoSchedule'] });
    const unchanged = await here.sse('away', `?${EVICTIONS}&follow=false&after=1`);
    await unchanged.closed;
    expect(unchanged.unread).toEqual([]);
    const changed = await here.sse('away', `?${EVICTIONS}&follow=false&after=2`);
    expect((await changed.event())['scheduleChanged']).toMatchObject({
      before: { revision: 2, counts: { now: 1, at: 2, never: 1 } },
      after: { revision: 4, counts: { now: 0, at: 0, never: 0 } },
    });
  });

  it('is followed from the moment in which the stream begins, whenever it is computed', async () => {
    await here.take('begun', OBJECTS);
    const reader = await here.sse('begun');
    expect(reader.lastEventId).toMatch(new RegExp(`^\\d+-1\\.0~1~1\\.${clock.at}$`));
    const others = await here.sse('begun', '?types=headChanged');
    expect(others.lastEventId).toMatch(/^\d+-1\.0$/);
  });

  it('is announced after its revision', async () => {
    await here.take('order', OBJECTS);
    const reader = await here.sse('order');
    await here.change('order', MAINTENANCE);
    expect((await reader.events(4)).map(({ type }) => type)).toEqual([
      'headChanged',
      'taintChangeRecorded',
      'scheduleChanged',
      'evictionDue',
    ]);
  });
});
