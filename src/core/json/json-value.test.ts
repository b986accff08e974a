import { expect, it } from '@jest/globals';
import { isJsonObject } from './json-value.js';

it.each([
  [{}, true],
  [{ length: 0 }, true],
  [[], false],
  [null, false],
  [undefined, false],
  ['{}', false],
  [1n, false],
])('tells whether %p is a JSON object', (value, is) => {
  expect(isJsonObject(value)).toBe(is);
});
