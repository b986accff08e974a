import { undoConflicts, undoEdit, undoWhatStands } from '../../core/taint-change/undo-change.js';
import type {
  StoredNodeChange,
  StoredTaintChange,
  TaintChangeStore,
} from '../../storage/taint-trail/taint-change-store.js';
import { nodeNotFound, type NodeRefusal, refused, untouched } from './node-outcome.js';
import { nodeNamed, type NodeTask } from './plan-nodes.js';
import { describeChange } from './precondition.js';
import type { Working } from './head-for-update.js';

/** Changes of one node that are looked through for who came between. */
const MOST_SINCE = 200;

/**
 * What takes a change back, node by node. A node on which something that the change did is not as it left it is refused,
 * naming what and who, unless `force` says to override it; one that the cluster never got the change of is left alone.
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
        outcome: untouched(node, `node/${name} was never changed: a snapshot shows it without`),
      });
    } else if (conflicts.length > 0 && !force) {
      tasks.push({ node: name, outcome: refused(name, await refusals(change, name, conflicts, store)) });
    } else {
      const edit = undoWhatStands(node, undoEdit(made));
      tasks.push({ node: name, edit: force ? { ...edit, overwrite: true } : edit });
    }
  }
  return tasks;
}

async function refusals(
  change: StoredTaintChange,
  node: string,
  conflicts: ReturnType<typeof undoConflicts>,
  store: TaintChangeStore,
): Promise<NodeRefusal[]> {
  const since = await store.changesSince(change.clusterId, { revision: change.revision, node }, MOST_SINCE);
  const last = since.at(-1);
  const by = last === undefined ? '' : `; since then ${describeChange(last)}`;
  return conflicts.map(({ what, left, now }) => ({
    code: 'changed-since' as const,
    message: `the ${what} was left as ${left}, and is ${now ?? 'absent'} now${by}`,
  }));
}
