import { isJsonObject, type JsonObject } from '../../core/json/json-value.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { isManifest, RawManifests } from '../../app/manifests/raw-manifests.js';
import { IngestError } from '../../ingest/ingest-error.js';
import { readManifestText } from '../../ingest/read-yaml-document.js';
import { decodeUtf8, readJsonBody } from './json-body.js';
import { readYamlBody, yamlError } from './yaml-body.js';

/** The parser builds a tree many times the size of a document; whole manifests may be longer. */
const GREATEST_BYTES = 8 * 1024 * 1024;

/**
 * Reads the body of a question that takes manifests: the question's own object as every other body, or manifests as they are,
 * YAML documents or JSON objects. A body is manifests if it is an object with `apiVersion` and `kind`, or more than one
 * document.
 *
 * @throws {ServiceError} as for other bodies
 */
export async function readManifestBody(bytes: Uint8Array, caller: string, isJson: boolean): Promise<unknown> {
  return isJson ? jsonBody(bytes, caller) : yamlBody(bytes, caller);
}

async function jsonBody(bytes: Uint8Array, caller: string): Promise<unknown> {
  let problem: ServiceError | undefined;
  try {
    const value = await readJsonBody(bytes, caller);
    if (!isManifest(value)) return value;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'malformed-json') throw error;
    problem = error;
  }
  // Once more, for the lines of objects and for duplicate fields; or as several objects.
  const raw = await manifestsOf(bytes, 'malformed-json', caller);
  if (problem !== undefined && !areManifests(raw)) throw problem;
  return raw;
}

async function yamlBody(bytes: Uint8Array, caller: string): Promise<unknown> {
  if (bytes.length > GREATEST_BYTES) {
    throw new ServiceError('body-too-large', `Manifests in YAML may have at most ${GREATEST_BYTES} bytes.`);
  }
  const raw = await manifestsOf(bytes, 'malformed-yaml', caller);
  if (areManifests(raw)) return raw;
  // The rules and errors of every other body apply.
  const { documents, faults } = raw;
  const [only, ...more] = documents;
  if (only?.repeatedKeys?.length === 0 && more.length + faults.length === 0) return only.value;
  const value = await readYamlBody(bytes, caller);
  return faults.length === 0 ? value : raw;
}

/** Whether a body is manifests: one, or several documents of which one at least has a part of a manifest's type. */
function areManifests({ documents, faults }: RawManifests): boolean {
  if (faults.some(({ code }) => code === 'too-many-documents')) return true;
  const [only, ...more] = documents;
  if (only === undefined) return false;
  return more.length + faults.length === 0
    ? isManifest(only.value)
    : documents.some(({ value }) => isJsonObject(value) && (hasText(value, 'apiVersion') || hasText(value, 'kind')));
}

const hasText = (value: JsonObject, name: string): boolean =>
  Object.hasOwn(value, name) && typeof value[name] === 'string';

async function manifestsOf(
  bytes: Uint8Array,
  code: 'malformed-json' | 'malformed-yaml',
  caller: string,
): Promise<RawManifests> {
  try {
    const { documents, faults } = await readManifestText(decodeUtf8(bytes, code), caller);
    return new RawManifests(documents, faults);
  } catch (error) {
    throw error instanceof IngestError ? yamlError(error) : error;
  }
}
