import { ownerOfNodeLabel } from '../../kubernetes/node-label-owners.js';
import type { Node } from '../../kubernetes/objects/node.js';
import type { Taint } from '../../kubernetes/objects/taints.js';
import { matchesTaint, UNSCHEDULABLE_TAINT } from '../../kubernetes/taint.js';
import { describeTaintKey } from '../../kubernetes/well-known-taints.js';
import type { RankedReason } from '../node-explanation.js';
import type { UnmetTerm } from '../reason.js';
import type { OwnedPart } from './fix.js';

/**
 * The owner of a taint that comes and goes with the state of its node: who removes it by hand finds it set again, and who tolerates it
 * runs the pod on a node that is failing, starting or going. Undefined for a taint that marks a kind of node.
 */
export function ownerOfTaint({ key, effect }: Taint): OwnedPart | undefined {
  const entry = describeTaintKey(key);
  if (entry === undefined || !entry.transient || entry.legacy) return undefined;
  if (!(entry.effects as readonly string[]).includes(effect)) return undefined;
  const { setBy, when, removedBy: changedBy } = entry;
  return { kind: 'Taint', key, effect, setBy, when, changedBy };
}

export function ownerOfLabel(key: string): OwnedPart | undefined {
  const owner = ownerOfNodeLabel(key);
  return owner === undefined ? undefined : { kind: 'Label', key, effect: null, ...owner };
}

/** Whether a reason is the cordon of a node: `kubectl uncordon` ends it, and takes along the taint that stands for it. */
export function isCordon(node: Node, taint: Taint): boolean {
  return node.spec?.unschedulable === true && matchesTaint(taint, UNSCHEDULABLE_TAINT);
}

/** What of the reasons against a node its owner alone can end, each once; the cordon is none of it. */
export function ownedIn(node: Node, reasons: readonly RankedReason[]): readonly OwnedPart[] {
  const found = new Map<string, OwnedPart>();
  for (const part of reasons.flatMap((reason) => ownedBy(node, reason))) {
    const id = `${part.kind} ${part.key} ${part.effect ?? ''}`;
    if (!found.has(id)) found.set(id, part);
  }
  return [...found.values()];
}

function ownedBy(node: Node, reason: RankedReason): readonly OwnedPart[] {
  switch (reason.code) {
    case 'NodeUnschedulable':
    case 'UntoleratedTaint': {
      const { taint } = reason.facts;
      return isCordon(node, taint) ? [] : some(ownerOfTaint(taint));
    }
    case 'NodeSelectorMismatch':
      return some(ownerOfLabel(reason.facts.label.key));
    case 'NodeAffinityMismatch':
      return ownedOfTerms(reason.facts.terms);
    default:
      return [];
  }
}

/** Of terms: none where labels without an owner can meet one of them. */
function ownedOfTerms(terms: readonly UnmetTerm[]): readonly OwnedPart[] {
  const owned = terms.map(({ unmet }) =>
    unmet.flatMap(({ key, field }) => (field.path.includes('matchFields') ? [] : some(ownerOfLabel(key)))),
  );
  return owned.some((parts, index) => parts.length === 0 && terms[index]!.unmet.length > 0) ? [] : owned.flat();
}

const some = (part: OwnedPart | undefined): readonly OwnedPart[] => (part === undefined ? [] : [part]);
