import { GraphQLError } from 'graphql';
import { limitError } from './limit-error.js';
import { GRAPHQL_LIMITS } from './limits.js';

/**
 * Checks the text of a query before it is parsed.
 *
 * Mercurius would read a query that is not GraphQL as a JSON syntax tree, bypassing every limit, so JSON is rejected.
 * @throws {GraphQLError}
 */
export function checkSource(source: string): void {
  if (source.length > GRAPHQL_LIMITS.queryLength) {
    throw limitError(
      `The query has ${source.length} characters; at most ${GRAPHQL_LIMITS.queryLength} are allowed. Pass manifests as ` +
        'variables.',
    );
  }
  if (/^\s*(\{\s*["}]|[["\d-]|true\b|false\b|null\b)/.test(source)) {
    throw new GraphQLError('Syntax Error: the query is not a GraphQL document.');
  }
  checkNesting(source);
}

/** Also counts brackets in strings and comments; real queries do not have a hundred unclosed ones. */
function checkNesting(source: string): void {
  let nesting = 0;
  for (const character of source) {
    if ('{[('.includes(character)) nesting += 1;
    else if ('}])'.includes(character) && nesting > 0) nesting -= 1;
    if (nesting > GRAPHQL_LIMITS.nesting) {
      throw limitError(`The query nests brackets more than ${GRAPHQL_LIMITS.nesting} levels deep.`);
    }
  }
}
