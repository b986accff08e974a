import { isMappedIpv4 } from '../../kubernetes/validation/cidr.js';
import { quoteGo } from '../../kubernetes/go-text.js';
import { method, overload, type CelFunction } from '../declarations.js';
import { LibraryValue } from '../operations.js';
import { BOOL, INT, opaqueType, STRING } from '../types.js';
import { CelError, isError, noSuchOverload, type Value } from '../values.js';
import {
  AddressError,
  addressText,
  covers,
  masked,
  parseAddress,
  parsePrefix,
  type Address,
  type Prefix,
} from './addresses.js';

export const IP = opaqueType('net.IP');
export const CIDR = opaqueType('net.CIDR');

class IpValue extends LibraryValue {
  readonly typeName = 'net.IP';
  override readonly size: number;

  constructor(readonly address: Address) {
    super();
    this.size = address.bytes.length;
  }

  equals(other: Value): boolean | CelError {
    if (isError(other)) return other;
    return other instanceof IpValue ? addressText(this.address) === addressText(other.address) : noSuchOverload();
  }
}

class CidrValue extends LibraryValue {
  readonly typeName = 'net.CIDR';
  override readonly size: number;

  constructor(readonly prefix: Prefix) {
    super();
    this.size = Math.ceil(prefix.bits / 8);
  }

  equals(other: Value): boolean | CelError {
    if (isError(other)) return other;
    return other instanceof CidrValue ? prefixText(this.prefix) === prefixText(other.prefix) : noSuchOverload();
  }
}

const prefixText = ({ address, bits }: Prefix): string => `${addressText(address)}/${bits}`;

function parseIp(text: Value): IpValue | CelError {
  const raw = text as string;
  try {
    const address = parseAddress(raw);
    if (address.zone !== '') return new CelError(`IP address ${quoteGo(raw)} with zone value is not allowed`);
    if (isMappedIpv4(address.bytes)) return new CelError(`IPv4-mapped IPv6 address ${quoteGo(raw)} is not allowed`);
    return new IpValue(address);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return new CelError(`IP Address ${quoteGo(raw)} parse error during conversion from string: ${error.message}`);
  }
}

const PARSE_ERROR = 'network address parse error during conversion from string: ';

function parseCidr(text: Value): CidrValue | CelError {
  const raw = text as string;
  try {
    const prefix = parsePrefix(raw);
    if (isMappedIpv4(prefix.address.bytes)) {
      return new CelError(`${PARSE_ERROR}IPv4-mapped IPv6 address ${quoteGo(raw)} is not allowed`);
    }
    return new CidrValue(prefix);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return new CelError(`${PARSE_ERROR}${PARSE_ERROR}${error.message}`);
  }
}

const bytesOf = (value: Value): readonly number[] => (value as IpValue).address.bytes;

const isUnspecified = (bytes: readonly number[]): boolean => bytes.every((byte) => byte === 0);
const isLoopback = (bytes: readonly number[]): boolean =>
  bytes.length === 4 ? bytes[0] === 127 : bytes.every((byte, index) => byte === (index === 15 ? 1 : 0));
const isLinkLocalUnicast = (bytes: readonly number[]): boolean =>
  bytes.length === 4 ? bytes[0] === 169 && bytes[1] === 254 : bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;
const isLinkLocalMulticast = (bytes: readonly number[]): boolean =>
  bytes.length === 4
    ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
    : bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2;
const isMulticast = (bytes: readonly number[]): boolean =>
  bytes.length === 4 ? (bytes[0]! & 0xf0) === 0xe0 : bytes[0] === 0xff;
const isBroadcast = (bytes: readonly number[]): boolean => bytes.length === 4 && bytes.every((byte) => byte === 255);
const isGlobalUnicast = (bytes: readonly number[]): boolean =>
  ![isBroadcast, isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast].some((is) => is(bytes));

const property = (name: string, id: string, holds: (bytes: readonly number[]) => boolean): CelFunction => ({
  name,
  overloads: [method(id, [IP], BOOL, (value) => holds(bytesOf(value)))],
});

/** k8s.io/apiserver v0.36.2, pkg/cel/library/ip.go. */
export const IPS: readonly CelFunction[] = [
  { name: 'ip', overloads: [overload('string_to_ip', [STRING], IP, parseIp)] },
  { name: 'family', overloads: [method('ip_family', [IP], INT, (value) => (bytesOf(value).length === 4 ? 4n : 6n))] },
  {
    name: 'ip.isCanonical',
    overloads: [
      overload('ip_is_canonical', [STRING], BOOL, (text) => {
        const parsed = parseIp(text);
        return parsed instanceof CelError ? parsed : addressText(parsed.address) === text;
      }),
    ],
  },
  property('isUnspecified', 'ip_is_unspecified', isUnspecified),
  property('isLoopback', 'ip_is_loopback', isLoopback),
  property('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
  property('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
  property('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),
  { name: 'isIP', overloads: [overload('is_ip', [STRING], BOOL, (text) => !isError(parseIp(text)))] },
  {
    name: 'string',
    overloads: [overload('ip_to_string', [IP], STRING, (value) => addressText((value as IpValue).address))],
  },
];

const prefixOf = (value: Value): Prefix => (value as CidrValue).prefix;

/** A text that is no address is `no such overload`, whatever is wrong with it. */
const containsIp = (cidr: Value, other: Value): Value =>
  other instanceof IpValue ? covers(prefixOf(cidr), other.address) : noSuchOverload();

function containsCidr(cidr: Value, other: Value): Value {
  if (isError(other)) return other;
  const inner = prefixOf(other);
  const outer = prefixOf(cidr);
  return outer.bits <= inner.bits && covers(outer, inner.address);
}

/** k8s.io/apiserver v0.36.2, pkg/cel/library/cidr.go. */
export const CIDRS: readonly CelFunction[] = [
  { name: 'cidr', overloads: [overload('string_to_cidr', [STRING], CIDR, parseCidr)] },
  {
    name: 'containsIP',
    overloads: [
      method('cidr_contains_ip_string', [CIDR, STRING], BOOL, (cidr, text) => containsIp(cidr, parseIp(text))),
      method('cidr_contains_ip_ip', [CIDR, IP], BOOL, containsIp),
    ],
  },
  {
    name: 'containsCIDR',
    overloads: [
      method('cidr_contains_cidr_string', [CIDR, STRING], BOOL, (cidr, text) => containsCidr(cidr, parseCidr(text))),
      method('cidr_contains_cidr', [CIDR, CIDR], BOOL, containsCidr),
    ],
  },
  { name: 'ip', overloads: [method('cidr_ip', [CIDR], IP, (cidr) => new IpValue(prefixOf(cidr).address))] },
  {
    name: 'prefixLength',
    overloads: [method('cidr_prefix_length', [CIDR], INT, (cidr) => BigInt(prefixOf(cidr).bits))],
  },
  {
    name: 'masked',
    overloads: [
      method('cidr_masked', [CIDR], CIDR, (cidr) => {
        const prefix = prefixOf(cidr);
        return new CidrValue({ ...prefix, address: masked(prefix) });
      }),
    ],
  },
  { name: 'isCIDR', overloads: [overload('is_cidr', [STRING], BOOL, (text) => !isError(parseCidr(text)))] },
  { name: 'string', overloads: [overload('cidr_to_string', [CIDR], STRING, (cidr) => prefixText(prefixOf(cidr)))] },
];
