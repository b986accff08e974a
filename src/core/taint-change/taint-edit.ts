import type { Taint } from '../kubernetes/objects/taints.js';

/** Taints to take away: those of the key with the effect, or with any effect when it is absent or empty. */
export interface TaintRemoval {
  readonly key: string;
  /** As in `key=value:Effect-`: checked, and otherwise without meaning; kubectl removes the taint whatever its value. */
  readonly value?: string;
  readonly effect?: string;
}

/** Labels to set and keys to take away; a key that is absent already is no error. */
export interface LabelEdit {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/** What to make of a node's taints, cordon and labels: `kubectl taint`, `kubectl cordon` and `kubectl label` in one. */
export interface TaintEdit {
  readonly add: readonly Taint[];
  readonly remove: readonly TaintRemoval[];
  /** Whether taints and labels that are there already may get another value. */
  readonly overwrite: boolean;
  readonly labels?: LabelEdit;
  /** True cordons, false uncordons, absent leaves the cordon alone. */
  readonly unschedulable?: boolean;
}

/** What makes a taint the same to Kubernetes, as one text. No effect of a valid taint holds a line feed. */
export const taintIdentity = ({ key, effect = '' }: TaintRemoval): string => `${effect}\n${key}`;

/**
 * What one edit both adds and removes, as kubectl names it: `key=Effect`, and `key=` where the removal is for every effect.
 * Once for each pair. Linear in both lists, as a key is added with three effects at most.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/cmd/taint/taint.go, `Validate`.
 */
export function conflictsOf({ add, remove }: Pick<TaintEdit, 'add' | 'remove'>): {
  readonly name: string;
  /** Where the removal stands in `remove`. */
  readonly removal: number;
}[] {
  const removals = new Map<string, { effect: string; index: number }[]>();
  for (const [index, { key, effect = '' }] of remove.entries()) {
    const ofKey = removals.get(key);
    if (ofKey === undefined) removals.set(key, [{ effect, index }]);
    else ofKey.push({ effect, index });
  }
  return add.flatMap((taint) =>
    (removals.get(taint.key) ?? [])
      .filter(({ effect }) => effect === '' || effect === taint.effect)
      .map(({ effect, index }) => ({ name: `${taint.key}=${effect}`, removal: index })),
  );
}
