/** What one GraphQL request may ask for. Measured generously against what a dashboard's largest page asks. */
export const GRAPHQL_LIMITS = {
  /** Characters of the query itself; manifests belong into variables. */
  queryLength: 64 * 1024,
  tokens: 4000,
  /** The introspection query of GraphiQL and of code generators has 15. */
  depth: 16,
  /** Brackets of any kind inside each other: the parser recurses. */
  nesting: 100,
  /** Fields that are renamed, over the whole document: each can be a question of its own. */
  aliases: 50,
  /** Fields of `Query` or `Mutation` in one operation. */
  rootFields: 20,
  directives: 50,
  /** Fields, each multiplied by the `first` of the lists around it. */
  complexity: 200_000,
  /** Queries whose parsed form is kept. */
  cachedQueries: 256,
  /** Texts that are kept for clients who send their hashes. */
  persistedQueries: 512,
} as const;
