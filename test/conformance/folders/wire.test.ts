import { afterAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import { parseJson } from '../../../src/core/json/lossless-json.js';
import { judgeWire, judgeWireTogether, stopWire } from './wire.js';

afterAll(stopWire);

type Edit = (text: string) => string;

async function recorded(name: string, edit: Edit = (text) => text): Promise<JsonObject> {
  const bytes = await readFile(`test/conformance/recorded/wire/${name}.json.gz`);
  return parseJson(edit(gunzipSync(bytes).toString('utf8'))) as JsonObject;
}

const judged = async (name: string, edit?: Edit): Promise<readonly string[]> => judgeWire(await recorded(name, edit));

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

  it.each<[string, string, RegExp, Edit]>([
    [
      'audit-metadata-retries',
      'an event that came less often than the recording says',
      /came 1 times, by the truth 3/,
      (text) => text.replace(/"delivered":\s*1/, '"delivered": 3'),
    ],
    [
      'audit-metadata-retries',
      'an event of another user',
      /is of mallory with \d+ by the truth/,
      (text) => text.replace(/("truth":[^]*?"ResponseComplete"[^]*?"user":\s*)"[^"]*"/, '$1"mallory"'),
    ],
    [
      'audit-metadata-outage',
      'a write that is said to be lost and was taken in',
      /at its pace: as if about nodes: lost are down-1,.*ok-1, by the trail down-1,/,
      (text) => text.replace(/("lost":\s*\[)/, '$1"ok-1",'),
    ],
    [
      'noise-actions',
      'other words of kubectl',
      /kubectl taint nodes n3 .* prints "node\/n3 tainted/,
      (text) => text.replace('node/n3 tainted', 'node/n3 modified'),
    ],
    [
      'noise-actions',
      'other taints in the end',
      /at \d+ ms: n12 has team=b:PreferNoSchedule, by the actions team=a/,
      (text) => text.replace(/("moments":[^]*"value":\s*)"a"/, '$1"b"'),
    ],
  ])('notices in %s %s', async (name, _what, difference, edit) => {
    const found = await judged(name, edit);
    expect(found.filter((one) => difference.test(one))).not.toHaveLength(0);
  });

  it('compares the trail of audit events with the nodes that were recorded beside them', async () => {
    const path = 'taint-writes-node-watch';
    const audit = { path: 'audit-of-taint-writes', content: await recorded('audit-of-taint-writes') };
    const judgedWith = async (edit?: Edit) =>
      (await judgeWireTogether([audit, { path, content: await recorded(path, edit) }])).get(path);
    expect(await judgedWith()).toBeUndefined();
    const other: Edit = (text) => text.replace(/("truth":[^]*?"guard.example\/hold",\s*"value":\s*)"a"/, '$1"b"');
    expect(await judgedWith(other)).toEqual([
      expect.stringMatching(/^n1 at 1152 has guard.example\/hold=b:NoSchedule .*, by the trail guard.example\/hold=a:/),
    ]);
  });

  it('fails a file without audit events, and one without lists and watches', async () => {
    expect(await judgeWire({ name: 'audit-of-something', exchanges: [], truth: {} })).toEqual([
      'the file has no batch of audit events',
    ]);
    expect(await judgeWire({ name: 'something-new', exchanges: [], truth: {} })).toEqual([
      'the file has no list and no watch',
    ]);
  });
});
