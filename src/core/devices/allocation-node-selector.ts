import type { NodeSelector, NodeSelectorRequirement } from '../kubernetes/objects/selectors.js';
import type { Candidate } from './device-pools.js';

/** The nodes on which an allocation can be used; undefined for all. */
export type AllocationNodes = { readonly nodeSelector: NodeSelector | undefined } | { readonly fault: string };

/**
 * The node selector of an allocation: the node itself as soon as one device is local to it or binds to it, otherwise the requirements of
 * all devices in one term.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, structured/internal/incubating, `createNodeSelector`.
 */
export function allocationNodeSelector(devices: readonly Candidate[], node: string): AllocationNodes {
  const fields: NodeSelectorRequirement[] = [];
  const expressions: NodeSelectorRequirement[] = [];
  for (const { device, slice } of devices) {
    const { nodeName, nodeSelector } = slice.spec?.perDeviceNodeSelection === true ? device : (slice.spec ?? {});
    if (nodeName !== undefined || device.bindsToNode === true) {
      const name: NodeSelectorRequirement = { key: 'metadata.name', operator: 'In', values: [node] };
      return { nodeSelector: { nodeSelectorTerms: [{ matchFields: [name] }] } };
    }
    const [term, ...more] = nodeSelector?.nodeSelectorTerms ?? [];
    if (more.length > 0) return { fault: `unsupported ResourceSlice.NodeSelector with ${more.length + 1} terms` };
    addNew(fields, term?.matchFields ?? []);
    addNew(expressions, term?.matchExpressions ?? []);
  }
  if (fields.length === 0 && expressions.length === 0) return { nodeSelector: undefined };
  const term = {
    ...(expressions.length > 0 && { matchExpressions: expressions }),
    ...(fields.length > 0 && { matchFields: fields }),
  };
  return { nodeSelector: { nodeSelectorTerms: [term] } };
}

function addNew(to: NodeSelectorRequirement[], added: readonly NodeSelectorRequirement[]): void {
  for (const requirement of added) {
    if (!to.some((known) => isSame(known, requirement))) to.push(requirement);
  }
}

function isSame(a: NodeSelectorRequirement, b: NodeSelectorRequirement): boolean {
  const [values, others] = [new Set(a.values), new Set(b.values)];
  return (
    a.key === b.key &&
    a.operator === b.operator &&
    values.size === others.size &&
    [...values].every((value) => others.has(value))
  );
}
