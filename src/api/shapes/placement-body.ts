import { defined } from '../../core/collections/defined.js';
import { InputType } from '@nestjs/graphql';
import {
  VERDICT,
  VIEW_PROPERTY,
  DETAIL,
  schedulerChoiceInput,
  placementInput,
  RANKING_OPTIONS,
  placementRequest,
  placementItemRequest,
  placementBatchRequest,
  placementItemInput,
  placementAcrossRequest,
} from '../../contract/placements/placement-request.js';
import { requestClass, crossFieldErrors, inheritCrossFieldErrors } from '../contract/object-classes.js';
import type { Request } from '../../contract/schema.js';
import type { NodesWanted } from '../../app/placements/evaluate-placement.js';
import type { AdmissionMode, PlacementQuestion } from '../../app/placements/placement-request.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import type { RankingRequest } from '../../app/placements/ranking-view.js';
import type { SchedulerChoice } from '../../app/placements/placing-profile.js';
import { subjectFaults, subjectOf } from './pod-subject.js';

export { VERDICT, VIEW_PROPERTY };

export { DETAIL };

export const SchedulerChoiceBody = requestClass(schedulerChoiceInput);
export type SchedulerChoiceBody = Request<typeof schedulerChoiceInput>;

export const PlacementInputBody = requestClass(placementInput);
export type PlacementInputBody = Request<typeof placementInput>;
crossFieldErrors(placementInput, function ({ rules, ...subject }: PlacementInputBody): readonly ErrorDetail[] {
  const hasWords = Array.isArray(rules) && rules.every((rule) => typeof rule === 'string');
  return subjectFaults(subject, hasWords ? { rules } : {});
});

export { RANKING_OPTIONS };

export interface RankingOptions {
  readonly ranking?: boolean;
  readonly rankingLimit?: number;
  readonly rankingFrom?: number;
  readonly seed?: number;
}

/** Undefined where no ranking is asked for. */
export function rankingRequestOf({
  ranking = false,
  rankingLimit = 10,
  rankingFrom = 0,
  seed,
}: RankingOptions): RankingRequest | undefined {
  if (!ranking) return undefined;
  return { limit: rankingLimit, from: rankingFrom, ...defined({ seed }) };
}

@InputType({ isAbstract: true })
export class PlacementBody extends requestClass(placementRequest) {}
inheritCrossFieldErrors(placementRequest, PlacementInputBody);

export const PlacementItemBody = requestClass(placementItemRequest);
export type PlacementItemBody = Request<typeof placementItemRequest>;
inheritCrossFieldErrors(placementItemRequest, PlacementInputBody);

@InputType({ isAbstract: true })
export class PlacementBatchBody extends requestClass(placementBatchRequest) {}

export const PlacementItemInputBody = requestClass(placementItemInput);
export type PlacementItemInputBody = Request<typeof placementItemInput>;
inheritCrossFieldErrors(placementItemInput, PlacementInputBody);

@InputType({ isAbstract: true })
export class PlacementAcrossBody extends requestClass(placementAcrossRequest) {}
inheritCrossFieldErrors(placementAcrossRequest, PlacementInputBody);

/** @param query what the address says of admission, where the body says nothing */
export function questionOf(
  body: PlacementInputBody,
  query: { readonly admission?: AdmissionMode } = {},
): PlacementQuestion {
  const { rules, scheduler } = body;
  return {
    ...subjectOf(body, query),
    ...defined({ rules }),
    ...(scheduler === undefined ? {} : { scheduler: choiceOf(scheduler) }),
  };
}

const choiceOf = ({ configuration, schedulerName, outOfTreePlugins }: SchedulerChoiceBody): SchedulerChoice =>
  defined({ configuration, schedulerName, outOfTreePlugins });

export function nodesWantedOf({ nodes, verdict }: PlacementInputBody): NodesWanted {
  return {
    ...(nodes?.names === undefined ? {} : { names: nodes.names }),
    ...(nodes?.labelSelector === undefined ? {} : { labelSelector: nodes.labelSelector }),
    ...defined({ verdict }),
  };
}
