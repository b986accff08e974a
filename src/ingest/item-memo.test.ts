import { describe, expect, it } from '@jest/globals';
import type { SnapshotRow } from '../core/cluster/object-row.js';
import { inChunks } from '../../test/support/snapshot-reading.js';
import { ingestNext } from './ingest-stream.js';
import { type ItemMemo, ItemMemos } from './item-memo.js';
import { KnownHashes } from './known-hashes.js';

const body = (...names: string[]): string =>
  names
    .map((name) => JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'x' }, spec: {} }))
    .join('\n');

/** The hashes of a state with one object, which no stream here has. */
const NOTHING_SAME = new Uint8Array(16);

/** Reads a stream of a series to its end, and returns how many of its items were found in the memo. */
async function foundIn(memos: ItemMemos, series: string, text: string): Promise<number> {
  const rows = await rowsOf(memos, series, text, NOTHING_SAME);
  const hashes = Buffer.concat(rows.map((row) => ('hash' in row ? row.hash : NOTHING_SAME)));
  const memo = memos.open(JSON.stringify([series, undefined]));
  const { length } = memo.former;
  expect((await rowsOf(memos, series, text, hashes)).every((row) => 'unchanged' in row)).toBe(true);
  memos.drop(memo);
  return length;
}

async function rowsOf(memos: ItemMemos, series: string, text: string, hashes: Uint8Array): Promise<SnapshotRow[]> {
  const rows: SnapshotRow[] = [];
  for await (const batch of ingestNext(inChunks(text, 1000), { invalid: 'refuse' }, 1, { hashes, series }, memos)) {
    rows.push(...batch);
  }
  return rows;
}

describe('the memory of items', () => {
  it('has the items of each series, up to a number', async () => {
    const memos = new ItemMemos(5);
    expect(await foundIn(memos, 'a', body('1', '2', '3'))).toBe(3);
    expect(await foundIn(memos, 'b', body('1', '2'))).toBe(2);
    expect(memos.open('["a",null]').former).toHaveLength(3);
    expect(memos.open('["b",null]').former).toHaveLength(2);
  });

  it('forgets the series that was read longest ago for another one, and remembers no more than there is room for', async () => {
    const memos = new ItemMemos(5);
    await foundIn(memos, 'a', body('1', '2', '3'));
    await foundIn(memos, 'b', body('1', '2'));
    expect(await foundIn(memos, 'c', body('1', '2'))).toBe(2);
    expect(memos.open('["a",null]').former).toHaveLength(0);
    expect(memos.open('["b",null]').former).toHaveLength(2);
    expect(await foundIn(memos, 'd', body('1', '2', '3', '4', '5', '6', '7'))).toBe(5);
    expect(memos.open('["b",null]').former).toHaveLength(0);
  });

  it('does not remember the first snapshot of a cluster', async () => {
    const memos = new ItemMemos(5);
    await rowsOf(memos, 'a', body('1', '2', '3'), new Uint8Array());
    expect(memos.open('["a",null]').former).toHaveLength(0);
  });

  it('has room again for what replaced items and broken streams had', async () => {
    const memos = new ItemMemos(5);
    for (let round = 0; round < 5; round++) {
      await expect(rowsOf(memos, 'a', `${body('1', '2', '3', '4')}\n{`, NOTHING_SAME)).rejects.toThrow('ends in');
      for await (const batch of ingestNext(
        inChunks(body('1', '2'), 10),
        { invalid: 'refuse' },
        1,
        { hashes: NOTHING_SAME, series: 'a' },
        memos,
      )) {
        if (batch.length > 0) break;
      }
      expect(await foundIn(memos, 'a', body(`${round}`, 'x', 'y'))).toBe(3);
    }
    expect(await foundIn(memos, 'b', body('1', '2'))).toBe(2);
    expect(memos.open('["a",null]').former).toHaveLength(3);
  });

  it('takes no item for its neighbour after one was read for which there was no room', () => {
    const memos = new ItemMemos(4);
    const names = ['1', '2', '3', '4'];
    const text = Buffer.from(body(...names));
    const size = text.indexOf('\n');
    const hashOf = (name: string): Buffer => Buffer.alloc(16, name);
    const stateOf = (...of: string[]): KnownHashes => new KnownHashes(Buffer.concat(of.map(hashOf)));
    const add = (memo: ItemMemo, name: string): void => {
      const at = names.indexOf(name) * (size + 1);
      const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'x' } };
      const remembered = { object, hash: hashOf(name), resourceVersion: null, droppedFields: 0 };
      memo.add(text, at, at + size, { ...remembered, lineFeeds: 0, listType: '' });
    };
    /** Reads the text as a projector does. @returns the names of the items that were found in the memo */
    const read = (memo: ItemMemo, known: KnownHashes): readonly (string | undefined)[] =>
      names.map((name, index) => {
        const found = memo.find(text, index * (size + 1), text.length, '', known);
        if (typeof found === 'object') return found.object.metadata.name;
        add(memo, name);
        return undefined;
      });
    const first = memos.open('a');
    read(first, stateOf());
    memos.keep('a', first);
    const second = memos.open('a');
    const other = memos.open('b');
    for (const name of names) add(other, name);
    expect(read(second, stateOf('1', '3', '4'))).toEqual(['1', undefined, '3', '4']);
    memos.keep('a', second);
    memos.drop(other);

    expect(read(memos.open('a'), stateOf(...names))).toEqual(['1', undefined, '3', '4']);
  });
});
