import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { node } from '../support/dumps.js';
import { withoutIds, type ReadEvent } from '../support/event-reader.js';
import { Followers, tainted, until } from '../support/followers.js';
import { startTestService, type TestService } from '../support/service.js';
import { TestTrail } from '../support/trails.js';

const CLUSTERS = '/api/v1/clusters';
const TAINT = 'dedicated=ml:NoSchedule';

let one: TestService;
let other: TestService;
let here: Followers;
let there: Followers;
beforeAll(async () => {
  one = await startTestService({ LIVE_HEARTBEAT: '1' });
  other = await startTestService({ DATABASE_URL: one.databaseUrl });
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

const sse = (cluster: string, query = '', headers: Record<string, string> = {}, by = here) =>
  by.sse(cluster, query, headers);
const subscription = (variables: object, by = here) => by.subscription(variables);
const take = (cluster: string, objects: readonly object[], by = here) => by.take(cluster, objects);
const change = (cluster: string, body: object, by = here) => by.change(cluster, body);

describe('a followed cluster', () => {
  it('announces new revisions and recorded changes as they happen', async () => {
    await take('news', [node('a'), node('b')]);
    const reader = await sse('news');
    const id = await change('news', { nodes: ['a', 'b'], taints: [TAINT] });
    const [head, recorded] = (await reader.events(2)) as [ReadEvent, ReadEvent];
    expect(head).toMatchObject({
      type: 'headChanged',
      headChanged: { revision: 2, kind: 'taintChange', unconfirmedNodes: 2 },
    });
    expect(recorded).toMatchObject({
      type: 'taintChangeRecorded',
      taintChangeRecorded: {
        action: 'change',
        change: id,
        channel: 'api',
        revision: 2,
        by: 'anonymous',
        reason: 'a test',
        nodes: ['a', 'b'],
        nodeCount: 2,
        differences: [{ summary: `added ${TAINT}`, nodes: 2 }],
        moreDifferences: 0,
      },
    });
    expect(reader.unread).toEqual([]);
  });

  it('announces the same over both transports', async () => {
    await take('both', [node('a')]);
    const reader = await sse('both', '?after=0');
    const socket = await subscription({ cluster: 'both', after: '0' });
    expect((await reader.events(1))[0]).toMatchObject({ headChanged: { revision: 1, kind: 'snapshot' } });
    await socket.events(1);
    const id = await change('both', { nodes: ['a'], taints: [TAINT] });
    await take('both', [tainted('a', 'ml'), node('b')], there);
    const undone = await one.request('POST', `${CLUSTERS}/both/taint-changes/${id}/revert`, { reason: 'no more' });
    expect(undone.status).toBe(201);
    const events = await reader.events(5);
    expect(events.map(({ type }) => type)).toEqual([
      'headChanged',
      'taintChangeRecorded',
      'headChanged',
      'headChanged',
      'taintChangeRecorded',
    ]);
    expect(events.at(-1)).toMatchObject({
      taintChangeRecorded: { action: 'revert', reason: 'no more', differences: [{ summary: `removed ${TAINT}` }] },
    });
    expect(withoutIds(await socket.events(5))).toEqual(withoutIds(events));
  });

  it('announces a change that a snapshot shows on several nodes as one event', async () => {
    await take(
      'observed',
      ['a', 'b', 'c'].map((name) => node(name)),
    );
    const reader = await sse('observed', '?types=taintChangeRecorded');
    await take('observed', [tainted('a', 'ml'), tainted('b', 'ml'), tainted('c', 'web')]);
    const events = await reader.events(2);
    expect(events.map(({ taintChangeRecorded }) => taintChangeRecorded)).toMatchObject([
      {
        action: 'observed',
        channel: 'snapshot',
        revision: 2,
        change: null,
        nodes: ['a', 'b'],
        nodeCount: 2,
        differences: [{ summary: 'added dedicated=ml:NoSchedule', nodes: 2 }],
      },
      { nodes: ['c'], differences: [{ summary: 'added dedicated=web:NoSchedule', nodes: 1 }] },
    ]);
    expect(reader.unread).toEqual([]);
  });

  it('announces what audit events prove to the followers of every replica, although the head is the same', async () => {
    const trail = new TestTrail(one, 'audited');
    await trail.snapshot('2026-01-01T00:00:00Z', [node('a')]);
    const [reader, second] = [await sse('audited'), await sse('audited', '', {}, there)];
    await trail.snapshot('2026-01-01T01:00:00Z', [tainted('a', 'ml')]);
    const seen = await reader.events(2);
    expect(withoutIds(await second.events(2))).toEqual(withoutIds(seen));
    const taints = [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }];
    await trail.events({ id: 'e1', node: 'a', at: '2026-01-01T00:30:00Z', user: 'alice', taints });
    const [event] = await second.events(1);
    expect(event).toMatchObject({
      type: 'taintChangeRecorded',
      taintChangeRecorded: { channel: 'auditEvent', by: 'alice', revision: null, nodes: ['a'], supersedes: [1] },
    });
    expect(withoutIds(await reader.events(1))).toEqual(withoutIds([event!]));
  });

  it('announces a change of many nodes as one event, however its records are paged', async () => {
    const names = Array.from({ length: 1200 }, (_, index) => `n${index}`);
    await take(
      'large',
      names.map((name) => node(name)),
    );
    const reader = await sse('large', '?types=taintChangeRecorded');
    await change('large', { allNodes: true, taints: [TAINT] });
    const [live] = await reader.events(1);
    expect(live).toMatchObject({
      taintChangeRecorded: {
        firstSequence: 1,
        lastSequence: 1201,
        nodeCount: 1200,
        differences: [{ summary: `added ${TAINT}`, nodes: 1200 }],
      },
    });
    const again = await sse('large', '?after=1&types=taintChangeRecorded&follow=false');
    expect(withoutIds(await again.events(1))).toEqual(withoutIds([live!]));
    await again.closed;
    expect(again.unread).toEqual([]);
  });

  it('is streamed as text/event-stream without buffering, compression or a log line per event', async () => {
    await take('plain', [node('a')]);
    await change('plain', { nodes: ['a'], taints: [TAINT] });
    const reader = await sse('plain', '?after=0&follow=false', {
      'accept-encoding': 'gzip',
      'x-request-id': 'follow-1',
    });
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(reader.response.headers).not.toHaveProperty('content-encoding');
    expect(reader.response.headers).not.toHaveProperty('etag');
    await reader.events(3);
    await reader.closed;
    await until(() => one.logLines().includes('follow-1'));
    expect(one.logLines().split('follow-1')).toHaveLength(2);
    const head = await one.request('HEAD', `${CLUSTERS}/plain/events`);
    expect([head.status, head.text]).toEqual([200, '']);
  });
});

describe('a follower that is disconnected', () => {
  it('resumes at any replica without losing or repeating events', async () => {
    const names = ['a', 'b', 'c', 'd'];
    await take(
      'cut',
      names.map((name) => node(name)),
    );
    const made: string[] = [];
    const writing = (async () => {
      for (let round = 0; round < 60; round++) {
        const taints = [round % 8 < 4 ? 'x=1:NoSchedule' : 'x:NoSchedule-'];
        made.push(await change('cut', { nodes: [names[round % 4]], taints }, round % 3 === 0 ? there : here));
      }
    })();
    const events: ReadEvent[] = [];
    let lastEventId = '';
    for (let turn = 0; events.length < 121; turn++) {
      // Each turn takes a few more events, and sometimes none.
      const query = lastEventId === '' ? '?after=0' : '';
      const headers: Record<string, string> = lastEventId === '' ? {} : { 'Last-Event-ID': lastEventId };
      const reader = await sse('cut', query, headers, turn % 2 === 0 ? here : there);
      for (const event of await reader.events(Math.min(turn % 7, 121 - events.length))) {
        events.push(event);
        lastEventId = event.id;
      }
      reader.cut();
    }
    await writing;
    const of = (type: string) => events.filter((event) => event.type === type);
    expect(of('headChanged').map(({ headChanged }) => (headChanged as { revision: number }).revision)).toEqual(
      Array.from({ length: 61 }, (_, index) => index + 1),
    );
    const changes = of('taintChangeRecorded').map((event) => event['taintChangeRecorded'] as { change: string });
    expect(changes.map((told) => told.change)).toEqual(made);
    // Each change after its revision.
    expect(events.slice(1).map(({ type }) => type)).toEqual(made.flatMap(() => ['headChanged', 'taintChangeRecorded']));
  });

  it('has an id before its first event, and after events of other types', async () => {
    await take('quiet', [node('a')]);
    const reader = await sse('quiet', '?types=taintChangeRecorded');
    const begun = reader.lastEventId;
    reader.cut();
    await take('quiet', [tainted('a', 'ml')]);
    const again = await sse('quiet', '?types=taintChangeRecorded', { 'Last-Event-ID': begun });
    await again.events(1);
    await take('quiet', [tainted('a', 'ml'), node('b')]);
    await until(() => again.lastEventId.includes('-3.'));
    expect(again.unread).toEqual([]);
  });

  it('resumes over GraphQL from an id from REST', async () => {
    await take('across', [node('a')]);
    const reader = await sse('across');
    await change('across', { nodes: ['a'], taints: [TAINT] });
    const [head] = await reader.events(1);
    const socket = await subscription({ cluster: 'across', after: head!.id }, there);
    expect(withoutIds(await socket.events(1))).toEqual(withoutIds(await reader.events(1)));
  });

  it('gets an error if it cannot resume', async () => {
    await take('pruned', [node('a')]);
    for (const name of ['b', 'c', 'd']) await take('pruned', [node('a'), node(name)]);
    const first = await sse('pruned', '?after=0');
    const [{ id }] = (await first.events(1)) as [ReadEvent];
    const path = `${CLUSTERS}/pruned/retention`;
    expect((await one.request('POST', path, { keepRevisions: 1 })).status).toBe(200);
    await expect(sse('pruned', '', { 'Last-Event-ID': id })).rejects.toThrow(/^410 .*"resume-gone"/);
    await expect(sse('pruned', '?after=2')).rejects.toThrow('the oldest revision to resume from is 3');
    expect((await (await sse('pruned', '?after=3')).event())['headChanged']).toMatchObject({ revision: 4 });
    // Of the trail nothing is ever lost.
    await sse('pruned', '?after=0&types=taintChangeRecorded');

    const socket = await subscription({ cluster: 'pruned', after: '1' });
    expect(await socket.answer()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'resume-gone', status: 410 } }],
    });
  });

  it('does not resume in a new cluster of the same name', async () => {
    await take('reborn', [node('a')]);
    const [reader, socket] = [await sse('reborn'), await subscription({ cluster: 'reborn', after: '0' })];
    await socket.events(1);
    await one.request('DELETE', `${CLUSTERS}/reborn`);
    expect(await reader.event()).toMatchObject({ type: 'end', code: 'cluster-not-found', status: 404 });
    await reader.closed;
    expect(await socket.answer()).toMatchObject({ payload: [{ extensions: { code: 'cluster-not-found' } }] });
    await expect(sse('reborn')).rejects.toThrow(/404 .*"cluster-not-found"/);
    await take('reborn', [node('a')]);
    await expect(sse('reborn', '', { 'Last-Event-ID': reader.lastEventId })).rejects.toThrow(/410 .*"resume-gone"/);
  });
});
