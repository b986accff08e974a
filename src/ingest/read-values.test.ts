import { describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import type { JsonObject } from '../core/json/json-value.js';
import { stringifyJson } from '../core/json/lossless-json.js';
import { IngestError } from './ingest-error.js';
import { readSnapshot } from './read-snapshot.js';
import { areShort, readValues } from './read-values.js';

const named = (kind: string, name: string, more: object = {}): JsonObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'a', resourceVersion: '7', uid: `u-${name}` },
  ...more,
});

const POD = named('Pod', 'p', {
  spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'A', value: 'secret' }] }], unknown: 1 },
});
const CASES: Readonly<Record<string, readonly JsonObject[]>> = {
  'objects, one of a kind that is not kept': [POD, named('Secret', 's'), named('ConfigMap', 'c', { data: { a: 'b' } })],
  'a list and watch events': [
    {
      apiVersion: 'v1',
      kind: 'PodList',
      metadata: { resourceVersion: '9' },
      items: [POD, named('Pod', 'q', { spec: { containers: [] } })],
    },
    { type: 'MODIFIED', object: POD },
    { type: 'BOOKMARK', object: { kind: 'Pod' } },
  ],
  'invalid objects': [
    named('Pod', 'P', { spec: { containers: [], tolerations: [{ operator: 'What' }], priority: 'x' } }),
    { metadata: { name: 'untyped' } },
    POD,
  ],
  'a Status': [POD, { apiVersion: 'v1', kind: 'Status', reason: 'Gone', code: 410 }],
  nothing: [{ type: 'BOOKMARK', object: {} }],
};

async function ofText(values: readonly JsonObject[], invalid: 'refuse' | 'keep'): Promise<unknown> {
  const reading = readSnapshot(Readable.from([Buffer.from(values.map((value) => stringifyJson(value)).join('\n'))]), {
    invalid,
  });
  const rows: unknown[] = [];
  for await (const batch of reading.rows) rows.push(...batch);
  return { rows, report: { ...(await reading.report), bytesRead: 0, bytesDecoded: 0 } };
}

/** What was read, or why it is refused; without the place in the text, which values do not have. */
const outcomeOf = (reading: Promise<unknown>): Promise<unknown> =>
  reading.catch((error: unknown) => {
    if (!(error instanceof IngestError)) throw error;
    const { code, message, item, invalid, invalidCount } = error;
    return { code, message, item, invalid, invalidCount };
  });

describe('values that are parsed already', () => {
  it.each(
    Object.entries(CASES).flatMap(([name, values]) =>
      (['refuse', 'keep'] as const).map((invalid) => ({ name, values, invalid })),
    ),
  )('are read as their text is: $name, $invalid', async ({ values, invalid }) => {
    expect(await outcomeOf(readValues(values, { invalid }))).toEqual(await outcomeOf(ofText(values, invalid)));
  });

  it('are short up to a size, of one and of all', () => {
    const of = (length: number): JsonObject => named('Pod', 'x'.repeat(length));
    expect(areShort([of(10), of(100_000)])).toBe(true);
    expect(areShort([of(300_000)])).toBe(false);
    expect(areShort(Array.from({ length: 20 }, () => of(100_000)))).toBe(false);
  });

  it('are left to the reader of texts if they may have characters that cannot be stored', () => {
    expect(areShort([named('Pod', 'a\0')])).toBe(false);
    expect(areShort([named('Pod', 'a', { '\ud800': 1 })])).toBe(false);
  });

  it('are not read on once the request is aborted', async () => {
    const values = Array.from({ length: 2_000 }, () => POD);
    await expect(readValues(values, { invalid: 'refuse', signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});
