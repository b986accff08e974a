/**
 * When something happened, as far as it is known: not before `earliest` and not after `latest`, both in milliseconds
 * since the epoch. `earliest` is -Infinity if the past is not known.
 */
export interface KnownMoment {
  readonly earliest: number;
  readonly latest: number;
}

export const exactly = (at: number): KnownMoment => ({ earliest: at, latest: at });

/** The later of two moments. */
export function laterOf(a: KnownMoment, b: KnownMoment): KnownMoment {
  if (a.earliest >= b.earliest && a.latest >= b.latest) return a;
  if (b.earliest >= a.earliest && b.latest >= a.latest) return b;
  return { earliest: Math.max(a.earliest, b.earliest), latest: Math.max(a.latest, b.latest) };
}

export function shifted({ earliest, latest }: KnownMoment, byMs: number): KnownMoment {
  return { earliest: earliest + byMs, latest: latest + byMs };
}
