import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.js';
import type { TaintOwnership } from '../objects/meta.js';

/** The fields of a node or a DeviceTaintRule whose owners matter: the path as shown to users, and its nesting in `fieldsV1`. */
const OWNED = [
  { path: 'metadata.labels', nested: ['f:metadata', 'f:labels'] },
  { path: 'spec.taints', nested: ['f:spec', 'f:taints'] },
  { path: 'spec.taint', nested: ['f:spec', 'f:taint'] },
  { path: 'spec.unschedulable', nested: ['f:spec', 'f:unschedulable'] },
] as const;

/**
 * The owners of a node's taints, cordon and labels, or of a DeviceTaintRule's taint, according to `metadata.managedFields`; undefined if there are none.
 *
 * The rest of `managedFields`, which names every field of the object, is not kept.
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

/** The part of `metadata.managedFields` from which `readTaintOwnership` reads these owners. */
export function managedFieldsOf(ownership: readonly TaintOwnership[]): readonly JsonObject[] {
  return ownership.map(({ owns, ...entry }) => {
    const fieldsV1: Record<string, Record<string, JsonValue>> = {};
    for (const { path, nested } of OWNED) {
      if (owns.includes(path)) fieldsV1[nested[0]] = { ...fieldsV1[nested[0]], [nested[1]]: {} };
    }
    return { ...entry, fieldsType: 'FieldsV1', fieldsV1 };
  });
}
