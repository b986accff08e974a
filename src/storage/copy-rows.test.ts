import { describe, expect, it } from '@jest/globals';
import { CopyRows } from './copy-rows.js';

const rows = (count: number, buffer?: Buffer): CopyRows => {
  const lines = new CopyRows(3, 10, buffer);
  for (let at = 0; at < count; at++)
    lines
      .row()
      .integer(at)
      .text(at % 2 === 0 ? null : `row ${at}`)
      .binary(Buffer.from([at]));
  return lines;
};

describe('rows in the format of COPY', () => {
  it('are the same in a buffer that had others', () => {
    const wanted = Buffer.from(rows(5).end());
    const more = rows(100);
    more.end();
    const again = rows(5, more.buffer);
    expect(again.end()).toEqual(wanted);
    expect(again.buffer).toBe(more.buffer);
    expect(rows(5, Buffer.alloc(3)).end()).toEqual(wanted);
  });
});
