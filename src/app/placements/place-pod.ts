import type { placePod } from '../../contract/placements/questions.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { EvaluatePlacement } from './evaluate-placement.js';
import { pageOfOptions, renderPlacement, type PlacementResponse } from './render-placement.js';

/** Evaluates where a pod can be scheduled in a cluster, with a page of groups or nodes. */
export class PlacePod {
  constructor(private readonly evaluatePlacement: EvaluatePlacement) {}

  /** @throws {ServiceError} as `EvaluatePlacement.run` and `renderPlacement` */
  async run(
    request: Omit<RequestOf<typeof placePod>, 'root' | 'scenario'>,
    context: RequestContext,
  ): Promise<PlacementResponse> {
    const result = await this.evaluatePlacement.run(request, context, pageOfOptions(request));
    return renderPlacement(result, request, context);
  }
}
