import type { Node } from '../../core/kubernetes/objects/node.js';
import { nodeRow } from '../../storage/taint-trail/node-row.js';

/** Version of the content of a node, for `If-Match`: 32 hexadecimal digits. */
export function nodeVersion(node: Node): string {
  return nodeRow(node).hash.toString('hex');
}
