import { ArgsType } from '@nestjs/graphql';
import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import type { GivenRecordFilter } from '../../app/taint-trail/record-filter.js';
import type { TrailWish } from '../../app/taint-trail/select-trail.js';
import { defined } from '../../core/collections/defined.js';
import type { TrailOrder } from '../../storage/taint-trail/trail-reader.js';
import { readDuration } from '../moment.js';
import { CURRENT, ORDER, RECORD_FILTERS } from './filter-options.js';
import { INTENTS } from './node-history-shape.js';
import type { Plain } from './plain.js';
import { Given } from './property.js';

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

const MOST_INTERVALS = 1000;
const FEWEST_TURNS = 3;
const WINDOW = '1h';
const MOST_FIGHTS = 100;

/** What the history of a node takes, besides the node. */
@ArgsType()
export class HistoryFilters {
  @Given({ type: 'time', optional: true, description: 'Only what stood at this moment, or may have.' })
  at?: string;

  @Given(RECORD_FILTERS.key)
  key?: string;

  @Given(RECORD_FILTERS.effect)
  effect?: string;

  @Given({
    type: INTENTS,
    optional: true,
    defaultsTo: 'include',
    description: 'Whether changes made here count that nothing has confirmed yet.',
  })
  intents?: string;

  @Given({
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: MOST_INTERVALS,
    defaultsTo: MOST_INTERVALS,
    description: 'At most so many intervals, the newest.',
  })
  limit?: number;
}

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

/** What fights are asked for. */
@ArgsType()
export class FightFilters {
  @Given(RECORD_FILTERS.node)
  node?: string;

  @Given(RECORD_FILTERS.key)
  key?: string;

  @Given(RECORD_FILTERS.effect)
  effect?: string;

  @Given(RECORD_FILTERS.from)
  from?: string;

  @Given(RECORD_FILTERS.to)
  to?: string;

  @Given({
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: 1000,
    defaultsTo: FEWEST_TURNS,
    description: 'How often one must have undone what another one did.',
  })
  min?: number;

  @Given({
    type: 'string',
    optional: true,
    maximumLength: 40,
    defaultsTo: WINDOW,
    description: 'Within what time: `90` (seconds), `5m`, `1h`.',
  })
  window?: string;

  @Given({
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: 1000,
    defaultsTo: MOST_FIGHTS,
    description: 'At most so many fights, the latest.',
  })
  limit?: number;
}

/** @throws {InvalidRequestError} for a duration that is none */
export function fightsRequest(wish: TrailWish, filters: Plain<FightFilters>) {
  const { min = FEWEST_TURNS, window = WINDOW, limit = MOST_FIGHTS, ...given } = filters;
  return { ...wish, filter: recordsRequest(given).filter, min, windowSeconds: readDuration(window, 'window'), limit };
}

/** By what records are picked. */
@ArgsType()
export class RecordFilters {
  @Given(RECORD_FILTERS.node)
  node?: string;

  @Given(RECORD_FILTERS.key)
  key?: string;

  @Given(RECORD_FILTERS.effect)
  effect?: string;

  @Given(RECORD_FILTERS.author)
  author?: string;

  @Given(RECORD_FILTERS.channel)
  channel?: string;

  @Given(RECORD_FILTERS.kind)
  kind?: string[];

  @Given(RECORD_FILTERS.change)
  change?: string;

  @Given(RECORD_FILTERS.from)
  from?: string;

  @Given(RECORD_FILTERS.to)
  to?: string;

  @Given(CURRENT)
  current?: boolean;
}

/** The same for a list, in an order. */
@ArgsType()
export class OrderedRecordFilters extends RecordFilters {
  @Given(ORDER)
  order?: string;
}

/** A record that was kept elsewhere. */
@ArgsType()
export class CheckpointArguments {
  @Given({
    type: 'int64',
    optional: true,
    minimum: 0,
    description: 'Of a checkpoint that was kept: the number of its record. With `hash`.',
  })
  sequence?: number | bigint;

  @Given({ type: 'string', optional: true, description: 'Of a checkpoint that was kept: its hash.' })
  hash?: string;
}

export function verifyRequest(wish: TrailWish, { sequence, hash }: Plain<CheckpointArguments>) {
  return {
    ...wish,
    ...(sequence !== undefined && { sequence: Number(sequence) }),
    ...defined({ hash }),
  };
}
