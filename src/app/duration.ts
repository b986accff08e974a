const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

const DURATION = /^(?:\d{1,12}|(?:\d{1,12}[smhdw])+)$/;

/** Longer than any retention, and safe to subtract from any date. */
const LONGEST = 1000 * 366 * 86_400;

/** Parses a duration such as `90` (seconds), `90s`, `5m`, `1h30m`, `7d` or `2w` to seconds; undefined if invalid. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+)([smhdw]?)/g)];
  const seconds = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * (SECONDS[unit === '' ? 's' : unit!] ?? 1),
    0,
  );
  return seconds <= LONGEST ? seconds : undefined;
}
