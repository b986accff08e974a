import { GraphQLError, type ASTNode } from 'graphql';
import { defined } from '../../core/collections/defined.js';

/** A query that asks for too much; the message names the limit. */
export function limitError(message: string, node?: ASTNode): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code: 'graphql-limit-exceeded' },
    ...defined({ nodes: node }),
  });
}
