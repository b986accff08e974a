import type { AttributedChange, AttributionBasis } from './attributed-change.js';
import type { FieldOwner } from './field-ownership.js';

/** What the evidence for a change proves, and what it does not, in sentences. */
export interface AttributionExplanation {
  readonly proves: readonly string[];
  readonly doesNotProve: readonly string[];
}

/** Says in words what a change's attribution rests on. The one place where these words are. */
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
    proves.push('Of the added taints, those listed as not requested were put there by admission, not by the request.');
  }
  if (difference === null && life === undefined) {
    doesNotProve.push('What was there before is not known, nor therefore which of it this write changed.');
  }
  if (candidates !== undefined && basis !== 'possibleWrite') {
    doesNotProve.push('Other writes whose content was not written down may have made a part of the change.');
  }
  return { proves, doesNotProve };
}

/**
 * What managedFields say of a field's writers, in words: also of a taint that stands in the first snapshot, where nothing
 * changed yet.
 *
 * Example: kube-controller-manager owns `f:taints` since 01:46:54, because it took a taint of its own off the list. That
 * says nothing about who had put `type=hound:NoSchedule` there.
 */
export function explainOwners(owners: readonly FieldOwner[] | undefined): AttributionExplanation {
  if (owners === undefined) {
    return { proves: [], doesNotProve: ['Who wrote the field: the snapshot came without managedFields.'] };
  }
  const [owner, ...others] = owners;
  if (owner === undefined) {
    return {
      proves: ['Nobody owns the field by managedFields: whoever owned it last took its value away.'],
      doesNotProve: ['Who that was: managedFields do not name who removed a field that is gone.'],
    };
  }
  if (others.length > 0) {
    const names = owners.map(nameOf).join(', ');
    return {
      proves: [`${names} share the field: each has set this same value, by server-side apply.`],
      doesNotProve: ['Which of them set it first, and who set or removed each single taint.'],
    };
  }
  const since = owner.time === undefined ? '' : ` The entry was last written at ${owner.time} (in whole seconds).`;
  return {
    proves: [`The field manager ${nameOf(owner)} wrote the field last, as it stands now.${since}`],
    doesNotProve: [
      'Who set or removed each single taint: the list is atomic, and whoever writes it owns all of it.',
      'Which user was behind the field manager: a manager is a name that the client chose.',
    ],
  };
}

const UNSEEN_WRITES =
  'That no other write lay between the last state known and this one: the request was not conditional on that state, so a part of the change may be of a write that no event tells of.';

const byBasis: Readonly<Record<AttributionBasis, (change: AttributedChange) => AttributionExplanation>> = {
  unbrokenWrite: () => ({
    proves: [
      'The API server authenticated this user, and the response shows the node after the write.',
      'The request was conditional on the resourceVersion of the state before it: all of the change is its own.',
    ],
    doesNotProve: [],
  }),
  creation: () => ({
    proves: ['The node was created by this request, with these taints in its response.'],
    doesNotProve: [],
  }),
  deletion: () => ({
    proves: ['The node was deleted by this request; its taints and its cordon went with it.'],
    doesNotProve: ['That the taints were still those last seen when it was deleted.'],
  }),
  response: ({ lastWriters }) => ({
    proves: [
      'The API server authenticated this user, and the response shows the node after the write.',
      lastWriters === undefined || lastWriters.length === 0
        ? 'The request asked for a change of this field.'
        : 'managedFields name the manager of this request as the writer of the field, within the time of the request.',
    ],
    doesNotProve: [UNSEEN_WRITES],
  }),
  request: () => ({
    proves: ['The API server authenticated this user and accepted the request, which says what it set.'],
    doesNotProve: [
      'That the node was stored as requested: the response was not written down, and admission may have changed it.',
      UNSEEN_WRITES,
    ],
  }),
  ownedWrite: () => ({
    proves: [
      'The API server authenticated this user and accepted a write to this node; its content was not written down.',
      'managedFields name the manager of that request as the writer of the field, within the time of the request.',
    ],
    doesNotProve: ['That all of the change is of this write.'],
  }),
  possibleWrite: () => ({
    proves: ['Each of the candidates wrote to this node in that time.'],
    doesNotProve: ['Which of them made the change, if any: an event of level Metadata proves a write, not which.'],
  }),
  intent: () => ({
    proves: ['This very change was recorded here before, and a later snapshot shows it in the cluster.'],
    doesNotProve: ['Who carried it to the cluster.'],
  }),
  fieldOwner: () => ({ proves: ['The change was made within the interval.'], doesNotProve: [] }),
  none: () => ({ proves: ['The change was made within the interval.'], doesNotProve: ['Who made it.'] }),
};

const nameOf = ({ manager, operation }: FieldOwner): string =>
  `${manager ?? '(without a name)'}${operation === undefined ? '' : ` (${operation})`}`;
