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
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '../../../kubernetes/objects/selectors.js';
import {
  SUCCESS,
  UNRESOLVABLE,
  type FilterPlugin,
  type NodeFilter,
  type PlacementInput,
  type Prepared,
} from '../../plugin.js';
import {
  nodeMapField,
  podField,
  podMapField,
  type FieldReference,
  type CommonReason,
  type Reason,
  type UnmetRequirement,
} from '../../reason.js';

export const NAME = 'NodeAffinity';

const MESSAGE = "node(s) didn't match Pod's node affinity/selector";
const ENFORCED = "node(s) didn't match scheduler-enforced node affinity";
const CONFLICT = 'pod affinity terms conflict';
const COMMON_REASONS: readonly CommonReason[] = [
  { code: 'NodeAffinityMismatch', message: MESSAGE },
  { code: 'EnforcedNodeAffinityMismatch', message: ENFORCED },
];

/**
 * A node must have the labels of `nodeSelector` and meet one of the required node affinity terms.
 *
 * Where every term names its nodes (`matchFields: metadata.name In`), PreFilter already leaves only those: the others are
 * never filtered, and count as `node(s) didn't satisfy plugin(s) [NodeAffinity]`. Terms that name no common node refuse
 * the pod whole.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go.
 */
export const nodeAffinity: FilterPlugin = nodeAffinityWith(undefined);

/**
 * The same in a profile that requires something of the nodes of all its pods (`NodeAffinityArgs.addedAffinity`): that comes first, and
 * only where a node meets it is the pod's own affinity looked at.
 */
export function nodeAffinityWith(added: NodeSelector | undefined): FilterPlugin {
  return { name: NAME, preFilter: (input) => prepare(input, added) };
}

function prepare(input: PlacementInput, added: NodeSelector | undefined): Prepared {
  const { spec } = input.pod;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined && spec.nodeSelector === undefined && added === undefined) return { outcome: 'Skip' };
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
  const own = requiredNodeMatcher(input);
  let explanation: Explanation | undefined;
  const explainOwn = (node: number): readonly Reason[] => {
    if (own.matches(node)) return [];
    explanation ??= new Explanation(input.pod);
    return explanation.of(input.state.nodes.node(node));
  };
  const naming = names === undefined ? {} : { nodeNames: names };
  if (added !== undefined) {
    const filter = enforcedFilter(addedMatcher(input, added), own, explainOwn);
    return { outcome: 'Filter', ...naming, filter };
  }
  return {
    outcome: 'Filter',
    ...naming,
    filter: {
      status: (node) => (own.matches(node) ? SUCCESS : UNRESOLVABLE),
      fill: own.fill,
      commonReasonKey: () => 0,
      commonReasons: (key) => [COMMON_REASONS[key]!],
      explanationKey: own.labelValues,
      namelessKey: own.namelessValues,
      explain: explainOwn,
    },
  };
}

/** What the profile requires, as if a pod of its own required it. */
function addedMatcher({ state, pod }: PlacementInput, added: NodeSelector): Matcher {
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: added } };
  return requiredNodeMatcher({ state, pod: { ...pod, spec: { containers: [], affinity } } });
}

/** First what the profile requires, then what the pod does. Upstream stops at the first; here both are explained. */
function enforcedFilter(added: Matcher, own: Matcher, explainOwn: (node: number) => readonly Reason[]): NodeFilter {
  const reason: Reason = {
    plugin: NAME,
    code: 'EnforcedNodeAffinityMismatch',
    status: 'UnschedulableAndUnresolvable',
    message: ENFORCED,
    facts: {},
    fields: [],
  };
  return {
    status: (node) => (added.matches(node) && own.matches(node) ? SUCCESS : UNRESOLVABLE),
    commonReasonKey: (node) => (added.matches(node) ? 0 : 1),
    commonReasons: (key) => [COMMON_REASONS[key]!],
    explanationKey: (node) => {
      const keys = [added.labelValues(node), own.labelValues(node)];
      return keys.includes(undefined) ? undefined : keys.join(';');
    },
    explain: (node) => [...(added.matches(node) ? [] : [reason]), ...explainOwn(node)],
  };
}

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

/** What a requirement makes of each node: `passes[ids[node] + 1]` is 1 where the node meets it; id -1 has no such label. */
interface Column {
  readonly ids: Int32Array | undefined;
  readonly passes: Uint8Array;
}

/** A bit for each field, added to a number up to this, is exact. */
const [MOST_VALUES, MOST_FIELDS] = [2 ** 32, 20];

/** Equal for nodes of which the same is to be said. */
type NodeKey = number | string | undefined;

interface Matcher {
  /** Whether the node meets both the pod's node selector and its required node affinity. */
  readonly matches: (node: number) => boolean;
  /** As `NodeFilter.fill`. */
  readonly fill: (statuses: Uint8Array) => boolean;
  /** What the node has in the labels that are asked for; undefined where its name is asked for too. */
  readonly labelValues: (node: number) => NodeKey;
  /** The same with what its name meets of that; undefined where a term cannot be read. */
  readonly namelessValues: (node: number) => NodeKey;
}

/** What the pod requires of its node, each requirement judged once for every distinct value of its label. */
export function requiredNodeMatcher({ state, pod }: Pick<PlacementInput, 'state' | 'pod'>): Matcher {
  const { nodes } = state;
  const { nodeSelector, affinity } = requiredNodeAffinity(pod);
  const onLabel = (requirement: Requirement): Column => labelColumn(requirement, nodes.labelColumn(requirement.key));
  const selector = (nodeSelector?.requirements ?? []).map(onLabel);
  const terms = affinity?.terms
    .filter(({ errors }) => errors.length === 0)
    .map(({ labels, fields }: CompiledNodeSelectorTerm) => ({ labels: labels.map(onLabel), fields }));
  const meetsFields = (fields: CompiledNodeSelectorTerm['fields'], node: number): boolean =>
    fields.every((field) => matchesField(field, nodes.name(node)));
  const matches = (node: number): boolean =>
    selector.every((column) => passes(column, node)) &&
    (terms === undefined ||
      terms.some(({ labels, fields }) => labels.every((column) => passes(column, node)) && meetsFields(fields, node)));
  const fill = (statuses: Uint8Array): boolean => {
    let refuses = false;
    for (const column of selector) if (refuse(statuses, column)) refuses = true;
    if (terms === undefined) return refuses;
    const [only] = terms;
    if (terms.length === 1 && only!.fields.length === 0) {
      for (const column of only!.labels) if (refuse(statuses, column)) refuses = true;
      return refuses;
    }
    const meets = meetsTerm(statuses.length);
    for (let node = 0; node < statuses.length; node++) {
      if (meets[node] === 1) continue;
      statuses[node] = UNRESOLVABLE;
      refuses = true;
    }
    return refuses;
  };
  const meetsTerm = (count: number): Uint8Array => {
    const meets = new Uint8Array(count);
    const ofTerm = new Uint8Array(count);
    for (const { labels, fields } of terms ?? []) {
      ofTerm.fill(1);
      for (const column of labels) intersect(ofTerm, column);
      const named = fields.find(({ field, operator }) => field === 'metadata.name' && operator === '=');
      if (named !== undefined) {
        // No other node can meet it.
        const node = nodes.indexOf(named.value);
        if (node >= 0 && ofTerm[node] === 1 && meetsFields(fields, node)) meets[node] = 1;
        continue;
      }
      const byName = fields.length > 0;
      for (let node = 0; node < count; node++) {
        if (ofTerm[node] === 1 && (!byName || meetsFields(fields, node))) meets[node] = 1;
      }
    }
    return meets;
  };
  const asked = [...selector, ...(terms ?? []).flatMap(({ labels }) => labels)].filter(({ ids }) => ids !== undefined);
  const byName = affinity?.terms.some(({ fields, errors }) => fields.length > 0 || errors.length > 0) ?? false;
  const valuesOf = valuesIn(asked);
  const labelValues = (node: number): NodeKey => {
    if (byName) return undefined;
    return valuesOf(node);
  };
  const fields = (terms ?? []).flatMap((term) => term.fields);
  const unreadable = affinity?.terms.some(({ errors }) => errors.length > 0) ?? false;
  const namelessValues = (node: number): NodeKey => {
    if (unreadable) return undefined;
    const values = valuesOf(node);
    if (fields.length === 0) return values;
    const name = nodes.name(node);
    if (typeof values === 'string' || values > MOST_VALUES || fields.length > MOST_FIELDS) {
      return fields.reduce((text, field) => text + (matchesField(field, name) ? '+' : '-'), `${values},`);
    }
    return fields.reduce((number, field) => number * 2 + (matchesField(field, name) ? 1 : 0), values);
  };
  return { matches, fill, labelValues, namelessValues };
}

function labelColumn(requirement: Requirement, column: LabelColumn | undefined): Column {
  const absent = requirement.matchesValue(undefined) ? 1 : 0;
  if (column === undefined) return { ids: undefined, passes: Uint8Array.of(absent) };
  const passes = new Uint8Array(column.values.length + 1);
  passes[0] = absent;
  column.values.forEach((value, id) => {
    if (requirement.matchesValue(value)) passes[id + 1] = 1;
  });
  return { ids: column.valueIds, passes };
}

/** What a node has in columns: one number, as long as no two combinations of values share it. */
function valuesIn(columns: readonly Column[]): (node: number) => number | string {
  const isExact = columns.reduce((product, { passes }) => product * passes.length, 1) <= Number.MAX_SAFE_INTEGER;
  if (!isExact) return (node) => columns.map(({ ids }) => ids![node]).join();
  return (node) => {
    let values = 0;
    for (const { ids, passes } of columns) values = values * passes.length + ids![node]! + 1;
    return values;
  };
}

function passes({ ids, passes: table }: Column, node: number): boolean {
  return table[ids === undefined ? 0 : ids[node]! + 1] === 1;
}

/** Leaves 1 where the node meets the requirement too. */
function intersect(meets: Uint8Array, { ids, passes: table }: Column): void {
  if (ids === undefined) {
    if (table[0] === 0) meets.fill(0);
    return;
  }
  for (let node = 0; node < meets.length; node++) meets[node]! &= table[ids[node]! + 1]!;
}

/** Refuses the nodes that do not meet the requirement. @returns whether there are any */
function refuse(statuses: Uint8Array, { ids, passes: table }: Column): boolean {
  if (!table.includes(0)) return false;
  const refusals = table.map((passes) => (1 - passes) * UNRESOLVABLE);
  if (ids === undefined) {
    statuses.fill(UNRESOLVABLE);
    return true;
  }
  let any = 0;
  for (let node = 0; node < statuses.length; node++) {
    const refusal = refusals[ids[node]! + 1]!;
    statuses[node]! |= refusal;
    any |= refusal;
  }
  return any !== SUCCESS;
}

/** Says of nodes what they do not meet; the terms are compiled once for all of them. */
class Explanation {
  private readonly terms: readonly NodeSelectorTerm[] | undefined;
  private readonly compiled: readonly CompiledNodeSelectorTerm[];
  private readonly requirements: readonly (readonly TermRequirement[])[];

  constructor(private readonly pod: Pod) {
    this.terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
    this.compiled = compileNodeSelector({ nodeSelectorTerms: this.terms ?? [] }).terms;
    this.requirements = (this.terms ?? []).map(requirementsOf);
  }

  of(node: Node): readonly Reason[] {
    const labels = node.metadata.labels ?? {};
    const reasons: Reason[] = [];
    for (const [key, wanted] of Object.entries(this.pod.spec.nodeSelector ?? {})) {
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
    if (this.terms === undefined) return reasons;
    if (this.compiled.some((term) => matchesTerm(term, node.metadata.name, labels))) return reasons;
    reasons.push({
      plugin: NAME,
      code: 'NodeAffinityMismatch',
      status: 'UnschedulableAndUnresolvable',
      message: MESSAGE,
      facts: { terms: this.requirements.map((term, index) => ({ index, unmet: unmet(term, node) })) },
      fields: [REQUIRED],
    });
    return reasons;
  }
}

/** One requirement of a term: compiled by itself, and where it stands. */
interface TermRequirement {
  readonly alone: readonly CompiledNodeSelectorTerm[];
  readonly requirement: NodeSelectorRequirement;
  readonly onField: boolean;
  readonly field: FieldReference;
}

function requirementsOf(term: NodeSelectorTerm, index: number): readonly TermRequirement[] {
  return (['matchExpressions', 'matchFields'] as const).flatMap((list) =>
    (term[list] ?? []).map((requirement, position) => ({
      alone: compileNodeSelector({ nodeSelectorTerms: [{ [list]: [requirement] }] }).terms,
      requirement,
      onField: list === 'matchFields',
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
    })),
  );
}

/** What of a term a node does not meet. A term without requirements meets nothing and has nothing to name. */
function unmet(term: readonly TermRequirement[], node: Node): readonly UnmetRequirement[] {
  const { name, labels = {} } = node.metadata;
  return term
    .filter(({ alone }) => !alone.some((one) => matchesTerm(one, name, labels)))
    .map(({ requirement: { key, operator, values = [] }, onField, field }) => ({
      key,
      operator,
      values,
      actual: onField ? (key === 'metadata.name' ? name : null) : valueOf(node, key),
      field,
    }));
}

function valueOf(node: Node, key: string): string | null {
  const labels = node.metadata.labels;
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key]! : null;
}
