import { describe, expect, it } from '@jest/globals';
import { FieldPath } from './field-path.js';
import { compileLabelSelector, parseSelector, SelectorSyntaxError } from './label-selector.js';
import type { LabelSelector } from './objects/selectors.js';

const compiled = (selector: LabelSelector | undefined) => {
  const result = compileLabelSelector(selector);
  if ('errors' in result) throw new Error(result.message);
  return result.selector;
};

describe('compileLabelSelector', () => {
  it('matches nothing for an absent selector, and everything for an empty one', () => {
    expect(compiled(undefined).matches({ a: '1' })).toBe(false);
    expect(compiled({}).matches({})).toBe(true);
    expect(compiled({ matchLabels: {}, matchExpressions: [] }).matches({ a: '1' })).toBe(true);
  });

  it('requires all labels and expressions, and writes them in order of key', () => {
    const selector = compiled({
      matchLabels: { tier: 'web', app: 'shop' },
      matchExpressions: [
        { key: 'env', operator: 'In', values: ['prod', 'dev'] },
        { key: 'old', operator: 'DoesNotExist' },
        { key: 'app', operator: 'Exists', values: [] },
        { key: 'zone', operator: 'NotIn', values: ['b', 'a'] },
      ],
    });
    expect(selector.toString()).toBe('app=shop,app,env in (dev,prod),!old,tier=web,zone notin (a,b)');
    expect(selector.matches({ app: 'shop', tier: 'web', env: 'dev' })).toBe(true);
    expect(selector.matches({ app: 'shop', tier: 'web', env: 'dev', zone: 'a' })).toBe(false);
    expect(selector.matches({ app: 'shop', tier: 'web', env: 'dev', old: '' })).toBe(false);
    expect(selector.matches({ app: 'shop', tier: 'web' })).toBe(false);
  });

  it('does not mistake members of Object.prototype for labels', () => {
    expect(compiled({ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }).matches({})).toBe(false);
    expect(compiled({ matchExpressions: [{ key: 'constructor', operator: 'DoesNotExist' }] }).matches({})).toBe(true);
  });

  it.each<[string, LabelSelector, string]>([
    [
      'an unknown operator',
      { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] },
      '"Gt" is not a valid label selector operator',
    ],
    [
      'In without values',
      { matchExpressions: [{ key: 'a', operator: 'In' }] },
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      'Exists with values',
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] },
      'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    ],
    [
      'the first bad requirement, with all its faults',
      {
        matchLabels: { b: 'x'.repeat(64), '/a': 'y'.repeat(64) },
        matchExpressions: [{ key: 'c', operator: 'In' }],
      },
      `[key: Invalid value: "/a": prefix part must be non-empty, values[0][/a]: Invalid value: "${'y'.repeat(64)}": must be no more than 63 bytes]`,
    ],
  ])('reports the upstream message for %s', (_name, selector, message) => {
    expect(compileLabelSelector(selector)).toMatchObject({ message });
  });

  it('reports every fault with a path below the given one', () => {
    const selector = {
      matchLabels: { a: '-' },
      matchExpressions: [
        { key: 'b', operator: 'In' },
        { key: 'c', operator: 'Is' },
      ],
    };
    const result = compileLabelSelector(selector, FieldPath.of('spec', 'selector'));
    expect('errors' in result && result.errors.map(({ field }) => field)).toEqual([
      'spec.selector.matchLabels.values[0][a]',
      'spec.selector.matchExpressions[0].values',
      'spec.selector.matchExpressions[1].operator',
    ]);
  });
});

describe('parseSelector', () => {
  it.each([
    ['', ''],
    ['  ', ''],
    ['a', 'a'],
    ['!a', '!a'],
    ['! a , b', '!a,b'],
    ['b==1,a=', 'a=,b==1'],
    ['a!=', 'a!='],
    ['x in (b,a,b)', 'x in (a,b)'],
    ['x in ()', 'x in ()'],
    ['x notin (,a)', 'x notin (,a)'],
    ['x in (a,,b)', 'x in (,a,b)'],
    ['x in (a,)', 'x in (,a)'],
    ['x in (a,,,b)', 'x in (,a,b)'],
    ['x in (,,,)', 'x in ()'],
    ['x in (,)', 'x in ()'],
    ['in in (in,notin)', 'in in (in,notin)'],
    ['notin', 'notin'],
    ['a=in', 'a=in'],
    ['cores>4,cores<9', 'cores>4,cores<9'],
    ['a\t=\r\nb', 'a=b'],
    ['a=b\0', 'a=b'],
    ['a=\0b', 'a=b'],
    ['a= \0b', 'a='],
  ])('reads %j as %j', (text, want) => {
    expect(parseSelector(text).toString()).toBe(want);
  });

  it.each([
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['!!a', "unable to parse requirement: found '!', expected: identifier"],
    ['a= =b', "unable to parse requirement: found '=', expected: identifier"],
    ['a===b', "unable to parse requirement: found '=', expected: identifier"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (b,,)', "unable to parse requirement: found ')', expected: ',', or identifier"],
    ['a in (,,)', "unable to parse requirement: found ')', expected: ',', or identifier"],
    ['a in (,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (b=)', "unable to parse requirement: found '=', expected: ',' or ')'"],
    ['/a', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
    ['a\0b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ])('refuses %j', (text, message) => {
    expect(() => parseSelector(text)).toThrow(new SelectorSyntaxError(message));
  });

  it('refuses a bound that is not an integer', () => {
    expect(() => parseSelector('a>x')).toThrow(/^unable to parse requirement: values\[0\]: .* must be an integer$/);
    expect(() => parseSelector('a>')).toThrow(SelectorSyntaxError);
  });

  it.each([
    ['cores>4', { cores: '5' }, true],
    ['cores>4', { cores: '4' }, false],
    ['cores>4', { cores: '+05' }, true],
    ['cores>4', { cores: 'many' }, false],
    ['cores<4', {}, false],
    ['a!=b', {}, true],
    ['a notin (b)', { a: 'b' }, false],
    ['a=', { a: '' }, true],
    ['a=', {}, false],
  ])('%s of %j is %s', (text, labels, want) => {
    expect(parseSelector(text).matches(labels)).toBe(want);
  });
});
