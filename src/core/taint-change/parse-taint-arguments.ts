import type { Taint } from '../kubernetes/objects/taints.js';
import { parseTaintSpec, TaintSyntaxError } from '../kubernetes/taint-text.js';
import { KubectlError, type EditErrorCode } from './kubectl-error.js';
import { taintIdentity } from './taint-edit.js';

/** Taints to add and taints to remove; removals have only key and effect, with an empty effect for all effects. */
export interface TaintArguments {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

/** An argument that kubectl refuses, by its index. */
export interface TaintArgumentError {
  readonly index: number;
  readonly code: EditErrorCode;
  readonly message: string;
}

/**
 * Parses the arguments of `kubectl taint` after the node: `key=value:Effect` and `key:Effect` add a taint; `key-`,
 * `key:Effect-` and `key=value:Effect-` (whose value is ignored) remove it. Reports all faults, with kubectl's messages.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/cmd/taint/utils.go, `parseTaints`.
 */
export function readTaintArguments(
  words: readonly string[],
): TaintArguments & { readonly errors: readonly TaintArgumentError[] } {
  const add: Taint[] = [];
  const remove: Taint[] = [];
  const errors: TaintArgumentError[] = [];
  const added = new Set<string>();
  for (const [index, word] of words.entries()) {
    const removal = word.endsWith('-');
    const taint = parsed(removal ? word.slice(0, -1) : word);
    if (taint instanceof TaintSyntaxError) {
      errors.push({ index, code: 'invalid-taint', message: taint.message });
    } else if (removal) {
      remove.push({ key: taint.key, effect: taint.effect });
    } else if (taint.effect === '') {
      errors.push({ index, code: 'invalid-taint', message: `invalid taint spec: ${word}` });
    } else if (added.has(taintIdentity(taint))) {
      errors.push({ index, code: 'duplicate-taint', message: duplicateMessage(taint) });
    } else {
      added.add(taintIdentity(taint));
      add.push(taint);
    }
  }
  return { add, remove, errors };
}

/**
 * The same, but throws for the first invalid argument, like kubectl.
 *
 * @throws {KubectlError}
 */
export function parseTaintArguments(words: readonly string[]): TaintArguments {
  const { add, remove, errors } = readTaintArguments(words);
  const [first] = errors;
  if (first !== undefined) throw new KubectlError(first.code, first.message);
  return { add, remove };
}

/** With the taint in Go's `%v` format. */
const duplicateMessage = ({ key, value = '', effect }: Taint): string =>
  `duplicated taints with the same key and effect: {${key} ${value} ${effect} <nil>}`;

function parsed(text: string): Taint | TaintSyntaxError {
  try {
    return parseTaintSpec(text);
  } catch (error) {
    if (error instanceof TaintSyntaxError) return error;
    throw error;
  }
}
