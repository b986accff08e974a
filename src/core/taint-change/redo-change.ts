import type { TaintDifference } from '../audit/taint-difference.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { taintsOf, withParts } from './apply-taint-edit.js';
import type { LabelDifference } from './label-difference.js';
import { taintIdentity } from './taint-edit.js';

/**
 * A node after a recorded change of it is applied again, because a snapshot from before the change shows the node without it.
 * The change's taints always get the values that the change gave them; nothing is refused.
 *
 * Example: the change added `a:NoSchedule`; the node in the snapshot has `b:NoSchedule` from another client. The result has
 * both.
 */
export function redoChange(
  node: Node,
  { added, removed, changed, cordon }: TaintDifference,
  labels?: LabelDifference,
): Node {
  const wanted = byIdentity([...added, ...changed.map(({ after }) => after)]);
  const gone = byIdentity(removed);
  const kept = taintsOf(node)
    .filter((taint) => !gone.has(taintIdentity(taint)))
    .map((taint) => wanted.get(taintIdentity(taint)) ?? taint);
  const standing = byIdentity(kept);
  const fresh = [...wanted].filter(([identity]) => !standing.has(identity)).map(([, taint]) => taint);
  const unschedulable = cordon === undefined ? (node.spec?.unschedulable ?? false) : cordon === 'cordoned';
  return withParts(node, [...fresh, ...kept], unschedulable, redoLabels(node, labels));
}

const byIdentity = (taints: readonly Taint[]): ReadonlyMap<string, Taint> =>
  new Map(taints.map((taint) => [taintIdentity(taint), taint]));

function redoLabels({ metadata }: Node, labels: LabelDifference | undefined): Node['metadata']['labels'] {
  if (labels === undefined) return metadata.labels;
  const redone = new Map(Object.entries(metadata.labels ?? {}));
  for (const { key, after } of labels.set) redone.set(key, after);
  for (const { key } of labels.removed) redone.delete(key);
  return Object.fromEntries(redone);
}
