import { useEffect, useState } from 'react';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

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
    const timer = window.setInterval(() => setNow(Date.now()), 10_000);
    return () => window.clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {ago(at, now)}
    </time>
  );
}
