import { useSearch } from '@tanstack/react-router';

/** What the address says of time: nothing for now, a revision, or a moment (RFC 3339). */
export interface Moment {
  readonly revision?: number;
  readonly at?: string;
}

/** Search parameters of every page. */
export function readMoment(search: Readonly<Record<string, unknown>>): Moment {
  const { revision, at } = search;
  const number = typeof revision === 'number' ? revision : Number.NaN;
  if (Number.isInteger(number) && number > 0) return { revision: number };
  if (typeof at === 'string' && !Number.isNaN(Date.parse(at))) return { at };
  return {};
}

/** Of a moment, what holds for other clusters, too: a revision is that of one. */
export const ofEveryCluster = ({ at }: Moment): Moment => (at === undefined ? {} : { at });

export const isPast = ({ revision, at }: Moment): boolean => revision !== undefined || at !== undefined;

/** The moment of the page, as query parameters of questions. */
export function useMoment(): Moment {
  return readMoment(useSearch({ strict: false }));
}
