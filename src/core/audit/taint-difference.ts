import { canonicalJson } from './canonical-json.js';
import type { RecordedTaint } from './rule-subject.js';

/** The part of a node, or of a DeviceTaintRule, that the trail records. */
export interface NodeTaintState {
  readonly taints: readonly RecordedTaint[];
  /** Whether the node is cordoned (`spec.unschedulable`). */
  readonly unschedulable: boolean;
}

/** A taint with the same key and effect, but another value, another `timeAdded`, or for other devices. */
export interface ChangedTaint {
  readonly before: RecordedTaint;
  readonly after: RecordedTaint;
}

/**
 * The difference in the taints and the cordon of one node. A taint with another effect is one removed and one added: in
 * Kubernetes, key and effect together identify a taint.
 */
export interface TaintDifference {
  readonly added: readonly RecordedTaint[];
  readonly removed: readonly RecordedTaint[];
  readonly changed: readonly ChangedTaint[];
  readonly cordon?: 'cordoned' | 'uncordoned';
}

/** The part of a node spec that `taintDifference` compares; absent fields mean no taints, not cordoned. */
export function nodeTaintState(spec: Partial<NodeTaintState> | undefined): NodeTaintState {
  return { taints: spec?.taints ?? [], unschedulable: spec?.unschedulable ?? false };
}

/**
 * The difference between two states of one node: added and changed taints in the order of `after`, removed ones in that
 * of `before`. The order of the list does not matter, and an absent value equals the empty one. Linear in both lists.
 *
 * If a list has a key and effect twice (Kubernetes refuses it, a dump may contain it), the entries are compared pair by
 * pair.
 */
export function taintDifference(before: NodeTaintState, after: NodeTaintState): TaintDifference {
  const standing = new Map<string, RecordedTaint[]>();
  for (const taint of before.taints) {
    const identity = identityOf(taint);
    const same = standing.get(identity);
    if (same === undefined) standing.set(identity, [taint]);
    else same.push(taint);
  }
  const kept = new Set<RecordedTaint>();
  const met = new Map<string, number>();
  const added: RecordedTaint[] = [];
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

/** Whether a difference is empty. */
export function isNoDifference({ added, removed, changed, cordon }: TaintDifference): boolean {
  return added.length === 0 && removed.length === 0 && changed.length === 0 && cordon === undefined;
}

const identityOf = ({ key, effect }: RecordedTaint): string => `${effect}\n${key}`;

const isSame = (a: RecordedTaint, b: RecordedTaint): boolean => a.timeAdded === b.timeAdded && saysTheSame(a, b);

/** Whether two taints with the same key and effect have the same value, and are for the same devices. */
export const saysTheSame = (a: RecordedTaint, b: RecordedTaint): boolean =>
  (a.value ?? '') === (b.value ?? '') && canonicalJson(a.devices ?? null) === canonicalJson(b.devices ?? null);
