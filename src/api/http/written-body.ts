import { stringifyJson } from '../../core/json/lossless-json.js';

const writers = new WeakMap<object, () => Buffer>();

/** Registers a faster serializer for a response; it must produce the same JSON. */
export function writtenBy<Answer extends object>(answer: Answer, write: (answer: Answer) => Buffer): Answer {
  let written: Buffer | undefined;
  writers.set(answer, () => (written ??= write(answer)));
  return answer;
}

export const hasWriter = (answer: object): boolean => writers.has(answer);

/** The bytes of an answer with a serializer of its own, which is called once; undefined for any other. */
export const writtenLength = (answer: object): number | undefined => writers.get(answer)?.().length;

/** An answer as JSON: as text, or as its bytes. */
export function bodyOf(answer: unknown): string | Buffer {
  const write = typeof answer === 'object' && answer !== null ? writers.get(answer) : undefined;
  return write === undefined ? stringifyJson(answer) : write();
}

/** Serializes a response as JSON. */
export const bodyText = (answer: unknown): string => bodyOf(answer).toString();
