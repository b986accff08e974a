import { GraphQLError } from 'graphql';
import { defined } from '../../core/collections/defined.js';
import { formatErrors } from './format-errors.js';

/**
 * What went wrong with a subscription, as the one error that its protocol has room for: what else is wrong stands in its
 * details. Mercurius sends it as it is, past the formatter of the answers to requests.
 * @param resumeAfter where to go on from
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
