import type { Caller } from '../../auth/caller.js';
import type { applyOptionsInput } from '../../contract/taint-changes/application.js';
import type { Request } from '../../contract/schema.js';
import { faultAt } from '../errors/fault-at.js';
import type { ErrorDetail } from '../errors/service-error.js';
import { placeIn } from '../evictions/read-question.js';
import type { ChangeAuthor } from '../taint-changes/change-details.js';

/** How a change is written to a cluster. */
export interface ApplyOptions {
  /** At most one of these two is set. */
  readonly nodesPerMinute: number | null;
  readonly delaySeconds: number | null;
  readonly maxFailures: number;
  /** Whether taints of others may be touched. */
  readonly force: boolean;
}

/** What is asked of the service: to write a change, and who asks. */
export interface AskedApplication {
  readonly options: ApplyOptions;
  readonly by: ChangeAuthor;
}

export function applyOptionsOf(given: Request<typeof applyOptionsInput> = {}): ApplyOptions {
  const { nodesPerMinute, delaySeconds, maxFailures = 1, force = false } = given;
  return { nodesPerMinute: nodesPerMinute ?? null, delaySeconds: delaySeconds ?? null, maxFailures, force };
}

/** What is wrong with the options: the member, and why. */
export function applyOptionsFault({
  nodesPerMinute,
  delaySeconds,
}: Request<typeof applyOptionsInput>): { readonly member: 'delaySeconds'; readonly message: string } | undefined {
  if (nodesPerMinute === undefined || delaySeconds === undefined) return undefined;
  return { member: 'delaySeconds', message: 'give either nodesPerMinute or delaySeconds, not both' };
}

/** The error of the options of a request. */
export function applyOptionsErrors(given: Request<typeof applyOptionsInput>, root = ''): readonly ErrorDetail[] {
  const fault = applyOptionsFault(given);
  return fault === undefined ? [] : [faultAt(placeIn(root, fault.member), 'conflicting-fields', fault.message)];
}

/** The pause after a node that was written, in milliseconds. */
export const paceOf = ({ nodesPerMinute, delaySeconds }: ApplyOptions): number =>
  nodesPerMinute === null ? (delaySeconds ?? 0) * 1000 : 60_000 / nodesPerMinute;

export const authorOf = ({ name, kind, groups, issuer }: Caller): ChangeAuthor => ({
  name,
  kind,
  groups,
  issuer: issuer ?? null,
});
