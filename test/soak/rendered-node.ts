import type { Node } from '../../src/core/kubernetes/objects/node.js';
import { formatTaint } from '../../src/core/kubernetes/taint.js';

/** The parts of a node that the soak changes, to be compared exactly. */
export interface RenderedNode {
  readonly name: string;
  readonly text: string;
}

/** A node as lists show it. */
export interface ListedNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly unschedulable: boolean;
  readonly taints: readonly {
    readonly key: string;
    readonly value: string;
    readonly effect: string;
    readonly timeAdded: string | null;
  }[];
}

export function renderListed({ name, labels, unschedulable, taints }: ListedNode): RenderedNode {
  const words = taints.map(({ timeAdded, ...taint }) => `${formatTaint(taint)}${timeAdded ?? ''}`);
  return { name, text: render(words, unschedulable, labels) };
}

export function renderNode({ metadata, spec = {} }: Node): RenderedNode {
  const words = (spec.taints ?? []).map((taint) => `${formatTaint(taint)}${taint.timeAdded ?? ''}`);
  return { name: metadata.name, text: render(words, spec.unschedulable ?? false, metadata.labels ?? {}) };
}

function render(taints: readonly string[], unschedulable: boolean, labels: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return `${taints.join(' ')} | ${unschedulable ? 'cordoned' : ''} | ${sorted.sort().join(' ')}`;
}
