import { finish } from '../../core/collections/finish.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { findFields, type FieldFindings } from '../../core/kubernetes/manifests/check-fields.js';
import type { ManifestDocument } from '../../core/kubernetes/manifests/manifest-document.js';
import type { ManifestFault, ManifestObject } from '../../core/kubernetes/manifests/manifest-object.js';
import { readManifests, type ReadManifests } from '../../core/kubernetes/manifests/read-manifests.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';

/** The manifests of a request, and what was found in the fields of each object. */
export interface GivenManifests extends ReadManifests {
  readonly fields: ReadonlyMap<ManifestObject, FieldFindings>;
}

/**
 * Reads the manifests of a request, with a pause before the fields of each object are looked at.
 *
 * @param documents of a text (`readManifestText`), or of a list (`documentsOf`)
 * @param faults of the text
 * @throws {InvalidRequestError} that names every document that cannot be used
 */
export function* stepGivenManifests(
  {
    documents,
    faults = [],
  }: { readonly documents: readonly ManifestDocument[]; readonly faults?: readonly ManifestFault[] },
  options: { readonly namespace?: string } = {},
): Generator<undefined, GivenManifests> {
  const read = readManifests(documents, { ...options, faults });
  if ('faults' in read) throw new InvalidRequestError(read.faults.map(faultDetail));
  const fields = new Map<ManifestObject, FieldFindings>();
  for (const object of read.objects) {
    yield;
    fields.set(object, findFields(object, read.documents.get(object)));
  }
  return { ...read, fields };
}

/** As `stepGivenManifests`, without a pause. */
export const givenManifests = (...given: Parameters<typeof stepGivenManifests>): GivenManifests =>
  finish(stepGivenManifests(...given));

/** The documents of manifests that are a list in a request. */
export function documentsOf(manifests: readonly JsonValue[], pointer: string): readonly ManifestDocument[] {
  return manifests.map((value, document) => ({ document, format: 'value', value, pointer: `${pointer}/${document}` }));
}

/** A fault as an error of the request: it names the document, which counts from 1 in texts for people. */
export function faultDetail({ code, message, document, line, column, pointer }: ManifestFault): ErrorDetail {
  const parts = [
    ...(document === undefined ? [] : [`document ${document + 1}`]),
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(column === undefined ? [] : [`column ${column}`]),
  ];
  return {
    pointer,
    code,
    message: parts.length === 0 ? message : `${parts.join(', ')}: ${message}`,
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  };
}
