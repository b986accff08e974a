import type { ClusterState } from '../../cluster/cluster-state.js';
import type { Workload } from '../../cluster/pod-table.js';
import type { Node } from '../../kubernetes/objects/node.js';
import type { Taint } from '../../kubernetes/objects/taints.js';
import { formatTaint, matchesTaint, UNSCHEDULABLE_TAINT } from '../../kubernetes/taint.js';
import { findUntolerated } from '../../kubernetes/toleration.js';
import { evaluatePlacement } from '../../placement/evaluate-placement.js';
import { claimChange, type ClaimChange } from '../../placement/fixes/claim-fixes.js';
import { INFEASIBLE } from '../../placement/placement.js';
import { mayUseDevices } from '../../placement/plugins/dynamic-resources/assumed-devices.js';
import { namedNode, templateOfNode } from '../../scenario/node-template.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import type { QueuedWork } from './queued-work.js';

/** A change to nodes or to waiting pods that may unblock pods. */
export type UnblockingChange =
  /** Removes the taint from every node that has it. */
  | { readonly kind: 'RemoveTaint'; readonly taint: Taint; readonly nodes: number }
  | { readonly kind: 'AddToleration'; readonly taint: Taint; readonly workload: Workload }
  /** Tolerates taints of devices in requests of claims, or of templates that claims are made from. */
  | ({ readonly kind: 'AddDeviceToleration' } & ClaimChange)
  | { readonly kind: 'Uncordon'; readonly nodes: number }
  /** Adds nodes with the labels, taints and size of an existing one. */
  | { readonly kind: 'AddNodes'; readonly like: string; readonly count: number };

/** The maximum number of nodes that a change adds. */
export const MAX_NEW_NODES = 64;
/** The number of kinds of nodes that are tried as templates. */
const MAX_TEMPLATES = 6;
/** The number of workloads that a toleration is tried for, per taint. */
const MAX_WORKLOADS = 4;
/** The pods whose claims are looked at, and the nodes that are looked at for each. */
const MAX_CLAIMING = 16;
const MAX_NODES_OF_CLAIMING = 256;
const CHANGED_AT_ONCE = 256;

/** Pods without a node, by index of their work. */
export type Blocked = readonly { readonly work: number; readonly pods: number }[];

/** The state and the work after a change. */
export interface ChangedQueue {
  readonly state: ClusterState;
  readonly work: readonly QueuedWork[];
}

/** Equal for pods of the same workload. */
const keyOf = ({ kind, namespace, name }: Workload): string => `${kind} ${namespace}/${name}`;

/**
 * The changes that the reasons of blocked pods suggest, in descending order of pods with the reason: each untolerated taint is
 * removed, or tolerated by one workload; nodes are uncordoned; nodes of each kind are added; taints of devices are tolerated.
 */
export function* stepUnblockingChanges(
  state: ClusterState,
  work: readonly QueuedWork[],
  blocked: Blocked,
  profile: SchedulingProfile,
): Generator<undefined, readonly UnblockingChange[]> {
  const { gates } = profile;
  const { nodes, taintSets } = state;
  const carriers = new Map<number, number>();
  let cordoned = 0;
  for (let node = 0; node < nodes.count; node++) {
    const set = nodes.taintSetId(node);
    carriers.set(set, (carriers.get(set) ?? 0) + 1);
    cordoned += nodes.unschedulable[node]!;
  }
  const hard = new Map<string, { readonly taint: Taint; nodes: number; pods: number; by: Map<string, number> }>();
  for (const [set, count] of carriers) {
    for (const taint of taintSets[set]!) {
      if (taint.effect === 'PreferNoSchedule' || matchesTaint(taint, UNSCHEDULABLE_TAINT)) continue;
      const text = formatTaint(taint);
      const known = hard.get(text);
      if (known === undefined) hard.set(text, { taint, nodes: count, pods: 0, by: new Map() });
      else known.nodes += count;
    }
  }
  const workloads = new Map<string, Workload>();
  for (const { work: index, pods } of blocked) {
    yield;
    const { pod, workload } = work[index]!;
    const owner = keyOf(workload);
    workloads.set(owner, workload);
    for (const one of hard.values()) {
      const isTolerated =
        findUntolerated(pod.spec.tolerations ?? [], [one.taint], [one.taint.effect], gates) === undefined;
      if (isTolerated) continue;
      one.pods += pods;
      one.by.set(owner, (one.by.get(owner) ?? 0) + pods);
    }
  }
  const ofTaints = [...hard.values()].filter(({ pods }) => pods > 0).sort((a, b) => b.pods - a.pods);
  const changes: UnblockingChange[] = ofTaints.map(({ taint, nodes: count }) => ({
    kind: 'RemoveTaint',
    taint,
    nodes: count,
  }));
  if (cordoned > 0) changes.push({ kind: 'Uncordon', nodes: cordoned });
  changes.push(...(yield* stepDeviceTolerations(state, work, blocked, profile)));
  changes.push(...(yield* stepTemplates(state)));
  for (const { taint, by } of ofTaints) {
    const owners = [...by].sort(([, a], [, b]) => b - a).slice(0, MAX_WORKLOADS);
    for (const [key] of owners) changes.push({ kind: 'AddToleration', taint, workload: workloads.get(key)! });
  }
  return changes;
}

/** The tolerations with which claims of blocked pods would find devices on a node, those for the most pods first. */
function* stepDeviceTolerations(
  state: ClusterState,
  work: readonly QueuedWork[],
  blocked: Blocked,
  { gates, filters }: SchedulingProfile,
): Generator<undefined, readonly UnblockingChange[]> {
  const found = new Map<string, { readonly change: ClaimChange; pods: number }>();
  const claiming = blocked.filter(({ work: index }) => mayUseDevices(state, work[index]!.pod));
  for (const { work: index, pods } of claiming.slice(0, MAX_CLAIMING)) {
    yield;
    const { pod } = work[index]!;
    const placement = evaluatePlacement(state, { pod, gates, filters });
    const ofPod = new Set<string>();
    const refusing: number[] = [];
    placement.verdicts.forEach((verdict, node) => {
      if (verdict === INFEASIBLE && refusing.length < MAX_NODES_OF_CLAIMING) refusing.push(node);
    });
    for (const [count, node] of refusing.entries()) {
      if (count % NODES_AT_ONCE === NODES_AT_ONCE - 1) yield;
      const change = claimChange(state, pod, placement.explainNode(node).reasons);
      if (change === undefined) continue;
      const key = change.fixes.map(({ summary }) => summary).join();
      if (ofPod.has(key)) continue;
      ofPod.add(key);
      const known = found.get(key);
      if (known === undefined) found.set(key, { change, pods });
      else known.pods += pods;
    }
  }
  return [...found.values()]
    .sort((a, b) => b.pods - a.pods)
    .map(({ change }) => ({ kind: 'AddDeviceToleration', ...change }));
}

/** Nodes that are explained between two yields. */
const NODES_AT_ONCE = 32;

/** One node of each kind, the most frequent kind first. */
function* stepTemplates({ nodes }: ClusterState): Generator<undefined, readonly UnblockingChange[]> {
  const kinds = new Map<string, { readonly like: string; count: number }>();
  const { allocatable } = nodes;
  const names = allocatable.names;
  for (let node = 0; node < nodes.count; node++) {
    if (node % CHANGED_AT_ONCE === 0) yield;
    const key = `${nodes.taintSetId(node)} ${names.map((name) => String(allocatable.at(name, node))).join(' ')}`;
    const known = kinds.get(key);
    if (known === undefined) kinds.set(key, { like: nodes.name(node), count: 1 });
    else known.count++;
  }
  return [...kinds.values()]
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_TEMPLATES)
    .map(({ like }) => ({ kind: 'AddNodes', like, count: MAX_NEW_NODES }));
}

/** Applies a change to a copy of the state and the work. */
export function* stepChange(
  state: ClusterState,
  work: readonly QueuedWork[],
  change: UnblockingChange,
): Generator<undefined, ChangedQueue> {
  switch (change.kind) {
    case 'AddToleration': {
      const { key, effect, value = '' } = change.taint;
      const toleration = { key, operator: 'Equal', value, effect } as const;
      const changed = keyOf(change.workload);
      const tolerant = work.map((one) => {
        if (keyOf(one.workload) !== changed) return one;
        const { spec } = one.pod;
        return {
          ...one,
          pod: { ...one.pod, spec: { ...spec, tolerations: [...(spec.tolerations ?? []), toleration] } },
        };
      });
      return { state, work: tolerant };
    }
    case 'AddDeviceToleration':
      return { state: state.fork().apply({ upserts: change.objects }), work };
    case 'RemoveTaint':
      return { state: yield* stepNodes(state, (node) => withoutTaint(node, change.taint)), work };
    case 'Uncordon':
      return { state: yield* stepNodes(state, uncordoned), work };
    case 'AddNodes': {
      const template = templateOfNode(state.nodes.node(state.nodes.indexOf(change.like)));
      const names = newNames(state, change);
      return { state: state.fork().apply({ upserts: names.map((name) => namedNode(template, name)) }), work };
    }
  }
}

/** The names of the nodes that a change adds; no existing node has any of them. */
export function newNames(
  { nodes }: ClusterState,
  { like, count }: Extract<UnblockingChange, { kind: 'AddNodes' }>,
): readonly string[] {
  const names: string[] = [];
  for (let number = 1; names.length < count; number++) {
    const name = `${like}-new-${number}`;
    if (nodes.indexOf(name) < 0) names.push(name);
  }
  return names;
}

function* stepNodes(state: ClusterState, edit: (node: Node) => Node): Generator<undefined, ClusterState> {
  let changed = state.fork();
  let upserts: Node[] = [];
  for (let index = 0; index < state.nodes.count; index++) {
    const node = state.nodes.node(index);
    const edited = edit(node);
    if (edited !== node) upserts.push(edited);
    if (upserts.length < CHANGED_AT_ONCE) continue;
    changed = changed.apply({ upserts });
    upserts = [];
    yield;
  }
  return upserts.length === 0 ? changed : changed.apply({ upserts });
}

function withoutTaint(node: Node, taint: Taint): Node {
  const text = formatTaint(taint);
  const before = node.spec?.taints ?? [];
  const taints = before.filter((other) => formatTaint(other) !== text);
  return taints.length === before.length ? node : { ...node, spec: { ...node.spec, taints } };
}

function uncordoned(node: Node): Node {
  if (node.spec?.unschedulable !== true) return node;
  const taints = (node.spec.taints ?? []).filter((taint) => !matchesTaint(taint, UNSCHEDULABLE_TAINT));
  return { ...node, spec: { ...node.spec, unschedulable: false, taints } };
}
