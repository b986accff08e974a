/** The length of all warnings together; the rest is left out (k8s.io/apiserver v0.36.2, pkg/endpoints/filters/warning.go). */
const MOST_CHARACTERS = 4096;

/**
 * Warnings as the value of the header `Warning`, as the API server writes them (`net.NewWarningHeader` of k8s.io/apimachinery
 * v0.36.2): code 299, no agent, and the text in quotes. Each text counts once.
 */
export function warningHeader(texts: readonly string[]): string {
  const headers: string[] = [];
  let length = 0;
  for (const text of new Set(texts)) {
    length += text.length;
    if (length > MOST_CHARACTERS) break;
    const quoted = text.replace(/["\\]/g, '\\$&').replace(CONTROL, ' ');
    // Node.js writes headers as Latin-1; these are the bytes of UTF-8.
    headers.push(`299 - "${Buffer.from(quoted, 'utf8').toString('latin1')}"`);
  }
  return headers.join(', ');
}

const CONTROL = /[\u0000-\u001f\u007f]/g;
