import { invalid, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import { isMappedIpv4, parseIp } from './cidr.js';

/**
 * `IsValidIPForLegacyField` with strict validation: an address such as `10.9.8.7` or `2001:db8::ffff`, without leading zeros.
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/util/validation/ip.go; gate StrictIPCIDRValidation is on.
 */
export function validateIp(value: string, path: FieldPath): FieldError[] {
  const address = parseIp(value);
  if (address === undefined) {
    return [invalid(path, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  }
  if (address.leadingZeros) return [invalid(path, value, 'must not have leading 0s')];
  if (isMappedIpv4(address.bytes)) return [invalid(path, value, 'must not be an IPv4-mapped IPv6 address')];
  return [];
}
