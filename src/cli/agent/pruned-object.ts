import type { ObjectRow } from '../../core/cluster/object-row.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { parseJson, stringifyJson } from '../../core/json/lossless-json.js';
import { managedFieldsOf } from '../../core/kubernetes/schema/taint-ownership.js';
import type { TaintOwnership } from '../../core/kubernetes/objects/meta.js';

const METADATA = '"metadata":{';

/**
 * What is kept of an object, as JSON that is read as the same row again: with its resourceVersion, and for a node or a DeviceTaintRule with the
 * part of `managedFields` that says who owns its taints.
 */
export function prunedObject({ kind, content, resourceVersion }: ObjectRow): string {
  if ((kind === 'Node' || kind === 'DeviceTaintRule') && content.includes('"taintOwnership":')) {
    return prunedWithOwners(content, resourceVersion);
  }
  if (resourceVersion === null) return content;
  // Quotes within strings are escaped, and no member before the metadata has any.
  const at = content.indexOf(METADATA) + METADATA.length;
  return `${content.slice(0, at)}"resourceVersion":${JSON.stringify(resourceVersion)},${content.slice(at)}`;
}

function prunedWithOwners(content: string, resourceVersion: string | null): string {
  const object = parseJson(content) as JsonObject & { readonly metadata: JsonObject };
  const { taintOwnership, ...metadata } = object.metadata;
  return stringifyJson({
    ...object,
    metadata: {
      ...metadata,
      ...(resourceVersion !== null && { resourceVersion }),
      managedFields: managedFieldsOf(taintOwnership as unknown as readonly TaintOwnership[]),
    },
  });
}
