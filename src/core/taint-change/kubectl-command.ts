import { formatTaint } from '../kubernetes/taint.js';
import type { TaintEdit } from './taint-edit.js';

/** Which nodes an edit is for: by name, or all that a selector selects. */
export type NodeTarget = { readonly names: readonly string[] } | { readonly selector: string };

/** A command line, word by word, `kubectl` first. */
export type CommandLine = readonly string[];

/**
 * The kubectl commands that do an edit to the cluster itself: `taint`, then `cordon` or `uncordon`, then `label`, as far as the edit
 * has such a part. Run in this order they leave what `applyTaintEdit` says.
 *
 * A selector goes to kubectl as it is, so that it selects what is there when the command runs.
 */
export function kubectlCommands(edit: TaintEdit, target: NodeTarget): CommandLine[] {
  const { add, remove, labels, overwrite, unschedulable } = edit;
  const flags = overwrite ? ['--overwrite'] : [];
  const chosen = 'names' in target ? target.names : ['--selector', target.selector];
  const taints = [
    ...add.map((taint) => formatTaint(taint)),
    ...remove.map(({ key, effect = '' }) => `${formatTaint({ key, effect })}-`),
  ];
  const labelWords =
    labels === undefined
      ? []
      : [...[...labels.set].map(([key, value]) => `${key}=${value}`), ...labels.remove.map((key) => `${key}-`)];
  return [
    ...(taints.length === 0 ? [] : [['kubectl', 'taint', 'nodes', ...chosen, ...taints, ...flags]]),
    ...(unschedulable === undefined ? [] : [['kubectl', unschedulable ? 'cordon' : 'uncordon', ...chosen]]),
    ...(labelWords.length === 0 ? [] : [['kubectl', 'label', 'nodes', ...chosen, ...labelWords, ...flags]]),
  ];
}

/** A command line as a POSIX shell takes it: words with other than plain characters in single quotes. */
export const shellText = (command: CommandLine): string => command.map(quoted).join(' ');

const quoted = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
