import { PERMISSIONS } from '../../auth/permission.js';
import { defined } from '../../core/collections/defined.js';
import type { GuardrailResult } from '../../core/guardrails/guardrail.js';
import { guardrailsIn } from '../../core/guardrails/read-guardrails.js';
import { ruleOf } from '../../core/audit/rule-subject.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { undoEdit, undoWhatStands } from '../../core/taint-change/undo-change.js';
import {
  type StoredNodeChange,
  type StoredTaintChange,
  TaintChangeStore,
} from '../../storage/taint-trail/taint-change-store.js';
import { editAgain, withChangedRules, withoutRuleChange } from '../device-taint-changes/recorded-rules.js';
import type { RequestContext } from '../request-context.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import type { ChangeDetails } from '../taint-changes/change-details.js';
import type { Working } from '../taint-changes/head-for-update.js';
import { editThatDoes } from '../taint-changes/kubectl-commands.js';
import { editNode } from '../taint-changes/node-outcome.js';
import { nodeNamed, type NodeTask, PlanNodes } from '../taint-changes/plan-nodes.js';
import { authorOf } from '../taint-changes/read-change.js';
import { judge } from './judge-change.js';

/**
 * What the guardrails say of having a change written that was made before. The cluster may have moved since, and rules may read
 * `change.apply`, so that the change is judged again: on the head without the change, as if it were made now.
 */
export class JudgeApplication {
  constructor(
    private readonly planNodes: PlanNodes,
    private readonly digests: DerivedStateCache,
    private readonly store: TaintChangeStore,
  ) {}

  async run(
    head: Working,
    change: StoredTaintChange,
    nodes: readonly StoredNodeChange[],
    { force, context }: { readonly force: boolean; readonly context: RequestContext },
  ): Promise<readonly GuardrailResult[]> {
    const { guardrails, isUnreadable } = guardrailsIn(head.state);
    if (guardrails.length === 0 && !isUnreadable) return [];
    const { now, signal, caller, access } = context;
    const [first] = nodes;
    const isOfRule = first !== undefined && ruleOf(first.node) !== undefined;
    const before = isOfRule ? await this.withoutRule(head, first) : await this.without(head, nodes, now);
    const tasks = isOfRule ? [] : tasksAgain(before, nodes);
    const plan = await this.planNodes.run(before, tasks, { now, signal, dryRun: true });
    const { reason, link, onBehalfOf, approval } = change.details as ChangeDetails;
    const approvers = (approval?.votes ?? [])
      .filter(({ decision, counts }) => decision === 'approve' && counts)
      .map(({ by }) => by);
    const said = {
      link: link ?? undefined,
      onBehalfOf: onBehalfOf ?? undefined,
      expiresAt: change.expiresAt ?? undefined,
    };
    return judge(
      head,
      {
        change: { action: change.action, reason, force, apply: true, approvers, ...defined(said) },
        author: {
          ...authorOf(caller),
          permissions: PERMISSIONS.filter((permission) => access.may(permission, head.cluster.name)),
        },
        before,
        plan,
        ...(isOfRule && { rule: editAgain(before, first) }),
      },
      { now, signal },
    );
  }

  private async withoutRule({ cluster, state }: Working, made: StoredNodeChange): Promise<ClusterState> {
    const changed = withChangedRules(state, await this.store.openRuleChanges(cluster.id));
    return withoutRuleChange(changed, made);
  }

  private async without({ state }: Working, nodes: readonly StoredNodeChange[], now: Date): Promise<Working['state']> {
    const upserts = nodes.flatMap((made) => {
      const node = nodeNamed(state, made.node);
      if (node === undefined) return [];
      const edit = { ...undoWhatStands(node, undoEdit(made)), overwrite: true };
      const { edited } = editNode(node, edit, now.toISOString());
      return edited === undefined ? [] : [edited.after];
    });
    if (upserts.length === 0) return state;
    await this.digests.workloadShapes(state);
    const before = await runSteps(state.fork().stepApply({ upserts }), new TimeSlices());
    this.digests.sharePods(state, before);
    return before;
  }
}

/** What a change does to nodes, whatever was made of it since. */
function tasksAgain(before: ClusterState, nodes: readonly StoredNodeChange[]): readonly NodeTask[] {
  return nodes.flatMap((made): NodeTask[] => {
    const node = nodeNamed(before, made.node);
    if (node === undefined) return [];
    const edit = undoWhatStands(node, editThatDoes(made));
    return [{ node: made.node, edit: { ...edit, overwrite: true } }];
  });
}
