import type { Node } from '../../core/kubernetes/objects/node.js';
import { nodeRow } from '../../storage/taint-trail/node-row.js';

/** What identifies the content of a node, as `If-Match` takes it: 32 hexadecimal digits. */
export function nodeVersion(node: Node): string {
  return nodeRow(node).hash.toString('hex');
}
