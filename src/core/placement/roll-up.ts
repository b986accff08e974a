import { NOTHING } from '../collections/nothing.js';
import { compare } from '../json/compare.js';
import { defined } from '../collections/defined.js';
import { allNodes } from '../cluster/all-nodes.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { excludedMessage } from './node-explanation.js';
import { NodePartition, type TaintParts } from './node-partition.js';
import type { Placement } from './placement.js';
import { SUCCESS, UNKNOWN, type NodeFilter } from './plugin.js';
import type { Reason, ReasonCode } from './reason.js';

/** One reason counted over the nodes of a placement. */
export interface ReasonCount {
  readonly plugin: string;
  readonly code: ReasonCode;
  /** In Kubernetes' words where it has any. */
  readonly message: string;
  /** The nodes that have the reason. */
  readonly nodes: number;
  /** Those of them where it is of the first failing filter, as Kubernetes counts it. */
  readonly first: number;
  /** The first few of the nodes by name. */
  readonly examples: readonly string[];
  /** What the message leaves out, for a reason of the whole pod. */
  readonly note?: string;
  /** Of untolerated taints: each distinct one, and the nodes that have it, most frequent first. */
  readonly taints?: readonly { readonly taint: string; readonly nodes: number }[];
}

const EXAMPLES = 3;

interface Tally {
  readonly plugin: string;
  readonly code: ReasonCode;
  readonly message: string;
  nodes: number;
  first: number;
  readonly note: string | undefined;
  examples: readonly string[];
  taints: Map<string, TaintCount> | undefined;
}

interface TaintCount {
  readonly taint: string;
  nodes: number;
}

/** Nodes of one plugin with the same reasons. */
interface Group {
  nodes: number;
  first: number;
  /** The first few by index, which is their order by name. */
  examples: readonly number[];
}

/** The reasons of a placement by count, most frequent first, then in calling order, then by message. Stays short however many nodes there are. */
export function rollUp(placement: Placement): readonly ReasonCount[] {
  const { state } = placement;
  const { nodes } = state;
  const counts: ReasonCount[] = [];
  const wholePod = placement.podReasons.some(({ status }) => status !== 'Unknown');
  const everyNode = Array.from({ length: Math.min(EXAMPLES, nodes.count) }, (_, node) => nodes.name(node));
  placement.podReasons.forEach((reason, index) => {
    const { plugin, code, message, status } = reason;
    const first = index === 0 && status !== 'Unknown' ? nodes.count : 0;
    const note = noteOf(reason);
    counts.push(
      countOf({ plugin, code, message, nodes: nodes.count, first, note, examples: everyNode, taints: undefined }),
    );
  });
  const { preFilterNodes, excludedNodes } = placement;
  if (preFilterNodes !== undefined && excludedNodes !== undefined) {
    let out = 0;
    const examples: string[] = [];
    for (let node = 0; node < excludedNodes.length; node++) {
      if (excludedNodes[node] === 0) continue;
      if (out++ < EXAMPLES) examples.push(nodes.name(node));
    }
    if (out > 0) {
      counts.push({
        plugin: preFilterNodes.plugins[0] ?? '',
        code: 'ExcludedByPreFilter',
        message: excludedMessage(preFilterNodes.plugins),
        nodes: out,
        first: wholePod ? 0 : out,
        examples,
      });
    }
  }
  let byTaints = wholePod || preFilterNodes !== undefined ? undefined : CountedByTaints.of(state);
  let decided: Uint8Array | undefined;
  if (byTaints === undefined) {
    decided = !wholePod && excludedNodes !== undefined ? excludedNodes.slice() : new Uint8Array(nodes.count);
    if (wholePod) decided.fill(1);
  }
  for (const { name, filter, statuses, passesAll } of placement.plugins) {
    if (filter === undefined || statuses === undefined || passesAll === true) continue;
    if (byTaints !== undefined && filter.byTaints === true) {
      byTaints = byTaints.after(name, filter);
      counts.push(...byTaints.counts);
      continue;
    }
    decided ??= byTaints!.decidedNodes();
    byTaints = undefined;
    const groups = groupsOf(statuses, filter.commonReasonKey, decided);
    counts.push(...countsOf(name, groups, filter.commonReasons, state));
  }
  return sorted(counts);
}

/** Counts that pods share: the same object each time. */
const shared = new WeakSet<ReasonCount>();

/** Whether a count is the same object for many pods, so that what is made of it may be kept. */
export const isShared = (count: ReasonCount): boolean => shared.has(count);

/** Maximum number of shared counts of a state. */
const MAX_SHARED = 2000;

/** What the first filters of a pod come to, as long as they look at nothing but taints: the same for all pods that have the very filters. */
class CountedByTaints {
  private static readonly known = new WeakMap<ClusterState, CountedByTaints>();
  private readonly next = new WeakMap<NodeFilter, CountedByTaints>();

  private constructor(
    private readonly state: ClusterState,
    private readonly parts: TaintParts,
    /** Of the last filter. */
    readonly counts: readonly ReasonCount[],
    /** By part: whether a filter refuses its nodes. */
    private readonly decided: Uint8Array,
    private readonly sharedCounts: Map<string, ReasonCount>,
  ) {}

  /** Before any filter. */
  static of(state: ClusterState): CountedByTaints {
    let known = CountedByTaints.known.get(state);
    if (known === undefined) {
      const parts = NodePartition.taintParts(state, allNodes(state));
      known = new CountedByTaints(state, parts, [], new Uint8Array(parts.parts.length), new Map());
      CountedByTaints.known.set(state, known);
    }
    return known;
  }

  after(name: string, filter: NodeFilter): CountedByTaints {
    let counted = this.next.get(filter);
    if (counted === undefined) {
      const decided = this.decided.slice();
      const groups = groupsOfParts(this.parts.parts, filter, decided);
      const counts = countsOf(name, groups, filter.commonReasons, this.state).map((count) => this.shared(count));
      counted = new CountedByTaints(this.state, this.parts, counts, decided, this.sharedCounts);
      this.next.set(filter, counted);
    }
    return counted;
  }

  /** The same by node; a copy. */
  decidedNodes(): Uint8Array {
    const { ids } = this.parts;
    const { decided } = this;
    const ofNodes = new Uint8Array(ids.length);
    for (let node = 0; node < ids.length; node++) ofNodes[node] = decided[ids[node]!]!;
    return ofNodes;
  }

  private shared(count: ReasonCount): ReasonCount {
    const { sharedCounts } = this;
    const text = JSON.stringify(count);
    let known = sharedCounts.get(text);
    if (known === undefined) {
      if (sharedCounts.size >= MAX_SHARED) sharedCounts.clear();
      sharedCounts.set(text, (known = count));
      shared.add(count);
    }
    return known;
  }
}

/** As `groupsOf`, of nodes in parts of which a filter says the same. @param decided by part */
function groupsOfParts(
  parts: readonly (readonly number[])[],
  { status, commonReasonKey }: NodeFilter,
  decided: Uint8Array,
): ReadonlyMap<number, Group> {
  const groups = new Map<number, Group>();
  for (const [part, nodes] of parts.entries()) {
    const code = status(nodes[0]!);
    if (code === SUCCESS) continue;
    const key = commonReasonKey(nodes[0]!);
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { nodes: 0, first: 0, examples: [] }));
    group.nodes += nodes.length;
    group.examples = firstOf(group.examples, nodes.slice(0, EXAMPLES));
    if (code !== UNKNOWN && decided[part] === 0) {
      decided[part] = 1;
      group.first += nodes.length;
    }
  }
  return groups;
}

/** The nodes that do not pass, by their reasons. A refusal is the first of a node that is not `decided`, which it then is. */
function groupsOf(
  statuses: Uint8Array,
  keyOf: (node: number) => number,
  decided: Uint8Array,
): ReadonlyMap<number, Group> {
  const groups = new Map<number, Group>();
  // Most keys are small numbers, which an array finds faster than a map.
  const small: (Group | undefined)[] = [];
  for (let node = 0; node < statuses.length; node++) {
    const status = statuses[node]!;
    if (status === SUCCESS) continue;
    const key = keyOf(node);
    let group = key < small.length ? small[key] : groups.get(key);
    if (group === undefined) {
      groups.set(key, (group = { nodes: 0, first: 0, examples: [] }));
      if (key < SMALL_KEYS) {
        while (small.length <= key) small.push(undefined);
        small[key] = group;
      }
    }
    group.nodes++;
    if (group.nodes <= EXAMPLES) group.examples = [...group.examples, node];
    if (status !== UNKNOWN && decided[node] === 0) {
      decided[node] = 1;
      group.first++;
    }
  }
  return groups;
}

const SMALL_KEYS = 1024;

function countOf({ plugin, code, message, nodes, first, examples, note, taints }: Tally): ReasonCount {
  const count = { plugin, code, message, nodes, first, examples, ...(note !== undefined && { note }) };
  if (taints === undefined) return count;
  const byNodes = [...taints.values()];
  if (byNodes.length > 1) byNodes.sort((a, b) => b.nodes - a.nodes || (a.taint < b.taint ? -1 : 1));
  return { ...NOTHING, ...count, taints: byNodes };
}

/** Those of one code by message where the counts are equal: their order is that of values in memory, which differs from process to process. */
function sorted(counts: readonly ReasonCount[]): readonly ReasonCount[] {
  // There are few codes.
  const codes: ReasonCount[] = [];
  const placeOf = (count: ReasonCount): number =>
    codes.findIndex(({ plugin, code }) => plugin === count.plugin && code === count.code);
  for (const count of counts) if (placeOf(count) < 0) codes.push(count);
  return [...counts].sort((a, b) => b.nodes - a.nodes || placeOf(a) - placeOf(b) || compare(a.message, b.message));
}

/** A reason about the pod by itself, which refuses it before any node is looked at. */
export const countOfPod = (reason: Reason, { nodes }: ClusterState): ReasonCount => ({
  plugin: reason.plugin,
  code: reason.code,
  message: reason.message,
  ...defined({ note: noteOf(reason) }),
  nodes: nodes.count,
  first: nodes.count,
  examples: Array.from({ length: Math.min(EXAMPLES, nodes.count) }, (_, node) => nodes.name(node)),
});

function noteOf({ facts }: Reason): string | undefined {
  if (!('template' in facts) || facts.template === undefined) return undefined;
  return `no claim can be made from ResourceClaimTemplate ${facts.template}: ${facts.because ?? ''}`;
}

/** A tally on the way. */
interface Counting {
  readonly tally: Tally;
  /** The first few nodes, by index. */
  examples: readonly number[];
  /** The group that it was last counted for: a taint set may have one reason several times. */
  last: Group | undefined;
}

function countsOf(
  plugin: string,
  groups: ReadonlyMap<number, Group>,
  commonReasons: NodeFilter['commonReasons'],
  { nodes }: ClusterState,
): readonly ReasonCount[] {
  const found: Counting[] = [];
  const byMessage = new Map<string, Counting[]>();
  for (const key of [...groups.keys()].sort((a, b) => a - b)) {
    const group = groups.get(key)!;
    for (const { code, message, taint } of commonReasons(key)) {
      const alike = byMessage.get(message);
      let counting = alike?.find(({ tally }) => tally.code === code);
      if (counting === undefined) {
        const tally = { plugin, code, message, nodes: 0, first: 0, note: undefined, examples: [], taints: undefined };
        counting = { tally, examples: [], last: undefined };
        found.push(counting);
        if (alike === undefined) byMessage.set(message, [counting]);
        else alike.push(counting);
      }
      const { tally, last } = counting;
      if (last !== group) {
        counting.examples = firstOf(counting.examples, group.examples);
        counting.last = group;
        tally.nodes += group.nodes;
        tally.first += group.first;
      }
      if (taint !== undefined) {
        const text = textOf(taint);
        tally.taints ??= new Map<string, TaintCount>();
        const known = tally.taints.get(text);
        if (known === undefined) tally.taints.set(text, { taint: text, nodes: group.nodes });
        else known.nodes += group.nodes;
      }
    }
  }
  return found.map(({ tally, examples }) => {
    tally.examples = examples.map((node) => nodes.name(node));
    return countOf(tally);
  });
}

/** The first few of two lists that are in order. */
function firstOf(some: readonly number[], others: readonly number[]): readonly number[] {
  if (some.length === 0) return others;
  if (some.length === EXAMPLES && some[EXAMPLES - 1]! < others[0]!) return some;
  return [...some, ...others].sort((a, b) => a - b).slice(0, EXAMPLES);
}

/** Of taints of states, which are the same objects for all pods. */
const texts = new WeakMap<Taint, string>();

function textOf(taint: Taint): string {
  let text = texts.get(taint);
  if (text === undefined) texts.set(taint, (text = formatTaint(taint)));
  return text;
}
