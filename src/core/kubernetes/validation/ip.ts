import { invalid, type FieldError } from '../field-error.js';
import type { FieldPath } from '../field-path.js';
import type { KubernetesRules } from '../kubernetes-rules.js';
import { isMappedIpv4, parseIp } from './cidr.js';

/**
 * `IsValidIPForLegacyField`: an address such as `10.9.8.7` or `2001:db8::ffff`; without leading zeros if the gate StrictIPCIDRValidation
 * is on.
 *
 * Source: k8s.io/apimachinery v0.32.5, pkg/util/validation/validation.go, `IsValidIP`; v0.35.7 and v0.36.2, pkg/util/validation/ip.go.
 */
export function validateIp(value: string, path: FieldPath, { featureGates }: KubernetesRules): FieldError[] {
  const address = parseIp(value);
  if (address === undefined) {
    return [invalid(path, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  }
  if (!featureGates.StrictIPCIDRValidation) return [];
  if (address.leadingZeros) return [invalid(path, value, 'must not have leading 0s')];
  if (isMappedIpv4(address.bytes)) return [invalid(path, value, 'must not be an IPv4-mapped IPv6 address')];
  return [];
}
