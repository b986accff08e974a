import type { Taint } from '../kubernetes/objects/taints.js';

/** What of a node the trail watches. */
export interface NodeTaintState {
  readonly taints: readonly Taint[];
  /** Whether the node is cordoned (`spec.unschedulable`). */
  readonly unschedulable: boolean;
}

/** A taint that stayed under its key and effect, with another value or another `timeAdded`. */
export interface ChangedTaint {
  readonly before: Taint;
  readonly after: Taint;
}

/**
 * What happened to the taints and the cordon of one node. A taint that takes another effect is one removed and one added: to
 * Kubernetes, key and effect together are what a taint is.
 */
export interface TaintDifference {
  readonly added: readonly Taint[];
  readonly removed: readonly Taint[];
  readonly changed: readonly ChangedTaint[];
  readonly cordon?: 'cordoned' | 'uncordoned';
}

/** The part of a node that `taintDifference` compares, out of its spec; absent means no taints, not cordoned. */
export function nodeTaintState(spec: Partial<NodeTaintState> | undefined): NodeTaintState {
  return { taints: spec?.taints ?? [], unschedulable: spec?.unschedulable ?? false };
}

/**
 * The difference between two states of one node: added and changed taints in the order of `after`, removed ones in that
 * of `before`. The order of the list alone is no difference, an absent value is the empty one. Linear in both lists.
 *
 * A list that names a key and effect twice (Kubernetes refuses it, a dump may hold it) is compared pair by pair.
 */
export function taintDifference(before: NodeTaintState, after: NodeTaintState): TaintDifference {
  const standing = new Map<string, Taint[]>();
  for (const taint of before.taints) {
    const identity = identityOf(taint);
    const same = standing.get(identity);
    if (same === undefined) standing.set(identity, [taint]);
    else same.push(taint);
  }
  const kept = new Set<Taint>();
  const met = new Map<string, number>();
  const added: Taint[] = [];
  const changed: ChangedTaint[] = [];
  for (const taint of after.taints) {
    const identity = identityOf(taint);
    const place = met.get(identity) ?? 0;
    met.set(identity, place + 1);
    const former = standing.get(identity)?.[place];
    if (former === undefined) {
      added.push(taint);
      continue;
    }
    kept.add(former);
    if (!isSame(former, taint)) changed.push({ before: former, after: taint });
  }
  const removed = [...standing.values()].some((same) => same.some((taint) => !kept.has(taint)))
    ? before.taints.filter((taint) => !kept.has(taint))
    : [];
  const cordoned = after.unschedulable === before.unschedulable ? undefined : after.unschedulable;
  return {
    added,
    removed,
    changed,
    ...(cordoned !== undefined && { cordon: cordoned ? 'cordoned' : 'uncordoned' }),
  };
}

/** Whether a difference is none. */
export function isNoDifference({ added, removed, changed, cordon }: TaintDifference): boolean {
  return added.length === 0 && removed.length === 0 && changed.length === 0 && cordon === undefined;
}

const identityOf = ({ key, effect }: Taint): string => `${effect}\n${key}`;

const isSame = (a: Taint, b: Taint): boolean => (a.value ?? '') === (b.value ?? '') && a.timeAdded === b.timeAdded;
