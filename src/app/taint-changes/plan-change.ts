import { ruleOf } from '../../core/audit/rule-subject.js';
import { defined } from '../../core/collections/defined.js';
import type { TaintEdit } from '../../core/taint-change/taint-edit.js';
import {
  type StoredNodeChange,
  type StoredTaintChange,
  TaintChangeStore,
} from '../../storage/taint-trail/taint-change-store.js';
import { refuseOwned } from '../applying/owned-taints.js';
import { type PlannedRule, planRule, type RuleEdit } from '../device-taint-changes/plan-rule.js';
import { undoEditOfRule, withChangedRules } from '../device-taint-changes/recorded-rules.js';
import { ServiceError } from '../errors/service-error.js';
import { judgeChange } from '../guardrails/judge-change.js';
import type { RequestContext } from '../request-context.js';
import type { ChangeToMake, PlannedChange, UndoToMake } from './change-to-make.js';
import { stepChangeCost } from './check-change-cost.js';
import type { Targets } from './check-change-request.js';
import { commandsOfEdit, commandsOfOutcomes } from './kubectl-commands.js';
import type { Working } from './head-for-update.js';
import { type NodeTask, PlanNodes } from './plan-nodes.js';
import { checkPrecondition } from './precondition.js';
import { refuseRefused } from './refuse-refused.js';
import { undoTasks } from './undo-tasks.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { storedChange } from './stored-change.js';

/** Computes the effect of a change on a head: the changed nodes, the effects on pods, the kubectl commands, and what the guardrails say. */
export class PlanChange {
  constructor(
    private readonly planNodes: PlanNodes,
    private readonly store: TaintChangeStore,
  ) {}

  /**
   * @throws {ServiceError} `precondition-failed`; `change-not-found`, `already-reverted`; `object-not-found`,
   *   `taint-change-refused`, `revert-conflict`, with the errors of each node; `budget-exceeded`; `cancelled`
   */
  async run(
    head: Working,
    change: ChangeToMake,
    { now, signal }: Pick<RequestContext, 'now' | 'signal'>,
  ): Promise<PlannedChange> {
    await this.checkPrecondition(head, change);
    const undone = change.action === 'change' ? undefined : await this.undone(head, change);
    const rule = await this.rule(head, change, undone, { now, signal });
    const tasks = rule === undefined ? await this.tasks(head, change, undone, new TimeSlices({ signal })) : [];
    const plan = await this.planNodes.run(head.state, tasks, { now, signal, dryRun: change.dryRun });
    refuseRefused(plan, change);
    // An expiry has nobody to tell: its nodes are refused one by one when they are written.
    if (change.application !== undefined && change.action !== 'expiry') {
      const nodes = plan.edited.map(({ before, difference }) => ({ node: before, difference }));
      refuseOwned(nodes, change.application.options.force);
    }
    const planned = { change, head, plan, ...defined({ rule }) };
    const kubectl =
      rule?.kubectl ?? (change.action === 'change' ? commandsOfEdit(change, plan) : commandsOfOutcomes(plan));
    const guardrails = await judgeChange(planned, { now, signal });
    if (rule === undefined) return { ...planned, kubectl, guardrails };
    const effects = { ...plan.effects, evictions: rule.evictions };
    return { ...planned, plan: { ...plan, effects }, kubectl, guardrails };
  }

  private async tasks(
    head: Working,
    change: ChangeToMake,
    undone: UndoneChange | undefined,
    slices: TimeSlices,
  ): Promise<readonly NodeTask[]> {
    if (change.action !== 'change') {
      const { stored, nodes } = undone!;
      return undoTasks(stored, nodes, head, { force: change.request.force, store: this.store });
    }
    const tasks = await runSteps(stepEditTasks(head, change.targets, change.edit), slices);
    await runSteps(stepChangeCost(head.state, tasks), slices);
    return tasks;
  }

  private async checkPrecondition(head: Working, change: ChangeToMake): Promise<void> {
    if (change.precondition === undefined) return;
    const node = change.action === 'change' && 'names' in change.targets ? change.targets.names[0]?.name : undefined;
    await checkPrecondition(change.precondition, head, node, this.store);
  }

  /** What a change does to a DeviceTaintRule; undefined if it is one of nodes. */
  private async rule(
    { cluster, state }: Working,
    change: ChangeToMake,
    undone: UndoneChange | undefined,
    when: Pick<RequestContext, 'now' | 'signal'>,
  ): Promise<PlannedRule | undefined> {
    const edit = change.action === 'change' ? change.rule : undefined;
    const [made] = undone?.nodes ?? [];
    const isUndone = made !== undefined && ruleOf(made.node) !== undefined;
    if (edit === undefined && !isUndone) return undefined;
    const before = withChangedRules(state, await this.store.openRuleChanges(cluster.id));
    const undo = (): Promise<RuleEdit> =>
      undoEditOfRule(undone!.stored, made!, { state: before, force: change.request.force, store: this.store });
    return planRule(before, edit ?? (await undo()), when);
  }

  private async undone(head: Working, { action, undoes }: UndoToMake): Promise<UndoneChange> {
    const undone = await storedChange(this.store, head.cluster, undoes);
    // The transaction that stores an expiry decides whether it is still due.
    if (action === 'revert' && undone.undoneBy !== null) {
      throw new ServiceError('already-reverted', `Change ${undoes} was already reverted by change ${undone.undoneBy}.`);
    }
    return { stored: undone, nodes: await this.store.nodesOf(undone.clusterId, undoes) };
  }
}

/** A change that is to be reverted, with what it did to each node, or to a rule. */
interface UndoneChange {
  readonly stored: StoredTaintChange;
  readonly nodes: readonly StoredNodeChange[];
}

/** Nodes examined between two yields. */
const STRIDE = 256;

function* stepEditTasks(
  { state: { nodes } }: Working,
  targets: Targets,
  edit: TaintEdit,
): Generator<undefined, readonly NodeTask[]> {
  if ('names' in targets) return targets.names.map(({ name, place }) => ({ node: name, edit, place }));
  const selected: NodeTask[] = [];
  for (let index = 0; index < nodes.count; index++) {
    if (index % STRIDE === STRIDE - 1) yield;
    const { metadata } = nodes.node(index);
    if ('all' in targets || targets.selector.matches(metadata.labels ?? {}))
      selected.push({ node: metadata.name, edit });
  }
  return selected.sort((a, b) => (a.node < b.node ? -1 : 1));
}
