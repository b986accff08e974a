import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import { DEFAULT_RULES } from '../../core/kubernetes/kubernetes-rules.js';
import type { DigestKey } from '../../storage/digest-store.js';
import type { Revision } from '../../storage/revision.js';
import { KeptDigests } from './kept-digests.js';

const DIGEST = { name: 'list', readAhead: 100 };
const state = ClusterState.build([], ['Node']);

/** Keeps digests of a state that was in memory before the question. */
function keeper(isThere: () => boolean) {
  const kept: DigestKey[] = [];
  const store = {
    find: () => Promise.resolve(undefined),
    part: () => Promise.resolve(undefined),
    keep: (key: DigestKey): Promise<boolean> => {
      kept.push(key);
      return Promise.resolve(isThere());
    },
  };
  const digests = new KeptDigests(store, { has: () => true });
  const keep = async (number: number): Promise<readonly number[]> => {
    const revision = { clusterId: 1, number } as Revision;
    const of = { revision, rules: DEFAULT_RULES, state, wasLoaded: true };
    await digests.keep(DIGEST, of, () => Promise.resolve({ head: null, items: [] }));
    return kept.map((key) => key.revision);
  };
  return { digests, keep };
}

describe('the digests of a cluster', () => {
  it('are not kept again within a minute, unless the cluster was forgotten', async () => {
    const { digests, keep } = keeper(() => true);
    expect([await keep(1), await keep(2)]).toEqual([[1], [1]]);
    digests.forget(1);
    expect(await keep(3)).toEqual([1, 3]);
  });

  it('leave nothing behind where the cluster is deleted before they are kept', async () => {
    const { keep } = keeper(() => false);
    expect([await keep(1), await keep(2)]).toEqual([[1], [1, 2]]);
  });
});
