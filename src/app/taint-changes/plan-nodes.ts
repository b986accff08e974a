import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import { stepTaintEffects } from '../../core/taint-effects/step-taint-effects.js';
import type { TaintEffects } from '../../core/taint-effects/taint-effects.js';
import type { TaintEdit } from '../../core/taint-change/taint-edit.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { runSteps } from '../states/run-steps.js';
import type { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { type EditedNode, editNode, nodeNotFound, type NodeOutcome, type NodeResult, refused } from './node-outcome.js';

/** Maximum number of workloads listed; a taint on one node can affect most workloads of a cluster. */
const MAX_WORKLOADS = 100;

/** What to do with a node: apply an edit, or report a known outcome. */
export type NodeTask =
  | {
      readonly node: string;
      readonly edit: TaintEdit;
      readonly place?: { readonly field: string; readonly pointer: string };
    }
  | { readonly node: string; readonly outcome: NodeOutcome };

/** The result of tasks on a state. */
export interface NodesPlan {
  readonly outcomes: readonly NodeOutcome[];
  /** The changed nodes. */
  readonly edited: readonly EditedNode[];
  /** The final state; the same object if nothing changes. */
  readonly after: ClusterState;
  readonly effects: TaintEffects;
}

/** Computes the effect of node edits on a state, in time slices. */
export class PlanNodes {
  constructor(private readonly digests: DerivedStateCache) {}

  async run(
    before: ClusterState,
    tasks: readonly NodeTask[],
    { now, signal, dryRun }: { readonly now: Date; readonly signal?: AbortSignal; readonly dryRun: boolean },
  ): Promise<NodesPlan> {
    const slices = new TimeSlices({ signal });
    const results: NodeResult[] = [];
    for (const task of tasks) {
      if (slices.due()) await slices.pause();
      results.push(resultOf(before, task, wholeSeconds(now)));
    }
    const edited = results.flatMap((result) => result.edited ?? []);
    const upserts = edited.map(({ after }) => after);
    // A temporary state must not add to the tables that it shares.
    const base = dryRun ? before.fork() : before;
    const after = edited.length === 0 ? before : await runSteps(base.stepApply({ upserts }), slices);
    const shapes = await this.digests.workloadShapes(before);
    this.digests.sharePods(before, after);
    const names = edited.map((node) => node.before.metadata.name);
    const effects = await runSteps(
      stepTaintEffects(before, after, names, {
        gates: gatesOf(before.rules),
        now: now.toISOString(),
        shapes,
        mostWorkloads: MAX_WORKLOADS,
      }),
      slices,
    );
    return { outcomes: results.map(({ outcome }) => outcome), edited, after, effects };
  }
}

/** The node with this name; undefined if it does not exist. */
export function nodeNamed({ nodes }: ClusterState, name: string): Node | undefined {
  const index = nodes.indexOf(name);
  return index < 0 ? undefined : nodes.node(index);
}

function resultOf(state: ClusterState, task: NodeTask, now: string): NodeResult {
  if ('outcome' in task) return { outcome: task.outcome };
  const node = nodeNamed(state, task.node);
  if (node === undefined) return { outcome: refused(task.node, [nodeNotFound(task.node, task.place)]) };
  return editNode(node, task.edit, now);
}

/** The time format of the API server. */
const wholeSeconds = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;
