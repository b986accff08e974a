import type { Answers } from './answers.js';
import type { View } from './output/print.js';

/** As a condition of a shell: yes or fine, no, not known. */
export type ExitCode = 0 | 1 | 2;

export interface Reply {
  readonly view: View;
  readonly code: ExitCode;
  /** Done after the reply is printed; its exit code counts. */
  readonly after?: () => Promise<ExitCode>;
}

export interface AskingContext {
  readonly answers: Answers;
  /** The namespace of the options or the context. */
  readonly namespace: string;
}

export type Ask = (context: AskingContext) => Promise<Reply>;

export function tellUnread(unread: readonly string[]): void {
  if (unread.length === 0) return;
  process.stderr.write(`Not known, because it cannot be read:\n${unread.map((one) => `${one}\n`).join('')}\n`);
}
