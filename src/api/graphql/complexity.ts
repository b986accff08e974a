import { defined } from '../../core/collections/defined.js';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { getComplexity, type ComplexityEstimatorArgs } from 'graphql-query-complexity';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../contract/page.js';
import { GRAPHQL_LIMITS } from './limits.js';
import { limitError } from './limit-error.js';

/**
 * A connection costs its children times its maximum number of edges; a lookup by ids costs its children times the
 * number of ids; any other field costs one plus its children.
 */
function estimate({ field, args, childComplexity }: ComplexityEstimatorArgs): number {
  const { ids } = args as { readonly ids?: unknown };
  if (Array.isArray(ids)) return 1 + ids.length * childComplexity;
  if (!field.args.some(({ name }) => name === 'first')) return 1 + childComplexity;
  const first: unknown = args['first'];
  // A page size above the maximum is rejected by the field itself, with a clearer message.
  const size = typeof first === 'number' && first >= 0 ? Math.min(first, MAX_PAGE_SIZE) : DEFAULT_PAGE_SIZE;
  return 1 + size * childComplexity;
}

/** @throws {GraphQLError} if the operation, with these variables, may cost more than the limit */
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
      `The query may cost ${complexity} fields; at most ${GRAPHQL_LIMITS.complexity} are allowed. Request smaller pages.`,
    );
  }
}
