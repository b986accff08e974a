/** A command has no answer; the message says why, for the user. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';

  constructor(
    message: string,
    /** One line for each thing that is wrong. */
    readonly details: readonly string[] = [],
    /** 1 if Kubernetes would say no as well. */
    readonly exitCode: 1 | 2 = 2,
  ) {
    super(message);
  }
}

/** The exit code of an error of a use case, by its code. */
export const exitCodeOfError = (code: string | undefined): 1 | 2 => (code === 'taint-change-refused' ? 1 : 2);
