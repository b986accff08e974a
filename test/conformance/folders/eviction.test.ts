import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import { parseJson } from '../../../src/core/json/lossless-json.js';
import { judgeEviction } from './eviction.js';

const recorded = async (name: string, edit: (text: string) => string = (text) => text): Promise<readonly string[]> =>
  judgeEviction(
    parseJson(edit(await readFile(`test/conformance/recorded/eviction/${name}.json`, 'utf8'))) as JsonObject,
  );

describe('judgeEviction', () => {
  it('agrees with the recording', async () => {
    expect(await recorded('second-taint-shorter')).toEqual([]);
  });

  it('takes the end of a pod as its mark if the mark was not recorded', async () => {
    const from = /"markedAt": 13\.04/g;
    expect(await recorded('second-taint-shorter', (text) => text.replaceAll(from, '"deletedAt": 13.1'))).toEqual([]);
  });

  it.each([
    ['a pod that went at another time', '"markedAt": 13.04', '"markedAt": 14.2'],
    ['a pod that stayed', '"markedAt": 13.04', '"survivedUntil": 17'],
    ['a step that it does not know', '"do": "setTaints"', '"do": "setTants"'],
    ['a pod of which the file does not say what became of it', '"markedAt": 13.04', '"seen": 13.04'],
  ])('notices %s', async (_, from, to) => {
    const found = await recorded('second-taint-shorter', (text) => text.replaceAll(from, to));
    expect(found.length).toBeGreaterThan(0);
  });

  it('notices an impossible order', async () => {
    const swapped = await recorded('many-pods-at-once', (text) => text.replace('"markedAt": 5.287', '"markedAt": 1.0'));
    expect(swapped.some((difference) => difference.includes('went after it'))).toBe(true);
  });
});
