import { invalid, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import type { KubernetesRules } from '../kubernetes-rules.js';

/** An IP network as written: all bytes of the address (4 or 16), and the length of the prefix in bits. */
interface Cidr {
  readonly bytes: readonly number[];
  readonly prefix: number;
  /** Whether an octet has leading zeros, which were formerly ignored and are refused today. */
  readonly leadingZeros: boolean;
}

/**
 * `IsValidCIDRForLegacyField`: a network such as `10.9.8.0/24` or `2001:db8::/64`; without leading zeros and without bits after its
 * prefix if the gate StrictIPCIDRValidation is on.
 *
 * Source: k8s.io/apimachinery v0.32.5, pkg/util/validation/validation.go, `IsValidCIDR`; v0.35.7 and v0.36.2, pkg/util/validation/ip.go.
 */
export function validateCidr(value: string, path: FieldPath, { featureGates }: KubernetesRules): FieldError[] {
  const cidr = parseCidr(value);
  if (cidr === undefined) {
    return [invalid(path, value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
  }
  if (!featureGates.StrictIPCIDRValidation) return [];
  if (cidr.leadingZeros) return [invalid(path, value, 'must not have leading 0s in IP or prefix length')];
  if (isMappedIpv4(cidr.bytes)) return [invalid(path, value, 'must not have an IPv4-mapped IPv6 address')];
  return hasBitsBeyond(cidr) ? [invalid(path, value, 'must not have bits set beyond the prefix length')] : [];
}

/**
 * Whether the networks include both IP families, and the index of the first invalid one, if any (`IsDualStackCIDRStrings`,
 * k8s.io/utils, net/net.go).
 */
export function isDualStack(values: readonly string[]): { readonly dualStack: boolean; readonly bad?: number } {
  const families = new Set<string>();
  for (const [index, value] of values.entries()) {
    const cidr = parseCidr(value);
    if (cidr === undefined) return { dualStack: false, bad: index };
    families.add(cidr.bytes.length === 16 && !isMappedIpv4(cidr.bytes) ? 'IPv6' : 'IPv4');
  }
  return { dualStack: families.size === 2 };
}

/** `ParseCIDRSloppy`: leading zeros are ignored. */
function parseCidr(value: string): Cidr | undefined {
  const slash = value.indexOf('/');
  if (slash < 0) return undefined;
  const address = value.slice(0, slash);
  const length = value.slice(slash + 1);
  const parsed = parseIp(address);
  if (parsed === undefined || !/^[0-9]+$/.test(length)) return undefined;
  const prefix = Number(length);
  if (prefix > parsed.bytes.length * 8) return undefined;
  return { bytes: parsed.bytes, prefix, leadingZeros: parsed.leadingZeros || /^0[0-9]/.test(length) };
}

type Address = Omit<Cidr, 'prefix'>;

/** `ParseIPSloppy`: an address of 4 or 16 bytes; leading zeros are ignored. */
export const parseIp = (text: string): Address | undefined => parseIpv4(text) ?? parseIpv6(text);

function parseIpv4(text: string): Address | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^[0-9]+$/.test(part) && Number(part) <= 255)) return undefined;
  return { bytes: parts.map(Number), leadingZeros: parts.some((part) => part.length > 1 && part.startsWith('0')) };
}

function parseIpv6(text: string): Address | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const parsed = halves.map((half, index) => parseGroups(half, index === halves.length - 1));
  const [before, after] = parsed;
  if (before === undefined || (halves.length === 2 && after === undefined)) return undefined;
  const given = before.bytes.length + (after?.bytes.length ?? 0);
  if (after === undefined ? given !== 16 : given > 14) return undefined;
  const zeros = Array.from({ length: 16 - given }, () => 0);
  return {
    bytes: [...before.bytes, ...zeros, ...(after?.bytes ?? [])],
    leadingZeros: before.leadingZeros || (after?.leadingZeros ?? false),
  };
}

/** Groups of hexadecimal digits between colons; the last group of the address may be an IPv4 address. */
function parseGroups(text: string, atEnd: boolean): Address | undefined {
  if (text === '') return { bytes: [], leadingZeros: false };
  const groups = text.split(':');
  const bytes: number[] = [];
  let leadingZeros = false;
  for (const [index, group] of groups.entries()) {
    if (atEnd && index === groups.length - 1 && group.includes('.')) {
      const tail = parseIpv4(group);
      if (tail === undefined) return undefined;
      bytes.push(...tail.bytes);
      leadingZeros ||= tail.leadingZeros;
      continue;
    }
    if (!/^0*[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
    leadingZeros ||= group.length > 4;
    const value = parseInt(group, 16);
    bytes.push(value >> 8, value & 0xff);
  }
  return { bytes, leadingZeros };
}

/** Whether 16 bytes are an IPv4-mapped address: `::ffff:10.9.8.7`. */
export const isMappedIpv4 = (bytes: readonly number[]): boolean =>
  bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;

function hasBitsBeyond({ bytes, prefix }: Cidr): boolean {
  return bytes.some((byte, index) => {
    const fixed = Math.min(8, Math.max(0, prefix - index * 8));
    return (byte & (0xff >> fixed)) !== 0;
  });
}
