import { ArgsType } from '@nestjs/graphql';
import {
  MOST_INTERVALS,
  FEWEST_TURNS,
  WINDOW,
  MOST_FIGHTS,
  historyFiltersRequest,
  fightFiltersRequest,
  recordFiltersRequest,
  orderedRecordFiltersRequest,
  checkpointArgumentsRequest,
} from '../../contract/taint-trail/trail-request.js';
import { requestClass } from '../contract/object-classes.js';
import type { Request } from '../../contract/schema.js';
import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import type { GivenRecordFilter } from '../../app/taint-trail/record-filter.js';
import type { TrailWish } from '../../app/taint-trail/select-trail.js';
import { defined } from '../../core/collections/defined.js';
import type { TrailOrder } from '../../storage/taint-trail/trail-reader.js';
import { readDuration } from '../../app/read-duration.js';
import type { Plain } from './plain.js';

/** Which trail, in REST and in GraphQL. */
export function trailWish(cluster: string, trail: number | bigint | undefined): TrailWish {
  return { cluster, ...(trail === undefined ? {} : { trail: Number(trail) }) };
}

/** What a list of records is asked for. */
export function recordsRequest({ order, ...given }: GivenRecordFilter & { readonly order?: string }): {
  readonly filter: GivenRecordFilter;
  readonly order: TrailOrder;
} {
  const { node, key, effect, author, channel, kind, change, from, to, current } = given;
  const filter = { node, key, effect, author, channel, kind, change, from, to, current };
  const said = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  return { filter: said, order: order === 'oldest' ? 'oldest' : 'newest' };
}

/** The number of a record in a path. @throws {InvalidRequestError} */
export function sequenceIn(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidRequestError([
    { field: 'sequence', code: 'isSequence', message: 'must be the number of a record, from 1 on' },
  ]);
}

export const HistoryFilters = requestClass(historyFiltersRequest);
export type HistoryFilters = Request<typeof historyFiltersRequest>;

export function historyRequest(wish: TrailWish, node: string, filters: Plain<HistoryFilters>) {
  const { at, key, effect, intents, limit = MOST_INTERVALS } = filters;
  return {
    ...wish,
    node,
    ...defined({ at, key, effect }),
    intents: intents === 'exclude' ? ('exclude' as const) : ('include' as const),
    limit,
  };
}

@ArgsType()
export class FightFilters extends requestClass(fightFiltersRequest) {}

/** @throws {InvalidRequestError} for a duration that is none */
export function fightsRequest(wish: TrailWish, filters: Plain<FightFilters>) {
  const { min = FEWEST_TURNS, window = WINDOW, limit = MOST_FIGHTS, ...given } = filters;
  return { ...wish, filter: recordsRequest(given).filter, min, windowSeconds: readDuration(window, 'window'), limit };
}

export const RecordFilters = requestClass(recordFiltersRequest);
export type RecordFilters = Request<typeof recordFiltersRequest>;

export const OrderedRecordFilters = requestClass(orderedRecordFiltersRequest);
export type OrderedRecordFilters = Request<typeof orderedRecordFiltersRequest>;

@ArgsType()
export class CheckpointArguments extends requestClass(checkpointArgumentsRequest) {}

export function verifyRequest(wish: TrailWish, { sequence, hash }: Plain<CheckpointArguments>) {
  return {
    ...wish,
    ...(sequence !== undefined && { sequence: Number(sequence) }),
    ...defined({ hash }),
  };
}
