import { stringifyJson } from '../../core/json/lossless-json.js';

/**
 * The serializer stands on the answer itself. In a WeakMap, what it holds, and so the whole answer, would outlive its request: the garbage
 * collector of the young generation treats the values of a WeakMap as alive, and copies them twice.
 */
const WRITER = Symbol('writer');

interface Written {
  readonly [WRITER]?: () => Buffer;
}

/** Registers a faster serializer for a response, which must be extensible; it must produce the same JSON. */
export function writtenBy<Answer extends object>(answer: Answer, write: (answer: Answer) => Buffer): Answer {
  let written: Buffer | undefined;
  const value = (): Buffer => (written ??= write(answer));
  // Neither `Object.keys` nor a spread sees it.
  return Object.defineProperty(answer, WRITER, { value, configurable: true });
}

const writerOf = (answer: object): (() => Buffer) | undefined =>
  answer instanceof WrittenBody ? () => answer.bytes : (answer as Written)[WRITER];

export const hasWriter = (answer: object): boolean => writerOf(answer) !== undefined;

/** The bytes of an answer with a serializer of its own, which is called once; undefined for any other. */
export const writtenLength = (answer: object): number | undefined => writerOf(answer)?.().length;

/** An answer in place of its JSON, once nothing reads its members any more. */
export class WrittenBody {
  constructor(readonly bytes: Buffer) {}
}

/** An answer as JSON: as text, or as its bytes. */
export function bodyOf(answer: unknown): string | Buffer {
  const write = typeof answer === 'object' && answer !== null ? writerOf(answer) : undefined;
  return write === undefined ? stringifyJson(answer) : write();
}
