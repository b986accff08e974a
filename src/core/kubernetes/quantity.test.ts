import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeQuantity, parseQuantity, Quantity, QuantityError } from './quantity.js';

const codeOf = (text: string): string | undefined => {
  try {
    parseQuantity(text);
    return undefined;
  } catch (error) {
    return error instanceof QuantityError ? error.code : String(error);
  }
};

describe('parseQuantity: unchanged notation', () => {
  it.each([
    ['1', '1'],
    ['+1', '+1'],
    ['007', '007'],
    ['5.', '5.'],
    ['1E3', '1E3'],
    ['1.125', '1.125'],
    ['1.500', '1.500'],
    ['+47Ki', '+47Ki'],
    ['1e30', '1e30'],
  ])('%s stays', (text, want) => {
    expect(parseQuantity(text).toString()).toBe(want);
  });

  it.each([
    ['0.5', '500m'],
    ['.5', '500m'],
    ['0.125', '125m'],
    ['1.000', '1'],
    ['1000k', '1M'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['1.0001Ki', '1024102400u'],
    ['100000000000000000000', '100E'],
    ['1e4', '10e3'],
    ['1E', '1E'],
    ['-0.5', '-500m'],
    ['-0', '0'],
  ])('%s becomes %s', (text, want) => {
    expect(parseQuantity(text).toString()).toBe(want);
  });

  it('rounds amounts below nano away from zero', () => {
    expect(parseQuantity('0.1n').toString()).toBe('1n');
    expect(parseQuantity('-0.1n').toString()).toBe('-1n');
    expect(parseQuantity('1.0000000001').toString()).toBe('1000000001n');
  });

  it('caps binary quantities at the largest int64, but not decimal ones', () => {
    expect(parseQuantity('8Ei').toString()).toBe('9223372036854775807');
    expect(parseQuantity('-16Ei').toString()).toBe('-9223372036854775807');
    expect(parseQuantity('16E').toString()).toBe('16E');
  });

  it('loses the exponent of a decimal quantity beyond exa, like upstream', () => {
    expect(parseQuantity('1000E').toString()).toBe('1');
    expect(parseQuantity('1000E').cmp(parseQuantity('1e21'))).toBe(0);
  });

  it('uses only the lower 32 bits of an exponent', () => {
    expect(parseQuantity('1e4294967296').cmp(parseQuantity('1'))).toBe(0);
  });
});

describe('parseQuantity: refusals', () => {
  it.each(['', ' 1', '1 ', '1.5.5', 'NaN', 'Inf', '1,5', '0x10', '1_000', '1Gi1x', '١'])(
    '%j because of its format',
    (text) => {
      expect(codeOf(text)).toBe('quantity-format');
    },
  );

  it.each([
    '1K',
    '--1',
    '1-5',
    '3mi',
    '1Kii',
    '1Gi1',
    '1e',
    'e',
    '1ee3',
    '1e+',
    '1e9223372036854775808',
    '1e99999999999999999999',
  ])('%j by its suffix', (text) => {
    expect(codeOf(text)).toBe('quantity-suffix');
  });

  it.each(['Pi', '.Pi', '+Ei', 'e-20'])('%j because it has no number, if the number is parsed in full', (text) => {
    expect(codeOf(text)).toBe('quantity-number');
  });

  it.each(['+', '-', '.', 'Ki', '.Ki', '+e8', 'm', 'E'])('not %j, which is zero', (text) => {
    expect(parseQuantity(text).sign()).toBe(0);
    expect(parseQuantity(text).toString()).toBe('0');
  });

  it.each(['1'.repeat(1001), `0.${'9'.repeat(1001)}`, `-1${'0'.repeat(1000)}Ki`, '9'.repeat(3_000_000)])(
    'a number of more than a thousand digits (case %#)',
    (text) => {
      const started = performance.now();
      expect(codeOf(text)).toBe('quantity-length');
      expect(performance.now() - started).toBeLessThan(10_000);
    },
  );

  it('not of a thousand digits', () => {
    expect(parseQuantity(`00${'9'.repeat(1000)}`).toString()).toHaveLength(1000);
  });
});

describe('decodeQuantity', () => {
  it('ignores spaces around a quantity, and refuses a tab', () => {
    expect(decodeQuantity('  1500m ').toString()).toBe('1500m');
    expect(() => decodeQuantity('\t1')).toThrow(QuantityError);
  });
});

describe('extreme exponents', () => {
  it.each([
    ['1e400', '10e399'],
    ['1e99999999999', '10e1215752190'],
    ['1E-999999999', '1e-9'],
    ['1234567890123456789e2000000000', '123456789012345678900e1999999998'],
  ])('%s is %s, and takes neither time nor memory', (text, want) => {
    const quantity = parseQuantity(text);
    expect(quantity.toString()).toBe(want);
    expect(quantity.cmp(quantity.add(parseQuantity('1')))).not.toBe(1);
    expect(quantity.value()).toBe(text.includes('-') ? 1n : 0n);
    expect(parseQuantity('1Ki').add(quantity).cmp(parseQuantity('1Ki'))).toBe(1);
  });

  it('handles a million digits, zeros or spaces in linear time', () => {
    const started = Date.now();
    expect(parseQuantity(`${'0'.repeat(1_000_000)}1`).cmp(parseQuantity('1'))).toBe(0);
    expect(parseQuantity(`0.${'0'.repeat(1_000_000)}1`).toString()).toBe('1n');
    expect(codeOf(`1${'e'.repeat(1_000_000)}x`)).toBe('quantity-format');
    expect(() => decodeQuantity(`1${' '.repeat(1_000_000)}x`)).toThrow(QuantityError);
    expect(Date.now() - started).toBeLessThan(20_000);
  });
});

describe('int64 values', () => {
  it.each([
    ['100m', 1n, 100n],
    ['-1.5', -2n, -1500n],
    ['1.0001Ki', 1025n, 1024103n],
    ['1E', 1_000_000_000_000_000_000n, 0n],
    ['8Ei', 9223372036854775807n, -1000n],
    ['-6215545857977736156M', -130790162n, -130790163340n],
  ])('%s is %s, in thousandths %s, overflowing as upstream', (text, value, milli) => {
    expect(parseQuantity(text).value()).toBe(value);
    expect(parseQuantity(text).milliValue()).toBe(milli);
  });

  it('rounds a negative half away from zero, but toward zero if upstream represents it as a decimal', () => {
    expect(parseQuantity('-1.5').value()).toBe(-2n);
    expect(parseQuantity('-0.00048828125Ki').value()).toBe(1n);
  });
});

describe('arithmetic', () => {
  it.each([
    ['64Mi', '100M', '167108864'],
    ['0', '1Gi', '1Gi'],
    ['1e3', '1k', '2e3'],
    ['512Mi', '512Mi', '1Gi'],
    ['007', '0', '7'],
    ['1Ki', '0.5', '1024500m'],
    ['4Ei', '4Ei', '8Ei'],
  ])('%s + %s is written %s', (a, b, want) => {
    expect(parseQuantity(a).add(parseQuantity(b)).toString()).toBe(want);
  });

  it('subtracts and negates', () => {
    expect(parseQuantity('1Gi').sub(parseQuantity('512Mi')).toString()).toBe('512Mi');
    expect(parseQuantity('0').sub(parseQuantity('1Ki')).toString()).toBe('-1Ki');
    expect(parseQuantity('-3').neg().toString()).toBe('3');
  });

  it.each([
    ['64Mi', 16, '1Gi'],
    ['100m', 0, '0'],
    ['0.5', 3, '1500m'],
    ['1e3', 1, '1e3'],
    ['-3', 7, '-21'],
    ['9223372036854775807', 150_000, '1383505805528216371050k'],
  ])('%s times %i is written %s', (text, count, want) => {
    expect(parseQuantity(text).times(count).toString()).toBe(want);
  });

  it('writes the same value in another format', () => {
    expect(parseQuantity('2048').in('BinarySI').toString()).toBe('2Ki');
    expect(parseQuantity('1Ki').in('DecimalSI').toString()).toBe('1024');
  });

  it('rounds up to thousandths, and rewrites only rounded or decimal amounts', () => {
    expect(parseQuantity('1n').roundUpToMilli().toString()).toBe('1m');
    expect(parseQuantity('-100u').roundUpToMilli().toString()).toBe('-1m');
    expect(parseQuantity('1E3').roundUpToMilli().toString()).toBe('1E3');
    expect(parseQuantity('1.0000000001').roundUpToMilli().toString()).toBe('1001m');
  });
});

const suffix = fc.constantFrom(
  '',
  'n',
  'u',
  'm',
  'k',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'e3',
  'E-7',
  'e+12',
);
const text = fc
  .tuple(
    fc.constantFrom('', '+', '-'),
    fc.stringMatching(/^[0-9]{1,20}$/),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{0,12}$/)),
    suffix,
  )
  .map((parts) => parts.join(''));
const quantity = text.map(parseQuantity);

describe('laws', () => {
  it('parses the canonical form to the same value, unless its suffix was lost beyond exa or it is capped', () => {
    fc.assert(
      fc.property(quantity, (q) => {
        const beyond = q.format === 'DecimalSI' && q.exact().digits.toString().length + q.exact().exponent > 21;
        fc.pre(!beyond);
        expect(parseQuantity(q.canonical()).cmp(q)).toBe(0);
      }),
    );
  });

  it('does not change a canonical form', () => {
    fc.assert(
      fc.property(quantity, (q) => {
        const canonical = q.canonical();
        expect(parseQuantity(canonical).canonical()).toBe(canonical);
      }),
    );
  });

  it('adds commutatively and associatively', () => {
    fc.assert(
      fc.property(quantity, quantity, quantity, (a, b, c) => {
        expect(a.add(b).cmp(b.add(a))).toBe(0);
        expect(
          a
            .add(b)
            .add(c)
            .cmp(a.add(b.add(c))),
        ).toBe(0);
        expect(a.add(b).sub(b).cmp(a)).toBe(0);
      }),
    );
  });

  it('compares in a total order that agrees with the exact numbers', () => {
    const scaled = (q: Quantity): bigint => q.exact().digits * 10n ** BigInt(q.exact().exponent + 30);
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        const [x, y] = [scaled(a), scaled(b)];
        expect(a.cmp(b)).toBe(x < y ? -1 : x > y ? 1 : 0);
        expect(b.cmp(a)).toBe(a.cmp(b) === 0 ? 0 : -a.cmp(b));
        expect(a.max(b).cmp(x < y ? b : a)).toBe(0);
      }),
    );
  });

  it('rounds up away from zero by less than one unit', () => {
    fc.assert(
      fc.property(quantity, (q) => {
        const rounded = q.roundUpToMilli();
        const away = q.sign() < 0 ? q.sub(rounded) : rounded.sub(q);
        expect(away.sign()).not.toBe(-1);
        expect(away.cmp(parseQuantity('1m'))).toBe(-1);
      }),
    );
  });
});
