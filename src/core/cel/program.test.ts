import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json/json-value.js';
import { environment } from './environment.js';
import { CelCompileError, CelUnsupported, PlanError, Program } from './program.js';
import { DYN, formatType } from './types.js';
import { CelError, fromJson, isError, typeNameOf, type Value } from './values.js';

const DECLARED = environment(new Map([['object', DYN]]));

const evaluate = (expression: string, object: JsonObject = {}): Value =>
  Program.compile(expression, DECLARED).evaluate(() => fromJson(object)).value;

const cost = (expression: string, object: JsonObject = {}): number =>
  Program.compile(expression, DECLARED).evaluate(() => fromJson(object)).cost;

function errorOf(expression: string, object: JsonObject = {}): string {
  const value = evaluate(expression, object);
  return isError(value) ? value.message : `no error but ${typeNameOf(value)}`;
}

function refusal(expression: string): string {
  try {
    Program.compile(expression, DECLARED);
  } catch (error) {
    if (error instanceof CelCompileError) return error.issues.map(({ at, message }) => `${at}: ${message}`).join('; ');
    if (error instanceof PlanError) return error.message;
    throw error;
  }
  return 'none';
}

describe('an expression', () => {
  // The values are those of the specification of the language, and of the documentation of the libraries.
  it.each([
    ['1 + 2 * 3 - 4 % 3', 6n],
    ['7 / 2', 3n],
    ['-7 / 2', -3n],
    ['9223372036854775807', 9223372036854775807n],
    ['0xff', 255n],
    ['1.5e3', 1500],
    ['!true || false', false],
    ['true ? 1 : 2', 1n],
    [String.raw`'a\u00e9\x41\101\n'`, 'aéAA\n'],
    [String.raw`r'a\n'`, String.raw`a\n`],
    [`'''it's'''`, "it's"],
    [`"""a"b"""`, 'a"b'],
    ["size('naïve😀')", 6n],
    ["'a' < 'b' && b'a' < b'b'", true],
    ['1 < 1.5 && 2u > 1 && 1u == dyn(1)', true],
    ['[1, 2, 3][1]', 2n],
    ["{'a': 1}.a", 1n],
    ["'b' in {'a': 1} || 2 in [1, 2]", true],
    ["has({'a': 1}.a) && !has({'a': 1}.b)", true],
    ['false && [][0] == 1', false],
    ['[][0] == 1 || true', true],
    ['// comment\n1', 1n],
  ])('%s', (expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  it.each([
    ['[1, 2, 3].all(x, x > 0)', true],
    ['[1, 2, 3].exists_one(x, x > 2)', true],
    ['[1, 2, 3].map(x, x > 1, x * 2)', [4n, 6n]],
    ['[3, 1, 2].filter(x, x > 1)', [3n, 2n]],
    ['[3, 1, 2].all(i, v, v > i - 2)', true],
    ["{'a': 1, 'b': 2}.transformList(k, v, v).sort()", [1n, 2n]],
    ["{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}", true],
    ['[1].transformMapEntry(i, v, {v: i}) == {1: 0}', true],
    ['[2, 1].sortBy(x, -x)', [2n, 1n]],
    ['lists.range(3).reverse()', [2n, 1n, 0n]],
    ['[[[1]], [[2], [3]]].flatten(2)', [1n, 2n, 3n]],
    ['[1, 2, 2].distinct().size()', 2n],
    ['optional.of(1).optMap(x, x + 1).orValue(0)', 2n],
    ['optional.none().or(optional.of(3)).value()', 3n],
    ["{'a': {'b': 1}}.?a.?c.hasValue()", false],
    ['[1, 2][?5].orValue(7)', 7n],
    ['[?optional.none(), 1].size()', 1n],
    ["{?'a': optional.none()}.size()", 0n],
    ['sets.equivalent([1, 2], [2, 1, 1])', true],
    ['[1, 3, 2].max() - [1, 3, 2].min()', 2n],
    ["['b', 'a'].isSorted()", false],
  ])('%s', (expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  it.each([
    ["'tacocat'.indexOf('o', 2)", 3n],
    ["'tacocat'.lastIndexOf('a')", 5n],
    ["'hello'.charAt(5)", ''],
    ["'a,b,c'.split(',', 2)", ['a', 'b,c']],
    ["'aaa'.replace('a', 'b', 2)", 'bba'],
    ["'ab'.replace('', '-')", '-a-b-'],
    ["' \\t x '.trim()", 'x'],
    [`strings.quote("a\\"b\\n")`, '"a\\"b\\n"'],
    ["'%s %d %.1f %x %b %o %%'.format(['a', 3, 1234.5, 255, 5, 8])", 'a 3 1,234.5 ff 101 10 %'],
    [`'%s'.format([[1, 'b', 2.5]])`, '[1, "b", 2.500000]'],
    ["'abc 123 45'.find('[0-9]+')", '123'],
    ["'abc 123 45'.findAll('[0-9]+')", ['123', '45']],
    ["'ab'.matches('^(a|ab)(c|bcd)?$')", true],
    ["ip('::1').isLoopback() && ip('10.0.0.1').family() == 4", true],
    ["string(ip('2001:db8:0:0:0:0:0:1'))", '2001:db8::1'],
    ["cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", true],
    ["string(cidr('10.1.2.3/8').masked())", '10.0.0.0/8'],
    ["url('https://u@example.com:8443/a%20b?x=1&x=2').getHost()", 'example.com:8443'],
    ["url('https://example.com/a?x=1&x=2').getQuery()['x']", ['1', '2']],
    ["quantity('1.5Gi').isGreaterThan(quantity('1G'))", true],
    ["quantity('50k').sub(20000).asInteger()", 30000n],
    ["semver('1.10.0').compareTo(semver('1.9.0-rc.1'))", 1n],
    ["semver('v1.2', true).minor()", 2n],
    ["format.dns1123Label().validate('A').hasValue()", true],
    ["duration('1h30m').getMinutes()", 90n],
    ["timestamp('2024-02-29T23:30:00-01:00').getDate()", 1n],
    ["string(timestamp('2024-02-29T23:30:00-01:00') + duration('1s'))", '2024-02-29T23:30:01-01:00'],
    ["timestamp('2024-03-01T00:00:00Z') - timestamp('2024-02-29T00:00:00Z') == duration('24h')", true],
    ['string(1.0) + string(1e21) + string(2u)', '11e+212'],
  ])('%s', (expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  it.each([
    ['9223372036854775807 + 1', 'integer overflow'],
    ['1u - 2u', 'unsigned integer overflow'],
    ['1 / 0', 'division by zero'],
    ['1 % 0', 'modulus by zero'],
    ['object.a.b', 'no such key: a'],
    ['[1][3]', 'index out of bounds: 3'],
    ["object.n > 'a'", 'no such overload'],
    ['object.list < 1', 'no such overload: _<_'],
    ['object.n.all(x, true)', "got 'types.Int', expected iterable type"],
    ["int('x' + object.s)", "type conversion error from 'string' to 'int'"],
    ["'ab'.substring(object.n)", 'index out of range: 5'],
    ["object.s.matches('(' + object.s)", 'error parsing regexp: missing closing ): `(s`'],
    [
      "ip(object.s + ':')",
      'IP Address "s:" parse error during conversion from string: ParseAddr("s:"): each colon-separated field must have at least one digit (at "s:")',
    ],
    ['url(object.s)', 'URL parse error during conversion from string: parse "s": invalid URI for request'],
    ['optional.none().value()', 'optional.none() dereference'],
    ['[1, 2].transformMapEntry(i, v, {1: i}).size()', 'insert failed: key 1 already exists'],
    [
      'lists.range(2000).all(a, lists.range(2000).all(b, a + b >= 0))',
      'operation cancelled: actual cost limit exceeded',
    ],
  ])('%s errs', (expression, message) => {
    const object = { n: 5, s: 's', list: [1] };
    expect(errorOf(expression, expression === 'object.a.b' ? {} : object)).toBe(message);
  });

  it.each([
    ['1 + true', "2: found no matching overload for '_+_' applied to '(int, bool)'"],
    ['nope', "0: undeclared reference to 'nope' (in container '')"],
    ["[1, 'a']", "4: expected type 'int' but found 'string'"],
    ["{'a': 1, 'b': true}", "14: expected type 'int' but found 'bool'"],
    ["'a'.b", "3: type 'string' does not support field selection"],
    ['1.all(x, )', '9: Syntax error'],
    [
      '(1).all(x, true)',
      "1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    [
      "'%d'.format(['a'])",
      '13: error during formatting: decimal clause can only be used on integers, was given string',
    ],
    ["'%s'.format(['a', 'b'])", '11: too many arguments supplied to string.format (expected 1, got 2)'],
    ["timestamp('x')", '10: invalid timestamp argument'],
    ["'a'.find('[')", 'error parsing regexp: missing closing ]: `[`'],
    ["bool('x')", "type conversion error from 'string' to 'bool'"],
    ['object.`a`', '7: Syntax error'],
    ['if == 1', '0: reserved identifier: if'],
  ])('%s is refused', (expression, message) => {
    expect(refusal(expression)).toBe(message);
  });

  it('has the type that the checker finds', () => {
    const typed = (expression: string): string => formatType(Program.compile(expression, DECLARED).type);
    expect(typed('[1, 2].map(x, string(x))')).toBe('list(string)');
    expect(typed('object.a.?b')).toBe('optional_type(dyn)');
    expect(typed("{'a': [1]}['a'][0]")).toBe('int');
    expect(typed('type(1)')).toBe('type(int)');
  });

  // Counted by hand from cel-go's table: 1 for a name and for each selection, 10 for a list, and so on.
  it.each([
    ['1 + 1', 1],
    ['object.a.b', 3],
    ['has(object.a.b)', 2],
    ['object.a.b.startsWith("x")', 5],
    ['[object].size()', 12],
    ['[1, 2, 3].size()', 1],
    ['object.a.b in ["x", "y"]', 3],
    ['true ? object : 1', 0],
    // Two rounds of 2 for the condition and 3 for the step, and 1 for the result.
    ['[1, 2].all(x, x > 0)', 11],
    ['object.?a.?b.orValue("")', 3],
  ])('%s costs %d', (expression, expected) => {
    expect(cost(expression, { a: { b: 'y'.repeat(20) } })).toBe(expected);
  });

  it('gives the same whatever the order of a map is, or is not known', () => {
    expect(evaluate('object.all(k, k != "z")', { b: 1, a: 2 })).toBe(true);
    expect(() => evaluate('object.map(k, k)[0]', { b: 1, a: 2 })).toThrow(CelUnsupported);
  });

  it('matches regular expressions in linear time', () => {
    expect(evaluate("object.s.matches('^(a+)+$')", { s: `${'a'.repeat(5000)}b` })).toBe(false);
  });

  it('is not known where it needs what is not evaluated', () => {
    expect(() => evaluate("'%e'.format([1.5])")).toThrow(CelUnsupported);
    expect(() => evaluate("'a'.matches('\\\\pL')")).toThrow(CelUnsupported);
    expect(() => evaluate("timestamp('2024-01-01T00:00:00Z').getHours('Europe/Berlin')")).toThrow(CelUnsupported);
  });

  it('keeps an error as a value', () => {
    expect(evaluate('1 / 0')).toBeInstanceOf(CelError);
  });
});
