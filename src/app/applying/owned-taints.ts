import type { TaintDifference } from '../../core/audit/taint-difference.js';
import type { TaintOwnership } from '../../core/kubernetes/objects/meta.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import { FIELD_MANAGER } from '../../core/taint-owners/field-manager.js';
import { ownedEdits } from '../../core/taint-owners/taint-owners.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';

/** Why a change must not touch taints of a node that belong to others; empty if it does not. */
export function ownedReasons(
  { metadata: { labels, annotations } }: Node,
  ownership: readonly TaintOwnership[] | undefined,
  difference: TaintDifference,
): readonly string[] {
  return ownedEdits({ labels, annotations, ownership }, difference, FIELD_MANAGER).map(
    ({ taint, edit, owner, because }) =>
      `${formatTaint(taint)} is ${edit} by the change, but belongs to somebody else: ${owner} ${because}`,
  );
}

/** Details in the error of a refused change. */
const MAX_NAMED = 1_000;

/** @throws {ServiceError} `taint-change-refused`, with each taint that belongs to somebody else */
export function refuseOwned(
  nodes: readonly { readonly node: Node; readonly difference: TaintDifference }[],
  force: boolean,
): void {
  if (force) return;
  const details: ErrorDetail[] = [];
  for (const { node, difference } of nodes) {
    if (details.length >= MAX_NAMED) break;
    for (const message of ownedReasons(node, node.metadata.taintOwnership, difference)) {
      details.push({ code: 'taint-owned', kind: 'Node', name: node.metadata.name, message });
    }
  }
  const [first] = details;
  if (first === undefined) return;
  const more = details.length === 1 ? '' : ` (and ${details.length - 1} more)`;
  throw new ServiceError(
    'taint-change-refused',
    `Nothing was changed. ${first.name!}: ${first.message}${more}. Set force to apply it nevertheless.`,
    { details: details.slice(0, MAX_NAMED) },
  );
}
