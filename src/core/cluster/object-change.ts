import { compare } from '../json/compare.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import { decodeQuantity } from '../kubernetes/quantity.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { ClusterState } from './cluster-state.js';

/** A value before and after; null where there was, or is, none. */
export interface Change<Value> {
  readonly before: Value | null;
  readonly after: Value | null;
}

export interface NamedChange extends Change<string> {
  readonly name: string;
}

/** How an object differs between two states. */
export type ObjectChange = 'added' | 'removed' | 'changed';

/** The change of a value; null if it is the same. */
export function change<Value>(before: Value | undefined, after: Value | undefined): Change<Value> | null {
  return before === after ? null : { before: before ?? null, after: after ?? null };
}

/** How an object differs, given that it exists in at least one of the states. */
export function objectChange(before: unknown, after: unknown): ObjectChange {
  return before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
}

/** The entries of two maps that differ, by name. */
export function namedChanges(
  before: Readonly<Record<string, string>> | undefined,
  after: Readonly<Record<string, string>> | undefined,
  same: (a: string, b: string) => boolean,
): NamedChange[] {
  const former = new Map(Object.entries(before ?? {}));
  const present = new Map(Object.entries(after ?? {}));
  const changes: NamedChange[] = [];
  for (const [name, value] of former) {
    const now = present.get(name);
    if (now === undefined || !same(value, now)) changes.push({ name, before: value, after: now ?? null });
  }
  for (const [name, value] of present) if (!former.has(name)) changes.push({ name, before: null, after: value });
  return changes.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Amounts that differ, by resource; those that differ only in notation (`1` and `1000m`) are the same. */
export function amountChanges(before: ResourceList | undefined, after: ResourceList | undefined): NamedChange[] {
  return namedChanges(before, after, sameAmount);
}

/** The objects of a kind in both states, each pair once, by namespace and name. */
export function* pairedObjects<Kept extends KubernetesObject>(
  kind: KeptKind,
  before: ClusterState,
  after: ClusterState,
): Generator<Change<Kept>> {
  const [left, right] = [before.objects(kind) as readonly Kept[], after.objects(kind) as readonly Kept[]];
  for (let a = 0, b = 0; a < left.length || b < right.length;) {
    const [first, second] = [left[a], right[b]];
    const order = first === undefined ? 1 : second === undefined ? -1 : compareKeys(first, second);
    if (order <= 0) a++;
    if (order >= 0) b++;
    yield { before: order <= 0 ? first! : null, after: order >= 0 ? second! : null };
  }
}

function compareKeys({ metadata: a }: KubernetesObject, { metadata: b }: KubernetesObject): number {
  return compare(a.namespace ?? '', b.namespace ?? '') || compare(a.name, b.name);
}

function sameAmount(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    return decodeQuantity(a).cmp(decodeQuantity(b)) === 0;
  } catch {
    // What was kept although it is no quantity is compared as the text that it is.
    return false;
  }
}
