import type { LabelColumn } from '../../../cluster/node-table.js';
import {
  compileNodeSelector,
  matchesField,
  matchesTerm,
  requiredNodeAffinity,
  type CompiledNodeSelectorTerm,
} from '../../../kubernetes/node-selector.js';
import type { Requirement } from '../../../kubernetes/requirement.js';
import type { Node } from '../../../kubernetes/objects/node.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import type { NodeSelectorRequirement, NodeSelectorTerm } from '../../../kubernetes/objects/selectors.js';
import { SUCCESS, UNRESOLVABLE, type FilterPlugin, type PlacementInput } from '../../plugin.js';
import { nodeMapField, podField, podMapField, type Reason, type UnmetRequirement } from '../../reason.js';

export const NAME = 'NodeAffinity';

const MESSAGE = "node(s) didn't match Pod's node affinity/selector";
const CONFLICT = 'pod affinity terms conflict';

/**
 * A node must have the labels of `nodeSelector` and meet one of the required node affinity terms.
 *
 * Where every term names its nodes (`matchFields: metadata.name In`), PreFilter already leaves only those: the others are
 * never filtered, and count as `node(s) didn't satisfy plugin(s) [NodeAffinity]`. Terms that name no common node refuse
 * the pod whole.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go.
 */
export const nodeAffinity: FilterPlugin = {
  name: NAME,
  preFilter: (input) => {
    const { spec } = input.pod;
    const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    if (required === undefined && spec.nodeSelector === undefined) return { outcome: 'Skip' };
    const names = namedNodes(required?.nodeSelectorTerms ?? []);
    if (names?.size === 0) {
      return {
        outcome: 'Rejected',
        reason: {
          plugin: NAME,
          code: 'NodeAffinityConflict',
          status: 'UnschedulableAndUnresolvable',
          message: CONFLICT,
          facts: {},
          fields: [REQUIRED],
        },
      };
    }
    const matches = matcher(input);
    return {
      outcome: 'Filter',
      ...(names === undefined ? {} : { nodeNames: names }),
      filter: {
        status: (node) => (matches(node) ? SUCCESS : UNRESOLVABLE),
        findingKey: () => 0,
        findings: () => [{ code: 'NodeAffinityMismatch', message: MESSAGE }],
        explain: (node) => (matches(node) ? [] : explain(input.pod, input.state.nodes.node(node))),
      },
    };
  },
};

const REQUIRED = podField('spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');

/** The nodes that the terms name together, or undefined where some term names none, so that every node may match. */
function namedNodes(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields } of terms) {
    let common: readonly string[] | undefined;
    for (const { key, operator, values = [] } of matchFields ?? []) {
      if (key !== 'metadata.name' || operator !== 'In') continue;
      common = common === undefined ? values : common.filter((name) => values.includes(name));
    }
    if (common === undefined) return undefined;
    for (const name of common) names.add(name);
  }
  return names;
}

type NodePredicate = (node: number) => boolean;

/** Judges each requirement once for every distinct value of its label. */
function matcher({ state, pod }: PlacementInput): NodePredicate {
  const { nodes } = state;
  const { nodeSelector, affinity } = requiredNodeAffinity(pod);
  const onLabel = (requirement: Requirement): NodePredicate =>
    labelPredicate(requirement, nodes.labelColumn(requirement.key));
  const selector = (nodeSelector?.requirements ?? []).map(onLabel);
  const terms = affinity?.terms
    .filter(({ errors }) => errors.length === 0)
    .map((term: CompiledNodeSelectorTerm) => [
      ...term.fields.map((field) => (node: number) => matchesField(field, nodes.name(node))),
      ...term.labels.map(onLabel),
    ]);
  return (node) => {
    for (const predicate of selector) if (!predicate(node)) return false;
    return terms === undefined || terms.some((term) => term.every((predicate) => predicate(node)));
  };
}

function labelPredicate(requirement: Requirement, column: LabelColumn | undefined): NodePredicate {
  const absent = requirement.matchesValue(undefined);
  if (column === undefined) return () => absent;
  const { valueIds } = column;
  const present = column.values.map((value) => requirement.matchesValue(value));
  return (node) => {
    const id = valueIds[node]!;
    return id < 0 ? absent : present[id]!;
  };
}

function explain(pod: Pod, node: Node): readonly Reason[] {
  const labels = node.metadata.labels ?? {};
  const reasons: Reason[] = [];
  for (const [key, wanted] of Object.entries(pod.spec.nodeSelector ?? {})) {
    const actual = valueOf(node, key);
    if (actual === wanted) continue;
    reasons.push({
      plugin: NAME,
      code: 'NodeSelectorMismatch',
      status: 'UnschedulableAndUnresolvable',
      message: MESSAGE,
      facts: { label: { key, wanted, actual } },
      fields: [podMapField(['spec', 'nodeSelector'], key), nodeMapField(['metadata', 'labels'], key)],
    });
  }
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (terms === undefined) return reasons;
  const matched = compileNodeSelector({ nodeSelectorTerms: terms }).terms.some((term) =>
    matchesTerm(term, node.metadata.name, labels),
  );
  if (matched) return reasons;
  reasons.push({
    plugin: NAME,
    code: 'NodeAffinityMismatch',
    status: 'UnschedulableAndUnresolvable',
    message: MESSAGE,
    facts: { terms: terms.map((term, index) => ({ index, unmet: unmet(term, index, node) })) },
    fields: [REQUIRED],
  });
  return reasons;
}

/** What of a term a node does not meet. A term without requirements meets nothing and has nothing to name. */
function unmet(term: NodeSelectorTerm, index: number, node: Node): readonly UnmetRequirement[] {
  const found: UnmetRequirement[] = [];
  for (const list of ['matchExpressions', 'matchFields'] as const) {
    (term[list] ?? []).forEach((requirement: NodeSelectorRequirement, position) => {
      const alone = compileNodeSelector({ nodeSelectorTerms: [{ [list]: [requirement] }] }).terms;
      if (alone.some((one) => matchesTerm(one, node.metadata.name, node.metadata.labels ?? {}))) return;
      const { key, operator, values = [] } = requirement;
      found.push({
        key,
        operator,
        values,
        actual: list === 'matchFields' ? (key === 'metadata.name' ? node.metadata.name : null) : valueOf(node, key),
        field: podField(
          'spec',
          'affinity',
          'nodeAffinity',
          'requiredDuringSchedulingIgnoredDuringExecution',
          'nodeSelectorTerms',
          index,
          list,
          position,
        ),
      });
    });
  }
  return found;
}

function valueOf(node: Node, key: string): string | null {
  const labels = node.metadata.labels;
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key]! : null;
}
