import { formatTaint } from '../kubernetes/taint.js';
import type { TaintEdit } from './taint-edit.js';

/** The nodes of an edit: by name, or all that a selector selects. */
export type NodeTarget = { readonly names: readonly string[] } | { readonly selector: string };

/** A command line as a list of arguments, `kubectl` first. */
export type CommandLine = readonly string[];

/**
 * The kubectl commands that apply an edit to the cluster: `taint`, then `cordon` or `uncordon`, then `label`, as far as
 * the edit has these parts. Run in this order they have the result of `applyTaintEdit`.
 *
 * A selector is passed unchanged to kubectl, so that it selects the nodes that exist when the command runs.
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

/** A command line for a POSIX shell: arguments with special characters are in single quotes. */
export const shellText = (command: CommandLine): string => command.map(quoted).join(' ');

const quoted = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
