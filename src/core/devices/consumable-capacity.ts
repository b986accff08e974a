import type { Device, DeviceCapacity, ExactDeviceRequest } from '../kubernetes/objects/dra.js';
import { parseQuantity, Quantity } from '../kubernetes/quantity.js';
import type { Amounts } from './allocated-devices.js';

type Requests = NonNullable<ExactDeviceRequest['capacity']>['requests'];
type Policy = NonNullable<DeviceCapacity['requestPolicy']>;

/**
 * Whether a request for capacity is allowed and fits what a device has left. A capacity that the device does not have fits nowhere.
 * Devices that are taken as a whole are judged in the same way.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, structured/internal/incubating/consumable_capacity.go, `CmpRequestOverCapacity`.
 *
 * @param ofClaims what claims consume of the device
 * @param ofSearch what the allocation so far consumes of it
 */
export function fitsCapacity(
  requests: Requests,
  device: Device,
  ofClaims: Amounts | undefined,
  ofSearch: Amounts | undefined,
): boolean {
  if (requests === undefined && ofClaims === undefined && ofSearch === undefined) return fitsUnused(device);
  const { capacity = {} } = device;
  if (Object.keys(requests ?? {}).some((name) => !Object.hasOwn(capacity, name))) return false;
  return Object.entries(capacity).every(([name, offered]) => {
    const consumed = consumedOf(requests, name, offered);
    if (violatesPolicy(consumed, offered.requestPolicy)) return false;
    const total = sum(sum(consumed, ofClaims?.get(name)), ofSearch?.get(name));
    return total.cmp(parseQuantity(offered.value)) <= 0;
  });
}

const unused = new WeakMap<Device, boolean>();

/** Whether a device that nobody uses fits a request that asks for no capacity. */
function fitsUnused(device: Device): boolean {
  if (device.capacity === undefined) return true;
  let fits = unused.get(device);
  if (fits === undefined) unused.set(device, (fits = fitsCapacity({}, device, undefined, undefined)));
  return fits;
}

const sum = (amount: Quantity, more: Quantity | undefined): Quantity =>
  more === undefined ? amount : amount.add(more);

/** What a request consumes of each capacity of a device (`GetConsumedCapacityFromRequest`). */
export function consumedCapacity(requests: Requests, { capacity = {} }: Device): Amounts {
  return new Map(
    Object.entries(capacity).map(([name, offered]) => [name, consumedOf(requests, name, offered)] as const),
  );
}

/** `calculateConsumedCapacity`: without a request, the policy's default or all; otherwise the request, rounded up by the policy. */
function consumedOf(requests: Requests, name: string, { value, requestPolicy: policy }: DeviceCapacity): Quantity {
  const written = requests !== undefined && Object.hasOwn(requests, name) ? requests[name] : undefined;
  if (written === undefined) return parseQuantity(policy?.default ?? value);
  const requested = parseQuantity(written);
  if (policy?.validRange?.min !== undefined) return roundedToRange(requested, policy.validRange);
  return policy?.validValues?.map(parseQuantity).find((valid) => requested.cmp(valid) <= 0) ?? requested;
}

function roundedToRange(requested: Quantity, { min: least, step }: NonNullable<Policy['validRange']>): Quantity {
  const min = parseQuantity(least!);
  if (requested.cmp(min) < 0) return min;
  const size = step === undefined ? 0n : parseQuantity(step).value();
  if (size === 0n) return requested;
  const added = requested.value() - min.value();
  const steps = added / size + (added % size === 0n ? 0n : 1n);
  return Quantity.of(BigInt.asIntN(64, min.value() + size * steps), 'BinarySI');
}

/** `violatesPolicy`: above the range, between two steps, or none of the valid values; the default never is. */
function violatesPolicy(consumed: Quantity, policy: Policy | undefined): boolean {
  if (policy === undefined) return false;
  if (policy.default !== undefined && isSameAsWritten(consumed, parseQuantity(policy.default))) return false;
  const { validRange, validValues = [] } = policy;
  if (validRange !== undefined) {
    const { min, max, step } = validRange;
    if (max !== undefined && consumed.cmp(parseQuantity(max)) > 0) return true;
    const size = step === undefined ? 0n : parseQuantity(step).value();
    return size !== 0n && (consumed.value() - (min === undefined ? 0n : parseQuantity(min).value())) % size !== 0n;
  }
  return validValues.length > 0 && !validValues.some((valid) => consumed.cmp(parseQuantity(valid)) === 0);
}

/** Upstream compares what is in memory, so the notation matters. */
const isSameAsWritten = (a: Quantity, b: Quantity): boolean =>
  a.format === b.format && a.cmp(b) === 0 && a.toString() === b.toString();
