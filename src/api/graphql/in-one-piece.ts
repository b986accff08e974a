/** A text as a stream of bytes. */
export async function* inOnePiece(text: string): AsyncGenerator<Uint8Array, void> {
  await Promise.resolve();
  yield Buffer.from(text);
}
