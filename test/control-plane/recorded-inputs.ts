import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { JsonObject } from '../../src/core/json/json-value.js';
import { parseJson } from '../../src/core/json/lossless-json.js';

/** A line of the vectors. */
export interface Vector {
  readonly input: JsonObject;
  readonly want: JsonObject;
}

/** The vectors of one op that the tests hold. */
export async function vectorsOf(op: string): Promise<readonly Vector[]> {
  const packed = await readFile(join('test', 'conformance', 'vectors', `${op}.jsonl.gz`));
  return gunzipSync(packed)
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => parseJson(line) as unknown as Vector);
}

export const objectsIn = (input: JsonObject, member: string): readonly JsonObject[] =>
  (input[member] ?? []) as readonly JsonObject[];

/** One of the list; the list is not empty. */
export const drawn = <T>(list: readonly T[], next: () => number): T => list[Math.floor(next() * list.length)]!;

/** The objects of both lists, each name once; undefined if they name two different objects alike. */
export function joined(first: readonly JsonObject[], second: readonly JsonObject[]): readonly JsonObject[] | undefined {
  const byName = new Map<unknown, JsonObject>();
  for (const object of [...first, ...second]) {
    const name = (object['metadata'] as JsonObject)['name'];
    const known = byName.get(name);
    if (known !== undefined && JSON.stringify(known['spec'] ?? known) !== JSON.stringify(object['spec'] ?? object)) {
      return undefined;
    }
    byName.set(name, known ?? object);
  }
  return [...byName.values()];
}

/** Puts an object into a namespace. */
export const into = (namespace: string, object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object['metadata'] as JsonObject), namespace },
});
