import type { ErrorDetail } from '../../app/errors/service-error.js';
import { onlyItem } from '../../core/admission/read-pod-manifest.js';
import { isManifest } from '../../app/manifests/raw-manifests.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { checkFields } from '../../core/kubernetes/manifests/check-fields.js';
import type { ManifestObject } from '../../core/kubernetes/manifests/manifest-object.js';
import { propertiesOf } from '../contract/field-decorators.js';

/**
 * The API server's refusal of each manifest in a request with `fieldValidation: Strict` that has fields which Kubernetes does not
 * know. `fieldValidation` counts for the manifests beside it and below it. Manifests in items that are read apart are
 * checked when those are read.
 */
export function manifestErrors(envelopeClass: new () => object, envelope: object): readonly ErrorDetail[] {
  const errors: ErrorDetail[] = [];
  visit(envelopeClass, envelope, undefined, false, errors);
  return errors;
}

function visit(
  envelopeClass: new () => object,
  envelope: object,
  at: FieldPath | undefined,
  inherited: boolean,
  errors: ErrorDetail[],
): void {
  const members = envelope as Readonly<Record<string, unknown>>;
  const { fieldValidation } = members;
  const isStrict = fieldValidation === undefined ? inherited : fieldValidation === 'Strict';
  for (const { name, type, list, manifest, readApart } of propertiesOf(envelopeClass)) {
    const member = members[name];
    if (member === undefined || member === null || readApart === true) continue;
    const path = at?.child(name) ?? FieldPath.of(name);
    if (manifest === true) {
      if (isStrict) errors.push(...refusals(member as JsonObject, path));
    } else if (typeof type === 'function') {
      const inner = type() as new () => object;
      const items = list === true ? (member as readonly object[]) : [member];
      for (const [index, item] of items.entries()) {
        visit(inner, item, list === true ? path.index(index) : path, isStrict, errors);
      }
    }
  }
}

function refusals(given: JsonObject, path: FieldPath): readonly ErrorDetail[] {
  const { value, pointer } = onlyItem(given, path.toPointer());
  const { refusal } = checkFields(objectOf(value, pointer), undefined, 'Strict');
  return refusal === undefined ? [] : [{ pointer, code: STRICT_DECODING, message: refusal.message }];
}

export const STRICT_DECODING = 'strict-decoding';

/** A manifest without `apiVersion` and `kind` is a Pod. */
function objectOf(value: JsonObject, pointer: string): ManifestObject {
  const { apiVersion, kind } = isManifest(value) ? value : { apiVersion: 'v1', kind: 'Pod' };
  return {
    source: { document: 0, pointer },
    apiVersion: apiVersion as string,
    kind: kind as string,
    namespace: undefined,
    name: '',
    value,
  };
}
