import type { Labels } from './meta.js';

/** `metav1.LabelSelectorRequirement`; valid operators are In, NotIn, Exists, DoesNotExist. */
export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** `metav1.LabelSelector`: all requirements are ANDed; an empty selector matches everything, an absent one nothing. */
export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

/** `v1.NodeSelectorRequirement`; valid operators are In, NotIn, Exists, DoesNotExist, Gt, Lt. */
export interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** `v1.NodeSelectorTerm`: requirements are ANDed; a term without requirements matches nothing. */
export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

/** `v1.NodeSelector`: terms are ORed. */
export interface NodeSelector {
  readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
}
