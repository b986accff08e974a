import type { TaintDifference } from '../audit/taint-difference.js';
import { defined } from '../collections/defined.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint, matchesTaint, UNSCHEDULABLE_TAINT } from '../kubernetes/taint.js';
import { applyTaintEdit, taintsOf } from './apply-taint-edit.js';
import type { LabelDifference } from './label-difference.js';
import { taintIdentity, type TaintEdit } from './taint-edit.js';
import type { RecordedNodeChange } from './undo-change.js';

/** What a recorded change means for a node as it is now. */
export type ReplannedChange =
  /** `asked` is the node to write, and `rest` the part of the change that the node lacks. */
  | { readonly outcome: 'write'; readonly asked: Node; readonly rest: TaintDifference }
  /** The node has all of the change. */
  | { readonly outcome: 'done' }
  /** What the change removes or overwrites is not what it was when the change was made. */
  | { readonly outcome: 'refused'; readonly reasons: readonly string[] };

/** What is to be done about one part of a change. */
type Part<Do> = { readonly do: Do } | 'done' | { readonly differs: string };

/**
 * Plans a recorded change again for a node as it is now. What others have changed since and the change does not concern stays. Parts that
 * the node has already are left out. What the change adds must be absent or equal, and what it removes or overwrites must have the value
 * that it had when the change was made.
 */
export function replanChange(node: Node, { difference, labels }: RecordedNodeChange): ReplannedChange {
  const taints = taintParts(node, difference);
  const cordoned = node.spec?.unschedulable ?? false;
  const wanted = difference.cordon === undefined ? cordoned : difference.cordon === 'cordoned';
  const own = labelParts(node, labels);
  const reasons = [...taints.differs, ...own.differs];
  if (reasons.length > 0) return { outcome: 'refused', reasons };
  const relabels = own.set.size > 0 || own.remove.length > 0;
  if (taints.add.length === 0 && taints.remove.length === 0 && !relabels && wanted === cordoned)
    return { outcome: 'done' };
  const edit: TaintEdit = {
    add: taints.add,
    remove: taints.remove,
    overwrite: true,
    ...(wanted !== cordoned && { unschedulable: wanted }),
    ...(relabels && { labels: { set: own.set, remove: own.remove } }),
  };
  const edited = applyTaintEdit(node, edit);
  if (edited.outcome === 'refused') return { outcome: 'refused', reasons: edited.errors.map(({ message }) => message) };
  return { outcome: 'write', asked: edited.asked, rest: edited.difference };
}

interface TaintParts {
  readonly add: readonly Taint[];
  readonly remove: readonly Pick<Taint, 'key' | 'effect'>[];
  readonly differs: readonly string[];
}

function taintParts(node: Node, { added, removed, changed, cordon }: TaintDifference): TaintParts {
  const standing = new Map(taintsOf(node).map((taint) => [taintIdentity(taint), taint]));
  const now = (taint: Taint): Taint | undefined => standing.get(taintIdentity(taint));
  // The node lifecycle controller makes the taint follow the cordon.
  const own = (taint: Taint): boolean => cordon === undefined || !matchesTaint(taint, UNSCHEDULABLE_TAINT);
  const parts: Part<{ readonly add: Taint } | { readonly remove: Taint }>[] = [
    ...added.filter(own).map((taint) => {
      const there = now(taint);
      if (there === undefined) return { do: { add: plain(taint) } };
      return sameTaint(there, taint)
        ? 'done'
        : { differs: `${formatTaint(there)} is there, which was not when the change was made` };
    }),
    ...changed
      .filter(({ after }) => own(after))
      .map(({ before, after }) => {
        const there = now(after);
        if (there !== undefined && sameTaint(there, after)) return 'done' as const;
        if (there !== undefined && sameTaint(there, before)) return { do: { add: plain(after) } };
        return {
          differs: `the change overwrites ${formatTaint(before)}, which is now ${there === undefined ? 'absent' : formatTaint(there)}`,
        };
      }),
    ...removed.filter(own).map((taint) => {
      const there = now(taint);
      if (there === undefined) return 'done' as const;
      return sameTaint(there, taint)
        ? { do: { remove: taint } }
        : { differs: `the change removes ${formatTaint(taint)}, which is now ${formatTaint(there)}` };
    }),
  ];
  return {
    add: parts.flatMap((part) => (typeof part === 'object' && 'do' in part && 'add' in part.do ? [part.do.add] : [])),
    remove: parts.flatMap((part) =>
      typeof part === 'object' && 'do' in part && 'remove' in part.do
        ? [{ key: part.do.remove.key, effect: part.do.remove.effect }]
        : [],
    ),
    differs: differing(parts),
  };
}

interface LabelParts {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
  readonly differs: readonly string[];
}

function labelParts({ metadata }: Node, labels: LabelDifference | undefined): LabelParts {
  const now = new Map(Object.entries(metadata.labels ?? {}));
  const shown = (key: string): string => (now.has(key) ? `${key}=${now.get(key)!}` : 'absent');
  const parts: Part<readonly [key: string, value: string | undefined]>[] = [
    ...(labels?.set ?? []).map(({ key, before, after }) => {
      if (now.get(key) === after) return 'done' as const;
      if (now.get(key) === before) return { do: [key, after] as const };
      const former = before === undefined ? `adds the label ${key}` : `overwrites the label ${key}=${before}`;
      return { differs: `the change ${former}, which is now ${shown(key)}` };
    }),
    ...(labels?.removed ?? []).map(({ key, before }) => {
      if (!now.has(key)) return 'done' as const;
      if (now.get(key) === before) return { do: [key, undefined] as const };
      return { differs: `the change removes the label ${key}=${before}, which is now ${shown(key)}` };
    }),
  ];
  const edits = parts.flatMap((part) => (typeof part === 'object' && 'do' in part ? [part.do] : []));
  return {
    set: new Map(edits.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))),
    remove: edits.flatMap(([key, value]) => (value === undefined ? [key] : [])),
    differs: differing(parts),
  };
}

const differing = (parts: readonly Part<unknown>[]): string[] =>
  parts.flatMap((part) => (typeof part === 'object' && 'differs' in part ? [part.differs] : []));

const sameTaint = (a: Taint, b: Taint): boolean => (a.value ?? '') === (b.value ?? '');

/** A new taint, without the time at which the change would have added it. */
const plain = ({ key, value, effect }: Taint): Taint => ({ key, ...defined({ value }), effect });
