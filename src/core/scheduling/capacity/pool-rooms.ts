import type { ClusterState } from '../../cluster/cluster-state.js';
import { formatTaint } from '../../kubernetes/taint.js';
import { FEASIBLE, type Placement } from '../../placement/placement.js';
import { poolsIn } from '../../pools/pools-in.js';
import type { Capacity } from './step-capacity.js';

/** Nodes that belong to a declared pool, have the same taints, or have the same value of a label. */
export interface NodeGroup {
  readonly kind: 'pool' | 'taints' | 'label';
  /** The pool's name, its taints (`none` without any), or `key=value`. */
  readonly name: string;
  readonly nodes: readonly number[];
}

/** The reason why the next replica does not fit, and on how many nodes of a group it applies. */
export interface GroupStop {
  readonly plugin: string;
  readonly message: string;
  readonly nodes: number;
}

/** How many replicas fit into a group. */
export interface GroupRoom {
  readonly kind: NodeGroup['kind'];
  readonly name: string;
  readonly nodes: number;
  /** How many of the nodes take at least one replica. */
  readonly open: number;
  readonly replicas: number;
  /** By the first filter that refuses the next replica, in descending order of nodes. */
  readonly stops: readonly GroupStop[];
}

/** The groups of a cluster: declared pools, distinct lists of taints, and the values of the requested labels. */
export function* stepNodeGroups(
  state: ClusterState,
  labels: readonly string[],
): Generator<undefined, readonly NodeGroup[]> {
  const { nodes, taintSets } = state;
  const groups: NodeGroup[] = [];
  for (const { name, nodeSelector } of poolsIn(state)) {
    const members: number[] = [];
    for (let node = 0; node < nodes.count; node++) if (nodeSelector.matches(nodes.labels(node))) members.push(node);
    groups.push({ kind: 'pool', name, nodes: members });
    yield;
  }
  const byTaints = new Map<number, number[]>();
  for (let node = 0; node < nodes.count; node++) push(byTaints, nodes.taintSetId(node), node);
  const named = new Map<string, number[]>();
  for (const [set, members] of byTaints) {
    const texts = taintSets[set]!.map(formatTaint).sort();
    const name = texts.length === 0 ? 'none' : texts.join(', ');
    named.set(name, [...(named.get(name) ?? []), ...members]);
  }
  for (const [name, members] of named) groups.push({ kind: 'taints', name, nodes: members });
  for (const key of labels) {
    yield;
    const column = nodes.labelColumn(key);
    const byValue = new Map<number, number[]>();
    for (let node = 0; node < nodes.count; node++) push(byValue, column?.valueIds[node] ?? -1, node);
    for (const [value, members] of byValue) {
      groups.push({
        kind: 'label',
        name: value < 0 ? `no ${key}` : `${key}=${column!.values[value]!}`,
        nodes: members,
      });
    }
  }
  return groups;
}

export function* stepGroupRooms(
  groups: readonly NodeGroup[],
  { replicas, next }: Capacity,
): Generator<undefined, readonly GroupRoom[]> {
  const rooms: GroupRoom[] = [];
  for (const { kind, name, nodes } of groups) {
    yield;
    let open = 0;
    let sum = 0;
    const stops = new Map<string, GroupStop & { nodes: number }>();
    for (const node of nodes) {
      const fits = replicas[node]!;
      sum += fits;
      if (fits > 0) open++;
      for (const { plugin, message } of next === undefined ? [] : stopsOn(next, node)) {
        const known = stops.get(`${plugin}\n${message}`);
        if (known === undefined) stops.set(`${plugin}\n${message}`, { plugin, message, nodes: 1 });
        else known.nodes++;
      }
    }
    rooms.push({
      kind,
      name,
      nodes: nodes.length,
      open,
      replicas: sum,
      stops: [...stops.values()].sort((a, b) => b.nodes - a.nodes),
    });
  }
  return rooms.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || b.replicas - a.replicas);
}

const ORDER: readonly NodeGroup['kind'][] = ['pool', 'taints', 'label'];

/**
 * The messages of the first filter that refuses a node, in Kubernetes' words; if the pod is refused on every node, the reason.
 */
export function stopsOn(
  placement: Placement,
  node: number,
): readonly { readonly plugin: string; readonly message: string }[] {
  if (placement.verdicts[node] === FEASIBLE) return [];
  const [whole] = placement.podReasons;
  if (whole !== undefined) return [whole];
  const first = placement.firstRefusal(node);
  if (first?.filter === undefined) {
    return placement
      .explainNode(node)
      .reasons.slice(0, 1)
      .map(({ plugin, message }) => ({ plugin, message }));
  }
  const { name: plugin, filter } = first;
  const messages = new Set(filter.commonReasons(filter.commonReasonKey(node)).map(({ message }) => message));
  return [...messages].map((message) => ({ plugin, message }));
}

function push<Key>(lists: Map<Key, number[]>, key: Key, value: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
