import { describe, expect, it } from '@jest/globals';
import { fitsTaintPattern, parseTaint, parseTaintPattern, parseTaintSpec } from './taint-text.js';

describe('parseTaintSpec', () => {
  it.each([
    ['key1=value1:NoSchedule', { key: 'key1', value: 'value1', effect: 'NoSchedule' }],
    ['example.com/key:NoExecute', { key: 'example.com/key', effect: 'NoExecute' }],
    ['key=:PreferNoSchedule', { key: 'key', effect: 'PreferNoSchedule' }],
  ])('%s', (text, taint) => {
    expect(parseTaint(text)).toEqual(taint);
  });

  it.each([
    ['', 'invalid taint spec: , name part must be non-empty'],
    ['NoSchedule', 'invalid taint spec: NoSchedule'],
    ['key=value', 'invalid taint spec: key=value, name part must consist of'],
    ['key:NoExcute', 'invalid taint effect: NoExcute, unsupported taint effect'],
    ['key:', 'invalid taint effect: , unsupported taint effect'],
    ['key=value:NoSchedule:NoSchedule', 'invalid taint spec: key=value:NoSchedule:NoSchedule'],
    ['key=value=value:NoSchedule', 'invalid taint spec: key=value=value:NoSchedule'],
    ['=value:NoSchedule', 'invalid taint spec: =value:NoSchedule, name part must be non-empty; name part must'],
    ['key=@:NoSchedule', 'invalid taint spec: key=@:NoSchedule, a valid label must be'],
    ['key:NoSchedule-', 'invalid taint effect: NoSchedule-, unsupported taint effect'],
  ])('%j is refused in kubectl’s words', (text, message) => {
    expect(() => parseTaint(text)).toThrow(message);
  });

  it('takes all of a text without a colon as the key, with an empty effect', () => {
    expect(parseTaintSpec('key')).toEqual({ key: 'key', effect: '' });
    expect(() => parseTaintSpec('key=value')).toThrow('invalid taint spec: key=value, name part must consist of');
  });
});

describe('parseTaintPattern', () => {
  const taint = { key: 'k', value: 'v', effect: 'NoSchedule' };
  const bare = { key: 'k', effect: 'NoExecute' };
  it.each([
    ['k', true, true],
    ['k=v', true, false],
    ['k=', false, true],
    ['k:NoSchedule', true, false],
    ['k:NoExecute', false, true],
    ['k=v:NoExecute', false, false],
    ['k=w', false, false],
    ['other', false, false],
  ])('%s fits k=v:NoSchedule: %j, k:NoExecute: %j', (text, fits, fitsBare) => {
    const pattern = parseTaintPattern(text);
    expect([fitsTaintPattern(taint, pattern), fitsTaintPattern(bare, pattern)]).toEqual([fits, fitsBare]);
  });

  it('refuses an invalid effect', () => {
    expect(() => parseTaintPattern('k:Never')).toThrow('invalid taint effect: Never');
    expect(() => parseTaintPattern('a b')).toThrow('invalid taint spec: a b, name part');
  });
});
