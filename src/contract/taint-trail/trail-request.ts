import { enumType, object } from '../schema.js';
import { CURRENT, ORDER, RECORD_FILTERS, TRAIL } from '../common/filter-options.js';
import { INTENTS } from './node-history.js';

export const MAX_INTERVALS = 1000;

export const MIN_TURNS = 3;

export const WINDOW = '1h';

export const MAX_FIGHTS = 100;

/** The parameters of a node's history besides the node. */
export const historyFiltersRequest = object(
  'HistoryFilters',
  '',
  {
    at: { type: 'time', optional: true, description: 'Only what was present at this time, or may have been.' },
    key: RECORD_FILTERS.key,
    effect: RECORD_FILTERS.effect,
    intents: {
      type: INTENTS,
      optional: true,
      defaultsTo: 'include',
      description: 'Whether unconfirmed intents count.',
    },
    limit: {
      type: 'integer',
      optional: true,
      minimum: 1,
      maximum: MAX_INTERVALS,
      defaultsTo: MAX_INTERVALS,
      description: 'Maximum number of intervals, newest first.',
    },
  },
  { restOnly: true },
);

/** Filters for fights. */
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
      defaultsTo: MIN_TURNS,
      description: 'Minimum number of times that a writer undid a change by another.',
    },
    window: {
      type: 'identifier',
      optional: true,
      maximumLength: 40,
      syntax: 'duration',
      defaultsTo: WINDOW,
      description: 'Time window: `90` (seconds), `5m`, `1h`.',
    },
    limit: {
      type: 'integer',
      optional: true,
      minimum: 1,
      maximum: 1000,
      defaultsTo: MAX_FIGHTS,
      description: 'Maximum number of fights, latest first.',
    },
  },
  { restOnly: true },
);

/** Filters for records. */
export const recordFiltersRequest = object(
  'RecordFilters',
  '',
  {
    node: RECORD_FILTERS.node,
    deviceTaintRule: RECORD_FILTERS.deviceTaintRule,
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

/** The parameters of an export. */
export const exportTrailRequest = object(
  'ExportTrail',
  '',
  {
    ...recordFiltersRequest.members,
    trail: TRAIL,
    format: {
      type: enumType('TrailExportFormat', 'Format of an exported trail.', ['ndjson', 'csv']),
      optional: true,
      defaultsTo: 'ndjson',
      description: 'NDJSON can be verified; CSV is for spreadsheets.',
    },
  },
  { restOnly: true },
);

/** Filters for records, and their order. */
export const orderedRecordFiltersRequest = object(
  'OrderedRecordFilters',
  '',
  {
    ...recordFiltersRequest.members,
    order: ORDER,
  },
  { restOnly: true },
);

/** A checkpoint that the caller stored elsewhere. */
export const checkpointArgumentsRequest = object(
  'CheckpointArguments',
  '',
  {
    sequence: {
      type: 'int64',
      optional: true,
      minimum: 0,
      description: 'Sequence number of a stored checkpoint. Requires `hash`.',
    },
    hash: { type: 'identifier', optional: true, description: 'Hash of a stored checkpoint.' },
  },
  { restOnly: true },
);
