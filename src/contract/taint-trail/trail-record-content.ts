import { WHEN_KIND } from './when.js';
import { AUTHOR_KIND } from '../common/author-kind.js';
import { CORDON_CHANGE } from '../common/taint-difference.js';
import {
  ACTOR_CLASS,
  ACTOR_SOURCE,
  ATTEMPT_OUTCOME,
  ATTRIBUTION_BASIS,
  CERTAINTY,
  INTENT_STATUS,
  NODE_LIFE,
  WRITE_SEEN,
} from './attribution.js';
import { ACTION, askedTaintChange } from '../taint-changes/taint-change.js';
import { podEviction, taintEffects } from '../taint-changes/taint-effects.js';
import type { TrailFinding } from '../../core/audit/trail-finding.js';
import { kubernetesTaint } from '../common/kubernetes.js';
import type { FormOf, NoneOf } from '../same-form.js';
import { enumType, object, union, variant, type EnumType, type ObjectType, type Response } from '../schema.js';
import { CHANNEL, RECORD_KIND } from './record-kind.js';

/*
 * What records say, as they were written and hashed: what a record does not say is absent. Records are never rewritten, and one that was
 * tampered with may lack anything; so every member may be absent.
 */

const text = (description: string) => ({ type: 'string', omittable: true, description }) as const;
const texts = (description: string) => ({ type: 'string', list: true, omittable: true, description }) as const;
const taints = (description: string) => ({ type: kubernetesTaint, list: true, omittable: true, description }) as const;
const part = <Type extends ObjectType>(type: Type, description: string) =>
  ({ type, omittable: true, description }) as const;
const word = <Type extends EnumType>(type: Type, description: string) =>
  ({ type, omittable: true, description }) as const;
const parts = <Type extends ObjectType>(type: Type, description: string) =>
  ({ type, list: true, omittable: true, description }) as const;
const revision = { type: 'integer', omittable: true, description: 'The revision.' } as const;

const recordedWhen = object('RecordedWhen', 'When something happened: at a point, or between two.', {
  kind: word(WHEN_KIND, '`point` or `interval`.'),
  at: text('Of a point: the time.'),
  from: text('Of an interval: after this time; absent where nothing is known of before.'),
  to: text('Of an interval: not after this time.'),
});

const recordedAuthor = object('RecordedAuthor', 'Who is named by a record.', {
  username: text('Whose rights were used.'),
  kind: word(AUTHOR_KIND, 'How this service knew the caller: anonymous, token, oidc, service.'),
  issuer: text('The identity provider that vouched for the name.'),
  uid: text('The uid that the API server knew.'),
  groups: texts('The groups.'),
  impersonatedBy: text('Who was authenticated, where another one.'),
  sourceIPs: texts('Where the request came from.'),
  userAgent: text('What the client says it is.'),
});

const recordedActor = object('RecordedActor', 'What kind of writer is behind a change.', {
  class: word(ACTOR_CLASS, 'Such as person, kubelet, kubectl, unknown.'),
  from: word(ACTOR_SOURCE, 'What tells: user, userAgent, fieldManager, intent, nothing.'),
  program: text('The program, where one is named.'),
});

const recordedTaintChange = object('RecordedTaintChange', 'A taint with another value or time.', {
  before: part(kubernetesTaint, 'As it was.'),
  after: part(kubernetesTaint, 'As it is since.'),
});

const recordedDifference = object('RecordedDifference', 'What happened to the taints and the cordon of a node.', {
  added: taints('Taints that were added.'),
  removed: taints('Taints that were removed.'),
  changed: parts(recordedTaintChange, 'Taints that were changed.'),
  cordon: word(CORDON_CHANGE, '`cordoned` or `uncordoned`.'),
});

const recordedLabel = object('RecordedLabel', 'A label that changed.', {
  key: text('Its key.'),
  before: text('Its value before.'),
  after: text('Its value since.'),
});

const recordedLabels = object('RecordedLabels', 'What happened to the labels of a node.', {
  set: parts(recordedLabel, 'Labels that are new or have another value.'),
  removed: parts(recordedLabel, 'Labels that are gone.'),
});

const recordedState = object('RecordedState', 'Taints and cordon of a node.', {
  taints: taints('The taints.'),
  unschedulable: { type: 'boolean', omittable: true, description: 'Whether the node is cordoned.' },
});

const recordedCounts = object('RecordedCounts', 'Nodes by what became of them.', {
  changed: { type: 'integer', omittable: true, description: 'Nodes that were changed.' },
  unchanged: { type: 'integer', omittable: true, description: 'Nodes that were so already.' },
  refused: { type: 'integer', omittable: true, description: 'Nodes that kubectl or the API server would refuse.' },
});

const recordedRefusal = object('RecordedRefusal', 'Why a node was not changed.', {
  node: text('The node.'),
  message: text('Why.'),
});

const recordedObservation = object('RecordedObservation', 'A snapshot of a node.', {
  at: text('When it was taken.'),
  revision,
});

const recordedSource = object('RecordedSource', 'What decided about an intent: one of the two.', {
  auditID: text('An audit event.'),
  observation: part(recordedObservation, 'A snapshot.'),
});

const recordedOwner = object('RecordedOwner', 'Who wrote a field last, by managedFields.', {
  manager: text('The field manager.'),
  operation: text('The operation.'),
  time: text('When.'),
});

const recordedOwners = object('RecordedOwners', 'Who wrote taints and cordon last, by managedFields.', {
  taints: parts(recordedOwner, 'Of the list of taints.'),
  unschedulable: parts(recordedOwner, 'Of the cordon.'),
});

const recordedCandidate = object('RecordedCandidate', 'A write that may have a part in a change.', {
  auditID: text('Its audit event.'),
  by: part(recordedAuthor, 'Who sent it.'),
  at: text('When.'),
});

const recordedEvictions = object('RecordedEvictions', 'What a change does to the pods of one node.', {
  counts: {
    type: object('RecordedEvictionCounts', 'Pods by what becomes of them.', {
      now: { type: 'integer', description: 'They go at once.', example: 1 },
      after: { type: 'integer', description: 'They go later.', example: 0 },
      never: { type: 'integer', description: 'They stay.', example: 0 },
      cancelled: { type: 'integer', description: 'They were to go, and stay.', example: 0 },
    }),
    optional: true,
    description: 'How many; null where there are more than the record of the request lists.',
  },
  pods: { type: podEviction, list: true, description: 'The pods; none where `counts` is null.' },
});

const REQUESTED = enumType('RequestedKind', 'What the body of a request says of a field.', [
  'set',
  'touched',
  'omitted',
  'untouched',
  'unknown',
]);

const requestedState = object('RequestedState', 'What a write to a node asked for.', {
  taints: { type: REQUESTED, description: 'What it said of the taints.', example: 'set' },
  taintsSet: taints('The taints that it set.'),
  unschedulable: { type: REQUESTED, description: 'What it said of the cordon.', example: 'untouched' },
  unschedulableSet: { type: 'boolean', omittable: true, description: 'The cordon that it set.' },
  resourceVersion: text('The resourceVersion that the write was conditional on.'),
});

const CHANNEL_OF = { type: CHANNEL, omittable: true, description: 'What it was learnt from.' } as const;
const NODE = text('The node.');
const UID = text('The uid of the node.');
const WHEN = part(recordedWhen, 'When it happened.');
const BY = part(recordedAuthor, 'Who did it.');
const ACTOR = part(recordedActor, 'What kind of writer is behind it.');
const ASKED = {
  auditID: text('The audit event.'),
  at: text('When.'),
  verb: text('The verb of the request.'),
  by: BY,
  actor: ACTOR,
} as const;
const SAID = {
  onBehalfOf: text('For whom, as the caller said.'),
  reason: text('Why, as its author said.'),
  link: text('Where more is to be read.'),
} as const;

export const trailRecordContent = union(
  'TrailRecordContent',
  'What a record says beyond what every record carries; its `kind` tells its form.',
  'kind',
  { kind: { type: RECORD_KIND, description: 'What the record is about.' } },
  [
    variant('FoundRecordContent', ['found'], 'What stood on a node when it was first seen.', {
      node: NODE,
      uid: UID,
      state: part(recordedState, 'What stood on it.'),
      when: WHEN,
      channel: CHANNEL_OF,
      lastWriters: part(recordedOwners, 'Who wrote the fields last; absent without managedFields.'),
      observedAfter: part(recordedObservation, 'The first snapshot that shows it.'),
    }),
    variant('RequestRecordContent', ['request'], 'A change that was asked for here.', {
      change: text('The id of the change.'),
      action: word(ACTION, 'change, revert or expiry.'),
      at: text('When.'),
      channel: CHANNEL_OF,
      by: BY,
      ...SAID,
      expiresAt: text('When it is taken back.'),
      undoes: text('The change that it takes back.'),
      request: part(askedTaintChange, 'The request.'),
      nodes: part(recordedCounts, 'How many nodes.'),
      effects: part(taintEffects, 'What it does to pods and workloads.'),
      refusals: parts(recordedRefusal, 'Of an expiry: the nodes that could not be changed back.'),
    }),
    variant('ChangeRecordContent', ['change'], 'A change of one node, made here or learnt of.', {
      node: NODE,
      uid: UID,
      change: text('Made here: the id of the change.'),
      ...SAID,
      status: word(INTENT_STATUS, 'Made here: `recorded`.'),
      effect: part(recordedEvictions, 'Made here: the pods that leave the node, or stay.'),
      labels: part(recordedLabels, 'Made here: what happened to the labels.'),
      difference: {
        type: recordedDifference,
        optional: true,
        omittable: true,
        description: 'What changed; null where nothing is known of the state before.',
      },
      set: part(recordedState, 'What was written, where the state before is not known.'),
      life: word(NODE_LIFE, '`created` or `deleted`: the node itself came or went.'),
      when: WHEN,
      channel: CHANNEL_OF,
      by: BY,
      actor: ACTOR,
      basis: word(ATTRIBUTION_BASIS, 'What the attribution rests on.'),
      certainty: word(CERTAINTY, 'How far `by` may be relied upon.'),
      candidates: parts(recordedCandidate, 'Writes that may have a part in it.'),
      lastWriters: parts(recordedOwner, 'Who owned the field afterwards; absent without managedFields.'),
      notRequested: taints('Taints that admission added.'),
      auditIDs: texts('The audit events that tell of it.'),
      observedBefore: part(recordedObservation, 'The last snapshot before it.'),
      observedAfter: part(recordedObservation, 'The first snapshot after it.'),
      intents: texts('The changes made here that it carries out.'),
    }),
    variant('IntentRecordContent', ['intent'], 'What became of a change that was made here.', {
      node: NODE,
      change: text('The id of the change.'),
      status: word(INTENT_STATUS, 'confirmed, notApplied or overwritten.'),
      saidBy: part(recordedSource, 'What says so.'),
    }),
    variant('AttemptRecordContent', ['attempt'], 'A request to the API server that changed nothing.', {
      node: NODE,
      ...ASKED,
      outcome: word(ATTEMPT_OUTCOME, 'refused, failed, dryRun or unknown.'),
      code: { type: 'integer', omittable: true, description: 'The HTTP status.' },
      reason: text('The reason of the API server.'),
      requested: part(requestedState, 'What it asked for.'),
    }),
    variant('WriteRecordContent', ['write'], 'A write of which it is not known what it wrote.', {
      node: NODE,
      ...ASKED,
      seen: word(WRITE_SEEN, 'attributed, candidate, noChangeSeen or notSeenSince.'),
    }),
    variant('WithdrawnRecordContent', ['withdrawn'], 'A record that later evidence does not bear out.', {
      node: NODE,
      withdraws: { type: 'int64', omittable: true, description: 'The record.' },
      reason: text('Why.'),
    }),
    variant('ClosedRecordContent', ['closed'], 'The cluster was deleted here.', {
      by: BY,
      at: text('When.'),
      revisions: { type: 'integer', omittable: true, description: 'How many revisions it had.' },
    }),
  ],
);

type Kind = TrailFinding['kind'];

type Declared<One extends Kind> = FormOf<Response<typeof trailRecordContent>, 'kind', One>;

/** What evidence says and no record declares; the id of an intent is its `change`. */
type Undeclared = {
  readonly [One in Kind]: Exclude<keyof FormOf<TrailFinding, 'kind', One>, keyof Declared<One> | 'id'>;
}[Kind];

/** A new member of what evidence says does not compile before it is declared. */
true satisfies NoneOf<Undeclared>;
