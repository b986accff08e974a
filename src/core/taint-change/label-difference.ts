import { defined } from '../collections/defined.js';
import type { Labels } from '../kubernetes/objects/meta.js';

/** The difference in the labels of one node. */
export interface LabelDifference {
  /** Labels that are new (without `before`) or have another value, by key. */
  readonly set: readonly { readonly key: string; readonly before?: string; readonly after: string }[];
  readonly removed: readonly { readonly key: string; readonly before: string }[];
}

export function labelDifference(before: Labels | undefined, after: Labels | undefined): LabelDifference {
  if (before === after) return { set: [], removed: [] };
  const former = new Map(Object.entries(before ?? {}));
  const latter = new Map(Object.entries(after ?? {}));
  return {
    set: [...latter]
      .filter(([key, value]) => former.get(key) !== value)
      .map(([key, value]) => {
        const old = former.get(key);
        return { key, ...defined({ before: old }), after: value };
      }),
    removed: [...former].filter(([key]) => !latter.has(key)).map(([key, value]) => ({ key, before: value })),
  };
}

export const isNoLabelDifference = ({ set, removed }: LabelDifference): boolean =>
  set.length === 0 && removed.length === 0;
