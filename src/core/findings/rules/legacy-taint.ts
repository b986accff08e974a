import { describeTaintKey } from '../../kubernetes/well-known-taints.js';
import type { ClusterRule } from '../cluster-rule.js';
import { OccurrenceCounter } from '../occurrence-counter.js';

/** Nodes with a taint key of older versions, one finding per key. */
export const legacyTaint: ClusterRule = ({ state: { nodes, taintSets } }) => {
  const byKey = new Map<string, OccurrenceCounter>();
  for (const [index, set] of nodes.taintSetIds.entries()) {
    for (const key of new Set(taintSets[set]!.map((taint) => taint.key))) {
      if (describeTaintKey(key)?.legacy !== true) continue;
      const counter = byKey.get(key) ?? new OccurrenceCounter('Node');
      byKey.set(key, counter);
      counter.add(nodes.name(index));
    }
  }
  return [...byKey].map(([key, counter]) => {
    const { when, replacedBy } = describeTaintKey(key)!;
    const instead = replacedBy === undefined ? '' : ` It was replaced by ${replacedBy}.`;
    return {
      code: 'legacy-taint',
      severity: 'warning',
      subject: { kind: 'Cluster' },
      message: `Nodes carry the taint key ${key}, which older versions set when ${when}. No component sets or removes it any longer, but it still keeps pods off.${instead}`,
      suggestions: [{ text: `Remove it: kubectl taint nodes NODE ${key}-` }],
      occurrences: counter.result,
    };
  });
};
