import { OVERVIEW_TAINTS } from '../../contract/overview/overview.js';
import type { readOverview } from '../../contract/overview/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { countFindings } from '../findings/finding-response.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';

/** Summarizes a cluster for an overview page. */
export class ReadOverview {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  async run(
    { cluster, readAt }: RequestOf<typeof readOverview>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof readOverview>> {
    const { basis, revision, state } = await this.readState.run(cluster, readAt, context);
    const { taints, ...counted } = await this.digests.overview(state);
    const { kind, receivedAt, source, author } = revision;
    return {
      basis,
      snapshot: { kind, receivedAt, source, author },
      ...counted,
      taints: taints
        .slice(0, OVERVIEW_TAINTS)
        .map(({ taint: { key, value = '', effect }, nodes }) => ({ key, value, effect, nodes })),
      distinctTaints: taints.length,
      findings: countFindings(await this.digests.clusterFindings(state)),
      unconfirmedNodes: revision.unconfirmedNodes,
    };
  }
}
