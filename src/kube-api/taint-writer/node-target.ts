import type { JsonObject } from '../../core/json/json-value.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import { readTaintOwnership } from '../../core/kubernetes/schema/taint-ownership.js';
import { nodePatch } from './node-patch.js';
import type { Decision, WriteTarget } from './taint-writer.js';

/** A node as the API server sent it, with all of its fields. */
export type LiveNode = Node & { readonly metadata: { readonly uid: string; readonly resourceVersion: string } };

/** What is to be done to a node as it is now. */
export type NodeDecision =
  | { readonly outcome: 'write'; readonly asked: Node }
  | { readonly outcome: 'done' }
  | { readonly outcome: 'refused'; readonly reasons: readonly string[] };

export interface NodeWrite {
  readonly node: string;
  readonly decide: (node: LiveNode) => NodeDecision;
  /** The parts of the spec that the change is about. */
  readonly touches: readonly ('taints' | 'unschedulable')[];
}

/** Taints, cordon and labels of a node that is there. */
export function nodeTarget({ node, decide, touches }: NodeWrite): WriteTarget {
  return {
    name: `node ${node}`,
    path: `/api/v1/nodes/${encodeURIComponent(node)}`,
    decide: (object): Decision => {
      if (object === undefined) return { outcome: 'missing' };
      const live = object as unknown as LiveNode;
      const decision = decide(live);
      if (decision.outcome !== 'write') return decision;
      return { outcome: 'write', request: { method: 'PATCH', body: nodePatch(live, decision.asked) } };
    },
    isWrittenBy: (object, manager) => hasWritten(object, touches, manager),
  };
}

/**
 * Whether a manager was the last one to change these parts of a node. `spec.taints` is one list with one owner: whoever last changed any
 * of it. The tested version did not have the change, so if the service owns the list, its write made the change. A part that is gone has no
 * owner, so its removal proves nothing.
 */
function hasWritten(node: JsonObject, parts: NodeWrite['touches'], manager: string): boolean {
  const own = (readTaintOwnership(node) ?? []).filter((one) => one.manager === manager);
  return parts.length > 0 && parts.every((part) => own.some(({ owns }) => owns.includes(`spec.${part}`)));
}
