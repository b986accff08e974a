const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/**
 * A duration in milliseconds as kubectl shows ages: `119s`, `2m`, `9m59s`, `10m`, `7h59m`, `8h`, `47h`, `2d`, `7d23h`,
 * `8d`, `2y1d`, `8y`. A duration of -2 seconds or less is `<invalid>`.
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/util/duration/duration.go, `HumanDuration`.
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return inTwo(seconds, [MINUTE, 'm'], [1, 's']);
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return inTwo(seconds, [HOUR, 'h'], [MINUTE, 'm']);
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return inTwo(seconds, [DAY, 'd'], [HOUR, 'h']);
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return inTwo(seconds, [YEAR, 'y'], [DAY, 'd']);
  return `${Math.floor(seconds / YEAR)}y`;
}

type Unit = readonly [seconds: number, suffix: string];

function inTwo(seconds: number, [large, largeSuffix]: Unit, [small, smallSuffix]: Unit): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${largeSuffix}${rest === 0 ? '' : `${rest}${smallSuffix}`}`;
}
