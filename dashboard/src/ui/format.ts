const whole = new Intl.NumberFormat('en');

/** "10,000" */
export const count = (number: number | bigint): string => whole.format(number);

/** "1 node", "2 nodes" */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : many}`;

const QUANTITY = /^([\d.]+)([a-zA-Z]*)$/;
/** The suffixes of Kubernetes quantities. */
const FACTORS: ReadonlyMap<string, number> = new Map([
  ['m', 1e-3],
  ...['', 'k', 'M', 'G', 'T', 'P'].map((suffix, power) => [suffix, 1000 ** power] as const),
  ...['Ki', 'Mi', 'Gi', 'Ti', 'Pi'].map((suffix, at) => [suffix, 1024 ** (at + 1)] as const),
]);

/** A Kubernetes quantity of a resource, as people read it. */
export function quantity(resource: string, text: string): string {
  const [, digits, suffix = ''] = QUANTITY.exec(text) ?? [];
  const factor = FACTORS.get(suffix);
  if (digits === undefined || factor === undefined) return text;
  return amount(resource, Number(digits) * factor * (resource === 'cpu' ? 1000 : 1));
}

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
