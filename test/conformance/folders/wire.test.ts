import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import { parseJson } from '../../../src/core/json/lossless-json.js';
import { judgeWire } from './wire.js';

async function judged(name: string, edit: (text: string) => string = (text) => text): Promise<readonly string[]> {
  const bytes = await readFile(`test/conformance/recorded/wire/${name}.json.gz`);
  const text = gunzipSync(bytes).toString('utf8');
  return judgeWire(parseJson(edit(text)) as JsonObject);
}

describe('judgeWire', () => {
  it.each(['watch-gone', 'watchlist-nodes', 'list-pages-nodes', 'noise-poddisruptionbudgets'])(
    'notices that the mirror of %s does not come to the truth, in each way of playing it',
    async (name) => {
      expect(await judged(name)).toEqual([]);
      const at = /("truth":[^]*?"sha256":\s*")[0-9a-f]{8}/;
      const found = await judged(name, (text) => text.replace(at, '$100000000'));
      expect(found).toHaveLength(3);
      expect(found[0]).toMatch(/no mirror of .* comes to the truth at \d+: .* is another/);
    },
  );

  it('fails a file that nobody judges, by its name, and one without lists and watches', async () => {
    expect(await judgeWire({ name: 'audit-of-something', exchanges: [], truth: {} })).toHaveLength(1);
    expect(await judgeWire({ name: 'something-new', exchanges: [], truth: {} })).toEqual([
      'the file has no list and no watch',
    ]);
  });
});
