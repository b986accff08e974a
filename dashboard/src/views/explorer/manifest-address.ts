/** What every browser and proxy takes. */
export const MOST_IN_ADDRESS = 6000;
/** A link that unpacks to more is none of ours. */
const MOST_UNPACKED = 1 << 20;

/** A text as it stands in an address: compressed, in base64url. */
export async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** @throws {Error} the link is damaged, or unpacks to too much */
export async function unpacked(address: string): Promise<string> {
  try {
    const binary = atob(address.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (one) => one.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const reader = stream.getReader();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
      if (text.length > MOST_UNPACKED) throw new Error('too long');
    }
  } catch (error) {
    throw new Error('The manifest in this link cannot be read: the link is not whole.', { cause: error });
  }
}
