import type { Node } from '../../kubernetes/objects/node.js';
import type { Taint } from '../../kubernetes/objects/taints.js';
import { formatTaint, matchesTaint, UNSCHEDULABLE_TAINT } from '../../kubernetes/taint.js';
import type { RankedReason } from '../node-explanation.js';
import type { Reason, UnmetRequirement, UnmetTerm } from '../reason.js';
import type { NodeFix } from './fix.js';
import { isCordon, ownerOfLabel, ownerOfTaint } from './owned.js';

/** A node on its way to take a pod, and what was done to it. */
export interface FixedNode {
  readonly node: Node;
  readonly fixes: readonly NodeFix[];
}

/** The changes of a node that answer the reasons against it: taints, the cordon and labels without an owner; never its size. */
export function changeNode(node: Node, reasons: readonly RankedReason[]): FixedNode {
  return reasons.reduce<FixedNode>(changeFor, { node, fixes: [] });
}

function changeFor(change: FixedNode, reason: Reason): FixedNode {
  switch (reason.code) {
    case 'NodeUnschedulable':
    case 'UntoleratedTaint': {
      const { taint } = reason.facts;
      if (isCordon(change.node, taint)) return uncordoned(change);
      return ownerOfTaint(taint) === undefined ? withoutTaint(change, taint) : change;
    }
    case 'NodeSelectorMismatch': {
      const { key, wanted } = reason.facts.label;
      return ownerOfLabel(key) === undefined ? labelled(change, key, wanted) : change;
    }
    case 'NodeAffinityMismatch':
      return meetingATerm(change, reason.facts.terms);
    default:
      return change;
  }
}

/** Takes the cordon off, and the taint that the node lifecycle controller keeps with it. */
function uncordoned({ node, fixes }: FixedNode): FixedNode {
  const spec = { ...node.spec, unschedulable: false };
  const taints = (spec.taints ?? []).filter((taint) => !matchesTaint(taint, UNSCHEDULABLE_TAINT));
  return {
    node: { ...node, spec: { ...spec, taints } },
    fixes: [
      ...fixes,
      { kind: 'Uncordon', command: `kubectl uncordon ${node.metadata.name}`, summary: 'uncordon the node' },
    ],
  };
}

function withoutTaint(change: FixedNode, taint: Taint): FixedNode {
  const { node, fixes } = change;
  const before = node.spec?.taints ?? [];
  const taints = before.filter((other) => !matchesTaint(other, taint));
  if (taints.length === before.length) return change;
  const command = `kubectl taint nodes ${node.metadata.name} ${taint.key}:${taint.effect}-`;
  return {
    node: { ...node, spec: { ...node.spec, taints } },
    fixes: [...fixes, { kind: 'RemoveTaint', taint, command, summary: `remove the taint ${formatTaint(taint)}` }],
  };
}

function labelled({ node, fixes }: FixedNode, key: string, value: string | null): FixedNode {
  const others = Object.entries(node.metadata.labels ?? {}).filter(([other]) => other !== key);
  const labels = Object.fromEntries(value === null ? others : [...others, [key, value]]);
  const name = node.metadata.name;
  const command =
    value === null ? `kubectl label nodes ${name} ${key}-` : `kubectl label nodes ${name} ${key}=${value} --overwrite`;
  const summary = value === null ? `remove the label ${key}` : `label the node ${key}=${value}`;
  return {
    node: { ...node, metadata: { ...node.metadata, labels } },
    fixes: [...fixes, { kind: 'SetLabel', key, value, command, summary }],
  };
}

/** Labels the node for the term that asks for the fewest labels more, if labels can meet one. */
function meetingATerm(change: FixedNode, terms: readonly UnmetTerm[]): FixedNode {
  const plans = terms
    .map(({ unmet }) => unmet.map(labelFor))
    .filter((plan) => plan.length > 0 && plan.every((label) => label !== undefined))
    .sort((a, b) => a.length - b.length);
  return (plans[0] ?? []).reduce((done, label) => labelled(done, label!.key, label!.value), change);
}

/** The label that meets a requirement (null: none of that key), or undefined where no label can. */
function labelFor({
  key,
  operator,
  values,
  field,
}: UnmetRequirement): { key: string; value: string | null } | undefined {
  if (field.path.includes('matchFields') || ownerOfLabel(key) !== undefined) return undefined;
  switch (operator) {
    case 'In':
      return values[0] === undefined ? undefined : { key, value: values[0] };
    case 'Exists':
      return { key, value: '' };
    case 'NotIn':
    case 'DoesNotExist':
      return { key, value: null };
    case 'Gt':
    case 'Lt':
      return /^[0-9]{1,18}$/.test(values[0] ?? '')
        ? { key, value: String(BigInt(values[0]!) + (operator === 'Gt' ? 1n : -1n)) }
        : undefined;
    default:
      return undefined;
  }
}
