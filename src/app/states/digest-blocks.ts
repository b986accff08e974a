import { promisify } from 'node:util';
import { deflateRaw, inflateRaw, inflateRawSync } from 'node:zlib';
import { parseJson, stringifyJson } from '../../core/json/lossless-json.js';
import { TimeSlices } from './time-slices.js';

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);

/** The items of a block, and its bytes. */
export type Block = readonly [items: number, bytes: number];

/** Characters of JSON in the first block; each has so many times those of the one before. */
const FIRST_BLOCK = 8_192;
const GROWTH = 4;

/** A block of fewer bytes is unpacked faster than another thread is asked for it, in some tenths of a millisecond. */
const SHORT = 8_192;

export interface Packed {
  readonly blocks: readonly Block[];
  readonly content: Buffer;
}

/** Packs a list in compressed blocks of growing size, so that the beginning of the list, or a part of it, is read without the rest. */
export async function pack(items: readonly unknown[], slices = new TimeSlices()): Promise<Packed> {
  const blocks: Block[] = [];
  const parts: Buffer[] = [];
  let texts: string[] = [];
  let length = 0;
  let limit = FIRST_BLOCK;
  slices.begin();
  for (const [index, item] of items.entries()) {
    if (slices.due()) await slices.pause();
    const text = stringifyJson(item);
    texts.push(text);
    length += text.length;
    if (length < limit && index < items.length - 1) continue;
    const part = await deflated(`[${texts.join(',')}]`, { level: 1 });
    blocks.push([texts.length, part.length]);
    parts.push(part);
    texts = [];
    length = 0;
    limit *= GROWTH;
  }
  return { blocks, content: Buffer.concat(parts) };
}

/** The blocks that have the items of a range, by position. */
export interface BlockRange {
  /** Position of the first item in them. */
  readonly first: number;
  readonly offset: number;
  readonly bytes: number;
  readonly blocks: readonly Block[];
}

export function blocksOf(blocks: readonly Block[], from: number, to: number): BlockRange {
  let item = 0;
  let byte = 0;
  let first = 0;
  let offset = 0;
  let bytes = 0;
  const wanted: Block[] = [];
  for (const block of blocks) {
    const [items, length] = block;
    if (item < to && item + items > from) {
      if (wanted.length === 0) [first, offset] = [item, byte];
      wanted.push(block);
      bytes += length;
    }
    item += items;
    byte += length;
  }
  return { first, offset, bytes, blocks: wanted };
}

/** The items of blocks. @param content their bytes */
export async function unpack(blocks: readonly Block[], content: Buffer): Promise<unknown[]> {
  const lists: unknown[][] = [];
  let offset = 0;
  for (const [, bytes] of blocks) {
    const packed = content.subarray(offset, offset + bytes);
    const text = (bytes < SHORT ? inflateRawSync(packed) : await inflated(packed)).toString();
    lists.push(parseJson(text, { isTrusted: true }) as unknown[]);
    offset += bytes;
  }
  return lists.flat();
}
