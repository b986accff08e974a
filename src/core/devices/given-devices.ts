import { claimText, type ClaimAllocation } from './device-allocator.js';
import { candidateText } from './device-pools.js';

/** A device that a claim of a pod gets. */
export interface GivenDevice {
  /** `namespace/name`. */
  readonly claim: string;
  /** `request/subrequest` for one of several alternatives. */
  readonly request: string;
  /** `driver/pool/device`. */
  readonly device: string;
  readonly adminAccess: boolean;
  /** Of a device that can be shared. */
  readonly consumedCapacity: readonly { readonly name: string; readonly amount: string }[];
  /** The conditions of the device that have to be true before the pod is bound. */
  readonly bindingConditions: readonly string[];
}

/** The devices that claims get, one by one. */
export const givenDevices = (allocations: readonly ClaimAllocation[]): readonly GivenDevice[] =>
  allocations.flatMap(({ claim, devices }) =>
    devices.map(({ request, candidate, hasAdminAccess, consumed }) => ({
      claim: claimText(claim),
      request,
      device: candidateText(candidate),
      adminAccess: hasAdminAccess,
      consumedCapacity: [...(consumed ?? [])].map(([name, amount]) => ({ name, amount: amount.toString() })),
      bindingConditions: candidate.device.bindingConditions ?? [],
    })),
  );
