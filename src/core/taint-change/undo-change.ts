import type { TaintDifference } from '../audit/taint-difference.js';
import { defined } from '../collections/defined.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint, matchesTaint, UNSCHEDULABLE_TAINT } from '../kubernetes/taint.js';
import { taintsOf } from './apply-taint-edit.js';
import type { LabelDifference } from './label-difference.js';
import { type TaintEdit, taintIdentity } from './taint-edit.js';

/** A recorded change of one node. */
export interface RecordedNodeChange {
  readonly difference: TaintDifference;
  readonly labels?: LabelDifference;
}

/** A part of a change that no longer has the value that the change gave it. */
export interface UndoConflict {
  readonly what: 'taint' | 'cordon' | 'label';
  /** In kubectl's notation: `dedicated=ml:NoSchedule`, `cordoned`, `pool=ml`. */
  readonly left: string;
  /** The present value; null if there is none. */
  readonly now: string | null;
  /** The key and effect, for a taint. */
  readonly taint?: Pick<Taint, 'key' | 'effect'>;
}

/**
 * The edit that undoes a change: removes what it added, restores what it removed or overwrote, and restores the cordon and the
 * labels. The taint that follows a cordon is left to the controller. Restored taints are new ones, without their former
 * `timeAdded`.
 */
export function undoEdit({ difference, labels }: RecordedNodeChange): TaintEdit {
  const { cordon } = difference;
  const own = cordon === undefined ? (): boolean => true : (taint: Taint) => !matchesTaint(taint, UNSCHEDULABLE_TAINT);
  const back = [...difference.removed, ...difference.changed.map(({ before }) => before)].filter(own);
  return {
    add: back.map(({ key, value, effect }) => ({ key, ...defined({ value }), effect })),
    remove: difference.added.filter(own).map(({ key, effect }) => ({ key, effect })),
    // Needed only for changed values: removed parts are absent unless another client has restored them.
    overwrite: difference.changed.length > 0 || (labels?.set ?? []).some(({ before }) => before !== undefined),
    ...(cordon !== undefined && { unschedulable: cordon === 'uncordoned' }),
    ...(labels !== undefined && {
      labels: {
        set: new Map([
          ...labels.removed.map(({ key, before }): [string, string] => [key, before]),
          ...labels.set.flatMap(({ key, before }): [string, string][] => (before === undefined ? [] : [[key, before]])),
        ]),
        remove: labels.set.filter(({ before }) => before === undefined).map(({ key }) => key),
      },
    }),
  };
}

/** The parts of a change that other clients have changed since. */
export function undoConflicts(node: Node, { difference, labels }: RecordedNodeChange): UndoConflict[] {
  const taints = new Map(taintsOf(node).map((taint) => [taintIdentity(taint), taint]));
  const standing = (taint: Taint): Taint | undefined => taints.get(taintIdentity(taint));
  const unschedulable = node.spec?.unschedulable ?? false;
  const conflicts: UndoConflict[] = [];
  for (const taint of [...difference.added, ...difference.changed.map(({ after }) => after)]) {
    const now = standing(taint);
    if (now !== undefined && (now.value ?? '') === (taint.value ?? '')) continue;
    const { key, effect } = taint;
    conflicts.push({
      what: 'taint',
      left: formatTaint(taint),
      now: now === undefined ? null : formatTaint(now),
      taint: { key, effect },
    });
  }
  for (const taint of difference.removed) {
    const now = standing(taint);
    if (now === undefined) continue;
    const { key, effect } = taint;
    conflicts.push({ what: 'taint', left: `no ${key}:${effect}`, now: formatTaint(now), taint: { key, effect } });
  }
  const { cordon } = difference;
  if (cordon !== undefined && (cordon === 'cordoned') !== unschedulable) {
    conflicts.push({ what: 'cordon', left: cordon, now: unschedulable ? 'cordoned' : 'uncordoned' });
  }
  const own = new Map(Object.entries(node.metadata.labels ?? {}));
  for (const { key, after } of labels?.set ?? []) {
    const now = own.get(key);
    if (now === after) continue;
    conflicts.push({ what: 'label', left: `${key}=${after}`, now: now === undefined ? null : `${key}=${now}` });
  }
  for (const { key } of labels?.removed ?? []) {
    const now = own.get(key);
    if (now !== undefined) conflicts.push({ what: 'label', left: `no ${key}`, now: `${key}=${now}` });
  }
  return conflicts;
}

/** The edit without removals of taints that are already gone, so that it is not refused because of them. */
export function undoWhatStands(node: Node, edit: TaintEdit): TaintEdit {
  const standing = new Set(taintsOf(node).map(taintIdentity));
  return { ...edit, remove: edit.remove.filter((removal) => standing.has(taintIdentity(removal))) };
}
