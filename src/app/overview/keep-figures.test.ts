import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import { DEFAULT_RULES } from '../../core/kubernetes/kubernetes-rules.js';
import type { KubernetesObject } from '../../core/kubernetes/objects/meta.js';
import type { DigestKey } from '../../storage/digest-store.js';
import type { Revision } from '../../storage/revision.js';
import { ListFindings } from '../findings/list-findings.js';
import { ReadDigest } from '../reads/read-digest.js';
import type { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { KeptDigests } from '../states/kept-digests.js';
import { TimeSlices } from '../states/time-slices.js';
import { TakeTaintInventory } from '../taints/take-taint-inventory.js';
import { KeepFigures } from './keep-figures.js';

const PODS = 40;

const node: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
} as KubernetesObject;

/** A pod whose toleration matches no taint, which is a finding of its own. */
const pod = (index: number): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${index}`, namespace: 'shop' },
    spec: { containers: [{ name: 'c', image: 'i' }], tolerations: [{ key: `k${index}`, operator: 'Exists' }] },
    status: { phase: 'Pending' },
  }) as KubernetesObject;

/** Slices that are used up at once, without a pause in real time. */
class CountedSlices extends TimeSlices {
  pauses = 0;

  override due(): boolean {
    return true;
  }

  override pause(): Promise<void> {
    this.pauses += 1;
    return Promise.resolve();
  }
}

describe('what is kept of a head', () => {
  it('is packed, and not only computed, in slices that leave time for requests', async () => {
    const state = ClusterState.build(
      [node, ...Array.from({ length: PODS }, (_, index) => pod(index))],
      ['Node', 'Pod'],
    );
    const revision = { clusterId: 1, number: 1, unconfirmedNodes: 0 } as Revision;
    const selected = { resolved: { revision }, rules: { rules: DEFAULT_RULES } };
    const readState = {
      select: () => Promise.resolve(selected),
      run: () => Promise.resolve({ basis: {}, revision, state }),
    } as unknown as ReadState;
    const slices = new CountedSlices();
    const pausesWhenKept = new Map<string, number>();
    const store = {
      find: () => Promise.resolve(undefined),
      part: () => Promise.resolve(undefined),
      keep: ({ digest }: DigestKey) => {
        pausesWhenKept.set(digest, slices.pauses);
        return Promise.resolve(true);
      },
    };
    const readDigest = new ReadDigest(readState, new KeptDigests(store, { has: () => false }));
    const digests = new DerivedStateCache();
    const figures = new KeepFigures(
      { keep: () => Promise.resolve() },
      readState,
      digests,
      new ListFindings(readDigest, digests),
      new TakeTaintInventory(readDigest, digests),
    );
    const context = { access: { seesTaintValues: () => true } } as unknown as RequestContext;
    const { findings } = (await figures.run({ id: 1, name: 'c' }, context, slices)).figures;
    expect(findings.warning + findings.info).toBeGreaterThanOrEqual(PODS);
    const computed = new CountedSlices();
    const again = new DerivedStateCache();
    await again.overview(state, computed);
    await again.taintInventory(state, computed);
    await again.clusterFindings(state, computed);
    // One for each finding that is packed, after those of what is computed.
    expect([...pausesWhenKept.keys()]).toEqual(['findings', 'finding-groups', 'taints']);
    expect(pausesWhenKept.get('findings')).toBeGreaterThanOrEqual(computed.pauses + PODS);
    expect(pausesWhenKept.get('finding-groups')).toBeGreaterThan(pausesWhenKept.get('findings')!);
    expect(pausesWhenKept.get('taints')).toBeGreaterThan(pausesWhenKept.get('finding-groups')!);
  });
});
