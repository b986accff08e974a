import { FieldPath } from '../../core/kubernetes/field-path.js';
import type { TaintEffects } from '../../core/taint-effects/taint-effects.js';
import { kubectlCommands, shellText } from '../../core/taint-change/kubectl-command.js';
import { readTaintEdit } from '../../core/taint-change/read-taint-edit.js';
import { remainingChanges, type LackingNode, type PoolTaintChange } from '../../core/pools/remaining-changes.js';
import type { Basis } from '../reads/basis.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { NodeOutcome } from '../taint-changes/node-outcome.js';
import { PlanChange } from '../taint-changes/plan-change.js';
import type { planPool } from '../../contract/pools/questions.js';
import type { RequestOf } from '../request-of.js';
import { knownPool } from './known-pool.js';

export interface RemainingPoolChanges {
  readonly basis: Basis;
  readonly pool: string;
  /** Nodes that the pool selects. */
  readonly nodeCount: number;
  readonly lacking: readonly LackingNode[];
  /** The change of taints that is left to make; null where nothing is. */
  readonly change: PoolTaintChange | null;
  /** What it would do. */
  readonly preview: {
    readonly nodes: readonly NodeOutcome[];
    readonly kubectl: readonly string[];
    readonly effects: TaintEffects;
  } | null;
}

/** What is still to be made of the nodes of a pool, as one change of taints, previewed. */
export class PlanPool {
  constructor(
    private readonly readState: ReadState,
    private readonly planChange: PlanChange,
  ) {}

  /** @throws {ServiceError} `object-not-found`, and as `ReadState.run` */
  async run(
    { cluster, name, readAt }: RequestOf<typeof planPool>,
    edge: RequestContext,
  ): Promise<RemainingPoolChanges> {
    const { state, basis } = await this.readState.run(cluster, readAt, edge);
    const { nodes, lacking, change } = remainingChanges(state, knownPool(state, name, cluster));
    const answer = { basis, pool: name, nodeCount: nodes, lacking };
    if (change === undefined) return { ...answer, change: null, preview: null };
    const { edit } = readTaintEdit({ ...change, labels: [...change.labels] }, FieldPath.of('change'));
    const tasks = change.nodes.map((node) => ({ node, edit }));
    const { now, signal } = edge;
    const { outcomes, effects } = await this.planChange.run(state, tasks, { now, signal, dryRun: true });
    const kubectl = kubectlCommands(edit, { names: change.nodes }).map(shellText);
    return { ...answer, change, preview: { nodes: outcomes, kubectl, effects } };
  }
}
