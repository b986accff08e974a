import { ATTRIBUTION_BASIS, CERTAINTY, INTENT_STATUS } from './attribution.js';
import { object, enumType } from '../schema.js';
import { CHANNEL, RECORD_KIND } from './record-kind.js';
import { trailActor, trailAuthor } from './trail-record.js';
import { when } from './when.js';
import { taint } from '../common/taint.js';
import { taintDifference } from '../common/taint-difference.js';
import { trail } from './trail.js';

export const INTENTS = enumType(
  'HistoryIntents',
  'Whether changes made here count that the cluster has neither shown nor refuted.',
  ['include', 'exclude'],
);

export const lastWriter = object(
  'LastWriter',
  'An entry of managedFields that owns a field: its writer, by its own word.',
  {
    manager: { type: 'string', optional: true, description: 'The field manager.', example: 'kube-controller-manager' },
    operation: { type: 'string', optional: true, description: 'Update or Apply.', example: 'Update' },
    time: { type: 'string', optional: true, description: 'When the entry was last written.' },
  },
);

export const carriedOut = object('CarriedOut', 'The write that brought a change made here to the cluster.', {
  sequence: { type: 'int64', description: 'Its record.', example: 7 },
  by: { type: trailAuthor, optional: true, description: 'Who made it.' },
  actor: { type: trailActor, optional: true, description: 'What kind of writer.' },
  when: { type: when, description: 'When.' },
});

export const deed = object('Deed', 'Who began or ended something, when and why, and how that is known.', {
  sequence: { type: 'int64', description: 'The record that says so.', example: 1 },
  kind: { type: RECORD_KIND, description: 'A change; or `found`, where it stood when the node was first seen.' },
  when: { type: when, description: 'When it happened.' },
  recordedAt: { type: 'string', description: 'When the record was written.', example: '2026-05-04T03:02:01.000Z' },
  revision: { type: 'integer', optional: true, description: 'The revision that the record came with.', example: 1 },
  channel: { type: CHANNEL, optional: true, description: 'What it was learnt from.', example: 'snapshot' },
  by: { type: trailAuthor, optional: true, description: 'Who did it, where that is proven.' },
  onBehalfOf: { type: 'string', optional: true, description: 'For whom, as the caller said.', example: null },
  actor: { type: trailActor, optional: true, description: 'What kind of writer is behind it.' },
  basis: { type: ATTRIBUTION_BASIS, optional: true, description: 'What the attribution rests on.', example: null },
  certainty: { type: CERTAINTY, optional: true, description: 'certain, likely, possible or unknown.', example: null },
  reason: { type: 'string', optional: true, description: 'Why, as its author said.', example: null },
  link: { type: 'string', optional: true, description: 'Where more is to be read.', example: null },
  change: { type: 'id', optional: true, description: 'The change made here.', example: null },
  confirmed: { type: 'boolean', description: 'Whether the cluster has shown it.', example: true },
  carriedOutBy: {
    type: carriedOut,
    optional: true,
    description: 'Of a change made here, the write in the cluster.',
  },
  lastWriters: {
    type: lastWriter,
    list: true,
    optional: true,
    description: 'Who wrote the field last by managedFields; null without them, empty where nobody owns it.',
  },
  proves: { type: 'string', list: true, description: 'What the record proves.' },
  doesNotProve: { type: 'string', list: true, description: 'What it does not prove.' },
});

export const STOOD = enumType(
  'Stood',
  'Whether something stood at a moment; maybe: the moment lies where it is not known.',
  ['yes', 'maybe'],
);

export const standing = object('Standing', 'A taint with one value, or the cordon, for as long as it stood.', {
  taint: { type: taint, optional: true, description: 'The taint; null for the cordon.' },
  from: { type: when, description: 'When it began.' },
  setBy: { type: deed, optional: true, description: 'Who set it; null where only its end is known.' },
  to: { type: when, optional: true, description: 'When it ended; null while it stands.' },
  removedBy: { type: deed, optional: true, description: 'Who took it off; null while it stands.' },
  confirmed: { type: 'boolean', description: 'Whether the cluster has shown it.', example: true },
  stood: { type: STOOD, optional: true, description: 'Whether it stood at `at`; null where no moment was asked for.' },
});

export const unappliedChange = object('UnappliedChange', 'A change made here that never came to the cluster.', {
  deed: { type: deed, description: 'Who made it.' },
  difference: { type: taintDifference, description: 'What it would have done.' },
  status: { type: INTENT_STATUS, description: 'notApplied or overwritten.', example: 'notApplied' },
  saidIn: { type: 'int64', description: 'The record that says so.', example: 4 },
});

export const nodeHistory = object('NodeHistory', 'The taints and cordons of one node as intervals.', {
  trail: { type: trail, description: 'The trail that it is from.' },
  node: { type: 'string', description: 'The node.', example: 'node-1' },
  at: { type: 'string', optional: true, description: 'The moment that was asked for.', example: null },
  intents: { type: INTENTS, description: 'Whether unconfirmed changes made here count.', example: 'include' },
  taints: { type: standing, list: true, description: 'Taints, the newest beginning first.' },
  cordons: { type: standing, list: true, description: 'Cordons, the newest beginning first.' },
  unapplied: { type: unappliedChange, list: true, description: 'Changes made here that never came to it.' },
  total: { type: 'integer', description: 'How many intervals there are, beyond the limit too.', example: 1 },
  complete: {
    type: 'boolean',
    description:
      'Whether every record of the node was read: of more than 10,000 the newest are, and what began before has no beginning.',
    example: true,
  },
});
