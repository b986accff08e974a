import { GraphQLError } from 'graphql';
import { limitError } from './limit-error.js';
import { GRAPHQL_LIMITS } from './limits.js';

/**
 * Looks at the text of a query before it is parsed.
 *
 * Mercurius would read a query that is no GraphQL as the JSON of a syntax tree, past every limit: no JSON is let in.
 * @throws {GraphQLError}
 */
export function checkSource(source: string): void {
  if (source.length > GRAPHQL_LIMITS.queryLength) {
    throw limitError(
      `The query has ${source.length} characters; at most ${GRAPHQL_LIMITS.queryLength} are allowed. ` +
        'Put manifests into variables.',
    );
  }
  if (/^\s*(\{\s*["}]|[["\d-]|true\b|false\b|null\b)/.test(source)) {
    throw new GraphQLError('Syntax Error: the query is not a GraphQL document.');
  }
  checkNesting(source);
}

/** Brackets in strings and comments count as well; nobody writes a hundred of them without closing. */
function checkNesting(source: string): void {
  let nesting = 0;
  for (const character of source) {
    if ('{[('.includes(character)) nesting += 1;
    else if ('}])'.includes(character) && nesting > 0) nesting -= 1;
    if (nesting > GRAPHQL_LIMITS.nesting) {
      throw limitError(`The query is nested deeper than ${GRAPHQL_LIMITS.nesting} brackets.`);
    }
  }
}
