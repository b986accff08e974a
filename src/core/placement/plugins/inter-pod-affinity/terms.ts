import type { ClusterState } from '../../../cluster/cluster-state.js';
import { compileLabelSelector } from '../../../kubernetes/label-selector.js';
import type { Labels } from '../../../kubernetes/objects/meta.js';
import type { PodAffinityTerm, PodSpec } from '../../../kubernetes/objects/pod.js';
import type { Selector } from '../../../kubernetes/selector.js';

/**
 * A term of pod affinity or anti-affinity, read: pods of some namespaces, by their labels, over the nodes with one value of a label.
 * A term that names no namespaces and has no namespace selector means the namespace of its own pod.
 */
export interface AffinityTerm {
  /** The place in its list. */
  readonly index: number;
  readonly topologyKey: string;
  readonly selector: Selector;
  readonly namespaces: ReadonlySet<string>;
  /** Selects namespaces by their labels, beside those named; nothing where the term has none. */
  readonly namespaceSelector: Selector;
}

/** A preferred term, and its weight. */
export interface WeightedAffinityTerm {
  readonly term: AffinityTerm;
  readonly weight: number;
}

/** All terms of a pod, read. */
export interface PodAffinityTerms {
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly WeightedAffinityTerm[];
  readonly preferredAntiAffinity: readonly WeightedAffinityTerm[];
}

/** A pod's terms. A list with a selector that cannot be read is empty here, and a fault. */
export interface ReadAffinityTerms {
  readonly terms: PodAffinityTerms;
  /** The text that Kubernetes makes of the lists that cannot be read, and which they are. */
  readonly fault?: { readonly message: string; readonly lists: readonly AffinityList[] };
}

/** A list of terms in the spec: `spec.affinity[kind][when]`. */
export interface AffinityList {
  readonly kind: 'podAffinity' | 'podAntiAffinity';
  readonly when: 'requiredDuringSchedulingIgnoredDuringExecution' | 'preferredDuringSchedulingIgnoredDuringExecution';
}

/**
 * Reads the four lists of terms of a pod. The scheduler refuses a pod with a fault, but minds the other lists of one that is on a
 * node already. `matchLabelKeys` and `mismatchLabelKeys` do not act here: the API server has merged them into the label selectors.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/types.go, `PodInfo.Update`.
 */
export function readAffinityTerms(spec: Pick<PodSpec, 'affinity'>, namespace: string): ReadAffinityTerms {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const faults: { readonly text: string; readonly list: AffinityList }[] = [];
  const required = (kind: AffinityList['kind'], name: string): readonly AffinityTerm[] => {
    const when = 'requiredDuringSchedulingIgnoredDuringExecution';
    const read = readTerms((kind === 'podAffinity' ? podAffinity : podAntiAffinity)?.[when] ?? [], namespace);
    if ('terms' in read) return read.terms;
    faults.push({ text: `${name}: ${read.message}`, list: { kind, when } });
    return [];
  };
  const preferred = (kind: AffinityList['kind'], name: string): readonly WeightedAffinityTerm[] => {
    const when = 'preferredDuringSchedulingIgnoredDuringExecution';
    const weighted = (kind === 'podAffinity' ? podAffinity : podAntiAffinity)?.[when] ?? [];
    const read = readTerms(
      weighted.map(({ podAffinityTerm }) => podAffinityTerm),
      namespace,
    );
    if ('terms' in read) return read.terms.map((term) => ({ term, weight: weighted[term.index]!.weight }));
    faults.push({ text: `${name}: ${read.message}`, list: { kind, when } });
    return [];
  };
  const terms = {
    requiredAffinity: required('podAffinity', 'requiredAffinityTerms'),
    requiredAntiAffinity: required('podAntiAffinity', 'requiredAntiAffinityTerms'),
    preferredAffinity: preferred('podAffinity', 'preferredAffinityTerms'),
    preferredAntiAffinity: preferred('podAntiAffinity', 'preferredAntiAffinityTerms'),
  };
  if (faults.length === 0) return { terms };
  const texts = [...new Set(faults.map(({ text }) => text))];
  const message = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
  return { terms, fault: { message, lists: faults.map(({ list }) => list) } };
}

/** Reads one list of terms; a selector that cannot be read spoils the whole list. */
function readTerms(
  terms: readonly PodAffinityTerm[],
  namespace: string,
): { readonly terms: readonly AffinityTerm[] } | { readonly message: string } {
  const read: AffinityTerm[] = [];
  for (const [index, term] of terms.entries()) {
    const labels = compileLabelSelector(term.labelSelector);
    if ('message' in labels) return { message: labels.message };
    const namespaces = compileLabelSelector(term.namespaceSelector);
    if ('message' in namespaces) return { message: namespaces.message };
    const named = term.namespaces ?? [];
    read.push({
      index,
      topologyKey: term.topologyKey,
      selector: labels.selector,
      namespaces: new Set(named.length === 0 && term.namespaceSelector === undefined ? [namespace] : named),
      namespaceSelector: namespaces.selector,
    });
  }
  return { terms: read };
}

/** Whether a term is about a namespace; `unknown` where that hangs on labels of namespaces, and these were never loaded. */
export type NamespaceMatch = 'yes' | 'no' | 'unknown';

/** The label that every namespace carries since 1.22, whatever else it does. */
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/**
 * Whether a term of a pod that is being placed is about the pods of a namespace. Its selector chooses among the namespaces that
 * exist, unless it is empty, which means all.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/interpodaffinity/plugin.go,
 * `mergeAffinityTermNamespacesIfNotEmpty`.
 */
export function incomingTermCovers(state: ClusterState, term: AffinityTerm, namespace: string): NamespaceMatch {
  if (term.namespaces.has(namespace)) return 'yes';
  const { requirements } = term.namespaceSelector;
  if (requirements === undefined) return 'no';
  if (requirements.length === 0) return 'yes';
  if (!state.loadedKinds.has('Namespace')) return byNameAlone(term.namespaceSelector, namespace);
  const found = state.find('Namespace', undefined, namespace);
  return found !== undefined && term.namespaceSelector.matches(found.metadata.labels ?? {}) ? 'yes' : 'no';
}

/**
 * Whether a term of a pod that exists is about the pods of a namespace: by the labels of that namespace, of which one that does not
 * exist has none.
 *
 * Source: k8s.io/kube-scheduler v0.36.2, framework/types.go, `AffinityTerm.Matches`.
 */
export function existingTermCovers(state: ClusterState, term: AffinityTerm, namespace: string): NamespaceMatch {
  if (term.namespaces.has(namespace)) return 'yes';
  const { requirements } = term.namespaceSelector;
  if (requirements === undefined) return 'no';
  if (requirements.length === 0) return 'yes';
  if (!state.loadedKinds.has('Namespace')) return byNameAlone(term.namespaceSelector, namespace);
  const labels: Labels = state.find('Namespace', undefined, namespace)?.metadata.labels ?? {};
  return term.namespaceSelector.matches(labels) ? 'yes' : 'no';
}

/**
 * The namespaces whose pods a term of a pod that is being placed is about: `undefined` for all of them; else those named, and with
 * namespaces loaded those selected. Where they were never loaded `unknown` says that there may be others.
 */
export function coveredNamespaces(
  state: ClusterState,
  term: AffinityTerm,
  present: Iterable<string>,
): { readonly names: ReadonlySet<string> | undefined; readonly unknown: boolean } {
  const { requirements } = term.namespaceSelector;
  if (requirements?.length === 0) return { names: undefined, unknown: false };
  if (requirements === undefined) return { names: term.namespaces, unknown: false };
  const names = new Set(term.namespaces);
  let unknown = false;
  for (const namespace of present) {
    const match = incomingTermCovers(state, term, namespace);
    if (match === 'yes') names.add(namespace);
    else if (match === 'unknown') unknown = true;
  }
  return { names, unknown };
}

function byNameAlone(selector: Selector, namespace: string): NamespaceMatch {
  const requirements = selector.requirements ?? [];
  if (!requirements.every(({ key }) => key === NAMESPACE_NAME)) return 'unknown';
  return selector.matches({ [NAMESPACE_NAME]: namespace }) ? 'yes' : 'no';
}
