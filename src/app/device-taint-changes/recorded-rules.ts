import { ruleOf } from '../../core/audit/rule-subject.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { type MaybeRule, redoRule, ruleConflict, ruleNamed, undoRule } from '../../core/taint-change/rule-change.js';
import type {
  StoredNodeChange,
  StoredTaintChange,
  TaintChangeStore,
} from '../../storage/taint-trail/taint-change-store.js';
import { ServiceError } from '../errors/service-error.js';
import type { ChangeDetails } from '../taint-changes/change-details.js';
import { changedSince } from '../taint-changes/undo-tasks.js';
import type { RuleEdit } from './plan-rule.js';

/** A state with the rules as unconfirmed changes leave them. The stored state has a rule once the cluster shows it. */
export function withChangedRules(
  state: ClusterState,
  changes: readonly Pick<StoredNodeChange, 'node' | 'difference' | 'labels'>[],
): ClusterState {
  const rules = new Map<string, MaybeRule>();
  for (const change of changes) {
    const name = ruleOf(change.node)!;
    rules.set(name, redoRule(rules.has(name) ? rules.get(name) : ruleNamed(state, name), name, change));
  }
  return withRules(state, rules);
}

/** A state without a change of a rule, if the rule is as the change left it. */
export function withoutRuleChange(state: ClusterState, made: StoredNodeChange): ClusterState {
  const name = ruleOf(made.node)!;
  const rule = ruleNamed(state, name);
  return ruleConflict(rule, made) === undefined
    ? withRules(state, new Map([[name, undoRule(rule, name, made)]]))
    : state;
}

/** The edit that makes a recorded change of a rule again. */
export function editAgain(state: ClusterState, made: StoredNodeChange): RuleEdit {
  const name = ruleOf(made.node)!;
  return { ...RECORDED, rule: name, after: redoRule(ruleNamed(state, name), name, made) ?? null };
}

/** The feature gates of the cluster count. */
const RECORDED = { featureGates: undefined, isRecorded: true } as const;

/** @param rules undefined: the rule is gone */
function withRules(state: ClusterState, rules: ReadonlyMap<string, MaybeRule>): ClusterState {
  if (rules.size === 0) return state;
  // A temporary state must not add to the tables that it shares.
  return state.fork().apply({
    upserts: [...rules.values()].filter((rule) => rule !== undefined),
    deletes: [...rules.keys()]
      .filter((name) => rules.get(name) === undefined && ruleNamed(state, name) !== undefined)
      .map((name) => ({ kind: 'DeviceTaintRule', name })),
  });
}

/**
 * The edit that reverts a change of a rule. A rule that was changed since is left alone, with the later change and its author, unless
 * `force` is set; one that never was changed in the cluster stays as it is.
 * @param state with unconfirmed changes
 * @throws {ServiceError} `revert-conflict`
 */
export async function undoEditOfRule(
  change: StoredTaintChange,
  made: StoredNodeChange,
  { state, force, store }: { readonly state: ClusterState; readonly force: boolean; readonly store: TaintChangeStore },
): Promise<RuleEdit> {
  const name = ruleOf(made.node)!;
  const rule = ruleNamed(state, name);
  const conflict = ruleConflict(rule, made);
  const { featureGates } = change.details as ChangeDetails;
  const edit = { ...RECORDED, featureGates, rule: name };
  if (conflict === undefined || force) return { ...edit, after: undoRule(rule, name, made) ?? null };
  if (made.status === 'notApplied') return { ...edit, after: rule ?? null };
  const [refusal] = await changedSince(change, made.node, [conflict], store);
  throw new ServiceError('revert-conflict', `Nothing was changed. DeviceTaintRule ${name}: ${refusal!.message}`, {
    details: [{ ...refusal!, kind: 'DeviceTaintRule', name }],
  });
}
