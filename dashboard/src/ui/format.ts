const whole = new Intl.NumberFormat('en');

/** "10,000" */
export const count = (number: number | bigint): string => whole.format(number);

/** "1 node", "2 nodes" */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : many}`;

const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'] as const;

/** An amount of a resource, as the API gives it (millicores for `cpu`), as people read it. */
export function amount(resource: string, value: number): string {
  if (resource === 'cpu') return whole.format(value / 1000);
  const isBytes = /memory|storage|hugepages/.test(resource);
  if (!isBytes) return whole.format(value);
  let scaled = value;
  let unit = 0;
  while (Math.abs(scaled) >= 1024 && unit < UNITS.length - 1) {
    scaled /= 1024;
    unit++;
  }
  return `${scaled >= 100 || unit === 0 ? Math.round(scaled) : Number(scaled.toFixed(1))}${UNITS[unit]}`;
}
