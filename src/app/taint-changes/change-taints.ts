import type { GivenTaintEdit } from '../../core/taint-change/read-taint-edit.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import { kubectlCommands, shellText } from '../../core/taint-change/kubectl-command.js';
import type { TaintEdit } from '../../core/taint-change/taint-edit.js';
import { type IdempotencyKey, TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import type { RequestContext } from '../request-context.js';
import { AnswerChange } from './answer-change.js';
import { checkChangeCost } from './check-change-cost.js';
import { checkChange, type GivenRecord, type GivenTargets, type Targets } from './check-change-request.js';
import { refuseRefused } from './refuse-refused.js';
import { MakeChange } from './make-change.js';
import type { ChangePlan, NodeTask } from './plan-change.js';
import { checkPrecondition, readPrecondition } from './precondition.js';
import { recordedRequest } from './recorded-request.js';
import type { AskedChange, TaintChangeAnswer } from './taint-change-view.js';
import type { Working } from './head-for-update.js';

export interface ChangeTaintsRequest extends GivenRecord {
  readonly cluster: string;
  readonly targets: GivenTargets;
  readonly edit: GivenTaintEdit;
  /** Whether nodes that the change does not fit are left out instead of refusing it for all. */
  readonly perNode: boolean;
  readonly dryRun: boolean;
  readonly ifMatch?: string;
  /** Where the fields stand, for errors: `input` among the arguments of GraphQL, nothing in a body of REST. */
  readonly root: '' | 'input';
}

/** Changes taints, cordons and labels of nodes as kubectl would, on the record; or says what that would do. */
export class ChangeTaints {
  constructor(
    private readonly makeChange: MakeChange,
    private readonly store: TaintChangeStore,
    private readonly answer: AnswerChange,
  ) {}

  /**
   * @throws {InvalidRequestError} everything that is wrong with the request
   * @throws {ServiceError} `taint-change-refused` with the reasons node by node; `object-not-found` for nodes that are not
   *   there; `precondition-failed`; `idempotency-key-reused`; `cluster-not-found`, `no-snapshot`; `forbidden`
   */
  async run(request: ChangeTaintsRequest, edge: RequestContext): Promise<TaintChangeAnswer> {
    return this.answer.once(request, edge, (key) => this.make(request, key, edge));
  }

  private async make(
    request: ChangeTaintsRequest,
    key: IdempotencyKey | undefined,
    edge: RequestContext,
  ): Promise<TaintChangeAnswer> {
    const { edit, targets } = checkChange(request, { root: request.root, now: edge.now });
    const named = 'names' in targets ? targets.names.map(({ name }) => name) : undefined;
    const precondition = readPrecondition(request.ifMatch, named);
    const change = {
      ...recordedRequest(request, key, edge),
      action: 'change' as const,
      request: asked(request, edit),
      tasks: async (head: Working) => {
        await this.answer.refuseRepetition(head, key, edge);
        if (precondition !== undefined) await checkPrecondition(precondition, head, named?.[0], this.store);
        const tasks = tasksOf(head, targets, edit);
        checkChangeCost(head.state, tasks);
        return tasks;
      },
      accept: refuseRefused(request.perNode),
      kubectl: (plan: ChangePlan) => commandsOf(request, edit, plan),
    };
    return this.answer.made(change, await this.makeChange.run(change, edge), edge);
  }
}

function tasksOf({ state: { nodes } }: Working, targets: Targets, edit: TaintEdit): NodeTask[] {
  if ('names' in targets) return targets.names.map(({ name, place }) => ({ node: name, edit, place }));
  const selected: NodeTask[] = [];
  for (let index = 0; index < nodes.count; index++) {
    const { metadata } = nodes.node(index);
    if ('all' in targets || targets.selector.matches(metadata.labels ?? {}))
      selected.push({ node: metadata.name, edit });
  }
  return selected.sort((a, b) => (a.node < b.node ? -1 : 1));
}

function asked({ targets, perNode }: ChangeTaintsRequest, edit: TaintEdit): AskedChange {
  return { ...targets, ...editWords(edit), perNode, force: false };
}

/** An edit in kubectl's words. */
function editWords({ add, remove, labels, unschedulable, overwrite }: TaintEdit) {
  return {
    taints: [
      ...add.map((taint) => formatTaint(taint)),
      ...remove.map(({ key, effect = '' }) => `${formatTaint({ key, effect })}-`),
    ],
    labels: [
      ...[...(labels?.set ?? [])].map(([key, value]) => `${key}=${value}`),
      ...(labels?.remove ?? []).map((key) => `${key}-`),
    ],
    unschedulable: unschedulable ?? null,
    overwrite,
  };
}

/** The selector stands for its nodes where all of them take the change; else they are named. */
function commandsOf({ targets }: ChangeTaintsRequest, edit: TaintEdit, { outcomes }: ChangePlan): string[] {
  const taken = outcomes.filter(({ outcome }) => outcome !== 'refused');
  const { labelSelector } = targets;
  if (labelSelector !== undefined && taken.length === outcomes.length) {
    return kubectlCommands(edit, { selector: labelSelector.trim() }).map(shellText);
  }
  return taken.length === 0 ? [] : kubectlCommands(edit, { names: taken.map(({ node }) => node) }).map(shellText);
}
