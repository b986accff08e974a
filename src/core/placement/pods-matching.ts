import type { ClusterState } from '../cluster/cluster-state.js';
import type { Selector } from '../kubernetes/selector.js';

/**
 * Visits the pods on nodes (not ended) that a selector chooses among those of some namespaces, or of all. The selector is judged once
 * for each distinct set of labels.
 */
export function forEachMatching(
  { pods }: ClusterState,
  selector: Selector,
  namespaces: Iterable<string> | undefined,
  visit: (pod: number, node: number) => void,
): void {
  // Nothing is selected at all.
  if (selector.requirements === undefined) return;
  const judged: (boolean | undefined)[] = [];
  pods.forEachPlaced(namespaces, (pod, node, labelSetId) => {
    let matches = judged[labelSetId];
    if (matches === undefined) {
      matches = selector.matches(pods.labels(pod));
      judged[labelSetId] = matches;
    }
    if (matches) visit(pod, node);
  });
}
