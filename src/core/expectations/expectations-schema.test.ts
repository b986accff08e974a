import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { EXPECTATION_KINDS } from './expectation.js';
import { EXPECTATIONS_SCHEMA } from './expectations-schema.js';

describe('the schema of expectations', () => {
  it('is published as it is checked', async () => {
    const published: unknown = JSON.parse(await readFile('docs/expectations.schema.json', 'utf8'));
    expect(published).toEqual(EXPECTATIONS_SCHEMA);
  });

  it('has a check for every kind', () => {
    const { expectation } = EXPECTATIONS_SCHEMA['$defs'] as Record<string, { oneOf: { required: string[] }[] }>;
    expect(expectation!.oneOf.map(({ required }) => required[0])).toEqual(EXPECTATION_KINDS);
  });
});
