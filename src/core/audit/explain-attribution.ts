import type { AttributedChange, AttributionBasis } from './attributed-change.js';
import type { FieldOwner } from './field-ownership.js';

/** What the evidence for a change proves, and what it does not. */
export interface AttributionExplanation {
  readonly proves: readonly string[];
  readonly doesNotProve: readonly string[];
}

/** Explains the evidence for a change's attribution. All of these texts are in this file. */
export function explainAttribution(change: AttributedChange): AttributionExplanation {
  const { basis, lastWriters, candidates, notRequested, difference, life } = change;
  const said = byBasis[basis](change);
  const proves = [...said.proves];
  const doesNotProve = [...said.doesNotProve];
  if (basis === 'fieldOwner' || basis === 'ownedWrite' || basis === 'none') {
    const owned = explainOwners(lastWriters);
    proves.push(...owned.proves);
    doesNotProve.push(...owned.doesNotProve);
  }
  if (notRequested !== undefined) {
    proves.push('Admission, not the request, added the taints that are listed as not requested.');
  }
  if (difference === null && life === undefined) {
    doesNotProve.push('What this write changed: the previous state is not known.');
  }
  if (candidates !== undefined && basis !== 'possibleWrite') {
    doesNotProve.push('Whether other writes, whose content was not logged, made a part of the change.');
  }
  return { proves, doesNotProve };
}

/**
 * What managedFields prove about the writers of a field; also for a taint in the first snapshot, when nothing has
 * changed yet.
 *
 * Example: kube-controller-manager owns `f:taints` since 01:46:54, because it removed one of its own taints from the
 * list. This does not show who had added `type=hound:NoSchedule`.
 */
export function explainOwners(owners: readonly FieldOwner[] | undefined): AttributionExplanation {
  if (owners === undefined) {
    return { proves: [], doesNotProve: ['Who wrote the field: the snapshot came without managedFields.'] };
  }
  const [owner, ...others] = owners;
  if (owner === undefined) {
    return {
      proves: ['According to managedFields, the field has no owner: its last owner removed the value.'],
      doesNotProve: ['Who that was: managedFields do not show who removed a field.'],
    };
  }
  if (others.length > 0) {
    const names = owners.map(nameOf).join(', ');
    return {
      proves: [`${names} share the field: each has set the same value by server-side apply.`],
      doesNotProve: ['Which of them set it first, and who set or removed each taint.'],
    };
  }
  const since = owner.time === undefined ? '' : ` The entry was last written at ${owner.time} (in whole seconds).`;
  return {
    proves: [`The field manager ${nameOf(owner)} was the last to write the field, with its current value.${since}`],
    doesNotProve: [
      'Who set or removed each taint: the list is atomic, and its last writer owns all of it.',
      'Which user was behind the field manager: a manager is a name that the client chose.',
    ],
  };
}

const UNSEEN_WRITES =
  'That no other write happened between the last known state and this one: the request was not conditional on that state, so a write without an audit event may have made a part of the change.';

const byBasis: Readonly<Record<AttributionBasis, (change: AttributedChange) => AttributionExplanation>> = {
  unbrokenWrite: () => ({
    proves: [
      'The API server authenticated this user, and the response shows the node after the write.',
      'The request was conditional on the resourceVersion of the state before it: it made the whole change.',
    ],
    doesNotProve: [],
  }),
  creation: () => ({
    proves: ['This request created the node, and the response contains these taints.'],
    doesNotProve: [],
  }),
  deletion: () => ({
    proves: ['This request deleted the node with its taints and its cordon.'],
    doesNotProve: ['That the node still had the last observed taints when it was deleted.'],
  }),
  response: ({ lastWriters }) => ({
    proves: [
      'The API server authenticated this user, and the response shows the node after the write.',
      lastWriters === undefined || lastWriters.length === 0
        ? 'The request sets this field.'
        : 'managedFields name the manager of this request as the writer of the field, within the time of the request.',
    ],
    doesNotProve: [UNSEEN_WRITES],
  }),
  request: () => ({
    proves: ['The API server authenticated this user and accepted the request, which says what it set.'],
    doesNotProve: [
      'That the node was stored as requested: the response was not logged, and admission may have changed the node.',
      UNSEEN_WRITES,
    ],
  }),
  ownedWrite: () => ({
    proves: [
      'The API server authenticated this user and accepted a write to this node, whose content was not logged.',
      'managedFields name the manager of that request as the writer of the field, within the time of the request.',
    ],
    doesNotProve: ['That this write made the whole change.'],
  }),
  possibleWrite: () => ({
    proves: ['Each of the candidates wrote to this node in the interval.'],
    doesNotProve: [
      'Which of them made the change, if any: an event of level Metadata proves that a write happened, not what it changed.',
    ],
  }),
  intent: () => ({
    proves: ['The same change was recorded in this service before, and a later snapshot shows it in the cluster.'],
    doesNotProve: ['Who applied it to the cluster.'],
  }),
  fieldOwner: () => ({ proves: ['The change was made within the interval.'], doesNotProve: [] }),
  none: () => ({ proves: ['The change was made within the interval.'], doesNotProve: ['Who made it.'] }),
};

const nameOf = ({ manager, operation }: FieldOwner): string =>
  `${manager ?? '(without a name)'}${operation === undefined ? '' : ` (${operation})`}`;
