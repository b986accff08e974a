import {
  drainDecision,
  drainMessages,
  type DrainContext,
  type DrainFilterOptions,
} from '../../../src/core/disruption/drain-filters.js';
import { compare } from '../../../src/core/json/compare.js';
import type { KubernetesObject } from '../../../src/core/kubernetes/objects/meta.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import { parseSelector, SelectorSyntaxError, type Selector } from '../../../src/core/kubernetes/label-selector.js';
import type { Op } from '../op.js';

/** Deletions of the vectors are long past or far ahead, so that any day between will do. */
const NOW = Date.parse('2026-06-01T00:00:00Z');

interface DrainInput {
  readonly node: Node;
  readonly pods: readonly Pod[];
  readonly daemonSets: readonly KubernetesObject[];
  readonly options: DrainFilterOptions & { readonly podSelector: string };
}

export const drain: Op = {
  answer: (input) => {
    const { node, pods, daemonSets, options } = input as unknown as DrainInput;
    const selector = parsed(options.podSelector);
    if (typeof selector === 'string') return { pods: [], toDelete: [], warnings: [], errors: [selector] };
    const context: DrainContext = {
      options,
      now: NOW,
      daemonSetExists: (namespace, name) =>
        daemonSets.some(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    };
    const decided = pods
      .filter(({ spec, metadata }) => spec.nodeName === node.metadata.name && selector.matches(metadata.labels ?? {}))
      .sort((a, b) => compare(namespaceOf(a), namespaceOf(b)) || compare(a.metadata.name, b.metadata.name))
      .map((pod) => ({ pod: `${namespaceOf(pod)}/${pod.metadata.name}`, decision: drainDecision(pod, context) }));
    return {
      pods: decided.map(({ pod, decision }) => ({
        pod,
        delete: decision.delete,
        reason: decision.reason,
        message: decision.message,
      })),
      toDelete: decided.filter(({ decision }) => decision.delete).map(({ pod }) => pod),
      ...drainMessages(decided),
    };
  },
};

const namespaceOf = ({ metadata }: Pod): string => metadata.namespace ?? '';

function parsed(text: string): Selector | string {
  try {
    return parseSelector(text);
  } catch (error) {
    if (error instanceof SelectorSyntaxError) return error.message;
    throw error;
  }
}
