import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { Expectation } from '../../core/expectations/expectation.js';
import { readExpectations } from '../../core/expectations/read-expectations.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import { fieldOfPointer } from '../field-of-pointer.js';

/** Maximum characters of a file as JSON. */
export const LONGEST_FILE = 1024 * 1024;

export interface GivenExpectations {
  readonly expectations: readonly Expectation[];
  readonly content: JsonObject;
}

/**
 * The file of a request.
 *
 * @param root the member of the request that holds it; empty for a whole body
 * @throws {InvalidRequestError} with every fault of the file
 * @throws {ServiceError} `body-too-large`
 */
export function givenExpectations(file: JsonValue | undefined, root: string): GivenExpectations {
  const at = root === '' ? '' : `/${root.replace('.', '/')}`;
  if (file === undefined || file === null) {
    throw new InvalidRequestError([
      { pointer: at, code: 'body-required', message: 'is required: a file of expectations' },
    ]);
  }
  if (stringifyJson(file).length > LONGEST_FILE) {
    throw new ServiceError('body-too-large', `A file of expectations may have at most ${LONGEST_FILE} characters.`);
  }
  const read = readExpectations(file);
  if (!('faults' in read)) return read;
  throw new InvalidRequestError(
    read.faults.map(({ pointer, code, message }) => ({
      pointer: `${at}${pointer}`,
      field: fieldOfPointer(pointer),
      code,
      message,
    })),
  );
}
