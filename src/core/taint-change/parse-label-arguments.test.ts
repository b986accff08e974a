import { describe, expect, it } from '@jest/globals';
import { parseLabelArguments } from './parse-label-arguments.js';

describe('parseLabelArguments', () => {
  it('sets and removes labels, and uses the last argument for a key', () => {
    const { set, remove } = parseLabelArguments(['pool=ml', 'old-', 'empty=', 'pool=gpu', '__proto__=x']);
    expect([...set]).toEqual([
      ['pool', 'gpu'],
      ['empty', ''],
      ['__proto__', 'x'],
    ]);
    expect(remove).toEqual(['old']);
  });

  it.each([
    ['a=b=c', 'invalid label spec: a=b=c'],
    ['a=b c', 'invalid label value: "a=b c": a valid label must be an empty string or consist of'],
    ['a', 'unknown label spec: a'],
  ])('%s is refused', (word, message) => {
    expect(() => parseLabelArguments([word])).toThrow(message);
  });

  it('refuses to both set and remove a key', () => {
    expect(() => parseLabelArguments(['a-', 'a=1'])).toThrow(
      'can not both modify and remove a label in the same command',
    );
  });
});
