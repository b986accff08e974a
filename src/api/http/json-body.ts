import { setImmediate as nextTurn } from 'node:timers/promises';
import { JsonSyntaxError, parseJson, parseJsonQuickly, stepJson } from '../../core/json/lossless-json.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { FairQueue, QueueFullError } from '../../ingest/fair-queue.js';

/** Far deeper than any Kubernetes object; upstream rejects more than 10,000. */
const GREATEST_DEPTH = 200;

/**
 * Bodies of up to this many characters are parsed synchronously, and most of up to eight times as many, which takes as long; others in
 * steps, one body at a time, taking turns between callers. A hundred pods are half a million characters.
 */
const SHORT = 128 * 1024;
const MEDIUM = 8 * SHORT;
/** Of a body with more keys, objects and arrays, JSON.parse takes too long. A hundred pods have 33,000. */
const MOST_PARTS = 40_000;
const queue = new FairQueue({ atOnce: 1, perCaller: 4, inTotal: 16 });
const RETRY_AFTER_SECONDS = 1;

/**
 * Parses a JSON body: UTF-8 (with or without byte order mark), 64-bit integers without loss of precision, by default no
 * duplicate keys.
 * @param caller whose body it is: each caller gets a share of the time for long bodies
 * @throws {ServiceError} `malformed-json`, with line and column in the message; `json-reader-busy`
 */
export async function readJsonBody(
  bytes: Uint8Array,
  caller: string,
  duplicateKeys: 'last' | 'reject' = 'reject',
): Promise<JsonValue> {
  const text = decodeUtf8(bytes, 'malformed-json');
  const options = { maxDepth: GREATEST_DEPTH, duplicateKeys };
  try {
    const quick =
      text.length <= MEDIUM
        ? parseJsonQuickly(text, { maxDepth: GREATEST_DEPTH, duplicateKeys, mostParts: MOST_PARTS })
        : undefined;
    if (quick !== undefined) return quick;
    if (text.length <= SHORT) return parseJson(text, options);
    return await queue.run(caller, () => inSteps(stepJson(text, options)));
  } catch (error) {
    if (error instanceof QueueFullError) {
      throw new ServiceError('json-reader-busy', 'Too many large JSON bodies are waiting to be parsed.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ServiceError('malformed-json', `The body is not valid JSON: ${error.message}.`, {
      details: [
        { pointer: '', code: 'malformed-json', message: error.message, line: error.line, column: error.column },
      ],
    });
  }
}

/** How long a body is parsed before other work gets a turn, in milliseconds; each turn may take twice as long. */
const TURN_MS = 4;

/** Yields to other work from time to time. */
async function inSteps(steps: Generator<undefined, JsonValue, undefined>): Promise<JsonValue> {
  let began = performance.now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function decodeUtf8(bytes: Uint8Array, code: 'malformed-json' | 'malformed-yaml'): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ServiceError(code, 'The body is not valid UTF-8.');
  }
}
