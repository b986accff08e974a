import { defined } from '../../core/collections/defined.js';
import type { JsonValue } from '../../core/json/json-value.js';
import type { ErrorCode } from '../../contract/error-code.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { IngestError } from '../../ingest/ingest-error.js';
import { readYamlDocument } from '../../ingest/read-yaml-document.js';
import { decodeUtf8 } from './json-body.js';

/** The parser builds a tree many times the size of the text. */
const GREATEST_BYTES = 1024 * 1024;
const RETRY_AFTER_SECONDS = 5;

/**
 * Parses a YAML body with a single document as kubectl does, into the same values that JSON would have.
 * @throws {ServiceError} `malformed-yaml` with line and column, or `body-too-large`
 */
export async function readYamlBody(bytes: Uint8Array, caller: string): Promise<JsonValue> {
  if (bytes.length > GREATEST_BYTES) {
    throw new ServiceError(
      'body-too-large',
      `A YAML body may have at most ${GREATEST_BYTES} bytes; send JSON instead.`,
    );
  }
  try {
    return await readYamlDocument(decodeUtf8(bytes, 'malformed-yaml'), caller);
  } catch (error) {
    throw error instanceof IngestError ? yamlError(error) : error;
  }
}

/** Why a text cannot be read as YAML, as an error of the request. */
export function yamlError(error: IngestError): ServiceError {
  const { message, line, column } = error;
  const code = codeOf(error);
  const place = line === undefined ? '' : ` at line ${line}, column ${column ?? 1}`;
  return new ServiceError(code, `The body is not valid YAML: ${message}${place}.`, {
    details: [
      {
        pointer: '',
        code,
        message: message + place,
        ...defined({ line, column }),
      },
    ],
    cause: error,
    ...(code === 'yaml-reader-busy' ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {}),
  });
}

function codeOf({ code }: IngestError): ErrorCode {
  if (code === 'busy') return 'yaml-reader-busy';
  if (code === 'out-of-memory') return 'body-too-large';
  return code === 'worker-failed' ? 'internal' : 'malformed-yaml';
}
