import { IngestError } from './ingest-error.js';

/** Media types that may contain objects. They are only a hint: the bytes of the body determine its form. */
const ACCEPTED = new Set([
  'application/json',
  'application/yaml',
  'application/x-yaml',
  'application/vnd.yaml',
  'text/yaml',
  'text/x-yaml',
  'text/json',
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonlines',
  'application/json-seq',
  'application/gzip',
  'application/x-gzip',
  'application/octet-stream',
  'binary/octet-stream',
]);

/** @throws IngestError `unsupported-media-type` for a type that cannot contain objects. An absent type is accepted. */
export function checkMediaType(contentType: string | undefined): void {
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (type === '' || ACCEPTED.has(type) || /^application\/[a-z0-9.-]+\+(json|yaml)$/.test(type)) return;
  throw new IngestError(
    'unsupported-media-type',
    `a body of type ${JSON.stringify(type)} cannot be read; send application/json, application/yaml or application/x-ndjson`,
  );
}

/**
 * Whether the body is declared as gzip.
 *
 * @throws IngestError `unsupported-content-encoding` for every encoding except gzip and identity.
 */
export function declaresGzip(contentEncoding: string | undefined): boolean {
  const encodings = (contentEncoding ?? '')
    .split(',')
    .map((encoding) => encoding.trim().toLowerCase())
    .filter((encoding) => encoding !== '' && encoding !== 'identity');
  const other = encodings.find((encoding) => encoding !== 'gzip' && encoding !== 'x-gzip');
  if (other === undefined && encodings.length <= 1) return encodings.length === 1;
  throw new IngestError(
    'unsupported-content-encoding',
    `content encoding ${JSON.stringify(contentEncoding)} cannot be read; send gzip or none`,
  );
}
