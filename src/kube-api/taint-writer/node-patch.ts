import type { JsonObject } from '../../core/json/json-value.js';
import { jsonPatch } from '../../core/taint-change/json-patch.js';
import type { Node } from '../../core/kubernetes/objects/node.js';

/**
 * The JSON Patch that writes `asked` over a node as it was read: first tests that the node has still this resource version and these
 * taints (`null` stands for none), then its differences. Server-side apply would own the whole list, with the taints of others.
 */
export function nodePatch(read: Node, asked: Node): JsonObject[] {
  const [version, ...changes] = jsonPatch(read, asked);
  if (version === undefined) return [];
  const taints = { op: 'test', path: '/spec/taints', value: read.spec?.taints ?? null };
  return [version, taints, ...changes] as unknown as JsonObject[];
}
