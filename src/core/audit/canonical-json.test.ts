import { describe, expect, it } from '@jest/globals';
import { parseJson } from '../json/lossless-json.js';
import { canonicalJson, CanonicalJsonError } from './canonical-json.js';

/** A double from its IEEE 754 bits, as listed in the RFC. */
const double = (hex: string): number => {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
};

describe('canonicalJson', () => {
  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the number %s as RFC 8785 (appendix B) does: %s', (hex, text) => {
    expect(canonicalJson(double(hex))).toBe(text);
  });

  it('writes the sample of RFC 8785 (section 3.2.2)', () => {
    const sample = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalJson(parseJson(sample))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('sorts keys by UTF-16 code units, as in the sample of RFC 8785 (section 3.2.3)', () => {
    const sample = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\u{1f600}': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect([...canonicalJson(sample).matchAll(/:"([A-Z][a-z]+)/g)].map(([, word]) => word)).toEqual([
      'Carriage',
      'One',
      'Control',
      'Latin',
      'Euro',
      'Emoji',
      'Hebrew',
    ]);
  });

  it.each([3, 24, 25, 200])('sorts %i keys in any order', (count) => {
    const keys = Array.from({ length: count }, (_, index) => `k${index}`);
    const orders = [keys, keys.toReversed(), [...keys.slice(count >> 1), ...keys.slice(0, count >> 1)]];
    const text = `{${keys
      .toSorted()
      .map((key) => `"${key}":1`)
      .join(',')}}`;
    for (const order of orders) {
      expect(canonicalJson(Object.fromEntries([['gone', undefined], ...order.map((key) => [key, 1])]))).toBe(text);
    }
  });

  it('escapes only what RFC 8785 requires, in its notation', () => {
    expect(canonicalJson('\b\t\n\f\r\u0000\u001f\u007f\u2028</\u{1f600}')).toBe(
      String.raw`"\b\t\n\f\r\u0000\u001f` + '\u007f\u2028</\u{1f600}"',
    );
  });

  it('keeps own keys such as __proto__, sorts number-like ones as text, and omits undefined members', () => {
    const value = JSON.parse('{"b":1,"__proto__":{"x":1},"10":0,"9":0}') as Record<string, unknown>;
    value['gone'] = undefined;
    expect(canonicalJson(value)).toBe('{"10":0,"9":0,"__proto__":{"x":1},"b":1}');
  });

  it('writes an integer beyond 2^53 as a string of digits, and writes it the same after parsing', () => {
    expect(canonicalJson([1n, 9007199254740991n, -9007199254740992n])).toBe('[1,9007199254740991,"-9007199254740992"]');
    const text = canonicalJson({ seconds: 9223372036854775807n });
    expect(canonicalJson(parseJson(text))).toBe(text);
  });

  it.each<[string, unknown]>([
    ['a lone surrogate', 'x\ud800y'],
    ['a lone low surrogate', '\udc00'],
    ['a lone surrogate in a key', { '\ud83d': 1 }],
    ['NaN', NaN],
    ['an infinity', [Infinity]],
    ['undefined in a list', [undefined]],
    ['undefined alone', undefined],
    ['a Map, which would lose its content', new Map([['a', 1]])],
    ['a Date', { at: new Date(0) }],
    ['a function', () => 1],
  ])('refuses %s', (_name, value) => {
    expect(() => canonicalJson(value)).toThrow(CanonicalJsonError);
  });
});
