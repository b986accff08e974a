import { describe, expect, it } from '@jest/globals';
import { FieldPath } from '../field-path.js';
import { validateLabels } from './label.js';

const LABELS = FieldPath.of('metadata', 'labels');

describe('labels', () => {
  it('have no faults if keys and values are valid', () => {
    expect(validateLabels(undefined, LABELS)).toEqual([]);
    expect(validateLabels({ 'example.com/pool': 'gpu', a: '' }, LABELS)).toEqual([]);
  });

  it('have the faults of each key before those of its value, in the order of the keys', () => {
    const faults = validateLabels({ z: 'b ad', ok: 'fine', 'a b': 'x', 'B!': '-y' }, LABELS);
    expect(faults.map(({ field }) => field)).toEqual(Array(4).fill('metadata.labels'));
    expect(faults.map(({ message }) => /"(.*?)"/.exec(message)?.[1])).toEqual(['B!', '-y', 'a b', 'b ad']);
  });
});
