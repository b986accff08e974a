import { GraphQLError } from 'graphql';
import { defined } from '../../core/collections/defined.js';
import { formatErrors } from './format-errors.js';

/**
 * Combines the errors of a subscription into the one error that its protocol allows; the others become its details.
 * Mercurius sends it unchanged, without the formatter of responses.
 * @param resumeAfter the id to resume from
 */
export function subscriptionError(thrown: readonly unknown[], requestId: string, resumeAfter?: string): GraphQLError {
  const { errors } = formatErrors(thrown, requestId);
  const [first, ...others] = errors as readonly { message: string; extensions: Record<string, unknown> }[];
  const also = others.map(({ message, extensions }) => ({ code: extensions['code'], message }));
  const own = (first?.extensions['errors'] ?? []) as readonly unknown[];
  return new GraphQLError(first?.message ?? 'Something went wrong.', {
    extensions: {
      ...first?.extensions,
      errors: [...own, ...also],
      ...defined({ resumeAfter }),
    },
  });
}
