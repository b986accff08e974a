import { setImmediate as nextTurn } from 'node:timers/promises';
import { JsonSyntaxError, parseJson, stepJson } from '../../core/json/lossless-json.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { FairQueue, QueueFullError } from '../../ingest/fair-queue.js';

/** Far beyond any Kubernetes object; upstream refuses at 10,000. */
const GREATEST_DEPTH = 200;

/** Characters that are read at once; longer bodies are read in steps, one body at a time, callers in turn. */
const SHORT = 128 * 1024;
const queue = new FairQueue({ atOnce: 1, perCaller: 4, inTotal: 16 });
const RETRY_AFTER_SECONDS = 1;

/**
 * Reads a JSON body: UTF-8 (a byte order mark is let pass), 64-bit integers without loss, no key twice in one object by default.
 * @param caller whose body it is: each has a share of the time for long bodies
 * @throws {ServiceError} `malformed-json`, with line and column in its words; `json-reader-busy`
 */
export async function readJsonBody(
  bytes: Uint8Array,
  caller: string,
  duplicateKeys: 'last' | 'reject' = 'reject',
): Promise<JsonValue> {
  const text = decodeUtf8(bytes, 'malformed-json');
  const options = { maxDepth: GREATEST_DEPTH, duplicateKeys };
  try {
    if (text.length <= SHORT) return parseJson(text, options);
    return await queue.run(caller, () => inSteps(stepJson(text, options)));
  } catch (error) {
    if (error instanceof QueueFullError) {
      throw new ServiceError('json-reader-busy', 'As many long JSON bodies as may wait are waiting to be read.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ServiceError('malformed-json', `The body is not the JSON that is needed: ${error.message}.`, {
      details: [
        { pointer: '', code: 'malformed-json', message: error.message, line: error.line, column: error.column },
      ],
    });
  }
}

/** Lets others run between two steps. */
async function inSteps(steps: Generator<undefined, JsonValue, undefined>): Promise<JsonValue> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    await nextTurn();
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
