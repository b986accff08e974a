import { describe, expect, it } from '@jest/globals';
import type { ObjectRow } from '../core/cluster/object-row.js';
import { inChunks, read } from '../../test/support/snapshot-reading.js';
import type { IngestReport } from './ingest-report.js';
import { readNextSnapshot, type ReadSnapshotOptions } from './read-snapshot.js';

const pod = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', resourceVersion: '1', managedFields: [{ manager: 'kubelet' }], ...more },
  spec: { nodeName: 'n', containers: [] },
});
const node = (name: string, heartbeat = '2026-06-01T00:00:00Z') => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: {
    conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: heartbeat }],
    nodeInfo: { kubeletVersion: 'v1.36.2' },
  },
});
const lines = (...objects: object[]): string => objects.map((object) => JSON.stringify(object)).join('\n');
const list = (kind: string, ...items: object[]): string =>
  JSON.stringify({ apiVersion: 'v1', kind, items, metadata: {} }, null, 2);
const untyped = (name: string) => ({ metadata: { name, namespace: 'default' } });

interface NextRead {
  /** The rows, with those of the base in place of unchanged ones. */
  readonly rows: readonly ObjectRow[];
  readonly report: IngestReport;
  /** The names of the objects that came without content. */
  readonly unchanged: readonly string[];
}

/** Reads bodies one after another, each compared with the state that the rows of a body make. */
function series() {
  const name = `series ${Math.random()}`;
  return async (
    body: string,
    stored: readonly ObjectRow[],
    options: Partial<ReadSnapshotOptions> & { readonly chunk?: number } = {},
  ): Promise<NextRead> => {
    const { chunk = 65_536, ...rest } = options;
    const base = { hashes: Buffer.concat(stored.map(({ hash }) => hash)), series: name };
    const reading = readNextSnapshot(inChunks(body, chunk), { invalid: 'refuse', ...rest }, base);
    const rows: ObjectRow[] = [];
    const unchanged: string[] = [];
    for await (const batch of reading.rows) {
      for (const row of batch) {
        if ('content' in row) rows.push(row);
        else if ('utf8' in row) {
          const { utf8, ...rest } = row;
          rows.push({ ...rest, content: Buffer.from(utf8).toString() });
        } else {
          rows.push({ ...stored[row.unchanged]!, resourceVersion: row.resourceVersion });
          unchanged.push(stored[row.unchanged]!.name);
        }
      }
    }
    return { rows, report: await reading.report, unchanged };
  };
}

describe('reading the next snapshot of a series', () => {
  const first = lines(node('n'), pod('a'), pod('b'), pod('c'), pod('d'), pod('e'));
  const bodies: readonly (readonly [what: string, body: string])[] = [
    ['the same', first],
    ['one object changed', lines(node('n'), pod('a'), pod('b', { labels: { x: 'y' } }), pod('c'), pod('d'), pod('e'))],
    ['another resourceVersion', lines(node('n'), pod('a'), pod('b', { resourceVersion: '2' }), pod('c'))],
    ['objects removed', lines(node('n'), pod('c'), pod('e'))],
    [
      'objects added',
      lines(pod('0'), node('n'), pod('a'), pod('aa'), pod('b'), pod('c'), pod('d'), pod('e'), pod('f')),
    ],
    ['another order', lines(pod('e'), pod('d'), pod('c'), pod('b'), pod('a'), node('n'))],
    ['an object twice', lines(node('n'), pod('a'), pod('a', { labels: { x: 'y' } }), pod('a'), pod('a'), pod('b'))],
    ['another format', list('List', node('n'), pod('a'), pod('b'), pod('c'), pod('d'), pod('e'))],
    ['pods without their node', lines(pod('a'), pod('b'))],
    ['an ignored object between', lines(node('n'), { apiVersion: 'v1', kind: 'Event', metadata: {} }, pod('a'))],
  ];

  it.each(bodies)('reads %s as it does without a memory', async (_, body) => {
    for (const chunk of [65_536, 97]) {
      const next = series();
      const { rows: stored } = await next(first, [], { chunk });
      await next(first, stored, { chunk });
      const plain = await read(body);
      for (const base of [stored, [...stored].reverse(), stored.slice(2), []]) {
        const again = await next(body, base, { chunk });
        expect({ rows: again.rows, report: again.report }).toEqual({ rows: plain.rows, report: plain.report });
      }
    }
  });

  it('reads a long series of random changes as it does without a memory', async () => {
    let state = 7;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const padded = (name: string) =>
      pod(name, { labels: { version: 'a' }, annotations: { padding: 'x'.repeat(2_000) } });
    /** One that is not stored, of the same length as one that is. */
    const event = (length: number): string => {
      const text = JSON.stringify({ apiVersion: 'v1', kind: 'Event', metadata: {}, note: '' });
      return text.replace('""', JSON.stringify('x'.repeat(length - text.length)));
    };
    const items = Array.from({ length: 150 }, (_, index) => JSON.stringify(padded(`pod-${index}`)));
    const edits: readonly ((at: number) => void)[] = [
      // Of the same length, in what is kept and in what is not.
      (at) => (items[at] = items[at]!.replace(/"version":"(.)"/, (_, was) => `"version":"${was === 'a' ? 'b' : 'a'}"`)),
      (at) => (items[at] = items[at]!.replace(/"manager":"(.)/, (_, was) => `"manager":"${was === 'k' ? 'l' : 'k'}`)),
      (at) => (items[at] = items[at]!.replace('"version":"', '"version":"c')),
      (at) => items.splice(at, 1),
      (at) => items.splice(at, 0, JSON.stringify(padded(`new-${random(1_000_000)}`))),
      (at) => items.splice(at, 0, items[random(items.length)]!),
      (at) => items.splice(at, 0, event(items[at]!.length)),
      (at) => (items[at] = ` ${items[at]!}`),
      (at) => ([items[at], items[0]] = [items[0]!, items[at]!]),
    ];
    const next = series();
    let stored: readonly ObjectRow[] = (await next(items.join('\n'), [])).rows;
    let known = 0;
    for (let round = 0; round < 40; round++) {
      if (round % 4 > 0) edits[random(edits.length)]!(random(items.length));
      const body = items.join('\n');
      const plain = await read(body);
      // As in a dump that is sent again, chunks mostly end in the same places.
      const again = await next(body, stored, { chunk: round % 8 === 7 ? 50_000 : 65_536 });
      expect({ rows: again.rows, report: again.report }).toEqual({ rows: plain.rows, report: plain.report });
      stored = again.rows;
      known += again.unchanged.length / again.rows.length;
    }
    expect(known / 40).toBeGreaterThan(0.98);
  });

  it.each([10_000, 65_536])(
    'does not take an item for an earlier one of its name, in chunks of %d bytes',
    async (chunk) => {
      const next = series();
      const sized = (name: string, version: string): string => {
        const text = lines(pod(name, { labels: { version }, annotations: { padding: '' } }));
        return text.replace('""', JSON.stringify('x'.repeat(999 - text.length)));
      };
      const body = (version: string): string =>
        Array.from({ length: 10 }, (_, index) => `${sized(`pod-${index}`, version)}\n`).join('');
      const { rows: stored } = await next(body('a'), [], { chunk });
      await next(body('a'), stored, { chunk });
      const again = body('a') + body('b');
      const plain = await read(again);
      const { rows, report } = await next(again, stored, { chunk });
      expect({ rows, report }).toEqual({ rows: plain.rows, report: plain.report });
    },
  );

  it('repeats only what the base has not, whether or not it was read before', async () => {
    const next = series();
    const { rows: stored, unchanged } = await next(first, []);
    expect(unchanged).toEqual([]);
    const fresh = series();
    for (const again of [next, next, fresh, fresh]) {
      expect((await again(first, stored)).unchanged).toEqual(['n', 'a', 'b', 'c', 'd', 'e']);
      expect((await again(first, stored.slice(0, 3))).unchanged).toEqual(['n', 'a', 'b']);
    }
  });

  it('takes a node whose heartbeat alone has changed as unchanged', async () => {
    const next = series();
    const { rows: stored } = await next(lines(node('n')), []);
    expect((await next(lines(node('n', '2026-06-02T00:00:00Z')), stored)).unchanged).toEqual(['n']);
  });

  it('does not take an item for that of a list of another kind with the same bytes', async () => {
    const next = series();
    const pods = list('PodList', untyped('a'));
    const { rows: stored } = await next(pods, []);
    expect((await next(pods, stored)).unchanged).toEqual(['a']);
    const claims = list('PersistentVolumeClaimList', untyped('a'));
    const again = await next(claims, stored);
    expect(again.unchanged).toEqual([]);
    expect(again.rows).toEqual((await read(claims)).rows);
  });

  it('refuses under stricter limits what it has read before', async () => {
    const next = series();
    const { rows: stored } = await next(first, []);
    await next(first, stored);
    await expect(next(first, stored, { limits: { maxItemBytes: 100 } })).rejects.toThrow('larger than 100 bytes');
  });

  it('refuses what comes after items that it knows', async () => {
    const next = series();
    const { rows: stored } = await next(first, []);
    await next(first, stored);
    await expect(next(`${first}\n{"a":1`, stored)).rejects.toThrow('the body ends in the middle');
    expect((await next(first, stored)).unchanged).toHaveLength(6);
  });

  it('names the place of an error behind items that it knows', async () => {
    const next = series();
    const body = list('List', node('n'), pod('a'));
    const broken = `${body}\n]`;
    const { rows: stored } = await next(body, []);
    await next(body, stored);
    const plain = await read(broken).catch((error: unknown) => error);
    await expect(next(broken, stored)).rejects.toEqual(plain);
  });
});
