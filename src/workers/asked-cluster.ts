/** Where REST names the cluster in the request line; a proxy may have put a prefix before it. */
const IN_PATH = /^[A-Z]+ [^\s?]*?\/api\/v1\/clusters\/([^/?\s:]+)/;
const IS_GRAPHQL = /^POST [^\s?]*?\/graphql[?\s]/;
/** Where GraphQL names it, in the text of the query, which is a string of JSON: itself, or a variable. */
const IN_QUERY = /\bcluster(?:\(\s*name)?\s*:\s*(?:\\"([^"\\]+)\\"|\$(\w+))/;

/**
 * The cluster that the first request of a connection asks about, as far as its first bytes tell; undefined if they do not. A wrong
 * guess costs time and memory, never a wrong answer: each worker answers everything.
 */
export function askedCluster(head: Buffer): string | undefined {
  const text = head.toString('latin1');
  const [, inPath] = IN_PATH.exec(text) ?? [];
  if (inPath !== undefined) return decoded(inPath);
  if (!IS_GRAPHQL.test(text)) return undefined;
  const [, literal, variable] = IN_QUERY.exec(text) ?? [];
  return variable === undefined ? literal : new RegExp(`"${variable}"\\s*:\\s*"([^"\\\\]+)"`).exec(text)?.[1];
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
