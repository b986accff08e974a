import { JsonSyntaxError, parseJson } from '../../core/json/lossless-json.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { ServiceError } from '../../app/errors/service-error.js';

/** Far beyond any Kubernetes object; upstream refuses at 10,000. */
const GREATEST_DEPTH = 200;

/**
 * Reads a JSON body: UTF-8 (a byte order mark is let pass), 64-bit integers without loss, no key twice in one object unless told.
 * @throws {ServiceError} `malformed-json`, with line and column in its words
 */
export function readJsonBody(bytes: Uint8Array, duplicateKeys: 'last' | 'reject' = 'reject'): JsonValue {
  const text = decodeUtf8(bytes, 'malformed-json');
  try {
    return parseJson(text, { maxDepth: GREATEST_DEPTH, duplicateKeys });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ServiceError('malformed-json', `The body is not the JSON that is needed: ${error.message}.`, {
      details: [
        { pointer: '', code: 'malformed-json', message: error.message, line: error.line, column: error.column },
      ],
    });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function decodeUtf8(bytes: Uint8Array, code: 'malformed-json' | 'malformed-yaml'): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ServiceError(code, 'The body is not UTF-8.');
  }
}
