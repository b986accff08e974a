import { timeText } from './words.js';

type Time = Date | string | null;

/** A time, or the time between two observations. */
export function whenText(when: { readonly from: Time; readonly to: Time } | null): string | null {
  if (when === null) return null;
  const [from, to] = [timeText(when.from), timeText(when.to)];
  if (from === to || to === null) return from;
  return from === null ? `before ${to}` : `${from} to ${to}`;
}

interface Attributed {
  readonly by: { readonly username: string } | null;
  readonly onBehalfOf: string | null;
  readonly actor: { readonly class: string; readonly program: string | null } | null;
  readonly certainty: string | null;
}

/** Who did it, as far as that is known, and how certain it is. */
export function whoText({ by, onBehalfOf, actor, certainty }: Attributed): string {
  const who = by?.username ?? actor?.program ?? actor?.class ?? 'not known';
  const whose = onBehalfOf === null ? '' : ` for ${onBehalfOf}`;
  return `${who}${whose}${certainty === null || certainty === 'certain' ? '' : ` (${certainty})`}`;
}
