import { enumType, object } from '../schema.js';
import { CURRENT, ORDER, RECORD_FILTERS, TRAIL } from '../common/filter-options.js';
import { INTENTS } from './node-history.js';

export const MOST_INTERVALS = 1000;

export const FEWEST_TURNS = 3;

export const WINDOW = '1h';

export const MOST_FIGHTS = 100;

/** What the history of a node takes, besides the node. */
export const historyFiltersRequest = object(
  'HistoryFilters',
  '',
  {
    at: { type: 'time', optional: true, description: 'Only what stood at this moment, or may have.' },
    key: RECORD_FILTERS.key,
    effect: RECORD_FILTERS.effect,
    intents: {
      type: INTENTS,
      optional: true,
      defaultsTo: 'include',
      description: 'Whether changes made here count that nothing has confirmed yet.',
    },
    limit: {
      type: 'integer',
      optional: true,
      minimum: 1,
      maximum: MOST_INTERVALS,
      defaultsTo: MOST_INTERVALS,
      description: 'At most so many intervals, the newest.',
    },
  },
  { restOnly: true },
);

/** What fights are asked for. */
export const fightFiltersRequest = object(
  'FightFilters',
  '',
  {
    node: RECORD_FILTERS.node,
    key: RECORD_FILTERS.key,
    effect: RECORD_FILTERS.effect,
    from: RECORD_FILTERS.from,
    to: RECORD_FILTERS.to,
    min: {
      type: 'integer',
      optional: true,
      minimum: 1,
      maximum: 1000,
      defaultsTo: FEWEST_TURNS,
      description: 'How often one must have undone what another one did.',
    },
    window: {
      type: 'string',
      optional: true,
      maximumLength: 40,
      defaultsTo: WINDOW,
      description: 'Within what time: `90` (seconds), `5m`, `1h`.',
    },
    limit: {
      type: 'integer',
      optional: true,
      minimum: 1,
      maximum: 1000,
      defaultsTo: MOST_FIGHTS,
      description: 'At most so many fights, the latest.',
    },
  },
  { restOnly: true },
);

/** By what records are picked. */
export const recordFiltersRequest = object(
  'RecordFilters',
  '',
  {
    node: RECORD_FILTERS.node,
    key: RECORD_FILTERS.key,
    effect: RECORD_FILTERS.effect,
    author: RECORD_FILTERS.author,
    channel: RECORD_FILTERS.channel,
    kind: RECORD_FILTERS.kind,
    change: RECORD_FILTERS.change,
    from: RECORD_FILTERS.from,
    to: RECORD_FILTERS.to,
    current: CURRENT,
  },
  { restOnly: true },
);

/** What an export takes. */
export const exportTrailRequest = object(
  'ExportTrail',
  '',
  {
    ...recordFiltersRequest.members,
    trail: TRAIL,
    format: {
      type: enumType('TrailExportFormat', 'How a trail is written out.', ['ndjson', 'csv']),
      optional: true,
      defaultsTo: 'ndjson',
      description: 'NDJSON can be verified, CSV be read.',
    },
  },
  { restOnly: true },
);

/** The same for a list, in an order. */
export const orderedRecordFiltersRequest = object(
  'OrderedRecordFilters',
  '',
  {
    ...recordFiltersRequest.members,
    order: ORDER,
  },
  { restOnly: true },
);

/** A record that was kept elsewhere. */
export const checkpointArgumentsRequest = object(
  'CheckpointArguments',
  '',
  {
    sequence: {
      type: 'int64',
      optional: true,
      minimum: 0,
      description: 'Of a checkpoint that was kept: the number of its record. With `hash`.',
    },
    hash: { type: 'string', optional: true, description: 'Of a checkpoint that was kept: its hash.' },
  },
  { restOnly: true },
);
