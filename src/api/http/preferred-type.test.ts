import { describe, expect, it } from '@jest/globals';
import { preferredType } from './preferred-type.js';

const PLAIN = 'text/plain';
const OPEN = 'application/openmetrics-text';

describe('preferredType', () => {
  it.each([
    ['the first without a header', undefined, PLAIN],
    ['the first where anything will do', '*/*', PLAIN],
    ['the first where none will do', 'image/png', PLAIN],
    ['what is named alone', 'application/openmetrics-text; version=1.0.0', OPEN],
    ['the heavier one', 'text/plain;q=0.3, application/openmetrics-text;q=0.8', OPEN],
    ['the heavier one, whatever the order', 'application/openmetrics-text;q=0.2,text/plain;q=0.5', PLAIN],
    [
      'what Prometheus would rather have',
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.4,*/*;q=0.2',
      OPEN,
    ],
    ['a type over a range', 'application/*;q=0.9, text/plain;q=0.1', OPEN],
    ['none that is refused', 'text/plain;q=0, */*;q=0.1', OPEN],
    ['none of a weight that is none', 'application/openmetrics-text;q=x, text/plain;q=0.1', PLAIN],
  ])('takes %s', (_, accept, wanted) => {
    expect(preferredType(accept, [PLAIN, OPEN])).toBe(wanted);
  });
});
