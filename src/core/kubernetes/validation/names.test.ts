import { describe, expect, it } from '@jest/globals';
import {
  isDecimalInteger,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
} from './names.js';

const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe('isQualifiedName', () => {
  it.each([
    ['a plain name', 'a', []],
    ['a name with a prefix', 'example.com/My_Name.1', []],
    ['a name of 63 bytes behind a prefix of 253', `${'a'.repeat(253)}/${'b'.repeat(63)}`, []],
    ['nothing', '', ['name part must be non-empty', `name part ${NAME_RULE}`]],
    ['an empty prefix', '/a', ['prefix part must be non-empty']],
    ['an empty name', 'a/', ['name part must be non-empty', `name part ${NAME_RULE}`]],
    ['a name that is too long', 'b'.repeat(64), ['name part must be no more than 63 bytes']],
    ['a prefix that is too long', `${'a'.repeat(254)}/b`, ['prefix part must be no more than 253 bytes']],
    ['a prefix in capitals', 'A/b', [`prefix part ${SUBDOMAIN_RULE}`]],
    [
      'two slashes',
      'a/b/c',
      [`a valid label key ${NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
    ],
    ['a newline at the end', 'a\n', [`name part ${NAME_RULE}`]],
    [
      'few characters of many bytes',
      'é'.repeat(32),
      ['name part must be no more than 63 bytes', `name part ${NAME_RULE}`],
    ],
  ])('judges %s', (_name, value, want) => {
    expect(isQualifiedName(value)).toEqual(want);
  });
});

describe('isValidLabelValue', () => {
  const rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

  it.each([
    ['the empty value', '', []],
    ['a value of 63 bytes', 'x'.repeat(63), []],
    ['a value of 64 bytes', 'x'.repeat(64), ['must be no more than 63 bytes']],
    ['a dash at the end', 'a-', [rule]],
    ['both at once', `-${'x'.repeat(64)}`, ['must be no more than 63 bytes', rule]],
  ])('judges %s', (_name, value, want) => {
    expect(isValidLabelValue(value)).toEqual(want);
  });
});

describe('DNS names', () => {
  it('distinguishes a label with dots from one with other faults', () => {
    expect(isDns1123Label('my-name')).toEqual([]);
    expect(isDns1123Label('a.b')).toEqual(['must not contain dots']);
    expect(isDns1123Label('A')[0]).toContain("'my-name',  or '123-abc', regex used for validation is");
    expect(isDns1123Label('a'.repeat(64))).toEqual(['must be no more than 63 bytes']);
  });

  it('refuses empty labels anywhere in a subdomain', () => {
    expect(isDns1123Subdomain('a.b-c.1')).toEqual([]);
    for (const value of ['', '.a', 'a.', 'a..b', 'a_b', '-a'])
      expect(isDns1123Subdomain(value)).toEqual([SUBDOMAIN_RULE]);
  });

  it('requires a letter at the beginning of an RFC 1035 label', () => {
    expect(isDns1035Label('a1')).toEqual([]);
    expect(isDns1035Label('1a')).toHaveLength(1);
  });
});

describe('isDecimalInteger', () => {
  it.each(['0', '1', '-1', '10', '-456', '99999999999999999999'])('accepts %j', (value) => {
    expect(isDecimalInteger(value)).toEqual([]);
  });

  it.each(['+1', '-', '-0', '00', '007', '1.5', ' 1', '1 ', '1e3', '0x1', '--1', '1\n'])('refuses %j', (value) => {
    expect(isDecimalInteger(value)).toEqual(['must be a valid decimal integer in canonical form']);
  });

  it('has a separate message for the empty string', () => {
    expect(isDecimalInteger('')).toEqual(['must be non-empty']);
  });
});
