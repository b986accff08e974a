import { forbidden, invalid, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import type { ManifestMeta } from '../objects/manifest.js';
import { validateObjectMeta } from './metadata.js';
import { nameIsPathSegment } from './object-names.js';

/**
 * `ValidateObjectMetaUpdate`, and the API server's checks of the metadata of all kinds in an update. Values that it takes from
 * the stored object, and which are therefore valid, are not checked: times, and an absent UID. The resourceVersion is assumed
 * to be the stored one.
 *
 * Sources: k8s.io/apimachinery v0.36.2, pkg/api/validation/objectmeta.go; k8s.io/apiserver v0.36.2,
 * pkg/registry/rest/update.go.
 */
export function validateMetaUpdate(now: ManifestMeta, before: ManifestMeta, path: FieldPath): FieldError[] {
  const errors = validateObjectMeta(now, true, nameIsPathSegment, path);
  const unchangeable = (field: 'name' | 'namespace' | 'uid'): void => {
    const value = now[field] ?? '';
    if (value !== (before[field] ?? '')) errors.push(invalid(path.child(field), value, 'field is immutable'));
  };
  unchangeable('name');
  unchangeable('namespace');
  if ((now.uid ?? '') !== '' && before.uid !== undefined) unchangeable('uid');
  if (before.deletionTimestamp !== undefined) {
    const known = new Set(before.finalizers ?? []);
    const added = [...new Set(now.finalizers ?? [])].filter((finalizer) => !known.has(finalizer)).sort();
    if (added.length > 0) {
      const rule = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((one) => JSON.stringify(one)).join(', ')}}`;
      errors.push(forbidden(path.child('finalizers'), rule));
    }
  }
  return errors;
}
