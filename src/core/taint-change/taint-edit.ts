import type { Taint } from '../kubernetes/objects/taints.js';

/** A removal of the taints with a key and an effect, or with any effect if it is absent or empty. */
export interface TaintRemoval {
  readonly key: string;
  /** As in `key=value:Effect-`: it is validated but otherwise ignored; kubectl removes the taint whatever its value. */
  readonly value?: string;
  readonly effect?: string;
}

/** Labels to set, and keys to remove; removing an absent key is not an error. */
export interface LabelEdit {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/** An edit of a node's taints, cordon and labels: `kubectl taint`, `kubectl cordon` and `kubectl label` in one. */
export interface TaintEdit {
  readonly add: readonly Taint[];
  readonly remove: readonly TaintRemoval[];
  /** Whether existing taints and labels may be overwritten. */
  readonly overwrite: boolean;
  readonly labels?: LabelEdit;
  /** True cordons, false uncordons; absent, the cordon does not change. */
  readonly unschedulable?: boolean;
}

/** The identity of a taint in Kubernetes (key and effect) as one text. The effect of a valid taint contains no line feed. */
export const taintIdentity = ({ key, effect = '' }: TaintRemoval): string => `${effect}\n${key}`;

/**
 * The taints that one edit both adds and removes, as kubectl names them: `key=Effect`, or `key=` if the removal is for every
 * effect. Each pair is listed once. Linear in both lists, because a key is added with at most three effects.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/cmd/taint/taint.go, `Validate`.
 */
export function conflictsOf({ add, remove }: Pick<TaintEdit, 'add' | 'remove'>): {
  readonly name: string;
  /** The index of the removal in `remove`. */
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
