import type { listFindingsOfClusters } from '../../contract/findings/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { AcrossClusters } from '../across-clusters.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { ListFindings, listNameOf } from './list-findings.js';

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
    const ofEach = (each: Omit<Parameters<ListFindings['run']>[0], 'view'>) =>
      this.listFindings.run({ ...request, ...each }, context);
    return this.acrossClusters.list(request, listNameOf(request), ofEach, context);
  }
}
