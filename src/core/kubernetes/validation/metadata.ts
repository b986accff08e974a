import { defined } from '../../collections/defined.js';
import { forbidden, invalid, quoteGo, required, tooLong, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { jsonGo } from '../go-text.js';
import type { ManifestMeta } from '../objects/manifest.js';
import type { OwnerReference } from '../objects/meta.js';
import { validateLabelName, validateLabels } from './label.js';
import { byteLength } from './names.js';
import { nonNegative } from './non-negative.js';
import { nameIsDnsLabel, nameIsPathSegment, type NameRule } from './object-names.js';

const ANNOTATIONS_LIMIT = 256 * 1024;
const STANDARD_FINALIZERS = new Set(['kubernetes', 'foregroundDeletion', 'orphan']);

/**
 * `ValidateObjectMeta` for a create: names, labels, annotations, owners, finalizers.
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/api/validation/objectmeta.go.
 */
export function validateObjectMeta(
  meta: ManifestMeta,
  namespaced: boolean,
  nameRule: NameRule,
  path: FieldPath,
): FieldError[] {
  return [
    ...validateName(meta, nameRule, path),
    ...validateNamespace(meta.namespace ?? '', namespaced, path.child('namespace')),
    ...nonNegative(meta.generation, path.child('generation')),
    ...validateLabels(meta.labels, path.child('labels')),
    ...validateAnnotations(meta.annotations, path.child('annotations')),
    ...validateOwnerReferences(meta.ownerReferences ?? [], path.child('ownerReferences')),
    ...validateFinalizers(meta.finalizers ?? [], path.child('finalizers')),
    ...validateManagedFields(meta, path.child('managedFields')),
  ];
}

/**
 * `ValidateObjectMeta` for core kinds, which have an additional rule for finalizers.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateCoreObjectMeta(
  meta: ManifestMeta,
  namespaced: boolean,
  nameRule: NameRule,
  path: FieldPath,
): FieldError[] {
  return [
    ...validateObjectMeta(meta, namespaced, nameRule, path),
    ...validateCoreFinalizers(meta.finalizers ?? [], path.child('finalizers')),
  ];
}

/** The API server's checks of the metadata of all kinds, after those of the kind itself (`rest.BeforeCreate`). */
export function validatePathSegments(meta: ManifestMeta, path: FieldPath): FieldError[] {
  return validateName(meta, nameIsPathSegment, path);
}

function validateName(meta: ManifestMeta, nameRule: NameRule, path: FieldPath): FieldError[] {
  const { name, generateName = '' } = meta;
  const errors =
    generateName === '' ? [] : complaints(generateName, nameRule(generateName, true), path, 'generateName');
  // The API server generates the name before validation; the suffix is unknown here.
  if (name === '' && generateName !== '') return errors;
  if (name === '') return [...errors, required(path.child('name'), 'name or generateName is required')];
  return [...errors, ...complaints(name, nameRule(name, false), path, 'name')];
}

function complaints(value: string, messages: readonly string[], path: FieldPath, field: string): FieldError[] {
  return messages.map((message) => invalid(path.child(field), value, message));
}

function validateNamespace(namespace: string, namespaced: boolean, path: FieldPath): FieldError[] {
  if (!namespaced) return namespace === '' ? [] : [forbidden(path, 'not allowed on this type')];
  if (namespace === '') return [required(path)];
  return nameIsDnsLabel(namespace, false).map((message) => invalid(path, namespace, message));
}

/**
 * `ValidateAnnotations`: keys follow the rules of label keys, but may have upper-case letters in the prefix; the total
 * size is at most 256 KiB.
 */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
): FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const errors = entries.flatMap(([key]) =>
    validateLabelName(lowerCase(key), path).map((error) => ({
      ...error,
      message: error.message.replace(quoteGo(lowerCase(key)), () => quoteGo(key)),
    })),
  );
  const size = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  return size > ANNOTATIONS_LIMIT ? [...errors, tooLong(path, ANNOTATIONS_LIMIT)] : errors;
}

/**
 * Go's `strings.ToLower` converts each letter separately, without JavaScript's special cases that result in several
 * letters.
 */
const lowerCase = (text: string): string =>
  Array.from(text, (letter) => {
    const lower = letter.toLowerCase();
    return lower.length === letter.length ? lower : letter;
  }).join('');

function validateOwnerReferences(references: readonly OwnerReference[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  let controller = '';
  for (const reference of references) {
    errors.push(...validateOwnerReference(reference, path));
    if (reference.controller !== true) continue;
    const found = `${reference.kind}/${reference.name}`;
    if (controller === '') {
      controller = found;
    } else {
      const rule = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${found}`;
      errors.push(invalid(path, { text: jsonGo(references.map(inGoOrder)) }, rule));
    }
  }
  return errors;
}

function validateOwnerReference(reference: OwnerReference, path: FieldPath): FieldError[] {
  const { apiVersion, kind, name, uid = '' } = reference;
  const errors: FieldError[] = [];
  if (versionOf(apiVersion) === '')
    errors.push(invalid(path.child('apiVersion'), apiVersion, 'version must not be empty'));
  for (const [field, value] of Object.entries({ kind, name, uid })) {
    // Up to 1.33 (k8s.io/apimachinery v0.33.3, pkg/api/validation/objectmeta.go) the field is named.
    const earlier = { before: 34, text: `${field} must not be empty` };
    if (value === '') errors.push(invalid(path.child(field), value, 'must not be empty', earlier));
  }
  // The group of `/v1` is empty, like that of `v1`.
  if ((apiVersion === 'v1' || apiVersion === '/v1') && kind === 'Event') {
    errors.push(
      invalid(path, { text: jsonGo(inGoOrder(reference)) }, '/v1, Kind=Event is disallowed from being an owner'),
    );
  }
  return errors;
}

/** `schema.ParseGroupVersion`: the part after the slash; empty if there is more than one slash. */
function versionOf(apiVersion: string): string {
  const parts = apiVersion.split('/');
  return parts.length > 2 ? '' : parts.at(-1)!;
}

const inGoOrder = (reference: OwnerReference & { readonly blockOwnerDeletion?: boolean }): object => ({
  apiVersion: reference.apiVersion,
  kind: reference.kind,
  name: reference.name,
  uid: reference.uid ?? '',
  ...defined({ controller: reference.controller, blockOwnerDeletion: reference.blockOwnerDeletion }),
});

function validateFinalizers(finalizers: readonly string[], path: FieldPath): FieldError[] {
  const errors = finalizers.flatMap((finalizer) => validateLabelName(finalizer, path));
  if (!finalizers.includes('orphan') || !finalizers.includes('foregroundDeletion')) return errors;
  const rule = 'finalizer orphan and foregroundDeletion cannot be both set';
  return [...errors, invalid(path, { text: jsonGo(finalizers) }, rule)];
}

function validateCoreFinalizers(finalizers: readonly string[], path: FieldPath): FieldError[] {
  const rule = 'name is neither a standard finalizer name nor is it fully qualified';
  return finalizers.flatMap((finalizer, index) =>
    finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer) ? [] : [invalid(path.index(index), finalizer, rule)],
  );
}

function validateManagedFields(meta: ManifestMeta, path: FieldPath): FieldError[] {
  return (meta.managedFields ?? []).flatMap(({ operation = '', fieldsType = '' }) => {
    const errors: FieldError[] = [];
    if (operation !== 'Apply' && operation !== 'Update') {
      errors.push(invalid(path.child('operation'), operation, 'must be `Apply` or `Update`'));
    }
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      errors.push(invalid(path.child('fieldsType'), fieldsType, 'must be `FieldsV1`'));
    }
    return errors;
  });
}
