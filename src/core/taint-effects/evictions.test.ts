import { DEFAULT_RULES } from '../kubernetes/kubernetes-rules.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { parseJson } from '../json/lossless-json.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { evictionChange } from './evictions.js';

interface Vector {
  readonly input: { readonly tolerations?: Toleration[]; readonly taints?: Taint[]; readonly comparison?: boolean };
  readonly want: { readonly action: string; readonly afterNs?: string };
}

const vectors = gunzipSync(readFileSync('test/conformance/vectors/evictionTime.jsonl.gz'))
  .toString()
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => parseJson(line) as unknown as Vector);

describe('evictionChange', () => {
  it(`predicts the taint eviction controller for taints on a node that had none (${vectors.length} vectors)`, () => {
    expect(vectors.length).toBeGreaterThan(100);
    const differing = vectors.filter(({ input, want }) => {
      const { tolerations = [], taints = [], comparison = false } = input;
      const change = evictionChange(
        tolerations,
        { before: [], after: taints, fresh: taints },
        gatesOf(DEFAULT_RULES, comparison),
      );
      if ((change?.when ?? 'none') !== want.action) return true;
      return change?.when === 'after' && change.seconds !== Number(want.afterNs) / 1e9;
    });
    expect(differing).toEqual([]);
  });

  it('cancels pending evictions when taints are removed, and changes nothing else', () => {
    const differing = vectors.filter(({ input, want }) => {
      const { tolerations = [], taints = [], comparison = false } = input;
      const change = evictionChange(
        tolerations,
        { before: taints, after: [], fresh: [] },
        gatesOf(DEFAULT_RULES, comparison),
      );
      return change?.when !== (want.action === 'after' ? 'cancelled' : undefined);
    });
    expect(differing).toEqual([]);
  });
});
