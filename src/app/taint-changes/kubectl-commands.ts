import type { Taint } from '../../core/kubernetes/objects/taints.js';
import { matchesTaint, UNSCHEDULABLE_TAINT } from '../../core/kubernetes/taint.js';
import { kubectlCommands, shellText } from '../../core/taint-change/kubectl-command.js';
import type { TaintEdit } from '../../core/taint-change/taint-edit.js';
import type { EditedNode } from './node-outcome.js';
import type { EditToMake } from './change-to-make.js';
import type { NodesPlan } from './plan-nodes.js';

/**
 * The kubectl commands for an edit: with its selector if the edit applies to all selected nodes, otherwise with node
 * names.
 */
export function commandsOfEdit({ targets, edit }: EditToMake, { outcomes }: NodesPlan): readonly string[] {
  const taken = outcomes.filter(({ outcome }) => outcome !== 'refused');
  if ('selector' in targets && taken.length === outcomes.length) {
    return kubectlCommands(edit, { selector: targets.text }).map(shellText);
  }
  return taken.length === 0 ? [] : kubectlCommands(edit, { names: taken.map(({ node }) => node) }).map(shellText);
}

/** The kubectl commands for the outcome of each node, with one command for nodes that change in the same way. */
export function commandsOfOutcomes({ edited }: NodesPlan): readonly string[] {
  const groups = new Map<string, { readonly edit: TaintEdit; readonly names: string[] }>();
  for (const node of edited) {
    const edit = editThatDoes(node);
    const key = JSON.stringify([
      edit.add,
      edit.remove,
      edit.unschedulable,
      [...(edit.labels?.set ?? [])],
      edit.labels?.remove,
    ]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { edit, names: [node.before.metadata.name] });
    else group.names.push(node.before.metadata.name);
  }
  return [...groups.values()].flatMap(({ edit, names }) => kubectlCommands(edit, { names }).map(shellText));
}

/** The edit that makes a recorded change. */
export function editThatDoes({ difference, labels }: Pick<EditedNode, 'difference' | 'labels'>): TaintEdit {
  const { added, removed, changed, cordon } = difference;
  // Kubernetes manages the taint of a cordon.
  const own = (taint: Taint): boolean => cordon === undefined || !matchesTaint(taint, UNSCHEDULABLE_TAINT);
  return {
    add: [...added, ...changed.map(({ after }) => after)].filter(own),
    remove: removed.filter(own).map(({ key, effect }) => ({ key, effect })),
    overwrite: changed.length > 0 || (labels?.set ?? []).some(({ before }) => before !== undefined),
    ...(cordon !== undefined && { unschedulable: cordon === 'cordoned' }),
    ...(labels !== undefined && {
      labels: {
        set: new Map(labels.set.map(({ key, after }) => [key, after])),
        remove: labels.removed.map(({ key }) => key),
      },
    }),
  };
}
