import type { ErrorDetail } from '../../app/errors/service-error.js';
import { onlyItem } from '../../core/admission/read-pod-manifest.js';
import { isManifest } from '../../app/manifests/raw-manifests.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { checkFields, type FieldValidation } from '../../core/kubernetes/manifests/check-fields.js';
import type { ManifestObject } from '../../core/kubernetes/manifests/manifest-object.js';
import { propertiesOf } from '../contract/field-decorators.js';

/** What the API server says about the manifests in a request. */
interface ManifestChecks {
  /** With `fieldValidation: Strict`: its refusal of each manifest that has fields which Kubernetes does not know. */
  readonly errors: ErrorDetail[];
  /** With `Warn`: its warnings of such fields. */
  readonly warnings: string[];
}

/**
 * Checks the fields of the manifests in a request. `fieldValidation` counts for the manifests beside it and below it; without any, it is
 * `Warn`. Manifests in items that are read apart are checked when those are read.
 */
export function* stepManifestChecks(
  envelopeClass: new () => object,
  envelope: object,
): Generator<undefined, ManifestChecks> {
  const checks: ManifestChecks = { errors: [], warnings: [] };
  yield* stepVisit(envelopeClass, envelope, undefined, 'Warn', checks);
  return checks;
}

function* stepVisit(
  envelopeClass: new () => object,
  envelope: object,
  at: FieldPath | undefined,
  inherited: FieldValidation,
  checks: ManifestChecks,
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
        check(item as JsonObject, manifest === true ? 'Pod' : manifest, place, fieldValidation, checks);
      } else if (typeof type === 'function') {
        yield* stepVisit(type() as new () => object, item, place, fieldValidation, checks);
      }
    }
  }
}

function check(
  given: JsonObject,
  defaultKind: 'Pod' | 'Node',
  path: FieldPath,
  fieldValidation: FieldValidation,
  { errors, warnings }: ManifestChecks,
): void {
  const { value, pointer } = onlyItem(given, path.toPointer());
  const { refusal, warnings: own } = checkFields(objectOf(value, pointer, defaultKind), undefined, fieldValidation);
  if (refusal !== undefined) errors.push({ pointer, code: STRICT_DECODING, message: refusal.message });
  warnings.push(...own);
}

export const STRICT_DECODING = 'strict-decoding';

/** A manifest without `apiVersion` and `kind` is of the default kind. */
function objectOf(value: JsonObject, pointer: string, defaultKind: 'Pod' | 'Node'): ManifestObject {
  const whole: JsonObject = isManifest(value)
    ? value
    : { ...(value as JsonObject), apiVersion: 'v1', kind: defaultKind };
  const { apiVersion, kind } = whole as { readonly apiVersion: string; readonly kind: string };
  return { source: { document: 0, pointer }, apiVersion, kind, namespace: undefined, name: '', value: whole };
}
