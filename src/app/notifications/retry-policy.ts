/** Delays between attempts, in milliseconds: doubled each time, up to the maximum. */
const FIRST_DELAY = 1_000;
const LONGEST_DELAY = 5 * 60_000;
/** The longest that a receiver may put off the next attempt, in milliseconds. */
const LONGEST_RETRY_AFTER = 3_600_000;
/** For how long an event is tried, in milliseconds. */
const GIVE_UP_AFTER = 24 * 3_600_000;
/** How often an event is sent that the receiver refuses for what it is. */
const MOST_REFUSALS = 3;

/** Statuses about the event and not about the receiver: it waits in vain, and those behind it need not wait. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** What happens after an attempt. */
export type AfterAttempt =
  | { readonly outcome: 'delivered' }
  /** The receiver wants no more (410 Gone, as CloudEvents' and Standard Webhooks say). */
  | { readonly outcome: 'gone' }
  | { readonly outcome: 'givenUp'; readonly notBefore: Date }
  | { readonly outcome: 'waiting'; readonly notBefore: Date };

export interface Attempt {
  /** Undefined if the receiver did not answer. */
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  /** Attempts to deliver this event, including this one. */
  readonly attempts: number;
  /** Failures of the queue in a row, including this one if it failed. */
  readonly failures: number;
  readonly waitingSince: Date;
  readonly now: Date;
  /** 0 up to 1. */
  readonly random: number;
}

/** Exponential back-off with jitter: between half of the delay and the whole. */
export function afterAttempt(attempt: Attempt): AfterAttempt {
  const { status, attempts, waitingSince, now } = attempt;
  if (status !== undefined && status >= 200 && status < 300) return { outcome: 'delivered' };
  if (status === 410) return { outcome: 'gone' };
  const notBefore = new Date(now.getTime() + delayOf(attempt));
  const isRefused = status !== undefined && REFUSALS.has(status) && attempts >= MOST_REFUSALS;
  // A refused event does not put off the next one.
  if (isRefused) return { outcome: 'givenUp', notBefore: now };
  const isTooOld = notBefore.getTime() - waitingSince.getTime() > GIVE_UP_AFTER;
  return { outcome: isTooOld ? 'givenUp' : 'waiting', notBefore };
}

function delayOf({ failures, random, retryAfter, now }: Attempt): number {
  const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(failures - 1, 30));
  const own = Math.round(delay / 2 + (delay / 2) * random);
  return Math.max(own, Math.min(LONGEST_RETRY_AFTER, retryAfterOf(retryAfter, now) ?? 0));
}

/** `Retry-After`: seconds or an HTTP date (RFC 9110, 10.2.3), in milliseconds from now; undefined if it is neither. */
export function retryAfterOf(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
