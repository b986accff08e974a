import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { EncodedRow, ObjectRow, SnapshotRow } from '../core/cluster/object-row.js';
import { ByteArena, useAgain } from './byte-arena.js';
import {
  bufferOf,
  buffersOf,
  packSnapshotRows,
  type PackedSnapshotRows,
  unpackSnapshotRows,
} from './worker-protocol.js';

const identity = (name: string, more: Partial<ObjectRow> = {}) => ({
  kind: 'Pod',
  namespace: 'a',
  name,
  uid: `uid of ${name}`,
  resourceVersion: '7',
  hash: randomBytes(16),
  ...more,
});
const encoded = (
  name: string,
  content: string,
  arena = new ByteArena(),
  more: Partial<ObjectRow> = {},
): EncodedRow => ({
  ...identity(name, more),
  utf8: arena.copyOf(Buffer.from(content)),
});

/** A batch as it arrives in the other thread; rows with plain bytes, to compare them. */
function sent(rows: readonly SnapshotRow[]): unknown[] {
  const packed = packSnapshotRows(rows);
  return plain(unpackSnapshotRows(structuredClone(packed, { transfer: [...buffersOf(packed)] })));
}

const plain = (rows: readonly SnapshotRow[]): unknown[] =>
  rows.map((row) => ({
    ...row,
    ...('hash' in row && { hash: Buffer.from(row.hash).toString('hex') }),
    ...('utf8' in row && { utf8: Buffer.from(row.utf8).toString() }),
  }));

describe('a batch of rows on its way between threads', () => {
  it('arrives as it was sent', () => {
    const rows: SnapshotRow[] = [
      encoded('first', '{"a":"ä"}'),
      { unchanged: 4, resourceVersion: null },
      { ...identity('no uid', { uid: null, resourceVersion: null, kind: 'Node', namespace: '' }), content: '{}' },
      { ...identity('', { uid: '' }), content: '', withheld: '{"data":{}}' },
      { unchanged: 0, resourceVersion: '12' },
      encoded('odd \ud83d', '{"b":1}', undefined, { uid: '\ude00\n\0', namespace: 'b' }),
      encoded('last', '{"c":2}'),
    ];
    expect(sent(rows)).toEqual(plain(rows));
    expect(sent([])).toEqual([]);
    expect(sent([rows[4]!])).toEqual([rows[4]]);
  });

  it('takes the contents with their buffer, and copies those that share it with few or are in several', () => {
    const arena = new ByteArena();
    const text = (name: string): string => name.repeat(3000);
    const batch = (...names: string[]) => names.map((name) => encoded(name, text(name), arena));
    const few = batch('a');
    const fewBuffer = few[0]!.utf8.buffer;
    const many = batch('b', 'c', 'd', 'e', 'f', 'g');
    const wanted = [plain(few), plain(many)];
    expect([sent(few), fewBuffer.byteLength > 0]).toEqual([wanted[0], true]);
    expect(many.every(({ utf8 }) => utf8.buffer === fewBuffer)).toBe(true);
    expect([sent(many), fewBuffer.byteLength]).toEqual([wanted[1], 0]);
    // The arena goes on in another buffer; contents of two are joined.
    const spread = batch(...Array.from({ length: 50 }, (_, at) => `s${at % 10}`));
    expect(new Set(spread.map(({ utf8 }) => utf8.buffer)).size).toBeGreaterThan(1);
    const whole = plain(spread);
    expect(sent(spread)).toEqual(whole);
    expect(plain(spread)).toEqual(whole);
    const huge = encoded('h', text('h').repeat(1000), arena);
    expect(sent([huge])).toEqual(plain([{ ...huge, utf8: Buffer.from(text('h').repeat(1000)) }]));
  });

  it('comes back, and its buffer takes the contents of later batches', () => {
    const arena = new ByteArena();
    const text = (at: number): string => `{"at":${at}}`.padEnd(10_000);
    const batch = (from: number, length: number) =>
      Array.from({ length }, (_, index) => encoded(`p${index}`, text(from + index), arena));
    const passed = (rows: readonly EncodedRow[]): PackedSnapshotRows => {
      const packed = packSnapshotRows(rows);
      return structuredClone(packed, { transfer: [...buffersOf(packed)] });
    };
    // Buffers grow until they have the size that is used again.
    for (let number = 0; number < 10; number++) passed(batch(0, 100));
    const first = bufferOf(passed(batch(1000, 100)));
    useAgain(structuredClone(first, { transfer: [first] }));
    const second = batch(2000, 80);
    const whole = plain(second);
    expect(Buffer.from(second[0]!.utf8.buffer).includes('{"at":1099}')).toBe(true);
    expect(plain(unpackSnapshotRows(passed(second)))).toEqual(whole);
    // Without another one that came back, the next batch has a buffer of its own.
    expect(Buffer.from(batch(3000, 80)[0]!.utf8.buffer).includes('{"at":1099}')).toBe(false);
  });
});
