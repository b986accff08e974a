import { compileLabelSelector } from '../../../kubernetes/label-selector.js';
import type { Labels } from '../../../kubernetes/objects/meta.js';
import type { Pod, PodAffinityTerm } from '../../../kubernetes/objects/pod.js';
import type { PlacementInput } from '../../plugin.js';

/** The nodes from which the pod is, or may be, repelled. */
export interface RepelledNodes {
  readonly concerns: (node: number) => boolean;
  /** Whether some of it hangs on labels of namespaces that were never loaded. */
  readonly namespacesNeeded: boolean;
}

type Match = 'yes' | 'no' | 'needs-namespace';

/** The label that every namespace carries since 1.22, whatever else it does. */
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/**
 * The nodes that share a topology value with an existing pod whose required anti-affinity matches the pod. Undefined where
 * no existing pod's does.
 *
 * A term without namespaces and without a namespace selector means the existing pod's own namespace; an empty namespace
 * selector means all.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/interpodaffinity/filtering.go,
 * `getExistingAntiAffinityCounts`; k8s.io/kube-scheduler v0.36.2, framework/types.go, `AffinityTerm.Matches`.
 */
export function repelledNodes({ state, pod, nominated }: PlacementInput): RepelledNodes | undefined {
  const { pods, nodes } = state;
  const found = new Map<string, Set<string>>();
  const matches = new Map<string, readonly Match[]>();
  let namespacesNeeded = false;
  const namespace = pod.metadata.namespace ?? '';
  const namespaceLabels = state.find('Namespace', undefined, namespace)?.metadata.labels;
  const known = state.loadedKinds.has('Namespace');

  const look = (other: number, node: number): void => {
    const terms = pods.requiredAntiAffinity(other);
    const key = `${pods.specId(other)} ${pods.namespace(other)}`;
    let answers = matches.get(key);
    if (answers === undefined) {
      answers = terms.map((term) => matchTerm(term, pods.namespace(other), pod, namespace, namespaceLabels, known));
      matches.set(key, answers);
    }
    answers.forEach((answer, index) => {
      if (answer === 'no') return;
      const { topologyKey } = terms[index]!;
      const labels = nodes.labels(node);
      if (!Object.hasOwn(labels, topologyKey)) return;
      if (answer === 'needs-namespace') namespacesNeeded = true;
      const values = found.get(topologyKey) ?? new Set<string>();
      values.add(labels[topologyKey]!);
      found.set(topologyKey, values);
    });
  };
  for (const other of pods.withRequiredAntiAffinity()) look(other, pods.nodeIndex(other));
  for (const { pod: other, nodeIndex } of nominated) look(other, nodeIndex);
  if (found.size === 0) return undefined;

  const columns = [...found].map(([key, values]) => {
    const column = nodes.labelColumn(key)!;
    return { ids: column.valueIds, hit: column.values.map((value) => values.has(value)) };
  });
  return { namespacesNeeded, concerns: (node) => columns.some(({ ids, hit }) => hit[ids[node]!] === true) };
}

function matchTerm(
  term: PodAffinityTerm,
  ownNamespace: string,
  pod: Pod,
  namespace: string,
  namespaceLabels: Labels | undefined,
  namespacesKnown: boolean,
): Match {
  const selector = compileLabelSelector(term.labelSelector);
  if ('errors' in selector || !selector.selector.matches(pod.metadata.labels ?? {})) return 'no';
  const { namespaces = [], namespaceSelector } = term;
  if (namespaceSelector === undefined && namespaces.length === 0) return ownNamespace === namespace ? 'yes' : 'no';
  if (namespaces.includes(namespace)) return 'yes';
  if (namespaceSelector === undefined) return 'no';
  const compiled = compileLabelSelector(namespaceSelector);
  if ('errors' in compiled) return 'no';
  const { requirements = [] } = compiled.selector;
  if (namespacesKnown || requirements.length === 0)
    return compiled.selector.matches(namespaceLabels ?? {}) ? 'yes' : 'no';
  const byName = requirements.every(({ key }) => key === NAMESPACE_NAME);
  if (!byName) return 'needs-namespace';
  return compiled.selector.matches({ [NAMESPACE_NAME]: namespace }) ? 'yes' : 'no';
}
