import { type ErrorDetail, ServiceError } from '../errors/service-error.js';
import type { ChangeToMake } from './change-to-make.js';
import type { NodesPlan } from './plan-nodes.js';

/** Maximum number of details in the error of a rejected change. */
const MAX_NAMED = 1_000;
const MAX_SENTENCE_LENGTH = 1_000;

/**
 * Rejects a change that cannot be applied to every node, unless `perNode` is set.
 * @throws {ServiceError} `object-not-found` if nodes are missing and nothing else is wrong; otherwise
 *   `taint-change-refused`, for a revert `revert-conflict`
 */
export function refuseRefused({ outcomes }: NodesPlan, { action, request }: ChangeToMake): void {
  const refused = outcomes.filter(({ outcome }) => outcome === 'refused');
  if (request.perNode || refused.length === 0) return;
  const details: ErrorDetail[] = [];
  for (const { node, errors } of refused) {
    for (const error of errors.slice(0, MAX_NAMED - details.length))
      details.push({ ...error, kind: 'Node', name: node });
  }
  const onlyMissing = refused.every(({ errors }) => errors.every((error) => error.code === 'node-not-found'));
  const [first] = refused;
  const message = first!.message.replaceAll('\n', '; ');
  const sentence = message.length > MAX_SENTENCE_LENGTH ? `${message.slice(0, MAX_SENTENCE_LENGTH)}...` : message;
  const others = refused.length - 1;
  const more = others === 0 ? '' : ` (and ${others} more ${others === 1 ? 'node' : 'nodes'})`;
  const code = action === 'change' ? 'taint-change-refused' : 'revert-conflict';
  throw new ServiceError(
    onlyMissing ? 'object-not-found' : code,
    `Nothing was changed. ${first!.node}: ${sentence}${more}`,
    { details },
  );
}
