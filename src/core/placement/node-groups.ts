import type { JsonValue } from '../json/json-value.js';
import { reasonsOf, type NodeExplanation, type RankedReason, type ReasonsOf } from './node-explanation.js';
import { NodePartition, partsBy } from './node-partition.js';
import type { Placement, PluginOutcome, Verdict } from './placement.js';
import { SUCCESS, type AmountColumn, type AmountUnit } from './plugin.js';
import { isOfDevices, type Reason } from './reason.js';

/** Nodes of which all is the same for the pod but their names and what the columns tell. */
export interface PlacementGroup {
  /** In the order of the state. */
  readonly nodes: readonly number[];
  readonly verdict: Verdict;
  /** What there is to say of each of them; facts in which they differ are left out. */
  readonly explanation: NodeExplanation;
  readonly columns: readonly FactColumn[];
  /**
   * The node that is nearest to taking the pod: the one with the most of the first resource that they are short of, or with the most devices
   * that the pod could have if it tolerated their taints.
   */
  readonly nearest: number;
}

/** One fact in which the nodes of a group differ. */
export interface FactColumn {
  /** The index of the reason in the explanation. */
  readonly reason: number;
  /** Where it stands in the facts of the reason: `available`, `label.actual`. */
  readonly name: string;
  /** Of an amount. */
  readonly unit: AmountUnit | null;
  /** In the order of the nodes. */
  readonly values: readonly unknown[];
}

/**
 * Nodes with the same reasons are told apart by their other facts, such as the value of a label, as long as that makes no more
 * groups than this; beyond it, as where each node has a value of its own, the fact becomes a column.
 */
const MAX_KINDS = 16;

/**
 * The nodes that are equal for the pod, together: those that can take it first, then those of which it is not known, then the
 * others; among these the most frequent first.
 *
 * Found in whole columns: nodes are told apart by their taint set, and then by the status and the reasons of each filter. A
 * filter explains single nodes only where it cannot say what they share.
 *
 * @param count called for each single node that has to be explained, with its reasons
 */
export function groupNodes(
  placement: Placement,
  nodes: readonly number[],
  count: (reasons: readonly Reason[]) => void = () => undefined,
): readonly PlacementGroup[] {
  const asked = placement.plugins.filter(isAsked);
  const explain = sharedReasons();
  return placement
    .parts(nodes)
    .flatMap((part) => kindsOf(asked, part))
    .flatMap((kind) => groupsOf(placement, { asked, explain, count }, kind))
    .sort(
      (a, b) => ORDER[a.verdict] - ORDER[b.verdict] || b.nodes.length - a.nodes.length || a.nodes[0]! - b.nodes[0]!,
    );
}

const ORDER: Readonly<Record<Verdict, number>> = { feasible: 0, unknown: 1, infeasible: 2 };

/** A filter with nodes that do not pass. */
type Asked = PluginOutcome & Required<Pick<PluginOutcome, 'filter' | 'statuses'>>;

const isAsked = (plugin: PluginOutcome): plugin is Asked =>
  plugin.filter !== undefined && plugin.statuses !== undefined && plugin.passesAll !== true;

/** Nodes with the same reasons, and the filters whose facts may still differ among them. */
interface Kind {
  readonly nodes: readonly number[];
  readonly varying: readonly Asked[];
  /** Those whose facts differ in the names of the nodes alone. */
  readonly naming: readonly Asked[];
}

/** Tells nodes with the same reasons apart by what else the filters say of them, filter by filter. */
function kindsOf(asked: readonly Asked[], nodes: readonly number[]): readonly Kind[] {
  const failing = asked.filter(({ statuses }) => statuses[nodes[0]!] !== SUCCESS);
  return failing.reduce<readonly Kind[]>(
    (kinds, plugin) =>
      kinds.flatMap((kind): readonly Kind[] => {
        const { explanationKey, namelessKey, amounts, byTaints } = plugin.filter;
        // The parts have one taint set each.
        if (amounts !== undefined || byTaints === true || kind.nodes.length === 1) return [kind];
        const alike = partsBy(kind.nodes, explanationKey, MAX_KINDS);
        if (alike !== undefined) return alike.map((part) => ({ ...kind, nodes: part }));
        const named = partsBy(kind.nodes, namelessKey, MAX_KINDS);
        if (named === undefined) return [{ ...kind, varying: [...kind.varying, plugin] }];
        return named.map((part) => ({ ...kind, nodes: part, naming: [...kind.naming, plugin] }));
      }),
    [{ nodes, varying: [], naming: [] }],
  );
}

/** What all groups of a placement are made with. */
interface Grouping {
  readonly asked: readonly Asked[];
  readonly explain: ReasonsOf;
  readonly count: (reasons: readonly Reason[]) => void;
}

type OfKeys = Map<number | string, readonly RankedReason[]>;

/** As `reasonsOf`, with the same objects for nodes with the same explanation. */
function sharedReasons(): ReasonsOf {
  const known = [new Map<PluginOutcome, OfKeys>(), new Map<PluginOutcome, OfKeys>()] as const;
  return (plugin, node, first) => {
    const own = plugin.filter?.explanationKey?.(node);
    if (own === undefined) return reasonsOf(plugin, node, first);
    const ofPlugins = known[first ? 1 : 0];
    let ofKeys = ofPlugins.get(plugin);
    if (ofKeys === undefined) ofPlugins.set(plugin, (ofKeys = new Map<number | string, readonly RankedReason[]>()));
    let reasons = ofKeys.get(own);
    if (reasons === undefined) ofKeys.set(own, (reasons = reasonsOf(plugin, node, first)));
    return reasons;
  };
}

function groupsOf(
  placement: Placement,
  grouping: Grouping,
  { nodes, varying, naming }: Kind,
): readonly PlacementGroup[] {
  const explained = new Map<Asked, ReadonlyMap<number, readonly Reason[]>>();
  if (varying.length === 0) return [groupOf(placement, grouping, { nodes, varying, naming }, explained)];
  const partition = NodePartition.of(nodes);
  for (const plugin of varying) {
    const byNode = new Map<number, readonly Reason[]>();
    partition.by((node) => {
      const reasons = plugin.filter.explain(node);
      grouping.count(reasons);
      byNode.set(node, reasons);
      return reasons.map(formOf).join('\n');
    });
    explained.set(plugin, byNode);
  }
  return partition.parts().map((part) => groupOf(placement, grouping, { nodes: part, varying, naming }, explained));
}

/** Everything about a reason but its facts. */
const formOf = ({ code, status, message, fields }: Reason): string =>
  `${code} ${status} ${message} ${fields.map(({ object, pointer }) => object + pointer).join(' ')}`;

function groupOf(
  placement: Placement,
  { asked, explain }: Grouping,
  { nodes, naming }: Kind,
  explained: ReadonlyMap<Asked, ReadonlyMap<number, readonly Reason[]>>,
): PlacementGroup {
  const first = nodes[0]!;
  const explanation = placement.explainNode(first, explain);
  const reasons = explanation.reasons.map((reason) => common(reason, nodes.length));
  const columns: FactColumn[] = [];
  let nearest = first;
  // After those of the pod as such, the reasons of one filter stand together, in calling order.
  let end = placement.podReasons.length + (placement.isExcluded(first) ? 1 : 0);
  for (const plugin of asked) {
    if (plugin.statuses[first] === SUCCESS) continue;
    const start = end;
    while (reasons[end]?.plugin === plugin.name) end += 1;
    const amounts = plugin.filter.amounts?.(nodes) ?? [];
    for (const amount of amounts) {
      if (amount.values.every((value) => value === amount.values[0])) continue;
      const at = start + amount.reason;
      reasons[at] = without(reasons[at]!, [amount.fact]);
      if (amount.isDerived !== true) columns.push(columnOf(amount, at));
    }
    const available = amounts.find(({ fact }) => fact === 'available')?.values;
    if (available !== undefined) nearest = nodes[indexOfGreatest(available)]!;
    // Two of them say at which paths they name themselves.
    const compared = naming.includes(plugin) ? nodes.slice(0, 2) : nodes;
    const byNode = compared === nodes ? explained.get(plugin) : undefined;
    if (byNode === undefined && compared === nodes) continue;
    const reasonsOf = compared.map((node) => byNode?.get(node) ?? plugin.filter.explain(node));
    if (compared === nodes && available === undefined && reasonsOf[0]!.some(isOfDevices)) {
      nearest = nodes[indexOfGreatest(reasonsOf.map(devicesWithTolerations))]!;
    }
    const count = reasonsOf[0]!.length;
    for (let index = 0; index < count; index++) {
      const facts = reasonsOf.map((ofNode) => ofNode[index]!.facts as FactValue);
      for (const path of differing(facts)) {
        const values = facts.map((fact) => at(fact, path));
        reasons[start + index] = without(reasons[start + index]!, path);
        const isName = values.every((value, member) => value === placement.state.nodes.name(compared[member]!));
        if (!isName) columns.push({ reason: start + index, name: path.join('.'), unit: null, values });
      }
    }
  }
  return { nodes, verdict: explanation.verdict, explanation: { ...explanation, reasons }, columns, nearest };
}

function devicesWithTolerations(reasons: readonly Reason[]): number {
  return reasons.filter(isOfDevices).reduce((sum, { facts: { selected, counts } }) => {
    return sum + selected - counts.inUse - counts.capacity - counts.gateOff - counts.combination;
  }, 0);
}

/** A node that PreFilter left out names itself in the reason. */
function common(reason: RankedReason, count: number): RankedReason {
  return reason.code === 'ExcludedByPreFilter' && count > 1 ? without(reason, ['nodeName']) : reason;
}

const columnOf = ({ fact, unit, values }: AmountColumn, reason: number): FactColumn => ({
  reason,
  name: fact,
  unit,
  values,
});

function indexOfGreatest(values: readonly (number | bigint)[]): number {
  let greatest = 0;
  for (let index = 1; index < values.length; index++) if (values[index]! > values[greatest]!) greatest = index;
  return greatest;
}

type FactValue = JsonValue | undefined;

/** What nodes have of a label: where items of lists differ in nothing else, they are about the same thing. */
const OF_NODES: ReadonlySet<string> = new Set(['actual', 'value']);

/**
 * The paths at which facts differ. A list differs as a whole where it has another length, or plain values, or items that are about
 * something else.
 */
function differing(facts: readonly FactValue[]): readonly (readonly string[])[] {
  const [first] = facts;
  if (facts.every((fact) => fact === first)) return [];
  if (isPlainList(first) && facts.every((fact) => isSameList(fact, first))) return [];
  if (!facts.every((fact) => isAlike(fact, first))) return [[]];
  const keys = new Set(facts.flatMap((fact) => Object.keys(fact as object)));
  const paths = [...keys].flatMap((key) =>
    differing(facts.map((fact) => (fact as Record<string, FactValue>)[key])).map((path) => [key, ...path]),
  );
  const areOfNodes = (path: readonly string[]): boolean =>
    OF_NODES.has(path.at(-1)!) || facts.some((fact) => Array.isArray(at(fact, path)));
  return Array.isArray(first) && !paths.every(areOfNodes) ? [[]] : paths;
}

/** Whether two values have members that can be compared one by one. */
function isAlike(value: FactValue, other: FactValue): boolean {
  if (Array.isArray(value)) return Array.isArray(other) && value.length === other.length && !isPlainList(value);
  return isObject(value) && isObject(other) && !Array.isArray(other);
}

const isPlainList = (value: FactValue): value is JsonValue[] => Array.isArray(value) && !value.some(isObject);

const isSameList = (value: FactValue, other: readonly JsonValue[]): boolean =>
  Array.isArray(value) && value.length === other.length && value.every((item, index) => item === other[index]);

const isObject = (value: FactValue): value is Exclude<JsonValue, null> & object =>
  typeof value === 'object' && value !== null;

function at(fact: FactValue, path: readonly string[]): FactValue {
  return path.reduce<FactValue>((value, key) => (value as Record<string, FactValue> | undefined)?.[key], fact) ?? null;
}

function without(reason: RankedReason, path: readonly string[]): RankedReason {
  return { ...reason, facts: removed(reason.facts as FactValue, path) } as RankedReason;
}

/** A copy that lacks the member at a path. */
function removed(value: FactValue, [key, ...rest]: readonly string[]): FactValue {
  if (key === undefined || !isObject(value)) return value;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? (removed(item, rest) ?? null) : item));
  const members: Readonly<Record<string, FactValue>> = value;
  const { [key]: member, ...others } = members;
  return (rest.length === 0 ? others : { ...others, [key]: removed(member, rest) }) as JsonValue;
}
