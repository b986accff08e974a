import { defined } from '../collections/defined.js';
import { quoteGo } from '../kubernetes/go-text.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import type { EditError } from './check-taint-edit.js';
import { taintIdentity, type TaintEdit } from './taint-edit.js';

/** kubectl's verb for the change of taints. */
export type TaintOperation = 'tainted' | 'untainted' | 'modified';

/** The new list of taints and kubectl's verb, or why it refuses. */
export type EditedTaints =
  { readonly operation: TaintOperation; readonly taints: readonly Taint[] } | { readonly errors: readonly EditError[] };

/**
 * The taints of a node as `kubectl taint` would send them: added ones first, in kubectl's order, then the remaining
 * ones. An overwritten taint moves to the front even if it does not change, and loses its `timeAdded`.
 *
 * All existing taints that may not be overwritten are listed in one error; each removal without a match is a separate
 * error. kubectl's verb is `modified` whenever `overwrite` is set. Linear in the lists.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/cmd/taint/taint.go and utils.go: `updateTaints`, `reorganizeTaints`.
 */
export function editTaints(
  nodeName: string,
  taints: readonly Taint[],
  { add, remove, overwrite }: Pick<TaintEdit, 'add' | 'remove' | 'overwrite'>,
): EditedTaints {
  const standing = overwrite ? [] : keysStanding(taints, add);
  if (standing.length > 0) {
    const message = `node ${nodeName} already has ${standing.join(',')} taint(s) with same effect(s) and --overwrite is false`;
    return { errors: [{ code: 'taint-exists', message }] };
  }
  const merged = withAdded(taints, add);
  const added = merged.length !== taints.length;
  const left = new Taints(merged);
  const errors: EditError[] = [];
  for (const removal of remove) {
    const { key, effect = '' } = removal;
    if (left.remove(key, effect)) continue;
    const message = `taint ${quoteGo(formatTaint({ key, effect }))} not found`;
    errors.push({ code: 'taint-not-found', message });
  }
  if (errors.length > 0) return { errors };
  const deleted = remove.length > 0;
  return {
    operation: overwrite || (added && deleted) ? 'modified' : added ? 'tainted' : 'untainted',
    taints: left.list(),
  };
}

/** The keys of `add`, once for each taint of the node with the same effect. */
function keysStanding(taints: readonly Taint[], add: readonly Taint[]): string[] {
  const counts = new Map<string, number>();
  for (const taint of taints) counts.set(taintIdentity(taint), (counts.get(taintIdentity(taint)) ?? 0) + 1);
  return add.flatMap((taint) => new Array<string>(counts.get(taintIdentity(taint)) ?? 0).fill(taint.key));
}

/** The added taints, then the node's others, each key and effect once. */
function withAdded(taints: readonly Taint[], add: readonly Taint[]): Taint[] {
  const merged = add.map(withoutEmptyValue);
  const seen = new Set(add.map(taintIdentity));
  for (const taint of taints) {
    const identity = taintIdentity(taint);
    if (seen.has(identity)) continue;
    seen.add(identity);
    merged.push(taint);
  }
  return merged;
}

function withoutEmptyValue({ key, value = '', effect, timeAdded }: Taint): Taint {
  return { key, ...(value !== '' && { value }), effect, ...defined({ timeAdded }) };
}

/** A list of taints, each key and effect once, from which taints are removed by key and effect or by key alone. */
class Taints {
  private readonly effectsOf = new Map<string, Set<string>>();

  constructor(private readonly all: readonly Taint[]) {
    for (const { key, effect } of all) {
      const effects = this.effectsOf.get(key);
      if (effects === undefined) this.effectsOf.set(key, new Set([effect]));
      else effects.add(effect);
    }
  }

  /** Whether a taint was removed. */
  remove(key: string, effect: string): boolean {
    const effects = this.effectsOf.get(key);
    if (effects === undefined) return false;
    if (effect !== '') return effects.delete(effect);
    this.effectsOf.delete(key);
    return effects.size > 0;
  }

  list(): Taint[] {
    return this.all.filter(({ key, effect }) => this.effectsOf.get(key)?.has(effect) === true);
  }
}
