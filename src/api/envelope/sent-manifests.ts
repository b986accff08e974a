import { NOTHING } from '../../core/collections/nothing.js';
import { onlyItem } from '../../core/admission/read-pod-manifest.js';
import type { SentManifest } from '../../app/manifests/manifest-checks.js';
import { isManifest } from '../../app/manifests/raw-manifests.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { findFields, type FieldValidation } from '../../core/kubernetes/manifests/check-fields.js';
import type { ManifestObject } from '../../core/kubernetes/manifests/manifest-object.js';
import { propertiesOf } from '../contract/field-decorators.js';

/**
 * Finds the manifests in a request, and what is to be said of their fields. `fieldValidation` counts for the manifests beside it and below it;
 * without any, it is `Warn`. Manifests in items that are read apart are found when those are read.
 */
export function* stepSentManifests(
  envelopeClass: new () => object,
  envelope: object,
): Generator<undefined, readonly SentManifest[]> {
  const sent: SentManifest[] = [];
  yield* stepVisit(envelopeClass, envelope, undefined, 'Warn', sent);
  return sent;
}

function* stepVisit(
  envelopeClass: new () => object,
  envelope: object,
  at: FieldPath | undefined,
  inherited: FieldValidation,
  sent: SentManifest[],
): Generator<undefined, void> {
  const members = envelope as Readonly<Record<string, unknown>>;
  const fieldValidation = (members['fieldValidation'] as FieldValidation | undefined) ?? inherited;
  for (const { name, type, list, manifest, readApart } of propertiesOf(envelopeClass)) {
    const member = members[name];
    if (member === undefined || member === null || readApart === true) continue;
    const path = at?.child(name) ?? FieldPath.of(name);
    const items = list === true ? (member as readonly object[]) : [member];
    for (const [index, item] of items.entries()) {
      if (index > 0) yield;
      const place = list === true ? path.index(index) : path;
      if (manifest !== undefined) {
        const object = objectOf(item as JsonObject, manifest === true ? 'Pod' : manifest, place);
        sent.push({ object, fields: findFields(object, undefined), fieldValidation });
      } else if (typeof type === 'function') {
        yield* stepVisit(type() as new () => object, item, place, fieldValidation, sent);
      }
    }
  }
}

/** A manifest without `apiVersion` and `kind` is of the default kind. */
function objectOf(given: JsonObject, defaultKind: 'Pod' | 'Node', path: FieldPath): ManifestObject {
  const { value, pointer } = onlyItem(given, path.toPointer());
  const whole: JsonObject = isManifest(value)
    ? value
    : { ...NOTHING, ...(value as JsonObject), apiVersion: 'v1', kind: defaultKind };
  const { apiVersion, kind } = whole as { readonly apiVersion: string; readonly kind: string };
  return { source: { document: 0, pointer }, apiVersion, kind, namespace: undefined, name: '', value: whole };
}
