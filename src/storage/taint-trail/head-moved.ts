/** The head has moved since the revision that the change was computed from. */
export class HeadMoved extends Error {
  override readonly name = 'HeadMoved';

  constructor(readonly head: number) {
    super(`the head is revision ${head} now`);
  }
}
