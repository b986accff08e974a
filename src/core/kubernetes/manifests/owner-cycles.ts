import type { ManifestObject } from './manifest-object.js';
import { groupOf } from './served-kinds.js';
import { isJsonObject } from '../../json/json-value.js';

/**
 * The circles that owner references form among objects: each as its objects, from each to its owner. Owners are matched by
 * kind and name, in the namespace of the owned object or without a namespace; a uid decides only where both have one.
 */
export function ownerCycles(objects: readonly ManifestObject[]): readonly (readonly ManifestObject[])[] {
  const byName = new Map<string, ManifestObject>();
  for (const object of objects)
    byName.set(keyOf(object.apiVersion, object.kind, object.namespace, object.name), object);
  const done = new Set<ManifestObject>();
  const cycles: ManifestObject[][] = [];
  for (const start of objects) {
    const path: { readonly object: ManifestObject; readonly owners: ManifestObject[] }[] = [];
    const onPath = new Set<ManifestObject>();
    const enter = (object: ManifestObject): void => {
      path.push({ object, owners: ownersOf(object, byName) });
      onPath.add(object);
    };
    if (!done.has(start)) enter(start);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const owner = last.owners.pop();
      if (owner === undefined) {
        path.pop();
        onPath.delete(last.object);
        done.add(last.object);
      } else if (onPath.has(owner)) {
        cycles.push(path.slice(path.findIndex(({ object }) => object === owner)).map(({ object }) => object));
      } else if (!done.has(owner)) {
        enter(owner);
      }
    }
  }
  return cycles;
}

function ownersOf(object: ManifestObject, byName: ReadonlyMap<string, ManifestObject>): ManifestObject[] {
  const { metadata } = object.value;
  const references = isJsonObject(metadata) ? metadata['ownerReferences'] : undefined;
  if (!Array.isArray(references)) return [];
  const owners = new Set<ManifestObject>();
  for (const reference of references) {
    if (!isJsonObject(reference)) continue;
    const { apiVersion, kind, name, uid } = reference;
    if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') continue;
    for (const namespace of new Set([object.namespace, undefined])) {
      const owner = byName.get(keyOf(apiVersion, kind, namespace, name));
      if (owner !== undefined && isSame(uid, uidOf(owner))) owners.add(owner);
    }
  }
  return [...owners];
}

const keyOf = (apiVersion: string, kind: string, namespace: string | undefined, name: string): string =>
  [groupOf(apiVersion), kind, namespace ?? '', name].join('\n');

function uidOf({ value: { metadata } }: ManifestObject): unknown {
  return isJsonObject(metadata) ? metadata['uid'] : undefined;
}

const isSame = (one: unknown, other: unknown): boolean =>
  typeof one !== 'string' || typeof other !== 'string' || one === '' || other === '' || one === other;
