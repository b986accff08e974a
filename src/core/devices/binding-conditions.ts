import { microsecondsOf } from '../kubernetes/moment.js';
import type { ResourceClaim } from '../kubernetes/objects/dra.js';

/** `bindingTimeout` of DynamicResourcesArgs, unless the configuration of the scheduler has another one; in nanoseconds. */
const BINDING_TIMEOUT = 600_000_000_000n;

/**
 * Whether an allocated claim can be used for binding: none of its devices has failed to get ready, and those that still have to get ready
 * have time left. `unknown`: that depends on the time, which is not known.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, `isClaimReadyForBinding` and
 * `isClaimTimeout`.
 *
 * @param now in nanoseconds since 1970
 */
export function canBind(claim: ResourceClaim, now: bigint | undefined): 'yes' | 'no' | 'unknown' {
  const readiness = readinessOf(claim);
  if (readiness !== 'waiting') return readiness === 'ready' ? 'yes' : 'no';
  const end = timeoutOf(claim);
  if (end === undefined) return 'yes';
  if (now === undefined) return 'unknown';
  return end < now ? 'no' : 'yes';
}

function readinessOf({ status }: ResourceClaim): 'ready' | 'waiting' | 'failed' {
  for (const result of status?.allocation?.devices?.results ?? []) {
    const { bindingConditions = [], bindingFailureConditions = [] } = result;
    if (bindingConditions.length === 0) continue;
    const device = status?.devices?.find(
      (one) => one.device === result.device && one.driver === result.driver && one.pool === result.pool,
    );
    if (device === undefined) return 'waiting';
    const isTrue = (type: string): boolean =>
      device.conditions?.find((condition) => condition.type === type)?.status === 'True';
    if (bindingFailureConditions.some(isTrue)) return 'failed';
    if (!bindingConditions.every(isTrue)) return 'waiting';
  }
  return 'ready';
}

/** Undefined without a time of allocation. */
function timeoutOf({ status }: ResourceClaim): bigint | undefined {
  const { allocationTimestamp, devices } = status?.allocation ?? {};
  const allocated = allocationTimestamp === undefined ? undefined : microsecondsOf(allocationTimestamp);
  const isBound = (devices?.results ?? []).some(({ bindingConditions }) => bindingConditions !== undefined);
  return allocated === undefined || !isBound ? undefined : BigInt(allocated) * 1000n + BINDING_TIMEOUT;
}
