import { defined } from '../../core/collections/defined.js';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { getComplexity, type ComplexityEstimatorArgs } from 'graphql-query-complexity';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../contract/page.js';
import { GRAPHQL_LIMITS } from './limits.js';
import { limitError } from './limit-error.js';

/** A connection costs its children as often as it may have edges, objects by their ids as often as there are ids; every other field one, and its children. */
function estimate({ field, args, childComplexity }: ComplexityEstimatorArgs): number {
  const { ids } = args as { readonly ids?: unknown };
  if (Array.isArray(ids)) return 1 + ids.length * childComplexity;
  if (!field.args.some(({ name }) => name === 'first')) return 1 + childComplexity;
  const first: unknown = args['first'];
  // What is beyond the cap is refused by the field itself, with a clearer message than this limit's.
  const size = typeof first === 'number' && first >= 0 ? Math.min(first, MAX_PAGE_SIZE) : DEFAULT_PAGE_SIZE;
  return 1 + size * childComplexity;
}

/** @throws {GraphQLError} when the operation, with these variables, may cost more than the limit */
export function checkComplexity(
  schema: GraphQLSchema,
  query: DocumentNode,
  variables: Record<string, unknown> | undefined,
  operationName: string | undefined,
): void {
  const complexity = getComplexity({
    schema,
    query,
    estimators: [estimate],
    maxQueryNodes: 10_000,
    variables: variables ?? {},
    ...defined({ operationName }),
  });
  if (complexity > GRAPHQL_LIMITS.complexity) {
    throw limitError(
      `The query may cost ${complexity} fields; at most ${GRAPHQL_LIMITS.complexity} are allowed. Ask for smaller pages.`,
    );
  }
}
