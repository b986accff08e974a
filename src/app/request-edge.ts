/** What a request brings besides its words: the time, and names that nobody has given before. Made once, at the edge. */
export interface RequestEdge {
  readonly now: Date;
  readonly requestId: string;
  /** Aborted when the caller has gone before the answer was out: nobody reads it any more. */
  readonly signal: AbortSignal;
  /** A new id for each answer; a GraphQL request may hold several. */
  nextDecisionId(): string;
  /** Those that were given so far, for the log. */
  readonly decisionIds: readonly string[];
}
