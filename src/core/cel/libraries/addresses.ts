import { quoteGo } from '../../kubernetes/go-text.js';

/** An address of 4 or 16 bytes. */
export interface Address {
  readonly bytes: readonly number[];
  readonly zone: string;
}

/** A text that is no address, or no prefix, with Go's words. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

function refuse(text: string, what: string, at = ''): never {
  throw new AddressError(`ParseAddr(${quoteGo(text)}): ${what}${at === '' ? '' : ` (at ${quoteGo(at)})`}`);
}

/**
 * Go's `netip.ParseAddr`.
 *
 * @throws {AddressError}
 */
export function parseAddress(text: string): Address {
  const separator = /[.:%]/.exec(text)?.[0];
  if (separator === '.') return { bytes: fieldsOf(text, text), zone: '' };
  if (separator === ':') return parseIpv6(text);
  return refuse(text, separator === '%' ? 'missing IPv6 address' : 'unable to parse IP');
}

function fieldsOf(whole: string, text: string): number[] {
  const fields: number[] = [];
  let value = 0;
  let digits = 0;
  for (const [index, character] of Array.from(text).entries()) {
    if (/[0-9]/.test(character)) {
      if (digits === 1 && value === 0) refuse(whole, 'IPv4 field has octet with leading zero');
      value = value * 10 + Number(character);
      digits += 1;
      if (value > 255) refuse(whole, 'IPv4 field has value >255');
    } else if (character === '.') {
      const rest = Array.from(text).slice(index).join('');
      if (digits === 0 || rest === '.') refuse(whole, 'IPv4 field must have at least one digit', rest);
      if (fields.length === 3) refuse(whole, 'IPv4 address too long');
      fields.push(value);
      value = 0;
      digits = 0;
    } else {
      refuse(whole, 'unexpected character', Array.from(text).slice(index).join(''));
    }
  }
  if (fields.length < 3) refuse(whole, 'IPv4 address too short');
  return [...fields, value];
}

function parseIpv6(text: string): Address {
  const percent = text.indexOf('%');
  const zone = percent === -1 ? '' : text.slice(percent + 1);
  if (percent !== -1 && zone === '') refuse(text, 'zone must be a non-empty string');
  let rest = percent === -1 ? text : text.slice(0, percent);
  const bytes: number[] = [];
  let ellipsis = -1;
  if (rest.startsWith('::')) {
    ellipsis = 0;
    rest = rest.slice(2);
  }
  while (rest !== '' || (bytes.length === 0 && ellipsis === -1)) {
    if (bytes.length >= 16) refuse(text, 'trailing garbage after address', rest);
    const group = /^[0-9a-fA-F]*/.exec(rest)![0];
    if (group.length > 4) refuse(text, 'each group must have 4 or less digits', rest);
    if (group === '') refuse(text, 'each colon-separated field must have at least one digit', rest);
    if (rest.charAt(group.length) === '.') {
      if (ellipsis < 0 && bytes.length !== 12) {
        refuse(text, 'embedded IPv4 address must replace the final 2 fields of the address', rest);
      }
      if (bytes.length > 12) {
        refuse(text, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      }
      bytes.push(...fieldsOf(text, rest));
      break;
    }
    const value = parseInt(group, 16);
    bytes.push(value >> 8, value & 0xff);
    rest = rest.slice(group.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) refuse(text, 'unexpected character, want colon', rest);
    if (rest === ':') refuse(text, 'colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (rest.startsWith(':')) {
      if (ellipsis >= 0) refuse(text, 'multiple :: in address', rest);
      ellipsis = bytes.length;
      rest = rest.slice(1);
    }
  }
  if (bytes.length < 16) {
    if (ellipsis < 0) refuse(text, 'address string too short');
    bytes.splice(ellipsis, 0, ...Array.from({ length: 16 - bytes.length }, () => 0));
  } else if (ellipsis >= 0) {
    refuse(text, 'the :: must expand to at least one field of zeros');
  }
  return { bytes, zone };
}

/** The shortest form; of an IPv6 address that of RFC 5952. */
export function addressText({ bytes }: Address): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups: number[] = [];
  for (let index = 0; index < 16; index += 2) groups.push((bytes[index]! << 8) | bytes[index + 1]!);
  const { start, length } = longestZeros(groups);
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  return length < 2 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start += 1) {
    let end = start;
    while (groups[end] === 0) end += 1;
    if (end - start > best.length) best = { start, length: end - start };
  }
  return best;
}

export interface Prefix {
  readonly address: Address;
  readonly bits: number;
}

/**
 * Go's `netip.ParsePrefix`.
 *
 * @throws {AddressError}
 */
export function parsePrefix(text: string): Prefix {
  const problem = (what: string): AddressError => new AddressError(`netip.ParsePrefix(${quoteGo(text)}): ${what}`);
  const slash = text.lastIndexOf('/');
  if (slash === -1) throw problem("no '/'");
  const address = addressOrProblem(text.slice(0, slash), problem);
  if (address.zone !== '') throw problem('IPv6 zones cannot be present in a prefix');
  const written = text.slice(slash + 1);
  if (!/^(?:[0-9]|[1-9][0-9]+)$/.test(written)) throw problem(`bad bits after slash: ${quoteGo(written)}`);
  const bits = Number(written);
  if (bits > address.bytes.length * 8) throw problem('prefix length out of range');
  return { address, bits };
}

function addressOrProblem(text: string, problem: (what: string) => AddressError): Address {
  try {
    return parseAddress(text);
  } catch (error) {
    if (error instanceof AddressError) throw problem(error.message);
    throw error;
  }
}

/** The address with nothing after its first bits. */
export const masked = ({ address, bits }: Prefix): Address => ({
  ...address,
  bytes: address.bytes.map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - index * 8)))),
});

/** Whether the first bits of a prefix are those of an address of the same family. */
export function covers(prefix: Prefix, address: Address): boolean {
  if (prefix.address.bytes.length !== address.bytes.length) return false;
  const other = masked({ address, bits: prefix.bits }).bytes;
  return masked(prefix).bytes.every((byte, index) => byte === other[index]);
}
