import { expect, it } from '@jest/globals';
import { DEFAULT_SHAPE } from '../../bench/generator/cluster-shape.js';
import { ndjson } from '../../bench/generator/dump.js';
import { generateCluster } from '../../bench/generator/generate-cluster.js';
import type { ObjectRow } from '../core/cluster/object-row.js';
import { ingestSmall, ingestStream } from './ingest-stream.js';

const OPTIONS = { contentType: 'application/x-ndjson', invalid: 'keep' } as const;
/** What Kubernetes would refuse, kept as far as it can be read, and what is no JSON. */
const INVALID = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"b"},"spec":{"nodeName":7}}';
const GARBLED = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"';

async function* chunksOf(texts: readonly string[]): AsyncGenerator<Uint8Array, void> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(`${text.trimEnd()}\n`));
}

interface Read {
  readonly rows: readonly ObjectRow[];
  readonly report: unknown;
}

async function read(stream: AsyncGenerator<readonly ObjectRow[], unknown>): Promise<Read | string> {
  const rows: ObjectRow[] = [];
  try {
    for (;;) {
      const next = await stream.next();
      if (next.done === true) return { rows, report: next.value };
      rows.push(...next.value);
    }
  } catch (error) {
    return (error as Error).message;
  }
}

it('reads each of many small streams, several at a time, as if it were the first', async () => {
  const objects = [...ndjson([...generateCluster({ ...DEFAULT_SHAPE, nodes: 10, pods: 200, seed: 3 })])].join('');
  const lines = objects.trimEnd().split('\n');
  const streams = Array.from({ length: Math.ceil(lines.length / 3) }, (_, index) => [
    ...lines.slice(3 * index, 3 * index + 3),
    ...(index % 5 === 1 ? [INVALID] : []),
    ...(index % 7 === 2 ? [GARBLED] : []),
  ]);
  const small: (Read | string)[] = [];
  for (let from = 0; from < streams.length; from += 6) {
    const group = streams.slice(from, from + 6);
    small.push(...(await Promise.all(group.map((stream) => read(ingestSmall(chunksOf(stream), OPTIONS, 1))))));
  }
  const alone = await Promise.all(streams.map((stream) => read(ingestStream(chunksOf(stream), OPTIONS, 1))));
  expect(small).toEqual(alone);
  expect(alone.filter((one) => typeof one !== 'string').length).toBeGreaterThan(50);
  expect(alone.some((one) => typeof one === 'string')).toBe(true);
});
