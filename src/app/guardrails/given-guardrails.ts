import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { Guardrail } from '../../core/guardrails/guardrail.js';
import { readGuardrails } from '../../core/guardrails/read-guardrails.js';
import { type GuardrailCaseResult, stepGuardrailTests } from '../../core/guardrails/test-guardrails.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { type ErrorDetail, ServiceError } from '../errors/service-error.js';
import { fieldOfPointer } from '../field-of-pointer.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';

/** Maximum characters of a document as JSON. */
const LONGEST_DOCUMENT = 1024 * 1024;

export interface GivenGuardrails {
  readonly guardrails: readonly Guardrail[];
  readonly content: JsonObject;
}

/**
 * The document of a request.
 *
 * @param root the member of the request that holds it; empty for a whole body
 * @throws {InvalidRequestError} with every fault of the document
 * @throws {ServiceError} `body-too-large`
 */
export function givenGuardrails(document: JsonValue | undefined, root: string): GivenGuardrails {
  if (document === undefined || document === null) {
    throw new InvalidRequestError([
      { pointer: pointerTo(root, ''), code: 'body-required', message: 'is required: a document of guardrails' },
    ]);
  }
  if (stringifyJson(document).length > LONGEST_DOCUMENT) {
    throw new ServiceError(
      'body-too-large',
      `A document of guardrails may have at most ${LONGEST_DOCUMENT} characters.`,
    );
  }
  const read = readGuardrails(document);
  if (!('faults' in read)) return read;
  throw new InvalidRequestError(
    read.faults.map(({ pointer, code, message }) => ({
      pointer: pointerTo(root, pointer),
      field: fieldOfPointer(pointer),
      code,
      message,
    })),
  );
}

/** The document of a request that may have none. @throws {ServiceError} as `givenGuardrails` */
export const givenIn = (document: JsonValue | undefined, root: string): GivenGuardrails | undefined =>
  document === undefined || document === null ? undefined : givenGuardrails(document, root);

const pointerTo = (root: string, pointer: string): string =>
  `${root === '' ? '' : `/${root.replace('.', '/')}`}${pointer}`;

/** Runs the tests of rules. */
export const runTests = (
  guardrails: readonly Guardrail[],
  signal: AbortSignal,
): Promise<readonly GuardrailCaseResult[]> => runSteps(stepGuardrailTests(guardrails), new TimeSlices({ signal }));

/**
 * Refuses rules whose tests fail.
 * @throws {InvalidRequestError} with each failing case
 */
export function refuseFailures(results: readonly GuardrailCaseResult[], root: string): void {
  const details = results.flatMap((result): ErrorDetail[] =>
    result.passed
      ? []
      : [
          {
            pointer: pointerTo(root, result.pointer),
            field: fieldOfPointer(result.pointer),
            code: 'test-failed',
            message: failureOf(result),
          },
        ],
  );
  if (details.length > 0) throw new InvalidRequestError(details);
}

function failureOf({ rule, test, expected, outcome, expectedMessage, message }: GuardrailCaseResult): string {
  const what =
    outcome === expected
      ? `has the message ${JSON.stringify(message)}, not ${JSON.stringify(expectedMessage)}`
      : `is ${outcome}, not ${expected}${message === null ? '' : `: ${message}`}`;
  return `test ${JSON.stringify(test)} of ${JSON.stringify(rule)} ${what}`;
}
