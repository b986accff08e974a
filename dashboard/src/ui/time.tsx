import { useEffect, useState } from 'react';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

const zoned = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });

/** A moment as a text that stays true, with its time zone. */
export const exactTime = (at: string): string => zoned.format(new Date(at));

/** "5 minutes ago" */
export function ago(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? UNITS[3];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** A moment as a distance from now, with the moment itself on hover; the distance keeps true. */
export function Time({ at }: { readonly at: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const tell = (): void => setNow(Date.now());
    // A new moment may be later than the last tick.
    const soon = window.setTimeout(tell);
    const timer = window.setInterval(tell, 10_000);
    return () => {
      window.clearTimeout(soon);
      window.clearInterval(timer);
    };
  }, [at]);
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {ago(at, now)}
    </time>
  );
}
