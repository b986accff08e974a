import { when } from './when.js';
import { AUTHOR_KIND } from '../common/author-kind.js';
import { ACTOR_CLASS, ACTOR_SOURCE, ATTRIBUTION_BASIS, CERTAINTY, RECORD_STATUS } from './attribution.js';
import { enumType, object } from '../schema.js';
import { CHANNEL, RECORD_KIND } from './record-kind.js';
import { trailRecordContent } from './trail-record-content.js';
import { taintDifference, labelDifference } from '../common/taint-difference.js';
import { taintEffects } from '../taint-changes/taint-effects.js';

export const trailAuthor = object('TrailAuthor', 'Who is named by a record.', {
  username: { type: 'string', description: 'Whose rights were used.', example: 'alice' },
  kind: {
    type: AUTHOR_KIND,
    optional: true,
    description: 'How this service knew the caller (anonymous, token, oidc, service); null for users of an API server.',
    example: null,
  },
  uid: { type: 'string', optional: true, description: 'The uid that the API server knew.', example: null },
  groups: { type: 'string', list: true, description: 'The groups.', example: ['sre'] },
  impersonatedBy: {
    type: 'string',
    optional: true,
    description: 'Who was authenticated, where another one.',
    example: null,
  },
  sourceIPs: { type: 'string', list: true, description: 'Where the request came from.', example: ['10.0.0.7'] },
  userAgent: { type: 'string', optional: true, description: 'What the client says it is.', example: 'kubectl/v1.36.2' },
});

export const trailActor = object(
  'TrailActor',
  'What kind of writer is behind a change: a person, or which controller.',
  {
    class: { type: ACTOR_CLASS, description: 'Such as person, nodeLifecycleController, kubelet, kubectl, unknown.' },
    from: {
      type: ACTOR_SOURCE,
      description: 'What tells: user, userAgent, fieldManager, intent, nothing.',
      example: 'user',
    },
    program: { type: 'string', optional: true, description: 'The program, where one is named.', example: 'kubectl' },
  },
);

/** What every record shows, in lists and alone. */
export const trailRecordHead = object(
  'TrailRecordHead',
  '',
  {
    cluster: { type: 'string', description: 'The name of the cluster.', example: 'example' },
    clusterId: { type: 'int64', description: 'Its id.', example: 1 },
    sequence: { type: 'int64', description: 'The place in the chain, from 1 without a gap.', example: 1 },
    kind: { type: RECORD_KIND, description: 'What it is about.', example: 'found' },
    summary: { type: 'string', description: 'What it says in one line.', example: 'added dedicated=ml:NoSchedule' },
    node: { type: 'string', optional: true, description: 'The node.', example: 'node-1' },
    when: { type: when, description: 'When it happened.' },
    recordedAt: { type: 'string', description: 'When it was written.', example: '2026-05-04T03:02:01.000Z' },
    revision: { type: 'integer', optional: true, description: 'The revision that it came with.', example: 1 },
    channel: { type: CHANNEL, optional: true, description: 'What it was learnt from.', example: 'snapshot' },
    by: { type: trailAuthor, optional: true, description: 'Who did it, where that is proven.' },
    onBehalfOf: { type: 'string', optional: true, description: 'For whom, as the caller said.', example: null },
    actor: { type: trailActor, optional: true, description: 'What kind of writer is behind it.' },
    basis: {
      type: ATTRIBUTION_BASIS,
      optional: true,
      description: 'What the attribution of a change that was learnt of rests on, such as unbrokenWrite or fieldOwner.',
      example: null,
    },
    certainty: {
      type: CERTAINTY,
      optional: true,
      description: 'How far `by` may be relied upon: certain, likely, possible or unknown.',
      example: null,
    },
    status: {
      type: RECORD_STATUS,
      optional: true,
      description: 'Of an intent what became of it, of an attempt its outcome, of a write whether a change was seen.',
      example: null,
    },
    reason: { type: 'string', optional: true, description: 'Why, as its author said.', example: null },
    link: { type: 'string', optional: true, description: 'Where more is to be read.', example: null },
    change: { type: 'id', optional: true, description: 'The change made here that it belongs to.', example: null },
    difference: { type: taintDifference, optional: true, description: 'What happened to the node, where known.' },
    labels: {
      type: labelDifference,
      optional: true,
      description: 'What happened to its labels along with it.',
    },
    body: {
      type: trailRecordContent,
      description: 'All that it says beyond what every record carries, as it was written.',
    },
    supersedes: { type: 'int64', list: true, description: 'The records whose place it takes.', example: [] },
    supersededBy: { type: 'int64', optional: true, description: 'The record that has taken its place.', example: null },
    previousHash: { type: 'string', optional: true, description: 'The hash of the record before it.' },
    hash: { type: 'string', description: 'SHA-256 over its canonical JSON (RFC 8785).' },
  },
  { restOnly: true },
);

/** A record in a list. */
export const trailRecord = object(
  'TrailRecord',
  '',
  {
    ...trailRecordHead.members,
  },
  { restOnly: true },
);

export const SOURCE = enumType(
  'RecordEffectsSource',
  'recorded: worked out when the change was made here, for all of its nodes; computed: worked out now, from the last snapshot ' +
    'before the change and this change alone; unknown: see `why`.',
  ['recorded', 'computed', 'unknown'],
);

export const recordEffects = object('RecordEffects', 'What a change did to pods and workloads at its time.', {
  source: { type: SOURCE, description: 'Where it is from.', example: 'computed' },
  sequence: { type: 'int64', optional: true, description: 'The record that has it.', example: null },
  revision: { type: 'integer', optional: true, description: 'The revision that it was worked out from.', example: 1 },
  effects: { type: taintEffects, optional: true, description: 'What it did; null where that is unknown.' },
  why: { type: 'string', optional: true, description: 'Why it is unknown.', example: null },
});

export const trailRecordDetailsResponse = object(
  'TrailRecord',
  'A record of a trail, with what it proves.',
  {
    ...trailRecordHead.members,
    proves: { type: 'string', list: true, description: 'What it proves.' },
    doesNotProve: { type: 'string', list: true, description: 'What it does not prove.' },
    effects: { type: recordEffects, optional: true, description: 'What it did; null unless asked for.' },
    canonical: {
      type: 'string',
      optional: true,
      description: 'The text that the hash is of; null to callers from whom values of taints are withheld.',
    },
  },
  { openApiName: 'TrailRecordDetails', hasGlobalId: true },
);
