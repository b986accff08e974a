import { describe, expect, it } from '@jest/globals';
import type { HistoryPage, HistoryPlace, HistoryRecord, HistoryRevision } from '../../storage/cluster-history.js';
import { type HistoryEvent, HistoryFold } from './fold-history.js';

const AT = '2026-05-04T12:00:00.000Z';

const revision = (number: number): HistoryRevision => ({
  revision: number,
  kind: 'snapshot',
  capturedAt: AT,
  receivedAt: AT,
  unconfirmedNodes: 0,
  counts: { Node: { added: 1, changed: 0, removed: 0, unchanged: 2 } },
});

/** A record of a node's change, by default from a snapshot. */
function record(sequence: number, rest: Partial<HistoryRecord> & { readonly body?: object } = {}): HistoryRecord {
  const { body = {}, kind = 'change', ...columns } = rest;
  const difference = { added: [{ key: 'k', value: 'v', effect: 'NoSchedule' }], removed: [], changed: [] };
  return {
    sequence,
    revision: null,
    kind,
    channel: 'snapshot',
    change: null,
    node: `n${sequence}`,
    author: null,
    happenedFrom: null,
    happenedAt: AT,
    content: JSON.stringify({ kind, difference: kind === 'change' ? difference : undefined, ...body }),
    ...columns,
  };
}

const request = (sequence: number, change: string, came: number | null): HistoryRecord =>
  record(sequence, {
    kind: 'request',
    channel: 'api',
    change,
    revision: came,
    node: null,
    author: 'alice',
    body: { action: 'revert', reason: 'why not' },
  });

const made = (sequence: number, change: string, came: number): HistoryRecord =>
  record(sequence, { channel: 'api', change, revision: came });

/** Reads a history in pages of the given size, as the stores return it. */
function folded(
  revisions: readonly HistoryRevision[],
  records: readonly HistoryRecord[],
  limits = { revisions: 100, records: 100 },
  after: HistoryPlace = { revision: 0, sequence: 0 },
): readonly HistoryEvent[] {
  const fold = new HistoryFold(after);
  const events: HistoryEvent[] = [];
  for (;;) {
    const place = fold.place;
    const r = revisions.filter((one) => one.revision > place.revision);
    const t = records.filter((one) => one.sequence > place.sequence);
    const page: HistoryPage = {
      revisions: r.slice(0, limits.revisions),
      records: t.slice(0, limits.records),
      moreRevisions: r.length > limits.revisions,
      moreRecords: t.length > limits.records,
    };
    events.push(...fold.feed(page));
    if (!page.moreRevisions && !page.moreRecords) return events;
  }
}

const briefly = (events: readonly HistoryEvent[]): readonly string[] =>
  events.map(({ news, reached }) => {
    const at = `${reached.revision}.${reached.sequence}`;
    if (news.type === 'headChanged') return `head ${news.headChanged.revision} at ${at}`;
    if (news.type !== 'taintChangeRecorded') throw new Error(news.type);
    const { firstSequence, lastSequence, nodeCount } = news.taintChangeRecorded;
    return `records ${firstSequence}-${lastSequence} of ${nodeCount} at ${at}`;
  });

describe('a history that is read page by page', () => {
  const revisions = [1, 2, 3, 4].map(revision);
  const records = [
    record(1, { revision: 1, kind: 'found', content: null }),
    request(2, 'c', 2),
    made(3, 'c', 2),
    made(4, 'c', 2),
    record(5),
    record(6),
    record(7, { revision: 4 }),
    record(8, { revision: 4 }),
    record(9, { revision: 4, body: { difference: { added: [], removed: [], changed: [], cordon: 'cordoned' } } }),
    record(10, { revision: 4, kind: 'intent', content: null }),
    record(11, { kind: 'withdrawn', body: { withdraws: 5, supersedes: [5] } }),
  ];
  const expected = [
    'head 1 at 1.0',
    'head 2 at 2.1',
    'records 2-4 of 2 at 2.4',
    'records 5-5 of 1 at 2.5',
    'records 6-6 of 1 at 2.6',
    'head 3 at 3.6',
    'head 4 at 4.6',
    'records 7-8 of 2 at 4.8',
    'records 9-9 of 1 at 4.9',
    'records 11-11 of 1 at 4.11',
  ];

  it('yields records after their revisions, and related records as one event', () => {
    expect(briefly(folded(revisions, records))).toEqual(expected);
  });

  it('yields the same events for any page size', () => {
    for (let r = 1; r <= 5; r++) {
      for (let t = 1; t <= 12; t++) {
        expect([r, t, briefly(folded(revisions, records, { revisions: r, records: t }))]).toEqual([r, t, expected]);
      }
    }
  });

  it('yields the remaining events from any position', () => {
    for (const [index, { reached }] of folded(revisions, records).entries()) {
      expect(briefly(folded(revisions, records, undefined, reached))).toEqual(expected.slice(index + 1));
    }
  });

  it('names the author, the reason and the outcome of a change', () => {
    const [, event] = folded([revision(1)], [request(1, 'c', 1), made(2, 'c', 1), made(3, 'c', 1)]);
    expect(event?.news).toMatchObject({
      taintChangeRecorded: {
        action: 'revert',
        change: 'c',
        by: 'alice',
        reason: 'why not',
        nodes: ['n2', 'n3'],
        differences: [{ summary: 'added k=v:NoSchedule', nodes: 2 }],
        moreDifferences: 0,
      },
    });
    expect(event?.values.get('k')).toEqual(new Set(['v']));
  });

  it('lists some of many nodes and differences, and counts the rest', () => {
    const many = Array.from({ length: 50 }, (_, index) =>
      record(index + 2, {
        channel: 'api',
        change: 'c',
        revision: 1,
        body: { difference: { added: [{ key: `k${index}`, effect: 'NoSchedule' }], removed: [], changed: [] } },
      }),
    );
    const [, event] = folded([revision(1)], [request(1, 'c', 1), ...many], { revisions: 9, records: 7 });
    if (event?.news.type !== 'taintChangeRecorded') throw new Error('no change');
    const { nodes, nodeCount, differences, moreDifferences } = event.news.taintChangeRecorded;
    expect([nodes.length, nodeCount, differences.length, moreDifferences]).toEqual([10, 50, 10, 40]);
  });

  it('does not yield a change before all its records have been read', () => {
    const fold = new HistoryFold({ revision: 0, sequence: 0 });
    const page = { revisions: [revision(1)], moreRevisions: false };
    fold.feed({ ...page, records: [request(1, 'c', 1), made(2, 'c', 1)], moreRecords: true });
    expect([fold.place, fold.yielded]).toEqual([
      { revision: 1, sequence: 2 },
      { revision: 1, sequence: 0 },
    ]);
    fold.feed({ ...page, revisions: [], records: [made(3, 'c', 1)], moreRecords: false });
    expect(fold.yielded).toEqual({ revision: 1, sequence: 3 });
  });

  it('distinguishes equal changes by different authors', () => {
    const records = ['alice', 'bob'].map((author, index) => record(index + 1, { revision: 1, author }));
    expect(briefly(folded([revision(1)], records))).toEqual([
      'head 1 at 1.0',
      'records 1-1 of 1 at 1.1',
      'records 2-2 of 1 at 1.2',
    ]);
  });

  it('skips an expiry that changed nothing, and invalid records', () => {
    expect(briefly(folded([revision(1)], [request(1, 'c', null), record(2, { content: '{' })]))).toEqual([
      'head 1 at 1.2',
    ]);
  });
});
