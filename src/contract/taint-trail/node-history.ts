import { ATTRIBUTION_BASIS, CERTAINTY, INTENT_STATUS } from './attribution.js';
import { object, enumType } from '../schema.js';
import { CHANNEL, RECORD_KIND } from './record-kind.js';
import { trailActor, trailAuthor } from './trail-record.js';
import { when } from './when.js';
import { taint } from '../common/taint.js';
import { taintDifference } from '../common/taint-difference.js';
import { trail } from './trail.js';

export const INTENTS = enumType('HistoryIntents', 'Whether unconfirmed intents count.', ['include', 'exclude']);

export const lastWriter = object(
  'LastWriter',
  'A managedFields entry that owns a field. Clients choose their manager name themselves.',
  {
    manager: {
      type: 'identifier',
      optional: true,
      description: 'Field manager name.',
      example: 'kube-controller-manager',
    },
    operation: { type: 'identifier', optional: true, description: 'Update or Apply.', example: 'Update' },
    time: { type: 'identifier', optional: true, description: 'Time of the last write by this entry.' },
  },
);

export const carriedOut = object('CarriedOut', 'The write that applied an intent to the cluster.', {
  sequence: { type: 'int64', description: 'Sequence number of its record.', example: 7 },
  by: { type: trailAuthor, optional: true, description: 'Author of the write.' },
  actor: { type: trailActor, optional: true, description: 'Kind of writer.' },
  when: { type: when, description: 'Time of the write.' },
});

export const changeAttribution = object(
  'ChangeAttribution',
  'The start or end of an interval: who, when, why, and how this is known.',
  {
    sequence: { type: 'int64', description: 'Sequence number of the record.', example: 1 },
    kind: { type: RECORD_KIND, description: '`change`, or `found` if it was present when the node was first seen.' },
    when: { type: when, description: 'Time of the change.' },
    recordedAt: {
      type: 'identifier',
      description: 'When the record was written.',
      example: '2026-05-04T03:02:01.000Z',
    },
    revision: { type: 'integer', optional: true, description: 'Revision created with the record.', example: 1 },
    channel: { type: CHANNEL, optional: true, description: CHANNEL.description, example: 'snapshot' },
    by: { type: trailAuthor, optional: true, description: 'Author of the change, if proven.' },
    onBehalfOf: { type: 'string', optional: true, description: 'For whom, according to the caller.', example: null },
    actor: { type: trailActor, optional: true, description: 'Kind of writer.' },
    basis: { type: ATTRIBUTION_BASIS, optional: true, description: 'Evidence for the attribution.', example: null },
    certainty: { type: CERTAINTY, optional: true, description: 'certain, likely, possible or unknown.', example: null },
    reason: { type: 'string', optional: true, description: 'Reason given by the author.', example: null },
    link: { type: 'string', optional: true, description: 'URL with more information.', example: null },
    change: { type: 'id', optional: true, description: 'Id of the change made through this service.', example: null },
    confirmed: { type: 'boolean', description: 'Whether the cluster has confirmed the change.', example: true },
    carriedOutBy: {
      type: carriedOut,
      optional: true,
      description: 'The write that applied it to the cluster, for an intent.',
    },
    lastWriters: {
      type: lastWriter,
      list: true,
      optional: true,
      description: 'Last writers by managedFields; null without managedFields, empty if nobody owns the field.',
    },
    proves: { type: 'string', list: true, description: 'What the record proves.' },
    doesNotProve: { type: 'string', list: true, description: 'What it does not prove.' },
  },
);

export const PRESENCE = enumType(
  'IntervalPresence',
  'Whether the taint or cordon was present at `at`. `maybe`: its exact start or end is unknown.',
  ['yes', 'maybe'],
);

export const taintInterval = object(
  'TaintInterval',
  'An interval during which a node was cordoned or had a taint with one value.',
  {
    taint: { type: taint, optional: true, description: 'The taint; null for a cordon.' },
    from: { type: when, description: 'Start of the interval.' },
    setBy: { type: changeAttribution, optional: true, description: 'Who set it; null if only the end is known.' },
    to: { type: when, optional: true, description: 'End of the interval; null if it is still present.' },
    removedBy: { type: changeAttribution, optional: true, description: 'Who removed it; null if it is still present.' },
    confirmed: {
      type: 'boolean',
      description: 'Whether the cluster has confirmed the start of the interval.',
      example: true,
    },
    present: {
      type: PRESENCE,
      optional: true,
      description: 'Whether the taint or cordon was present at `at`; null without `at`.',
    },
  },
);

export const unappliedChange = object('UnappliedChange', 'An intent that never reached the cluster.', {
  attribution: { type: changeAttribution, description: 'Who made the change.' },
  difference: { type: taintDifference, description: 'What the change would have done.' },
  status: { type: INTENT_STATUS, description: 'notApplied or overwritten.', example: 'notApplied' },
  decidingSequence: {
    type: 'int64',
    description: 'Sequence number of the record that decides the status.',
    example: 4,
  },
});

export const nodeHistory = object('NodeHistory', 'The taints and cordons of one node as intervals.', {
  trail: { type: trail, description: 'The trail.' },
  node: { type: 'identifier', description: 'Node name.', example: 'node-1' },
  at: { type: 'identifier', optional: true, description: 'The requested time.', example: null },
  intents: { type: INTENTS, description: 'Whether unconfirmed intents count.', example: 'include' },
  taints: { type: taintInterval, list: true, description: 'Taint intervals, latest start first.' },
  cordons: { type: taintInterval, list: true, description: 'Cordon intervals, latest start first.' },
  unapplied: { type: unappliedChange, list: true, description: 'Intents that never reached the node.' },
  total: { type: 'integer', description: 'Number of intervals, also beyond `limit`.', example: 1 },
  complete: {
    type: 'boolean',
    description:
      'False if the node has more than 10,000 records: only the newest are read, and intervals that started earlier ' +
      'have no start.',
    example: true,
  },
});
