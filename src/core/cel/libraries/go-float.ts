import { CelUnsupported } from '../errors.js';

const DECIMAL = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['inf', Infinity],
  ['infinity', Infinity],
  ['nan', NaN],
]);

/**
 * A number as Go's `strconv.ParseFloat` reads it, or undefined; one beyond a double is none.
 *
 * @throws {CelUnsupported} for a hexadecimal one
 */
export function goFloat(text: string): number | undefined {
  const special = SPECIAL.get(text.replace(/^[+-]/, '').toLowerCase());
  if (special !== undefined) return text.startsWith('-') ? -special : special;
  if (/^[+-]?0[xX][0-9a-fA-F]/.test(text)) throw new CelUnsupported('a hexadecimal floating-point number');
  if (!DECIMAL.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
