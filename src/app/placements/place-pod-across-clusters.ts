import type { Page, PageRequest } from '../../contract/page.js';
import type { placePodAcrossClusters } from '../../contract/placements/questions.js';
import { defined } from '../../core/collections/defined.js';
import { AcrossClusters } from '../across-clusters.js';
import type { ServiceError } from '../errors/service-error.js';
import { mapPage } from '../paging/page-by-position.js';
import type { ReadAt } from '../reads/read-at.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { EvaluatePlacement, type PlacementResult } from './evaluate-placement.js';
import { checkQuestion, questionHash, type PlacementQuestion } from './placement-request.js';
import { renderPlacement, type PlacementResponse } from './render-placement.js';

type AcrossRequest = PlacementQuestion & {
  readonly clusterSelector?: string;
  readonly readAt: ReadAt;
  /** Page of clusters. */
  readonly page: PageRequest;
};

/** A cluster with its placement or its error. */
interface ClusterPlacement<Placement> {
  readonly cluster: string;
  readonly placement: Placement | null;
  readonly error: ServiceError | null;
}

/** Places a pod in each of several clusters. */
export class PlacePodAcrossClusters {
  constructor(
    private readonly acrossClusters: AcrossClusters,
    private readonly evaluatePlacement: EvaluatePlacement,
  ) {}

  /** @throws {ServiceError} as `evaluate` */
  async run(
    request: RequestOf<typeof placePodAcrossClusters>,
    context: RequestContext,
  ): Promise<Page<ClusterPlacement<PlacementResponse>>> {
    const { nodes, verdict, view, detail = 'summary', fixes, perCluster: limit } = request;
    const { ranking, rankingLimit, rankingFrom, seed } = request;
    const listing = defined({ nodes, verdict, view, detail, fixes, limit });
    const options = { ...listing, ...defined({ ranking, rankingLimit, rankingFrom, seed }) };
    return this.evaluate(request, context, (result) => renderPlacement(result, options, context));
  }

  /** @param render creates the response of one cluster */
  async evaluate<Placement>(
    request: AcrossRequest,
    context: RequestContext,
    render: (result: PlacementResult) => Promise<Placement> | Placement,
  ): Promise<Page<ClusterPlacement<Placement>>> {
    checkQuestion(request);
    const { clusterSelector, page, readAt } = request;
    const question = ['placement', questionHash(request), readAt.scenario?.hash, readAt.intents];
    const answers = await this.acrossClusters.run(
      { clusterSelector, page, question, needs: 'evaluate' },
      async ({ name }) => render(await this.evaluatePlacement.run({ ...request, cluster: name }, context)),
      context,
    );
    return mapPage(answers, ({ cluster, result, error }) => ({ cluster: cluster.name, placement: result, error }));
  }
}
