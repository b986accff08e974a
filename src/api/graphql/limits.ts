/** Limits of a GraphQL request, with a generous margin above the largest page of a dashboard. */
export const GRAPHQL_LIMITS = {
  /** Characters of the query text; manifests belong in variables. */
  queryLength: 64 * 1024,
  tokens: 4000,
  /** The introspection query of GraphiQL and of code generators has depth 15. */
  depth: 16,
  /** Nested brackets of any kind; the parser is recursive. */
  nesting: 100,
  /** Aliases in the whole document, each of which can be a separate operation. */
  aliases: 50,
  /** Fields of `Query` or `Mutation` in one operation. */
  rootFields: 20,
  directives: 50,
  /** Fields, each multiplied by the `first` of the enclosing lists. */
  complexity: 200_000,
  /** Parsed queries in the cache. */
  cachedQueries: 256,
  /** Query texts that are stored for clients that send hashes. */
  persistedQueries: 512,
} as const;
