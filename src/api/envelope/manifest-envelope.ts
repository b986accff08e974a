import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { givenManifests } from '../../app/manifests/given-manifests.js';
import { commonChecks, type SentManifest } from '../../app/manifests/manifest-checks.js';
import { listOfRawManifests, type RawManifests } from '../../app/manifests/raw-manifests.js';
import { FIELD_VALIDATIONS, type FieldValidation } from '../../core/kubernetes/manifests/check-fields.js';
import type { ManifestObject } from '../../core/kubernetes/manifests/manifest-object.js';

/** The member of a question's body that manifests become; with `list`, in each item of that list. */
export interface ManifestPlace {
  readonly member: string;
  readonly list?: string;
  /** The member is the list of all manifests; the use case reads them. */
  readonly all?: boolean;
  /** The members of those items that may be query parameters. */
  readonly itemScalars: ReadonlySet<string>;
}

/** A body of the question's own form, and what the API server would warn of. */
export interface ManifestEnvelope {
  readonly body: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  /** The manifests whose check depends on the version. */
  readonly unchecked: readonly SentManifest[];
}

/** The maximum number of objects that a message names. */
const NAMED = 5;

/**
 * Puts manifests into a body of the question's own form.
 *
 * @param scalars members that were query parameters
 * @throws {InvalidRequestError} that names every document that cannot be used, every object that the API server would refuse to
 *   decode strictly, or the objects beyond the one that the question takes
 */
export function manifestEnvelope(
  raw: RawManifests,
  { member, list, all: isAll, itemScalars }: ManifestPlace,
  scalars: Readonly<Record<string, unknown>>,
): ManifestEnvelope {
  if (isAll === true) return { body: { ...scalars, [member]: listOfRawManifests(raw) }, warnings: [], unchecked: [] };
  const { documents, faults } = raw;
  const fieldValidation = fieldValidationIn(scalars);
  const { objects, fields } = givenManifests({ documents, faults });
  const sent = objects.map((object) => ({ object, fields: fields.get(object)!, fieldValidation }));
  const { errors: refusals, warnings, others: unchecked } = commonChecks(sent);
  const merged = fieldValidation === 'Strict' ? [] : sent.filter((one) => one.fields.merged !== undefined);
  const errors = [
    ...refusals,
    ...merged.map(({ object: { source }, fields: { merged: field } }): ErrorDetail => {
      return { pointer: source.pointer, code: 'duplicate-field', message: mergedMessage(field!) };
    }),
  ];
  if (list === undefined && objects.length > 1) errors.unshift(tooMany(objects));
  if (errors.length > 0) throw new InvalidRequestError(errors);
  if (list === undefined) return { body: { ...scalars, [member]: objects[0]!.value }, warnings, unchecked };
  const isOfItem = ([name]: readonly [string, unknown]): boolean => itemScalars.has(name);
  const all = Object.entries(scalars);
  const ofItems = Object.fromEntries(all.filter(isOfItem));
  const ids = new Set<string>();
  const items = objects.map((object, index) => ({
    id: idOf(object, index, ids),
    [member]: object.value,
    ...ofItems,
  }));
  return { body: { ...Object.fromEntries(all.filter((one) => !isOfItem(one))), [list]: items }, warnings, unchecked };
}

function fieldValidationIn({ fieldValidation }: Readonly<Record<string, unknown>>): FieldValidation {
  return FIELD_VALIDATIONS.find((value) => value === fieldValidation) ?? 'Warn';
}

const mergedMessage = (field: string): string =>
  `field ${JSON.stringify(field)} is there twice; the API server would merge both values, which is not computed. Keep one.`;

function tooMany(objects: readonly ManifestObject[]): ErrorDetail {
  const named = objects.slice(0, NAMED).map(({ kind, name }) => `${kind} ${name}`.trim());
  const more = objects.length > NAMED ? ', ...' : '';
  const message = `this operation takes the manifest of one pod or workload; the body has ${objects.length} objects (${named.join(', ')}${more})`;
  return { pointer: '', code: 'one-manifest', message };
}

/** `Deployment/default/web`, with a number if that is taken. */
function idOf({ kind, namespace, name, source }: ManifestObject, index: number, taken: Set<string>): string {
  const id = [kind, namespace, name === '' ? String(source.document) : name]
    .filter((part) => part !== undefined)
    .join('/')
    .slice(0, 190);
  const own = taken.has(id) ? `${id}-${index}` : id;
  taken.add(own);
  return own;
}
