import type { placementReason } from '../../contract/placements/reason.js';
import type { Response } from '../../contract/schema.js';
import { formatTaint } from '../../core/kubernetes/taint.js';

type Reason = Response<typeof placementReason>;

/** Nodes that refuse a pod for the same reasons. */
interface RefusingNodes {
  readonly count: number;
  /** At least the first names. */
  readonly nodes: readonly string[];
  readonly reasons: readonly Reason[];
}

/** Names of nodes that are shown of a group. */
export const MOST_NODES = 5;

/** Nodes, and every reason on a line of its own. */
export function nodeGroupLines({ count, nodes, reasons }: RefusingNodes): readonly string[] {
  return [`${namedNodes({ count, nodes })}:`, ...reasons.map((reason) => `  ${reasonText(reason)}`)];
}

/** `7 nodes (node-1, node-2, ...)`. */
export function namedNodes({ count, nodes }: Pick<RefusingNodes, 'count' | 'nodes'>): string {
  const more = count > Math.min(nodes.length, MOST_NODES) ? ', ...' : '';
  return `${count} node${count === 1 ? '' : 's'} (${nodes.slice(0, MOST_NODES).join(', ')}${more})`;
}

/** The message with the facts that name what is missing, and the fields that it is about. */
export function reasonText(reason: Reason): string {
  const { plugin, message, fields } = reason;
  const ofPod = fields.filter(({ object }) => object === 'pod').map(({ path }) => path);
  const at = ofPod.length === 0 ? '' : `; ${ofPod.join(', ')}`;
  return `${message}${factsText(reason)} [${plugin}]${at}`;
}

function factsText(reason: Reason): string {
  switch (reason.code) {
    case 'UntoleratedTaint':
      return ` (${formatTaint(reason.facts.taint)})`;
    case 'InsufficientResource':
    case 'TooManyPods': {
      const { requested, available, allocatable } = reason.facts;
      if (available === undefined) return ` (requested ${requested ?? ''})`;
      return ` (requested ${requested ?? ''}, available ${available}${allocatable === undefined ? '' : ` of ${allocatable}`})`;
    }
    case 'NodeSelectorMismatch': {
      const { key, wanted, actual } = reason.facts.label;
      return ` (wants ${key}=${wanted ?? ''}${actual === undefined ? '' : `, has ${actual === null ? 'none' : `${key}=${actual}`}`})`;
    }
    default:
      return '';
  }
}
