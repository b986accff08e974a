import type { JsonObject, JsonValue } from '../../json/json-value.js';
import type { TaintOwnership } from '../objects/meta.js';
import { isJsonObject } from './containers.js';

/** What of a node an entry may own that matters here: the path as a reader writes it, and as `fieldsV1` nests it. */
const OWNED = [
  { path: 'metadata.labels', nested: ['f:metadata', 'f:labels'] },
  { path: 'spec.taints', nested: ['f:spec', 'f:taints'] },
  { path: 'spec.unschedulable', nested: ['f:spec', 'f:unschedulable'] },
] as const;

/**
 * Who owns a node's taints, cordon and labels by `metadata.managedFields`; undefined where nobody does.
 *
 * The rest of `managedFields` is not kept: it names every field of the object.
 */
export function readTaintOwnership(node: JsonObject): readonly TaintOwnership[] | undefined {
  const metadata = node['metadata'];
  const entries = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  if (!Array.isArray(entries)) return undefined;
  const ownership = entries.flatMap((entry) => (isJsonObject(entry) ? ownershipOf(entry) : []));
  return ownership.length === 0 ? undefined : ownership;
}

function ownershipOf(entry: JsonObject): TaintOwnership[] {
  const owns = OWNED.filter(({ nested }) => hasNested(entry['fieldsV1'], nested)).map(({ path }) => path);
  if (owns.length === 0) return [];
  const { manager, operation, subresource, time } = entry;
  return [
    {
      ...(typeof manager === 'string' && { manager }),
      ...(typeof operation === 'string' && { operation }),
      ...(typeof subresource === 'string' && { subresource }),
      ...(typeof time === 'string' && { time }),
      owns,
    },
  ];
}

function hasNested(fields: JsonValue | undefined, names: readonly string[]): boolean {
  let inner = fields;
  for (const name of names) {
    if (!isJsonObject(inner) || !Object.hasOwn(inner, name)) return false;
    inner = inner[name];
  }
  return true;
}
