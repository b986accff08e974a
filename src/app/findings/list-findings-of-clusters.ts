import type { listFindings, listFindingsOfClusters } from '../../contract/findings/questions.js';
import type { PageRequest } from '../../contract/page.js';
import type { AnswerTo } from '../../contract/question.js';
import { AcrossClusters } from '../across-clusters.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { ListFindings, listNameOf } from './list-findings.js';

type Request = Parameters<ListFindings['run']>[0];
type KeptGroups = Awaited<ReturnType<ListFindings['read']>>;
type Answer = AnswerTo<typeof listFindings>;

/** Lists the findings of several clusters. */
export class ListFindingsOfClusters {
  constructor(
    private readonly acrossClusters: AcrossClusters,
    private readonly listFindings: ListFindings,
  ) {}

  /** @throws {ServiceError} as `AcrossClusters.list` */
  async run(
    request: RequestOf<typeof listFindingsOfClusters>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof listFindingsOfClusters>> {
    return this.acrossClusters.list(
      request,
      listNameOf(request),
      {
        read: (each) => this.listFindings.read({ ...request, ...each }, context),
        ask: (each, kept) => this.ofCluster({ ...request, ...each }, context, kept),
      },
      context,
    );
  }

  /** The first page is rendered at once, so that the findings of many clusters are not in memory at the same time. */
  private async ofCluster(request: Request, context: RequestContext, kept: KeptGroups): Promise<Answer> {
    const { view, page } = request;
    const { pages, ...head } = await this.listFindings.run(request, context, kept);
    const groups = view === 'groups' ? await pages.groups(page) : undefined;
    const items = view === 'groups' ? undefined : await pages.items(page);
    const isShown = ({ after, size }: PageRequest): boolean => after === undefined && size === page.size;
    const again = async (): Promise<Answer['pages']> => (await this.listFindings.run(request, context)).pages;
    return {
      ...head,
      pages: {
        groups: async (asked) => (isShown(asked) ? groups : undefined) ?? (await again()).groups(asked),
        items: async (asked) => (isShown(asked) ? items : undefined) ?? (await again()).items(asked),
      },
    };
  }
}
