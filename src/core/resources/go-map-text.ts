import { compare } from '../json/compare.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';

/**
 * A resource list as `kubectl get -o jsonpath='{.spec.overhead}'` prints it, which is Go's text of a map, by key:
 * `map[cpu:250m memory:120Mi]`.
 */
export function goMapText(list: ResourceList): string {
  const entries = Object.entries(list).sort(([a], [b]) => compare(a, b));
  return `map[${entries.map(([name, amount]) => `${name}:${amount}`).join(' ')}]`;
}
