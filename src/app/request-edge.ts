/** What a request brings besides its words: the time, and names that nobody has given before. Made once, at the edge. */
export interface RequestEdge {
  readonly now: Date;
  readonly requestId: string;
  /** A new id for each answer; a GraphQL request may hold several. */
  nextDecisionId(): string;
}
