import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import { DerivedStateCache } from './derived-state-cache.js';
import { TimeSlices } from './time-slices.js';

/** Rests for ever after its first slice. */
const inBackground = (): TimeSlices => new TimeSlices({ background: { rests: 1_000_000 } });

const pods = Array.from({ length: 20_000 }, (_, at): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `p${at}`, namespace: `n${at % 7}`, labels: { at: String(at) } },
  spec: { containers: [{ name: 'c' }], tolerations: [{ key: `k${at}`, operator: 'Exists' }] },
}));

describe('what is computed ahead of questions', () => {
  it.each(['overview', 'taintInventory', 'clusterFindings', 'podGroups'] as const)(
    '%s hurries when a request needs it, which gets the same',
    async (name) => {
      const digests = new DerivedStateCache();
      const state = ClusterState.empty(['Node', 'Pod']).apply({ upserts: pods });
      const slices = inBackground();
      const ahead = digests[name](state, slices);
      const asked = digests[name](state);
      expect(await asked).toBe(await ahead);
      expect([slices.used > 0, slices.inBackground]).toEqual([true, false]);
    },
  );
});
