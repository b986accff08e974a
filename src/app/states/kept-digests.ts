import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { harmlessWebhooksIn } from '../../core/admission/surroundings-in.js';
import type { KubernetesRules } from '../../core/kubernetes/kubernetes-rules.js';
import { DigestStore, type DigestKey } from '../../storage/digest-store.js';
import type { Revision } from '../../storage/revision.js';
import { DIGEST_CODE } from '../../digest-code.js';
import { taintValuesOf, type TaintValues } from '../withheld-values.js';
import { ClusterStates } from './cluster-states.js';
import { blocksOf, pack, unpack, type Block } from './digest-blocks.js';
import { stateKeyOf } from './state-key.js';
import type { TimeSlices } from './time-slices.js';

/** What a question needs of a state: JSON that depends on nothing but the state and its rules. */
export interface Digest<Head, Item> {
  readonly name: string;
  /** How much of its content, in bytes, is read at once. */
  readonly readAhead: number;
  /** Whether it takes longer to compute from a state in memory than to read. */
  readonly isCostly?: boolean;
  readonly head?: Head;
  readonly item?: Item;
}

export interface DigestContent<Head, Item> {
  /** What is always read. */
  readonly head: Head;
  /** A list, of which parts are read. */
  readonly items: readonly Item[];
}

/** A digest that is kept. */
export interface KeptDigest<Head, Item> {
  readonly head: Head;
  readonly harmlessWebhooks: readonly string[];
  /** The values of taints and tolerations in the state; empty unless they were asked for. */
  readonly values: readonly TaintValues[];
  /** Items by position, all by default. Undefined if they are kept no longer. */
  readonly items: (from?: number, to?: number) => Promise<readonly Item[] | undefined>;
}

/** The state of a revision under rules. */
export interface OfRevision {
  readonly revision: Revision;
  readonly rules: KubernetesRules;
}

interface KeptHead {
  readonly head: unknown;
  readonly harmlessWebhooks: readonly string[];
  readonly blocks: readonly Block[];
}

/** A digest of a state that stays in memory is kept again after so many milliseconds; its revisions may come every second. */
const KEPT_AGAIN_AFTER = 60_000;

/** A longer list is not kept: it takes as long to read as to compute. */
const MOST_ITEMS = 20_000;

/** Keeps digests of states with their revisions. A kept digest is used where the state is not in memory. */
export class KeptDigests {
  /** What this process kept last, by cluster and name. */
  private readonly last = new Map<number, Map<string, { readonly at: number; readonly revision: number }>>();

  constructor(
    private readonly store: Pick<DigestStore, 'find' | 'part' | 'keep'>,
    private readonly states: Pick<ClusterStates, 'has'>,
  ) {}

  /** Whether the state is in memory. */
  hasState({ revision, rules }: OfRevision): boolean {
    return this.states.has(stateKeyOf(revision, rules));
  }

  /** Undefined if it is not kept, or is computed as fast from the state, which is in memory. @param withValues whether to read the values of taints */
  async find<Head, Item>(
    { name, readAhead, isCostly = false }: Digest<Head, Item>,
    of: OfRevision,
    withValues: boolean,
  ): Promise<KeptDigest<Head, Item> | undefined> {
    const hasState = this.hasState(of);
    const { clusterId, number } = of.revision;
    if (hasState && !(isCostly && this.last.get(clusterId)?.get(name)?.revision === number)) return undefined;
    const key = keyOf(name, of);
    const finding = this.store.find(key, readAhead, withValues);
    // Without a database, it is computed from the state.
    const found = await (hasState ? finding.catch(() => undefined) : finding);
    if (found === undefined) return undefined;
    const { head, harmlessWebhooks, blocks } = JSON.parse(found.head) as KeptHead;
    const values = found.withheld === null ? [] : (JSON.parse(found.withheld) as TaintValues[]);
    const items = async (from = 0, to = Infinity): Promise<readonly Item[] | undefined> => {
      const range = blocksOf(blocks, from, to);
      const end = range.offset + range.bytes;
      const part =
        end <= found.start.length
          ? found.start.subarray(range.offset, end)
          : await this.store.part(key, range.offset, range.bytes);
      if (part === undefined) return undefined;
      const unpacked = (await unpack(range.blocks, part)) as Item[];
      return unpacked.slice(Math.max(0, from - range.first), to - range.first);
    };
    return { head: head as Head, harmlessWebhooks, values, items };
  }

  /**
   * Keeps a digest for when the state is no longer in memory.
   * @param make computes it; not called if a digest of the cluster was kept a moment ago and `state` was in memory before the question
   * @param slices of packing it
   */
  async keep<Head, Item>(
    { name }: Digest<Head, Item>,
    { state, wasLoaded, ...of }: OfRevision & { readonly state: ClusterState; readonly wasLoaded: boolean },
    make: () => Promise<DigestContent<Head, Item>>,
    slices?: TimeSlices,
  ): Promise<void> {
    const { clusterId, number } = of.revision;
    const now = performance.now();
    const last = this.last.get(clusterId) ?? new Map<string, { readonly at: number; readonly revision: number }>();
    if (wasLoaded && now - (last.get(name)?.at ?? -Infinity) < KEPT_AGAIN_AFTER) return;
    this.last.set(clusterId, last.set(name, { at: now, revision: number }));
    const { head, items } = await make();
    if (items.length > MOST_ITEMS) return;
    const { blocks, content } = await pack(items, slices);
    const kept: KeptHead = { head, harmlessWebhooks: harmlessWebhooksIn(state), blocks };
    const withheld = JSON.stringify(taintValuesOf(state));
    try {
      const isKept = await this.store.keep(keyOf(name, of), { head: JSON.stringify(kept), content, withheld });
      // The cluster may have been deleted meanwhile.
      if (!isKept) this.forget(clusterId);
    } catch {
      // The question is answered all the same.
      last.delete(name);
    }
  }

  /** Forgets what was kept of a cluster, which is deleted. */
  forget(clusterId: number): void {
    this.last.delete(clusterId);
  }
}

const keyOf = (digest: string, { revision, rules }: OfRevision): DigestKey => ({
  clusterId: revision.clusterId,
  digest,
  revision: revision.number,
  rules: rules.id,
  version: DIGEST_CODE,
});
