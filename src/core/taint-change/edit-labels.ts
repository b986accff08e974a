import { compare } from '../json/compare.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import { jsonGo, quoteGo } from '../kubernetes/go-text.js';
import { byteLength } from '../kubernetes/validation/names.js';
import type { EditError } from './check-taint-edit.js';
import type { LabelEdit } from './taint-edit.js';

/** kubectl's verb for the change of labels. */
export type LabelOperation = 'labeled' | 'unlabeled' | 'not labeled';

/** The new labels, kubectl's verb and its preceding messages; or why it refuses. */
export type EditedLabels =
  | { readonly operation: LabelOperation; readonly labels: Labels; readonly remarks: readonly string[] }
  | { readonly errors: readonly EditError[] };

/**
 * The labels of an object as `kubectl label` would send them. An existing label is refused without `overwrite`, even
 * with the same value; a missing key to remove only causes a message.
 *
 * kubectl's verb depends on the size of the object: `unlabeled` if it shrank and `overwrite` is not set, so setting a
 * short label while removing a long one is `unlabeled` too.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/cmd/label/label.go. Upstream lists existing labels in no fixed order.
 */
export function editLabels(labels: Labels | undefined, { set, remove }: LabelEdit, overwrite: boolean): EditedLabels {
  const former = new Map(Object.entries(labels ?? {}));
  const errors = overwrite
    ? []
    : [...set.keys()].flatMap((key): EditError[] => {
        const value = former.get(key);
        if (value === undefined) return [];
        return [{ code: 'label-exists', message: `'${key}' already has a value (${value}), and --overwrite is false` }];
      });
  if (errors.length > 0) return { errors };

  const edited = new Map(former);
  for (const [key, value] of set) edited.set(key, value);
  for (const key of remove) edited.delete(key);
  const before = labels === undefined ? 0 : sizeOf(former);
  const same =
    labels !== undefined && edited.size === former.size && [...edited].every(([k, v]) => former.get(k) === v);
  return {
    operation: same ? 'not labeled' : !overwrite && sizeOf(edited) < before ? 'unlabeled' : 'labeled',
    // In the order of their keys, as the API server writes every map. `fromEntries` defines properties, so that a key
    // named __proto__ is an ordinary key.
    labels: Object.fromEntries([...edited].sort(([a], [b]) => compare(a, b))),
    remarks: remove.filter((key) => !former.has(key)).map((key) => `label ${quoteGo(key)} not found.`),
  };
}

/** The length of the labels in Go's JSON: quotes, colon and comma take the same space for each entry. */
function sizeOf(labels: ReadonlyMap<string, string>): number {
  let size = 2;
  for (const [key, value] of labels) size += byteLength(jsonGo(key)) + byteLength(jsonGo(value)) + 2;
  return labels.size === 0 ? size : size - 1;
}
