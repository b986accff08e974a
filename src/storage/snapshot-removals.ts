import { type ObjectKey, unpackKey } from './object-key.js';
import { scopeContains, type SnapshotScope } from './revision.js';
import type { SeenObjects } from './seen-objects.js';
import type { StateHashes } from './state-hashes.js';

/** The maximum number of objects of a kind to name. */
const NAMED = 10;

/** The objects of one kind that a snapshot removes. */
export interface KindRemovals {
  readonly kind: string;
  /** The number of objects in the previous state, in all namespaces. */
  readonly stored: number;
  readonly removed: number;
  /** The number of removed objects without a new object in the same namespace: the replacement of a pod has another name. */
  readonly notReplaced: number;
  /** The first removed objects. */
  readonly first: readonly ObjectKey[];
}

interface Counts {
  stored: number;
  removed: number;
  first: ObjectKey[];
  byNamespace: Map<string, number>;
}

/**
 * The objects that a snapshot removes from the previous state: those inside its scope that it lacks. Lists only kinds that
 * lose objects.
 */
export function findRemovals(seen: SeenObjects, scope: SnapshotScope, before: StateHashes): readonly KindRemovals[] {
  const contains = scopeContains(scope);
  const kinds = new Map<string, Counts>();
  for (let index = 0; index < before.size; index++) {
    const kind = before.kind(index);
    let counts = kinds.get(kind);
    if (counts === undefined) {
      kinds.set(kind, (counts = { stored: 0, removed: 0, first: [], byNamespace: new Map() }));
    }
    counts.stored++;
    if (before === seen.base && seen.asInBase(index)) continue;
    const key = before.key(index);
    if (seen.has(key)) continue;
    const object = unpackKey(key);
    const { namespace } = object;
    if (!contains(kind, namespace, object.name)) continue;
    counts.removed++;
    counts.byNamespace.set(namespace, (counts.byNamespace.get(namespace) ?? 0) + 1);
    if (counts.first.length < NAMED) counts.first.push(object);
  }
  const losing = new Map([...kinds].filter(([, { removed }]) => removed > 0));
  if (losing.size > 0) takeOffReplaced(losing, seen, before);
  return [...losing]
    .map(([kind, { stored, removed, first, byNamespace }]) => ({
      kind,
      stored,
      removed,
      notReplaced: [...byNamespace.values()].reduce((sum, count) => sum + Math.max(0, count), 0),
      first,
    }))
    .sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

function takeOffReplaced(kinds: ReadonlyMap<string, Counts>, seen: SeenObjects, before: StateHashes): void {
  for (const key of seen.keys()) {
    const { kind, namespace } = unpackKey(key);
    const removed = kinds.get(kind)?.byNamespace;
    const count = removed?.get(namespace);
    if (count !== undefined && before.indexOf(key) < 0) removed!.set(namespace, count - 1);
  }
}
