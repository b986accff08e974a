import { FieldPath } from '../../core/kubernetes/field-path.js';
import { kubectlCommands, shellText } from '../../core/taint-change/kubectl-command.js';
import { readTaintEdit } from '../../core/taint-change/read-taint-edit.js';
import { remainingChanges } from '../../core/pools/remaining-changes.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { PlanNodes } from '../taint-changes/plan-nodes.js';
import { nodeChangeResponse } from '../taint-changes/taint-change-response.js';
import { taintEffectsResponse } from '../taint-changes/taint-effects-response.js';
import type { planPool } from '../../contract/pools/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { RequestOf } from '../request-of.js';
import { knownPool } from './known-pool.js';

/** Previews, as one taint change, what the nodes of a pool still lack. */
export class PlanPool {
  constructor(
    private readonly readState: ReadState,
    private readonly planNodes: PlanNodes,
  ) {}

  /** @throws {ServiceError} `object-not-found`, and as `ReadState.run` */
  async run(
    { cluster, name, readAt, view }: RequestOf<typeof planPool>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof planPool>> {
    const { state, basis } = await this.readState.run(cluster, readAt, context);
    const { nodes, lacking, change } = remainingChanges(state, knownPool(state, name, cluster));
    const answer = { basis, pool: name, nodeCount: nodes, lacking };
    if (change === undefined) return { ...answer, change: null, preview: null };
    const { edit } = readTaintEdit({ ...change, labels: [...change.labels] }, FieldPath.of('change'));
    const tasks = change.nodes.map((node) => ({ node, edit }));
    const { now, signal } = context;
    const { outcomes, effects } = await this.planNodes.run(state, tasks, { now, signal, dryRun: true });
    const preview = {
      nodes: outcomes.map((outcome) => nodeChangeResponse(outcome)),
      kubectl: kubectlCommands(edit, { names: change.nodes }).map(shellText),
      effects: taintEffectsResponse(effects, view),
    };
    return { ...answer, change, preview };
  }
}
