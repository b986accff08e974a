import {
  formatRecordedTaint,
  isSameRule,
  type RecordedTaint,
  ruleTaintsOf,
  ruleTaintState,
} from '../audit/rule-subject.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import type { DeviceTaintRule } from '../kubernetes/objects/dra.js';
import type { LabelDifference } from './label-difference.js';
import type { RecordedNodeChange, UndoConflict } from './undo-change.js';

/** A DeviceTaintRule that is there, or is not. */
export type MaybeRule = DeviceTaintRule | undefined;

export const ruleNamed = (state: ClusterState, name: string): MaybeRule =>
  state.find('DeviceTaintRule', undefined, name) as MaybeRule;

/** The taint of a rule; undefined if there is no rule. */
export const taintOfRule = (rule: MaybeRule): RecordedTaint | undefined => ruleTaintState(rule?.spec).taints[0];

/** A rule after a recorded change of it; undefined if the change removes it. */
export function redoRule(rule: MaybeRule, name: string, { difference, labels }: RecordedNodeChange): MaybeRule {
  const { after } = ruleTaintsOf(difference);
  return after && ruleWith(rule, name, after, relabelled(rule, labels));
}

/**
 * A rule without a recorded change of it; undefined if the change created it. A restored taint is a new one, without its former
 * `timeAdded`.
 */
export function undoRule(rule: MaybeRule, name: string, { difference, labels }: RecordedNodeChange): MaybeRule {
  const { before } = ruleTaintsOf(difference);
  if (before === undefined) return undefined;
  const { key, value, effect, devices } = before;
  const former: RecordedTaint = { key, effect, ...defined({ value, devices }) };
  return ruleWith(rule, name, former, relabelled(rule, labels && inverse(labels)));
}

/** Whether a rule no longer is what a recorded change left; undefined if it is. */
export function ruleConflict(
  rule: MaybeRule,
  { difference }: RecordedNodeChange,
): Pick<UndoConflict, 'what' | 'left' | 'now'> | undefined {
  const { after } = ruleTaintsOf(difference);
  const now = taintOfRule(rule);
  if (isSameRule(now, after)) return undefined;
  return {
    what: 'taint',
    left: after === undefined ? 'absent' : formatRecordedTaint(after),
    now: now === undefined ? null : formatRecordedTaint(now),
  };
}

function ruleWith(
  rule: MaybeRule,
  name: string,
  { devices, ...taint }: RecordedTaint,
  labels: Readonly<Record<string, string>>,
): DeviceTaintRule {
  const { apiVersion = 'resource.k8s.io/v1beta2', metadata } = rule ?? {};
  return {
    apiVersion,
    kind: 'DeviceTaintRule',
    metadata: { ...metadata, name, ...(metadata?.labels || Object.keys(labels).length > 0 ? { labels } : {}) },
    spec: { ...(devices !== undefined && { deviceSelector: devices }), taint },
  };
}

function relabelled(rule: MaybeRule, difference: LabelDifference | undefined): Readonly<Record<string, string>> {
  const gone = new Set(difference?.removed.map(({ key }) => key));
  return Object.fromEntries([
    ...Object.entries(rule?.metadata.labels ?? {}).filter(([key]) => !gone.has(key)),
    ...(difference?.set ?? []).map(({ key, after }) => [key, after] as const),
  ]);
}

const inverse = ({ set, removed }: LabelDifference): LabelDifference => ({
  set: [
    ...removed.map(({ key, before }) => ({ key, after: before })),
    ...set.flatMap(({ key, before, after }) => (before === undefined ? [] : [{ key, before: after, after: before }])),
  ],
  removed: set.flatMap(({ key, before, after }) => (before === undefined ? [{ key, before: after }] : [])),
});

/** What a recorded change means for a rule as it is now. */
export type ReplannedRule =
  | { readonly outcome: 'create' | 'replace'; readonly asked: DeviceTaintRule }
  | { readonly outcome: 'remove' }
  /** It is as the change would leave it. */
  | { readonly outcome: 'done' }
  /** It is not what it was when the change was made. */
  | { readonly outcome: 'refused'; readonly reasons: readonly string[] };

/** Plans a recorded change again for a rule as it is now; what others have changed since stays, or the change is refused. */
export function replanRule(rule: MaybeRule, name: string, change: RecordedNodeChange): ReplannedRule {
  const { before, after } = ruleTaintsOf(change.difference);
  // One that is being deleted is only kept by its finalizers.
  const isGoing = rule?.metadata.deletionTimestamp !== undefined;
  const now = taintOfRule(rule);
  if (after === undefined) {
    if (now === undefined || isGoing) return { outcome: 'done' };
    return isSameRule(now, before) ? { outcome: 'remove' } : differs(`the change removes ${shown(before)}`, now);
  }
  if (isGoing)
    return { outcome: 'refused', reasons: [`the rule is being deleted since ${rule.metadata.deletionTimestamp}`] };
  const asked = ruleWith(rule, name, after, relabelled(rule, change.labels));
  if (now === undefined) {
    return before === undefined ? { outcome: 'create', asked } : differs(`the change replaces ${shown(before)}`, now);
  }
  // A change of nothing but the time is there only with that time.
  const isTimed = !isSameRule(before, after) || now.timeAdded === after.timeAdded;
  if (isSameRule(now, after) && isTimed) return { outcome: 'done' };
  if (isSameRule(now, before)) return { outcome: 'replace', asked };
  return before === undefined
    ? { outcome: 'refused', reasons: [`${shown(now)} is there, which was not when the change was made`] }
    : differs(`the change replaces ${shown(before)}`, now);
}

const differs = (what: string, now: RecordedTaint | undefined): ReplannedRule => ({
  outcome: 'refused',
  reasons: [`${what}, which is now ${shown(now)}`],
});

const shown = (taint: RecordedTaint | undefined): string =>
  taint === undefined ? 'absent' : formatRecordedTaint(taint);
