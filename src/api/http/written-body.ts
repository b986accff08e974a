import { stringifyJson } from '../../core/json/lossless-json.js';

const writers = new WeakMap<object, () => string>();

/** Registers a faster serializer for a response; it must produce the same JSON. */
export function writtenBy<Answer extends object>(answer: Answer, write: (answer: Answer) => string): Answer {
  writers.set(answer, () => write(answer));
  return answer;
}

/** Serializes a response as JSON. */
export function bodyText(answer: unknown): string {
  const write = typeof answer === 'object' && answer !== null ? writers.get(answer) : undefined;
  return write === undefined ? stringifyJson(answer) : write();
}
