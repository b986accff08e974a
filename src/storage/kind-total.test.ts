import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { KindTotal, totalOfSum } from './kind-total.js';

const A = { namespace: 'x', name: 'a', uid: 'u', resourceVersion: '7' };
const B = { namespace: '', name: 'b', uid: null, resourceVersion: null };
const first8 = (text: string): bigint => createHash('sha256').update(text).digest().readBigUInt64BE();

describe('the total of a kind', () => {
  it('sums the first 8 bytes of SHA-256 modulo 2^64', () => {
    const total = KindTotal.empty();
    expect([total.count, total.hash]).toEqual([0, '0000000000000000']);
    total.add(A);
    total.add(B);
    const sum = (first8('x/a\nu\n7') + first8('/b\n\n')) % 2n ** 64n;
    expect([total.count, total.hash]).toEqual([2, sum.toString(16).padStart(16, '0')]);
  });

  it('depends on no order, and removing undoes adding', () => {
    const total = KindTotal.empty();
    total.add(B);
    const { hash } = total;
    total.add(A);
    total.remove(B);
    total.add(B);
    total.remove(A);
    expect([total.count, total.hash]).toEqual([1, hash]);
    expect(KindTotal.of(1, hash).hash).toBe(hash);
  });

  it('reads a negative sum of signed terms', () => {
    expect(totalOfSum(1, '-1').hash).toBe('ffffffffffffffff');
    expect(totalOfSum(3, String(2n ** 64n + 5n)).hash).toBe('0000000000000005');
  });
});
