import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.js';
import type { ManifestDocument } from '../../core/kubernetes/manifests/manifest-document.js';
import type { ManifestFault } from '../../core/kubernetes/manifests/manifest-object.js';

/** A request body that is Kubernetes manifests, not a question's own object. */
export class RawManifests {
  constructor(
    readonly documents: readonly ManifestDocument[],
    readonly faults: readonly ManifestFault[],
  ) {}
}

/** Whether a value is a Kubernetes object: it has `apiVersion` and `kind`. */
export function isManifest(value: JsonValue | undefined): value is JsonObject {
  if (!isJsonObject(value)) return false;
  return ['apiVersion', 'kind'].every((name) => {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    return typeof member === 'string' && member !== '';
  });
}

const known = new WeakMap<readonly JsonValue[], RawManifests>();

/** The objects of a body that is manifests, for a member of a request that lists manifests; `rawManifestsOf` has the documents. */
export function listOfRawManifests(raw: RawManifests): readonly JsonObject[] {
  const list = raw.documents.flatMap(({ value }) => (isJsonObject(value) ? [value] : []));
  known.set(list, raw);
  return list;
}

/** The documents of a list of manifests that was the body of a request; undefined for any other list. */
export const rawManifestsOf = (list: readonly JsonValue[]): RawManifests | undefined => known.get(list);
