import { when } from './when.js';
import { AUTHOR_KIND } from '../common/author-kind.js';
import { ACTOR_CLASS, ACTOR_SOURCE, ATTRIBUTION_BASIS, CERTAINTY, RECORD_STATUS } from './attribution.js';
import { enumType, object } from '../schema.js';
import { CHANNEL, RECORD_KIND } from './record-kind.js';
import { trailRecordContent } from './trail-record-content.js';
import { taintDifference, labelDifference } from '../common/taint-difference.js';
import { taintEffects } from '../taint-changes/taint-effects.js';

export const trailAuthor = object('TrailAuthor', 'A user named by a record.', {
  username: { type: 'identifier', description: 'Effective user name.', example: 'alice' },
  kind: {
    type: AUTHOR_KIND,
    optional: true,
    description:
      'How this service authenticated the caller: anonymous, token, oidc or service; null for users of an API server.',
    example: null,
  },
  uid: { type: 'identifier', optional: true, description: 'Uid of the user in the API server.', example: null },
  groups: { type: 'identifier', list: true, description: 'Groups of the user.', example: ['sre'] },
  impersonatedBy: {
    type: 'identifier',
    optional: true,
    description: 'Authenticated user who impersonated `username`.',
    example: null,
  },
  sourceIPs: { type: 'identifier', list: true, description: 'Source IP addresses.', example: ['10.0.0.7'] },
  userAgent: { type: 'string', optional: true, description: 'User agent of the client.', example: 'kubectl/v1.36.2' },
});

export const trailActor = object('TrailActor', 'Kind of writer that made a change: a person or a controller.', {
  class: {
    type: ACTOR_CLASS,
    description: 'For example person, nodeLifecycleController, kubelet, kubectl or unknown.',
  },
  from: {
    type: ACTOR_SOURCE,
    description: ACTOR_SOURCE.description,
    example: 'user',
  },
  program: { type: 'identifier', optional: true, description: 'Name of the program, if known.', example: 'kubectl' },
});

/** The members of every record, in lists and in details. */
export const trailRecordHead = object(
  'TrailRecordHead',
  '',
  {
    cluster: { type: 'identifier', description: 'Cluster name.', example: 'example' },
    clusterId: { type: 'int64', description: 'Cluster id.', example: 1 },
    sequence: { type: 'int64', description: 'Position in the chain: from 1, without gaps.', example: 1 },
    kind: { type: RECORD_KIND, description: RECORD_KIND.description, example: 'found' },
    summary: { type: 'string', description: 'The record in one line.', example: 'added dedicated=ml:NoSchedule' },
    node: { type: 'identifier', optional: true, description: 'Node name.', example: 'node-1' },
    deviceTaintRule: {
      type: 'identifier',
      optional: true,
      description: 'Name of the DeviceTaintRule that the record is about; its devices are in the taints of `body`.',
      example: null,
    },
    when: { type: when, description: 'Time of the event.' },
    recordedAt: {
      type: 'identifier',
      description: 'When the record was written.',
      example: '2026-05-04T03:02:01.000Z',
    },
    revision: { type: 'integer', optional: true, description: 'Revision created with the record.', example: 1 },
    channel: { type: CHANNEL, optional: true, description: CHANNEL.description, example: 'snapshot' },
    by: { type: trailAuthor, optional: true, description: 'Author, if proven.' },
    onBehalfOf: { type: 'string', optional: true, description: 'For whom, according to the caller.', example: null },
    actor: { type: trailActor, optional: true, description: 'Kind of writer.' },
    basis: {
      type: ATTRIBUTION_BASIS,
      optional: true,
      description: 'Evidence for the attribution of an observed change, such as unbrokenWrite or fieldOwner.',
      example: null,
    },
    certainty: {
      type: CERTAINTY,
      optional: true,
      description: 'Certainty of the attribution in `by`: certain, likely, possible or unknown.',
      example: null,
    },
    status: {
      type: RECORD_STATUS,
      optional: true,
      description: 'For an intent or an attempt: its outcome. For a write: whether a change was observed.',
      example: null,
    },
    reason: { type: 'string', optional: true, description: 'Reason given by the author.', example: null },
    link: { type: 'string', optional: true, description: 'URL with more information.', example: null },
    change: { type: 'id', optional: true, description: 'Id of the change made through this service.', example: null },
    difference: { type: taintDifference, optional: true, description: 'Changes of taints and cordon, if known.' },
    labels: {
      type: labelDifference,
      optional: true,
      description: 'Changes of the labels in the same change.',
    },
    body: {
      type: trailRecordContent,
      description: 'The content as it was written, beyond the members that all records have.',
    },
    supersedes: { type: 'int64', list: true, description: 'Sequence numbers of the replaced records.', example: [] },
    supersededBy: {
      type: 'int64',
      optional: true,
      description: 'Sequence number of the replacing record.',
      example: null,
    },
    previousHash: { type: 'identifier', optional: true, description: 'Hash of the previous record.' },
    hash: { type: 'identifier', description: 'SHA-256 of the canonical JSON (RFC 8785).' },
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
  'recorded: computed when the change was made through this service, for all of its nodes; computed: computed ' +
    'now, from the last snapshot before the change and only this change; unknown: see `why`.',
  ['recorded', 'computed', 'unknown'],
);

export const recordEffects = object('RecordEffects', 'Effects of a change on pods and workloads at its time.', {
  source: { type: SOURCE, description: SOURCE.description, example: 'computed' },
  sequence: { type: 'int64', optional: true, description: 'Sequence number of their record.', example: null },
  revision: {
    type: 'integer',
    optional: true,
    description: 'Revision that the effects were computed from.',
    example: 1,
  },
  effects: { type: taintEffects, optional: true, description: 'The effects; null if unknown.' },
  why: { type: 'string', optional: true, description: 'Why the effects are unknown.', example: null },
});

export const trailRecordDetailsResponse = object(
  'TrailRecord',
  'A record of a trail, with what it proves.',
  {
    ...trailRecordHead.members,
    proves: { type: 'string', list: true, description: 'What the record proves.' },
    doesNotProve: { type: 'string', list: true, description: 'What it does not prove.' },
    effects: { type: recordEffects, optional: true, description: 'Effects of the change; null unless requested.' },
    canonical: {
      type: 'string',
      optional: true,
      description: 'The hashed text; null for callers who may not see taint values.',
    },
  },
  { openApiName: 'TrailRecordDetails', hasGlobalId: true },
);
