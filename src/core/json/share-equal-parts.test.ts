import { describe, expect, it } from '@jest/globals';
import { shareEqualParts } from './share-equal-parts.js';

describe('shareEqualParts', () => {
  it('gives the other value where the two are equal', () => {
    const other = { a: [{ b: 1n }], c: null };
    expect(shareEqualParts({ a: [{ b: 1n }], c: null }, other)).toBe(other);
  });

  it('shares the parts that are equal, and keeps the rest as it is', () => {
    const other: object = { same: { x: [1, 2] }, list: [{ y: 1 }, { y: 2 }], gone: {} };
    const value: object = { same: { x: [1, 2] }, list: [{ y: 1 }, { y: 3 }], added: undefined };
    const result = shareEqualParts(value, other) as { same: object; list: readonly object[] };
    expect(result).toEqual(value);
    expect(Object.keys(result)).toEqual(['same', 'list', 'added']);
    expect(result.same).toBe((other as typeof result).same);
    expect(result.list[0]).toBe((other as typeof result).list[0]);
    expect(result.list).not.toBe((other as typeof result).list);
    expect(value).toEqual({ same: { x: [1, 2] }, list: [{ y: 1 }, { y: 3 }], added: undefined });
  });

  it('takes members in another order for another value', () => {
    const value = { a: 1, b: 2 };
    expect(shareEqualParts(value, { b: 2, a: 1 })).toBe(value);
  });

  it('takes no list for an object, and no absent member for one that is undefined', () => {
    expect(shareEqualParts<unknown>([], {})).toEqual([]);
    const value = { a: undefined };
    expect(shareEqualParts<object>(value, { b: undefined })).toBe(value);
  });
});
