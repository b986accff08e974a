import { describe, expect, it } from '@jest/globals';
import { deletionTimestampOf, uidOf } from './pod-parts.js';

const AT = '2026-05-04T03:02:01Z';

describe('deletionTimestampOf', () => {
  it.each<[string, readonly (string | null)[], string | null]>([
    ['is read past texts', ['p', 'ns', 'uid', '1', '2026-05-04T00:00:00Z', AT, 'node', null], AT],
    ['is read past what is absent', ['p', null, null, null, null, AT, null, null], AT],
    ['is null if there is none', ['p', 'ns', 'uid', '1', AT, null, 'node', AT], null],
    ['is read past names that no API server would take', ['a"b,\\', 'n\\', 'u,"', '1', null, AT, null, null], AT],
    ['is null past them too', ['"', '\\"', '\u0000', null, null, null, AT, null], null],
    ['is empty if it is the empty string', ['', '', '', '', '', '', '', ''], ''],
  ])('%s', (_, own, expected) => {
    expect(deletionTimestampOf(JSON.stringify(own))).toBe(expected);
  });
});

describe('uidOf', () => {
  it.each<[string, readonly (string | null)[], string | null]>([
    ['is read past texts', ['p', 'ns', 'uid-1', '1', null, AT, 'node', null], 'uid-1'],
    ['is read past what is absent', ['p', null, 'uid-1', null, null, AT, null, null], 'uid-1'],
    ['is null if there is none', ['p', 'ns', null, '1', AT, null, 'node', AT], null],
    ['is read with what no API server would take', ['a"b,\\', 'n\\', 'u,"', '1', null, AT, null, null], 'u,"'],
  ])('%s', (_, own, expected) => {
    expect(uidOf(JSON.stringify(own))).toBe(expected);
  });
});
