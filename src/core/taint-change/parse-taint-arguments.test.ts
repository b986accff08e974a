import { describe, expect, it } from '@jest/globals';
import { KubectlError } from './kubectl-error.js';
import { parseTaintArguments, readTaintArguments } from './parse-taint-arguments.js';

describe('parseTaintArguments', () => {
  it('distinguishes additions from removals, and ignores the value of a removal', () => {
    expect(
      parseTaintArguments([
        'dedicated=ml:NoSchedule',
        'old-',
        'key:NoExecute-',
        'key=value:NoSchedule-',
        'bare=:NoExecute',
      ]),
    ).toEqual({
      add: [
        { key: 'dedicated', value: 'ml', effect: 'NoSchedule' },
        { key: 'bare', effect: 'NoExecute' },
      ],
      remove: [
        { key: 'old', effect: '' },
        { key: 'key', effect: 'NoExecute' },
        { key: 'key', effect: 'NoSchedule' },
      ],
    });
  });

  it.each([
    ['a bare key does not say what to do', 'key', 'invalid-taint', 'invalid taint spec: key'],
    [
      'a removal by value alone is no key',
      'a=b-',
      'invalid-taint',
      'invalid taint spec: a=b, name part must consist of',
    ],
    ['a dash alone has no key', '-', 'invalid-taint', 'invalid taint spec: , name part must be non-empty'],
    ['a removal of an effect that is not known', 'a:Nope-', 'invalid-taint', 'invalid taint effect: Nope, unsupported'],
    ['the effect is checked before the key', ':-', 'invalid-taint', 'invalid taint effect: , unsupported taint effect'],
    ['a percent sign is a character as any other', 'a:%d', 'invalid-taint', 'invalid taint effect: %d, unsupported'],
  ])('%s', (_, word, code, message) => {
    const [error] = readTaintArguments([word]).errors;
    expect(error).toMatchObject({ index: 0, code });
    expect(error?.message).toContain(message);
  });

  it('accepts a key with several effects, but not the same effect twice', () => {
    expect(readTaintArguments(['a=b:NoSchedule', 'a=b:NoExecute', 'a:NoSchedule'])).toMatchObject({
      add: [{ effect: 'NoSchedule' }, { effect: 'NoExecute' }],
      errors: [
        {
          index: 2,
          code: 'duplicate-taint',
          message: 'duplicated taints with the same key and effect: {a  NoSchedule <nil>}',
        },
      ],
    });
  });

  it('throws for the first invalid argument, while readTaintArguments reports all', () => {
    const words = ['a:NoSchedule', 'b:Nope', 'c'];
    expect(() => parseTaintArguments(words)).toThrow(
      new KubectlError('invalid-taint', 'invalid taint effect: Nope, unsupported taint effect'),
    );
    expect(readTaintArguments(words).errors.map(({ index }) => index)).toEqual([1, 2]);
  });
});
