import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import { parseJson } from '../../../src/core/json/lossless-json.js';
import { judgeQuota } from './quota.js';

async function recorded(name: string, edit: (text: string) => string = (text) => text): Promise<readonly string[]> {
  const text = await readFile(`test/conformance/recorded/quota/${name}.json`, 'utf8');
  const edited = edit(text);
  return judgeQuota(parseJson(edited) as JsonObject);
}

const IN_STEPS = 'finished-pods-released';

describe('judgeQuota', () => {
  it.each([IN_STEPS, 'in-place-resize', 'overhead-pods-first'])('agrees with the recording %s', async (name) => {
    expect(await recorded(name)).toEqual([]);
  });

  it.each([
    ['another code', '"code": 403', '"code": 409'],
    ['other words of a refusal', 'used: count/pods=3', 'used: count/pods=2'],
    ['another charge', '"pods": "2"', '"pods": "4"'],
    ['another spelling of a charge', '"requests.cpu": "1"', '"requests.cpu": "1000m"'],
    ['another last change', '"count/pods": "2",\n       "pods": "1"', '"count/pods": "2",\n       "pods": "2"'],
    ['a step that it does not know', '"do": "phase"', '"do": "phrase"'],
    ['another quota', '"q": {', '"r": {'],
    ['an order that it does not know', 'quota-first', 'quota-last'],
  ])('notices %s', async (_, from, to) => {
    const found = await recorded(IN_STEPS, (text) => {
      const tight = text.replaceAll(/"count\/pods": "2",\s+"pods": "1"/g, '"count/pods": "2",\n       "pods": "1"');
      expect(tight).toContain(from);
      return tight.replaceAll(from, to);
    });
    expect(found.length).toBeGreaterThan(0);
  });

  it('notices a quota that should have been refused', async () => {
    const found = await recorded(IN_STEPS, (text) => text.replaceAll('"pods": "2",', '"pods": "-2",'));
    expect(found.join('\n')).toContain('must be greater than or equal to 0');
  });

  it('counts a pod that is being deleted until it is gone', async () => {
    const file = JSON.parse(await readFile('test/conformance/recorded/quota/in-place-resize.json', 'utf8')) as {
      observed: { steps: unknown[] };
    };
    const used = (limits: string, requests: string): unknown => [
      { used: { q: { 'limits.cpu': limits, 'requests.cpu': requests } } },
    ];
    file.observed.steps = [
      { step: { do: 'gracefulDelete', pod: 'bound' }, code: 200, usedChanges: used('1200m', '600m') },
      { step: { do: 'gracefulDelete', pod: 'p' }, code: 200, usedChanges: used('600m', '300m') },
      { step: { do: 'delete', pod: 'bound' }, code: 200, usedChanges: used('0', '0') },
    ];
    expect(judgeQuota(file as unknown as JsonObject)).toEqual([]);
  });
});
