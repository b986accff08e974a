import type { Request } from '../../contract/schema.js';
import type { recordFiltersRequest } from '../../contract/taint-trail/trail-request.js';
import { ruleSubject } from '../../core/audit/rule-subject.js';
import { defined } from '../../core/collections/defined.js';
import type { TrailFilter } from '../../storage/taint-trail/trail-filter.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';

/** The filters of a list of records. */
export type GivenRecordFilter = Request<typeof recordFiltersRequest>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @param current whether superseded records are excluded by default */
export function readRecordFilter(given: GivenRecordFilter, current: boolean): TrailFilter {
  const { node, deviceTaintRule, key, effect, author, channel, kind, change, from, to } = given;
  const details = [];
  if (node !== undefined && deviceTaintRule !== undefined) {
    details.push({
      field: 'deviceTaintRule',
      code: 'conflicting-fields',
      message: 'cannot be combined with node: a record is about one of them',
    });
  }
  if (change !== undefined && !UUID.test(change)) {
    details.push({ field: 'change', code: 'isUuid', message: 'must be the id of a change (UUID)' });
  }
  if (from !== undefined && to !== undefined && new Date(from) >= new Date(to)) {
    details.push({ field: 'to', code: 'isAfter', message: 'must be later than from' });
  }
  if (details.length > 0) throw new InvalidRequestError(details);
  return {
    ...defined({ node: deviceTaintRule === undefined ? node : ruleSubject(deviceTaintRule) }),
    ...defined({ key, effect, author, channel }),
    ...(kind !== undefined && { kinds: kind }),
    ...defined({ change }),
    ...(from !== undefined && { from: new Date(from) }),
    ...(to !== undefined && { to: new Date(to) }),
    current: given.current ?? current,
  };
}

/** The filters as part of the identity of a list, for its tokens. */
export function filterIdentity(filter: TrailFilter): readonly (string | undefined)[] {
  const { node, key, effect, author, channel, kinds, change, from, to, current } = filter;
  const times = [from, to].map((time) => time?.toISOString());
  return [node, key, effect, author, channel, kinds?.join(','), change, ...times, String(current)];
}
