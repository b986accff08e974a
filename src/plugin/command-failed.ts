/** A command has no answer; the message says why, for the user. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';

  constructor(
    message: string,
    /** One line for each thing that is wrong. */
    readonly details: readonly string[] = [],
  ) {
    super(message);
  }
}
