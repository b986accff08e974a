import { describe, expect, it } from '@jest/globals';
import { ReleasedBuffers } from './released-buffers.js';

describe('released buffers', () => {
  it('are freed, without a run of the garbage collector', () => {
    const released = new ReleasedBuffers();
    const given = Array.from({ length: 32 }, () => new Uint8Array(64 * 1024));
    for (const bytes of given) released.add(bytes);
    expect(given.map(({ length }) => length)).toEqual(given.map(() => 0));
  });

  it('are left alone if others may use a part of them', () => {
    const released = new ReleasedBuffers();
    const shared = new Uint8Array(1024 * 1024);
    const parts = Array.from({ length: 32 }, (_, index) => shared.subarray(index * 8192, (index + 1) * 8192));
    for (const bytes of parts) released.add(bytes);
    expect(shared).toHaveLength(1024 * 1024);
    const pooled = Array.from({ length: 32 }, () => Buffer.from('x'.repeat(100)));
    for (const bytes of pooled) released.add(bytes);
    expect(pooled.map(String)).toEqual(pooled.map(() => 'x'.repeat(100)));
  });
});
