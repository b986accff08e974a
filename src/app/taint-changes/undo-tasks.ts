import { type UndoConflict, undoConflicts, undoEdit, undoWhatStands } from '../../core/taint-change/undo-change.js';
import type {
  StoredNodeChange,
  StoredTaintChange,
  TaintChangeStore,
} from '../../storage/taint-trail/taint-change-store.js';
import { nodeNotFound, type NodeRefusal, refused, untouched } from './node-outcome.js';
import { nodeNamed, type NodeTask } from './plan-nodes.js';
import { describeChange } from './precondition.js';
import type { Working } from './head-for-update.js';

/** Maximum number of changes of a node that are searched for later authors. */
const MAX_LATER_CHANGES = 200;

/**
 * The tasks that revert a change. A node on which something that the change did was changed since is rejected, with the
 * later change and its author, unless `force` is set; a node that never received the change in the cluster is skipped.
 */
export async function undoTasks(
  change: StoredTaintChange,
  nodes: readonly StoredNodeChange[],
  { state }: Working,
  { force, store }: { readonly force: boolean; readonly store: TaintChangeStore },
): Promise<NodeTask[]> {
  const tasks: NodeTask[] = [];
  for (const made of nodes) {
    const { node: name, status } = made;
    const node = nodeNamed(state, name);
    if (node === undefined) {
      tasks.push({ node: name, outcome: refused(name, [nodeNotFound(name)]) });
      continue;
    }
    const conflicts = undoConflicts(node, made);
    if (status === 'notApplied' && conflicts.length > 0) {
      tasks.push({
        node: name,
        outcome: untouched(node, `node/${name} never received the change: a snapshot shows it without`),
      });
    } else if (conflicts.length > 0 && !force) {
      tasks.push({ node: name, outcome: refused(name, await changedSince(change, name, conflicts, store)) });
    } else {
      const edit = undoWhatStands(node, undoEdit(made));
      tasks.push({ node: name, edit: force ? { ...edit, overwrite: true } : edit });
    }
  }
  return tasks;
}

/** Why a change of a node or a rule is not reverted. @param node see `ruleSubject` */
export async function changedSince(
  change: StoredTaintChange,
  node: string,
  conflicts: readonly Pick<UndoConflict, 'what' | 'left' | 'now'>[],
  store: TaintChangeStore,
): Promise<NodeRefusal[]> {
  const since = await store.changesSince(change.clusterId, { revision: change.revision, node }, MAX_LATER_CHANGES);
  const last = since.at(-1);
  const by = last === undefined ? '' : `; changed since: ${describeChange(last)}`;
  return conflicts.map(({ what, left, now }) => ({
    code: 'changed-since' as const,
    message: `the ${what} was ${left} after the change, but is now ${now ?? 'absent'}${by}`,
  }));
}
