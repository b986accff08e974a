/** A text as a stream with a single chunk. */
export async function* singleChunk(text: string): AsyncGenerator<Uint8Array, void> {
  await Promise.resolve();
  yield Buffer.from(text);
}
