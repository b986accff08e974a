import { type ErrorDetail, ServiceError } from '../errors/service-error.js';
import type { ErrorCode } from '../errors/error-code.js';
import type { ChangePlan } from './plan-change.js';

/** Reasons that an error names, of a change that is refused. */
const MOST_NAMED = 1_000;

/**
 * Refuses a change that does not fit every node, unless it is to be made where it does: all nodes or none.
 * @throws {ServiceError} `object-not-found` where nodes are missing and nothing else is wrong, else `code`
 */
export function refuseRefused(perNode: boolean, code: ErrorCode = 'taint-change-refused'): (plan: ChangePlan) => void {
  return ({ outcomes }) => {
    const refused = outcomes.filter(({ outcome }) => outcome === 'refused');
    if (perNode || refused.length === 0) return;
    const details = refused
      .slice(0, MOST_NAMED)
      .flatMap(({ node, errors }) => errors.map((error): ErrorDetail => ({ ...error, kind: 'Node', name: node })));
    const onlyMissing = refused.every(({ errors }) => errors.every((error) => error.code === 'node-not-found'));
    const [first] = refused;
    const others = refused.length - 1;
    const more = others === 0 ? '' : ` (and ${others} more ${others === 1 ? 'node' : 'nodes'})`;
    throw new ServiceError(
      onlyMissing ? 'object-not-found' : code,
      `Nothing was changed. ${first!.node}: ${first!.message.replaceAll('\n', '; ')}${more}`,
      { details },
    );
  };
}
