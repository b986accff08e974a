import type { listDecisionsAcross } from '../../contract/decisions/questions.js';
import { defined } from '../../core/collections/defined.js';
import type { DecisionFilter } from '../../storage/decisions/decision-store.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import { readPageToken, type ListIdentity } from '../paging/page-token.js';
import type { PageRequest } from '../../contract/page.js';
import type { RequestOf } from '../request-of.js';

/** The filters of a list of decisions, as given. */
export type GivenDecisionFilter = Omit<RequestOf<typeof listDecisionsAcross>, 'page' | 'root'>;

/** @throws {InvalidRequestError} the times are in the wrong order */
export function readDecisionFilter(given: GivenDecisionFilter): DecisionFilter {
  const { workloadKind: kind, namespace, workload: name, verdict, type, caller, since, until } = given;
  if (since !== undefined && until !== undefined && new Date(since) >= new Date(until)) {
    throw new InvalidRequestError([{ field: 'until', code: 'isAfter', message: 'must be later than since' }]);
  }
  return {
    workload: defined({ kind, namespace, name }),
    ...defined({ verdict, type, caller }),
    ...(since !== undefined && { since: new Date(since) }),
    ...(until !== undefined && { until: new Date(until) }),
  };
}

/** The filters as part of the identity of a list, for its tokens. */
export function filterIdentity({ workload, verdict, type, caller, since, until }: DecisionFilter): ListIdentity {
  const names = [workload?.kind, workload?.namespace, workload?.name];
  return ['decisions', ...names, verdict, type, caller, since?.toISOString(), until?.toISOString()];
}

/** The decision that the page follows. @throws {ServiceError} `invalid-continue-token` */
export function beforeOf(list: ListIdentity, { after, afterName }: PageRequest): number | undefined {
  if (after === undefined) return undefined;
  const text = readPageToken(list, after, afterName).after;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ServiceError('invalid-continue-token', 'The token does not belong to a list of decisions.');
}
