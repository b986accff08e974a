import { GUARDRAIL_OUTCOME } from '../guardrails/guardrail.js';
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
import {
  APPLICATION_EVENT,
  applicationCounts,
  APPLIED_OUTCOME,
  APPLIED_SAID_BY,
  applyOptions,
} from '../taint-changes/application.js';
import { podEviction, taintEffects } from '../taint-changes/taint-effects.js';
import type { TrailFinding } from '../../core/audit/trail-finding.js';
import type { FormOf, NoneOf } from '../same-form.js';
import { enumType, object, union, variant, type EnumType, type ObjectType, type Response } from '../schema.js';
import { CHANNEL, RECORD_KIND } from './record-kind.js';
import { recordedTaint } from './recorded-taint.js';

/*
 * The content of records as it was written and hashed. Every member may be absent, because records are never rewritten and a
 * manipulated record may lack any of them.
 */

const text = (description: string) => ({ type: 'string', omittable: true, description }) as const;
const name = (description: string) => ({ type: 'identifier', omittable: true, description }) as const;
const names = (description: string) => ({ type: 'identifier', list: true, omittable: true, description }) as const;
const taints = (description: string) => ({ type: recordedTaint, list: true, omittable: true, description }) as const;
const part = <Type extends ObjectType>(type: Type, description: string) =>
  ({ type, omittable: true, description }) as const;
const word = <Type extends EnumType>(type: Type, description: string) =>
  ({ type, omittable: true, description }) as const;
const parts = <Type extends ObjectType>(type: Type, description: string) =>
  ({ type, list: true, omittable: true, description }) as const;
const revision = { type: 'integer', omittable: true, description: 'Revision number.' } as const;

const APPROVAL_STEP = enumType('ApprovalStep', 'Step of a change that needs approval.', [
  'asked',
  'askedAgain',
  'approved',
  'rejected',
  'expired',
]);

const recordedWhen = object('RecordedWhen', 'Time of an event: a point in time or an interval.', {
  kind: word(WHEN_KIND, '`point` or `interval`.'),
  at: name('The time, for a point.'),
  from: name('Start of an interval (exclusive); absent if unknown.'),
  to: name('End of an interval (inclusive).'),
});

const recordedAuthor = object('RecordedAuthor', 'A user named by a record.', {
  username: name('Effective user name.'),
  kind: word(AUTHOR_KIND, 'How this service authenticated the caller: anonymous, token, oidc or service.'),
  issuer: name('Identity provider that issued the name.'),
  uid: name('Uid of the user in the API server.'),
  groups: names('Groups of the user.'),
  impersonatedBy: name('Authenticated user who impersonated `username`.'),
  sourceIPs: names('Source IP addresses.'),
  userAgent: text('User agent of the client.'),
});

const recordedActor = object('RecordedActor', 'Kind of writer that made a change.', {
  class: word(ACTOR_CLASS, 'For example person, kubelet, kubectl or unknown.'),
  from: word(ACTOR_SOURCE, ACTOR_SOURCE.description),
  program: name('Name of the program, if known.'),
});

const recordedTaintChange = object('RecordedTaintChange', 'A taint whose value or time changed.', {
  before: part(recordedTaint, 'Before the change.'),
  after: part(recordedTaint, 'After the change.'),
});

const recordedDifference = object('RecordedDifference', 'Changes of the taints and the cordon of a node.', {
  added: taints('Added taints.'),
  removed: taints('Removed taints.'),
  changed: parts(recordedTaintChange, 'Changed taints.'),
  cordon: word(CORDON_CHANGE, '`cordoned` or `uncordoned`.'),
});

const recordedLabel = object('RecordedLabel', 'A changed label.', {
  key: name('Key of the label.'),
  before: name('Value before the change.'),
  after: name('Value after the change.'),
});

const recordedLabels = object('RecordedLabels', 'Changes of the labels of a node.', {
  set: parts(recordedLabel, 'Labels that were added or changed.'),
  removed: parts(recordedLabel, 'Labels that were removed.'),
});

const recordedState = object('RecordedState', 'Taints and cordon of a node.', {
  taints: taints('The taints.'),
  unschedulable: { type: 'boolean', omittable: true, description: 'Whether the node is cordoned.' },
});

const recordedCounts = object('RecordedCounts', 'Nodes by outcome.', {
  changed: { type: 'integer', omittable: true, description: 'Nodes that were changed.' },
  unchanged: { type: 'integer', omittable: true, description: 'Unchanged nodes.' },
  refused: { type: 'integer', omittable: true, description: 'Nodes that kubectl or the API server refuses.' },
});

const recordedRefusal = object('RecordedRefusal', 'Why a node or a DeviceTaintRule was not changed.', {
  node: name('Node name, or `devicetaintrules/` and the name of a DeviceTaintRule.'),
  message: text('Why it was not changed.'),
});

const recordedObservation = object('RecordedObservation', 'A snapshot of a node.', {
  at: name('Capture time of the snapshot.'),
  revision,
});

const recordedSource = object(
  'RecordedSource',
  'Evidence for the outcome of an intent: an audit event or a snapshot.',
  {
    auditID: name('Audit event id.'),
    observation: part(recordedObservation, 'The snapshot.'),
  },
);

const recordedOwner = object('RecordedOwner', 'Last writer of a field according to managedFields.', {
  manager: name('Field manager name.'),
  operation: name('Update or Apply.'),
  time: name('Time of the write.'),
});

const recordedOwners = object('RecordedOwners', 'Last writers of taints and cordon according to managedFields.', {
  taints: parts(recordedOwner, 'Writers of the taint list.'),
  unschedulable: parts(recordedOwner, 'Writers of the cordon.'),
});

const recordedCandidate = object('RecordedCandidate', 'A write that may have contributed to a change.', {
  auditID: name('Audit event id.'),
  by: part(recordedAuthor, 'Author of the write.'),
  at: name('Time of the write.'),
});

const recordedEvictions = object('RecordedEvictions', 'What a change does to the pods of one node.', {
  counts: {
    type: object('RecordedEvictionCounts', 'Pods by when they are evicted.', {
      now: { type: 'integer', description: 'Pods evicted immediately.', example: 1 },
      after: { type: 'integer', description: 'Pods evicted later.', example: 0 },
      never: { type: 'integer', description: 'Pods that stay.', example: 0 },
      cancelled: { type: 'integer', description: 'Pods that were due to be evicted, but no longer are.', example: 0 },
    }),
    optional: true,
    description: 'Number of pods; null if the record of the request does not list all of them.',
  },
  pods: { type: podEviction, list: true, description: 'The pods; empty if `counts` is null.' },
});

const REQUESTED = enumType('RequestedKind', 'How the body of a request affects a field.', [
  'set',
  'touched',
  'omitted',
  'untouched',
  'unknown',
]);

const requestedState = object('RequestedState', 'What a write to a node requested.', {
  taints: { type: REQUESTED, description: 'How the request affects the taints.', example: 'set' },
  taintsSet: taints('The taints that the request sets.'),
  unschedulable: { type: REQUESTED, description: 'How the request affects the cordon.', example: 'untouched' },
  unschedulableSet: {
    type: 'boolean',
    omittable: true,
    description: 'The `spec.unschedulable` that the request sets.',
  },
  resourceVersion: name('The resourceVersion that the request was conditional on.'),
});

const CHANNEL_OF = { type: CHANNEL, omittable: true, description: CHANNEL.description } as const;
const NODE = name('Node name, or `devicetaintrules/` and the name of a DeviceTaintRule.');
const UID = name('Node UID.');
const WHEN = part(recordedWhen, 'Time of the event.');
const BY = part(recordedAuthor, 'Author.');
const ACTOR = part(recordedActor, 'Kind of writer.');
const ASKED = {
  auditID: name('Audit event id.'),
  at: name('Time of the change.'),
  verb: name('Verb of the request.'),
  by: BY,
  actor: ACTOR,
} as const;
const SAID = {
  onBehalfOf: text('For whom, according to the caller.'),
  reason: text('Reason given by the author.'),
  link: text('URL with more information.'),
} as const;

const recordedRuleChange = object('RecordedRuleChange', 'What a requested change of a DeviceTaintRule does.', {
  rule: name('Name of the rule.'),
  outcome: name('created, replaced or removed.'),
  devices: { type: 'integer', omittable: true, description: 'Number of devices that the rule covers.' },
  now: { type: 'integer', omittable: true, description: 'Pods evicted immediately.' },
  after: { type: 'integer', omittable: true, description: 'Pods evicted later.' },
  cancelled: { type: 'integer', omittable: true, description: 'Pods that were due to be evicted, but no longer are.' },
});

const recordedGuardrail = object('RecordedGuardrail', 'What a guardrail said of a change.', {
  rule: text('Name of the rule.'),
  outcome: word(GUARDRAIL_OUTCOME, GUARDRAIL_OUTCOME.description),
  message: text('Why, unless the rule holds.'),
});

export const trailRecordContent = union(
  'TrailRecordContent',
  'Content of a record beyond the members that all records have. `kind` determines the form.',
  'kind',
  { kind: { type: RECORD_KIND, description: 'Kind of the record.' } },
  [
    variant('FoundRecordContent', ['found'], 'The state of a node when it was first seen.', {
      node: NODE,
      uid: UID,
      state: part(recordedState, 'Taints and cordon of the node.'),
      when: WHEN,
      channel: CHANNEL_OF,
      lastWriters: part(recordedOwners, 'Last writers of the fields; absent without managedFields.'),
      observedAfter: part(recordedObservation, 'The first snapshot with this state.'),
    }),
    variant('RequestRecordContent', ['request'], 'A change requested through this service.', {
      change: name('Change id.'),
      action: word(ACTION, 'change, revert or expiry.'),
      at: name('Time of the request.'),
      channel: CHANNEL_OF,
      by: BY,
      ...SAID,
      expiresAt: name('When the change is reverted automatically.'),
      undoes: name('Id of the reverted change.'),
      request: part(askedTaintChange, 'The request.'),
      nodes: part(recordedCounts, 'Nodes by outcome.'),
      effects: part(taintEffects, 'Effects on pods and workloads.'),
      deviceTaintRule: part(recordedRuleChange, 'For a change of a DeviceTaintRule: what it does.'),
      refusals: parts(recordedRefusal, 'For an expiry: what could not be reverted.'),
      guardrails: parts(recordedGuardrail, 'What the guardrails said of the change; absent if there were none.'),
    }),
    variant('ApprovalRecordContent', ['approval'], 'A step of a change that needs approval.', {
      change: name('Change id.'),
      step: word(APPROVAL_STEP, 'asked, askedAgain, approved, rejected or expired.'),
      at: name('Time of the step.'),
      channel: CHANNEL_OF,
      by: BY,
      ...SAID,
      approveBy: name('Until when the change can be approved.'),
      apply: { type: 'boolean', omittable: true, description: 'Whether it is to be written to the cluster.' },
      request: part(askedTaintChange, 'The request.'),
      nodes: part(recordedCounts, 'Nodes by outcome.'),
      effects: part(taintEffects, 'Effects on pods and workloads.'),
      deviceTaintRule: part(recordedRuleChange, 'For a change of a DeviceTaintRule: what it does.'),
      guardrails: parts(recordedGuardrail, 'What the guardrails said of the change.'),
    }),
    variant('ChangeRecordContent', ['change'], 'A change of one node, requested or observed.', {
      node: NODE,
      uid: UID,
      change: name('Change id, for an intent.'),
      ...SAID,
      status: word(INTENT_STATUS, '`recorded`, for an intent.'),
      effect: part(recordedEvictions, 'Pods that leave the node or stay, for an intent.'),
      labels: part(recordedLabels, 'Changes of labels, for an intent.'),
      difference: {
        type: recordedDifference,
        optional: true,
        omittable: true,
        description: 'Changes of taints and cordon; null if the state before is unknown.',
      },
      set: part(recordedState, 'The state that was written, if the state before is unknown.'),
      life: word(NODE_LIFE, '`created` or `deleted`, if the node itself was created or deleted.'),
      when: WHEN,
      channel: CHANNEL_OF,
      by: BY,
      actor: ACTOR,
      basis: word(ATTRIBUTION_BASIS, 'Evidence for the attribution.'),
      certainty: word(CERTAINTY, 'Certainty of the attribution in `by`.'),
      candidates: parts(recordedCandidate, 'Writes that may have contributed to the change.'),
      lastWriters: parts(recordedOwner, 'Owners of the field after the change; absent without managedFields.'),
      notRequested: taints('Taints that were added by admission.'),
      auditIDs: names('Audit event ids.'),
      observedBefore: part(recordedObservation, 'Last snapshot before the change.'),
      observedAfter: part(recordedObservation, 'First snapshot after the change.'),
      intents: names('Ids of the intents that it applies.'),
    }),
    variant('IntentRecordContent', ['intent'], 'The outcome of a requested change.', {
      node: NODE,
      change: name('Change id.'),
      status: word(INTENT_STATUS, 'confirmed, notApplied or overwritten.'),
      saidBy: part(recordedSource, 'Evidence for the outcome.'),
    }),
    variant('ApplicationRecordContent', ['application'], 'A change is to be written to the cluster, or that ended.', {
      change: name('Change id.'),
      at: name('Time of the event.'),
      channel: CHANNEL_OF,
      by: BY,
      event: word(APPLICATION_EVENT, APPLICATION_EVENT.description),
      options: part(applyOptions, 'How it is written.'),
      nodes: part(applicationCounts, 'Nodes by state, at the end.'),
      message: text('Why it ended.'),
    }),
    variant('AppliedRecordContent', ['applied'], 'What became of a change on one node when this service wrote it.', {
      node: NODE,
      uid: UID,
      change: name('Change id.'),
      at: name('Time of the outcome.'),
      channel: CHANNEL_OF,
      by: BY,
      outcome: word(APPLIED_OUTCOME, APPLIED_OUTCOME.description),
      saidBy: word(APPLIED_SAID_BY, APPLIED_SAID_BY.description),
      code: { type: 'integer', omittable: true, description: 'HTTP status of the API server.' },
      message: text('What the API server said, or why the node was left alone.'),
      warnings: {
        type: 'string',
        list: true,
        omittable: true,
        description: 'Warnings of the API server.',
      },
      testedVersion: name('resourceVersion that the write tested.'),
      resourceVersion: name('resourceVersion that was written or found.'),
      attempts: { type: 'integer', omittable: true, description: 'Number of attempts.' },
      difference: {
        type: recordedDifference,
        optional: true,
        omittable: true,
        description: 'What the change is about, as it was previewed.',
      },
    }),
    variant('AttemptRecordContent', ['attempt'], 'A request to the API server that changed nothing.', {
      node: NODE,
      ...ASKED,
      outcome: word(ATTEMPT_OUTCOME, 'refused, failed, dryRun or unknown.'),
      code: { type: 'integer', omittable: true, description: 'HTTP status code.' },
      reason: text('Reason in the response of the API server.'),
      requested: part(requestedState, 'What the request would have changed.'),
    }),
    variant('WriteRecordContent', ['write'], 'A write with unknown effect.', {
      node: NODE,
      ...ASKED,
      seen: word(WRITE_SEEN, 'attributed, candidate, noChangeSeen or notSeenSince.'),
    }),
    variant('WithdrawnRecordContent', ['withdrawn'], 'A record that later evidence does not support.', {
      node: NODE,
      withdraws: { type: 'int64', omittable: true, description: 'Sequence number of the withdrawn record.' },
      reason: text('Why the record was withdrawn.'),
    }),
    variant('ClosedRecordContent', ['closed'], 'The cluster was deleted from this service.', {
      by: BY,
      at: name('Time of the deletion.'),
      revisions: { type: 'integer', omittable: true, description: 'Number of deleted revisions.' },
    }),
  ],
);

type Kind = TrailFinding['kind'];

type Declared<One extends Kind> = FormOf<Response<typeof trailRecordContent>, 'kind', One>;

/** Members of findings that no record declares. The id of an intent is its `change`. */
type Undeclared = {
  readonly [One in Kind]: Exclude<keyof FormOf<TrailFinding, 'kind', One>, keyof Declared<One> | 'id'>;
}[Kind];

/** A new member of a finding does not compile until it is declared above. */
true satisfies NoneOf<Undeclared>;
