import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { WriteTranscript } from './wire-write-exchange.js';
import { judgeWrites } from './wire-writes.js';

async function judged(name: string, edit: (text: string) => string = (text) => text): Promise<readonly string[]> {
  const text = gunzipSync(await readFile(`test/conformance/recorded/wire/${name}.json.gz`)).toString('utf8');
  return judgeWrites(JSON.parse(edit(text)) as WriteTranscript);
}

describe('judgeWrites', () => {
  it.each([
    'taints-json-patch',
    'taints-merge-and-strategic',
    'taints-refused',
    'taints-server-side-apply',
    'taints-admission-webhook',
    'kubectl-taint',
    'kubectl-wipes-guard-taint',
    'kubectl-other-writers',
    'kubectl-cordon-drain',
    'dry-run-pod-create',
    'evictions',
    'eviction-budget-not-processed',
  ])('finds no difference in %s', async (name) => {
    expect(await judged(name)).toEqual([]);
  });

  it('notices other taints in the end, another output of kubectl, and another answer', async () => {
    const ended = await judged('taints-json-patch', (text) =>
      text.replace(/("truth":[^]*?"key":\s*"guard\.example\/)hold/, '$1other'),
    );
    expect(ended).toEqual([
      expect.stringMatching(/^n1 has .*guard.example\/other.* in the end, but the client believes/),
    ]);
    const printed = await judged('kubectl-taint', (text) => text.replace('node/n7 modified\\n', 'node/n7 tainted\\n'));
    expect(printed).toEqual([expect.stringContaining('stdout is "node/n7 tainted\\n", not "node/n7 modified\\n"')]);
    const sent = await judged('kubectl-taint', (text) =>
      text.replace('\\"value\\":\\"gpu\\"}]}}', '\\"value\\":\\"tpu\\"}]}}'),
    );
    expect(sent).not.toEqual([]);
  });
});
