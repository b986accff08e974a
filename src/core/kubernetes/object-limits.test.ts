import { describe, expect, it } from '@jest/globals';
import { objectTooLarge } from './object-limits.js';

const listOf = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('objectTooLarge', () => {
  it('reports nothing up to the limits', () => {
    expect(objectTooLarge({ spec: { tolerations: listOf(1000), containers: listOf(250) } })).toEqual([]);
  });

  it.each([
    [
      'of a list',
      { spec: { tolerations: listOf(1001) } },
      'spec.tolerations',
      'Too many: 1001: must have at most 1000 items',
    ],
    [
      'of a map',
      { spec: { nodeSelector: Object.fromEntries(listOf(1001).entries()) } },
      'spec.nodeSelector',
      'Too many: 1001: must have at most 1000 items',
    ],
    [
      'of a list that is dear',
      { spec: { containers: listOf(251) } },
      'spec.containers',
      'Too many: 251: must have at most 250 items',
    ],
    ['of all of it in characters', { data: 'x'.repeat(1_572_865) }, '', 'Too long: may not be more than 1572864 bytes'],
    [
      'of all of it in members',
      { data: listOf(30).map(() => listOf(900)) },
      '',
      /^Too many: \d+: must have at most 20000 items$/,
    ],
  ])('is a fault above them: %s', (_, object, field, message) => {
    expect(objectTooLarge(object)).toEqual([
      expect.objectContaining({
        field,
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      }),
    ]);
  });

  it('reports every list that is too long', () => {
    const fields = objectTooLarge({ spec: { tolerations: listOf(2000), volumes: listOf(300) } }).map(
      ({ field }) => field,
    );
    expect(fields).toEqual(['spec.tolerations', 'spec.volumes']);
  });
});
