import type { ServiceError } from '../../app/errors/service-error.js';
import { mapPage } from '../../app/paging/page-by-position.js';
import { PlacePodAcrossClusters } from '../../app/placements/place-pod-across-clusters.js';
import { PlacePod } from '../../app/placements/place-pod.js';
import { PlacePods } from '../../app/placements/place-pods.js';
import { questionErrors } from '../../app/placements/placement-request.js';
import type { RequestContext } from '../../app/request-context.js';
import type { RequestOf } from '../../app/request-of.js';
import { placementItemRequest } from '../../contract/placements/placement-request.js';
import * as placements from '../../contract/placements/questions.js';
import { defined } from '../../core/collections/defined.js';
import { answeredBy, type AnyAnswered, type AskOptions } from '../contract/answered-by.js';
import { crossFieldErrors } from '../contract/object-classes.js';
import { deferredItems } from '../contract/deferred-items.js';
import { partErrorResponse } from '../contract/part-error-response.js';
import { WrittenBody } from '../http/written-body.js';
import { errorsInValid } from './check-errors.js';
import { placementBody, placementParts } from './placement-body.js';

type Placed = RequestOf<typeof placements.placePod>;
type StoredPod = RequestOf<typeof placements.placeStoredPod>;

const FURTHER_ERRORS = { crossFieldErrors: errorsInValid(questionErrors) };

crossFieldErrors(placementItemRequest, FURTHER_ERRORS.crossFieldErrors);

/** Where a pod can be scheduled, and why not elsewhere. */
export const PLACEMENT_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(placements.placePod, PlacePod, {
    ...FURTHER_ERRORS,
    ask: async (placePod: PlacePod, request: Placed, context: RequestContext, { mayBeWritten }: AskOptions) => {
      if (!mayBeWritten) return placePod.run(request, context);
      const answer = await placePod.runOrKept(request, context, placementParts);
      return Buffer.isBuffer(answer) ? new WrittenBody(answer) : answer;
    },
    write: placementBody,
  }),
  answeredBy(placements.placeStoredPod, PlacePod, {
    ask: (placePod: PlacePod, request: StoredPod, context: RequestContext) => {
      const { namespace, name, nodeSelector: labelSelector, ...options } = request;
      return placePod.run({ ...options, podRef: { namespace, name }, nodes: defined({ labelSelector }) }, context);
    },
    write: placementBody,
  }),
  answeredBy(placements.placePods, PlacePods, {
    ask: async (placePods, request, context) => {
      const items = deferredItems(placementItemRequest, request.items);
      const { basis, items: placed } = await placePods.run({ ...request, items }, context);
      return { basis, items: placed.map(withPartError) };
    },
  }),
  answeredBy(placements.placePodAcrossClusters, PlacePodAcrossClusters, {
    ...FURTHER_ERRORS,
    ask: async (placePod, request, context) => ({
      page: mapPage(await placePod.run(request, context), withPartError),
    }),
  }),
];

/** The part of a response with its error in the format of the API. */
export function withPartError<Part extends { readonly error: ServiceError | null }>(part: Part) {
  return { ...part, error: part.error && partErrorResponse(part.error) };
}
