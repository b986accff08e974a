import { GraphQLError, type ASTNode } from 'graphql';
import { defined } from '../../core/collections/defined.js';

/** An error for a query that exceeds a limit; the message names the limit. */
export function limitError(message: string, node?: ASTNode): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code: 'graphql-limit-exceeded' },
    ...defined({ nodes: node }),
  });
}
