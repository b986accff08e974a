import type { JsonValue } from '../../json/json-value.js';
import type { ManifestObject } from '../../kubernetes/manifests/manifest-object.js';
import type { GateChange } from './change.js';
import { editedAt, valueAt } from './edit-json.js';

/** Where a kind says how many pods it wants. */
const PLACES: ReadonlyMap<string, readonly string[]> = new Map([
  ['Deployment', ['spec', 'replicas']],
  ['StatefulSet', ['spec', 'replicas']],
  ['ReplicaSet', ['spec', 'replicas']],
  ['ReplicationController', ['spec', 'replicas']],
  ['Job', ['spec', 'parallelism']],
  ['CronJob', ['spec', 'jobTemplate', 'spec', 'parallelism']],
]);

/** As many pods as have a node, if any has. */
export function fewerReplicas(object: ManifestObject, bound: number): readonly (readonly GateChange[])[] {
  const place = PLACES.get(object.kind);
  if (place === undefined || bound < 1) return [];
  const before: JsonValue = valueAt(object.value, place) ?? 1;
  const wanted = typeof before === 'number' || typeof before === 'bigint' ? Number(before) : undefined;
  if (wanted === undefined || bound >= wanted) return [];
  const name = place.at(-1)!;
  return [
    [
      {
        of: 'Manifest',
        object,
        text: `set ${name} to ${bound} instead of ${wanted}`,
        edit: (value) => editedAt(value, place, () => bound),
      },
    ],
  ];
}
