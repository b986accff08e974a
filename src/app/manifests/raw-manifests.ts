import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return ['apiVersion', 'kind'].every((name) => {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    return typeof member === 'string' && member !== '';
  });
}
