import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/service.js';
import { exactTime } from '../../ui/time.js';
import { Badge, type BadgeKind } from '../../ui/badge.js';
import type { Known } from '../../ui/time-chart.js';
import type { TrailRecord } from './queries.js';

type When = Schemas['When'];

/** Some of the times are as somebody wrote them. */
const timeText = (at: string): string => (Number.isNaN(Date.parse(at)) ? at : exactTime(at));

export function whenText({ kind, from, to }: When): string {
  if (kind === 'point') return timeText(to);
  return from === null ? `by ${timeText(to)}` : `between ${timeText(from)} and ${timeText(to)}`;
}

export function knownOf({ from, to }: When): Known {
  const latest = Date.parse(to);
  return { earliest: from === null ? -Infinity : Date.parse(from), latest };
}

const CERTAINTY: Readonly<Record<Schemas['AttributionCertainty'], BadgeKind>> = {
  certain: 'good',
  likely: 'good',
  possible: 'warn',
  unknown: 'quiet',
};

/** Who made a change, by what evidence. */
export function Who({
  by,
  actor,
  certainty,
  basis,
  onBehalfOf,
}: Pick<TrailRecord, 'by' | 'actor' | 'certainty' | 'basis' | 'onBehalfOf'>) {
  const program = actor === null ? null : (actor.program ?? (actor.class === 'unknown' ? null : actor.class));
  return (
    <>
      {by === null ? (
        <bdi>{program ?? 'not known'}</bdi>
      ) : (
        <Link to="." search={(search) => ({ ...search, author: by.username, record: undefined })}>
          <bdi>{by.username}</bdi>
        </Link>
      )}
      {by?.impersonatedBy != null && (
        <>
          {' '}
          (really <bdi>{by.impersonatedBy}</bdi>)
        </>
      )}
      {onBehalfOf !== null && (
        <>
          {' '}
          for <bdi>{onBehalfOf}</bdi>
        </>
      )}
      {certainty !== null && (
        <>
          {' '}
          <Badge kind={CERTAINTY[certainty]}>
            {certainty}
            {basis !== null && basis !== 'none' && `: ${basis}`}
          </Badge>
        </>
      )}
    </>
  );
}

/** What a record or an attribution proves, and what not. */
export function Proofs({
  proves,
  doesNotProve,
}: {
  readonly proves: readonly string[];
  readonly doesNotProve: readonly string[];
}) {
  return (
    <>
      {proves.length > 0 && (
        <p>
          <strong>Proves:</strong> <bdi>{proves.join(' ')}</bdi>
        </p>
      )}
      {doesNotProve.length > 0 && (
        <p>
          <strong>Does not prove:</strong> <bdi>{doesNotProve.join(' ')}</bdi>
        </p>
      )}
    </>
  );
}
