import type { placementItemRequest } from '../../contract/placements/placement-request.js';
import type { Request } from '../../contract/schema.js';
import { defined } from '../../core/collections/defined.js';
import { manifestServerOf, type ManifestServer } from '../../core/kubernetes/cluster-version.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import { serviceErrorOf } from '../errors/service-error-of.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { TimeSlices } from '../states/time-slices.js';
import { EvaluatePlacement, type PlacementResult } from './evaluate-placement.js';
import type { PlacementQuestion } from './placement-request.js';
import { renderPlacement, type PlacementResponse } from './render-placement.js';

/** Maximum duration of a batch, in milliseconds. */
const BUDGET = 60_000;

/** An item of a batch; `read` parses it, or throws its errors. */
interface BatchItem<Item> {
  /** The caller's id for the item. */
  readonly id: string;
  readonly read: (server: ManifestServer) => Item | Promise<Item>;
}

interface BatchRequest<Item> {
  readonly cluster: string;
  readonly readAt: ReadAt;
  readonly items: readonly BatchItem<Item>[];
  /** The default for items without their own. */
  readonly admission?: PlacementQuestion['admission'];
}

/** Each item with its placement or its error. */
interface PlacedItems<Placement> {
  readonly basis: Basis;
  readonly items: readonly {
    readonly id: string;
    readonly placement: Placement | null;
    readonly error: ServiceError | null;
  }[];
}

/** Places a batch of pods on one state of a cluster; an invalid item fails without the others. */
export class PlacePods {
  constructor(
    private readonly readState: ReadState,
    private readonly evaluatePlacement: EvaluatePlacement,
  ) {}

  /** @throws {ServiceError} as `evaluate` */
  async run(
    request: BatchRequest<Request<typeof placementItemRequest>>,
    context: RequestContext,
  ): Promise<PlacedItems<PlacementResponse>> {
    return this.evaluate(request, context, (result, item) =>
      renderPlacement(result, { detail: 'summary', ...item }, context),
    );
  }

  /**
   * @param render creates the response of one item
   * @throws {ServiceError} as `ReadState` does; `cancelled` if the caller has disconnected; `budget-exceeded`
   */
  async evaluate<Item extends PlacementQuestion, Placement>(
    { cluster, readAt, items, admission }: BatchRequest<Item>,
    context: RequestContext,
    render: (result: PlacementResult, item: Item) => Promise<Placement> | Placement,
  ): Promise<PlacedItems<Placement>> {
    const reading = await this.readState.run(cluster, readAt, context);
    const slices = new TimeSlices({ budgetMs: BUDGET, signal: context.signal });
    const server = manifestServerOf(reading.state.rules, reading.basis);
    const placed: PlacedItems<Placement>['items'][number][] = [];
    for (const [index, { id, read }] of items.entries()) {
      if (slices.due()) await slices.pause();
      try {
        const item = { ...defined({ admission }), ...(await read(server)) };
        const result = await this.evaluatePlacement.evaluateInSlices(item, reading, slices);
        placed.push({ id, placement: await render(result, item), error: null });
      } catch (thrown) {
        const error = serviceErrorOf(thrown);
        if (error.code === 'cancelled') throw error;
        placed.push({ id, placement: null, error: inItem(error, `/items/${index}`) });
      }
    }
    return { basis: reading.basis, items: placed };
  }
}

/** Prefixes the pointers of an error with the place of its item in the batch. */
function inItem(error: ServiceError, pointer: string): ServiceError {
  const details = error.details.map((detail) =>
    detail.pointer === undefined ? detail : { ...detail, pointer: pointer + detail.pointer },
  );
  if (error instanceof InvalidRequestError) return new InvalidRequestError(details);
  return new ServiceError(error.code, error.message, { details, cause: error.cause });
}
