import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { PageRequest } from '../../contract/page.js';
import type { ListIdentity } from '../paging/page-token.js';
import type { RequestContext } from '../request-context.js';
import { KeptDigests, type Digest, type DigestContent, type KeptDigest } from '../states/kept-digests.js';
import type { TimeSlices } from '../states/time-slices.js';
import { basisOf, type Basis } from './basis.js';
import type { ReadAt } from './read-at.js';
import { pageSelection, ReadState, type Selected } from './read-state.js';

/** A state that a page of a list is about, which need not be loaded. */
export interface SelectedPage {
  readonly cluster: string;
  /** Selects the same state for all pages of the list. */
  readonly readAt: ReadAt;
  /** The identity of the list, for its tokens. */
  readonly list: ListIdentity;
  readonly selected: Selected;
}

export interface BasedDigest<Head, Item> extends KeptDigest<Head, Item> {
  readonly basis: Basis;
}

export interface ComputedDigest<Content> {
  readonly basis: Basis;
  readonly content: Content;
  /** Keeps another digest of the same state. */
  readonly keep: <Head, Item>(
    digest: Digest<Head, Item>,
    make: () => Promise<DigestContent<Head, Item>>,
  ) => Promise<void>;
}

/** Reads what a question needs of a state where that is kept with the revision, so that the state is not loaded. */
export class ReadDigest {
  constructor(
    private readonly readState: ReadState,
    private readonly kept: Pick<KeptDigests, 'hasState' | 'find' | 'keep'>,
  ) {}

  /**
   * Finds the state for a page of a list; further pages use the same revision as the first one.
   * @param list name of the list and its filters
   * @throws {ServiceError} `invalid-continue-token`, and as `ReadState.select`
   */
  async select(
    cluster: string,
    readAt: ReadAt,
    list: ListIdentity,
    page: PageRequest,
    context: RequestContext,
  ): Promise<SelectedPage> {
    const { identity, selected } = pageSelection(cluster, readAt, list, page);
    return {
      cluster,
      readAt: selected,
      list: identity,
      selected: await this.readState.select(cluster, selected, context),
    };
  }

  /** A digest, if one is kept of the state and the state is not in memory. */
  async find<Head, Item>(
    digest: Digest<Head, Item>,
    page: SelectedPage,
    context: RequestContext,
  ): Promise<BasedDigest<Head, Item> | undefined> {
    if (!isStored(page)) return undefined;
    const { resolved, rules } = page.selected;
    const hidesValues = !context.access.seesTaintValues(page.cluster);
    const found = await this.kept.find(digest, { revision: resolved.revision, rules: rules.rules }, hidesValues);
    if (found === undefined) return undefined;
    if (hidesValues) context.withheld.addValues(found.values);
    const { harmlessWebhooks } = found;
    const { intents } = page.readAt;
    const basis = basisOf(resolved, context.now, context.nextDecisionId(), { rules, intents, harmlessWebhooks });
    return { ...found, basis };
  }

  /**
   * Computes what a question needs from the state.
   * @param slices of keeping it
   * @throws {ServiceError} as `ReadState.run`
   */
  async compute<Content>(
    page: SelectedPage,
    compute: (state: ClusterState) => Promise<Content>,
    context: RequestContext,
    slices?: TimeSlices,
  ): Promise<ComputedDigest<Content>> {
    const { resolved, rules } = page.selected;
    const of = { revision: resolved.revision, rules: rules.rules };
    const wasLoaded = this.kept.hasState(of);
    const { basis, state } = await this.readState.run(page.cluster, page.readAt, context);
    return {
      basis,
      content: await compute(state),
      keep: async (digest, make) => {
        if (isStored(page)) await this.kept.keep(digest, { ...of, state, wasLoaded }, make, slices);
      },
    };
  }
}

/** For what is no list. */
export const WHOLE: PageRequest = { size: 1, afterName: '' };

/** Whether the state is that of the revision, without hypothetical changes, and with all that the revision has. */
function isStored({ readAt: { scenario, intents }, selected }: SelectedPage): boolean {
  return scenario === undefined && (intents !== 'exclude' || selected.resolved.revision.unconfirmedNodes === 0);
}

/** Without a database nothing is kept. */
export const NOTHING_KEPT: Pick<KeptDigests, 'hasState' | 'find' | 'keep'> = {
  hasState: () => true,
  find: () => Promise.resolve(undefined),
  keep: () => Promise.resolve(),
};
