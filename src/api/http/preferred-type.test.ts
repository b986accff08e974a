import { describe, expect, it } from '@jest/globals';
import { preferredType } from './preferred-type.js';

const PLAIN = 'text/plain';
const OPEN = 'application/openmetrics-text';

describe('preferredType', () => {
  it.each([
    ['the first one without a header', undefined, PLAIN],
    ['the first one if any type is accepted', '*/*', PLAIN],
    ['the first one if none is accepted', 'image/png', PLAIN],
    ['the only one that is named', 'application/openmetrics-text; version=1.0.0', OPEN],
    ['the one with the higher weight', 'text/plain;q=0.3, application/openmetrics-text;q=0.8', OPEN],
    ['the one with the higher weight, in any order', 'application/openmetrics-text;q=0.2,text/plain;q=0.5', PLAIN],
    [
      'the one that Prometheus prefers',
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.4,*/*;q=0.2',
      OPEN,
    ],
    ['a type before a range', 'application/*;q=0.9, text/plain;q=0.1', OPEN],
    ['no type that is excluded', 'text/plain;q=0, */*;q=0.1', OPEN],
    ['no type with an invalid weight', 'application/openmetrics-text;q=x, text/plain;q=0.1', PLAIN],
  ])('prefers %s', (_, accept, wanted) => {
    expect(preferredType(accept, [PLAIN, OPEN])).toBe(wanted);
  });
});
