import { defined } from '../../core/collections/defined.js';
import type { TaintEdit } from '../../core/taint-change/taint-edit.js';
import { TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { refuseOwned } from '../applying/owned-taints.js';
import { planRule } from '../device-taint-changes/plan-rule.js';
import { ServiceError } from '../errors/service-error.js';
import { judgeChange } from '../guardrails/judge-change.js';
import type { RequestContext } from '../request-context.js';
import type { ChangeDetails } from './change-details.js';
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
    const rule =
      change.action === 'change' && change.rule !== undefined
        ? await planRule(head.state, change.rule, { now, signal })
        : undefined;
    const tasks = await this.tasks(head, change, new TimeSlices({ signal }));
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
    return { ...planned, kubectl, guardrails: await judgeChange(planned, { now, signal }) };
  }

  private async tasks(head: Working, change: ChangeToMake, slices: TimeSlices): Promise<readonly NodeTask[]> {
    if (change.action !== 'change') return this.undoTasks(head, change);
    const tasks = await runSteps(stepEditTasks(head, change.targets, change.edit), slices);
    await runSteps(stepChangeCost(head.state, tasks), slices);
    return tasks;
  }

  private async checkPrecondition(head: Working, change: ChangeToMake): Promise<void> {
    if (change.precondition === undefined) return;
    const node = change.action === 'change' && 'names' in change.targets ? change.targets.names[0]?.name : undefined;
    await checkPrecondition(change.precondition, head, node, this.store);
  }

  private async undoTasks(head: Working, { action, undoes, request }: UndoToMake): Promise<readonly NodeTask[]> {
    const undone = await storedChange(this.store, head.cluster, undoes);
    // The transaction that stores an expiry decides whether it is still due.
    if (action === 'revert' && undone.undoneBy !== null) {
      throw new ServiceError('already-reverted', `Change ${undoes} was already reverted by change ${undone.undoneBy}.`);
    }
    if ((undone.details as ChangeDetails).deviceTaintRule !== undefined) {
      const message = `Change ${undoes} is of a DeviceTaintRule, which is not reverted here: change the rule again.`;
      throw new ServiceError('revert-conflict', message);
    }
    const nodes = await this.store.nodesOf(undone.clusterId, undoes);
    return undoTasks(undone, nodes, head, { force: request.force, store: this.store });
  }
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
