import { deviceEviction as evictionOf, EvictingTaints } from '../../../src/core/devices/device-eviction.js';
import type { DeviceTaintRule, ResourceClaim, ResourceSlice } from '../../../src/core/kubernetes/objects/dra.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { Op } from '../op.js';

interface Input {
  readonly featureGates: { readonly DRADeviceTaintRules: boolean };
  readonly pods: readonly Pod[];
  readonly resourceClaims?: readonly ResourceClaim[];
  readonly resourceSlices?: readonly ResourceSlice[];
  readonly deviceTaintRules?: readonly DeviceTaintRule[];
}

/** Each pod on its own; times are in whole seconds, as in the API. */
export const deviceEviction: Op = {
  answer: (input) => {
    const {
      featureGates,
      pods,
      resourceClaims = [],
      resourceSlices = [],
      deviceTaintRules = [],
    } = input as unknown as Input;
    const taints = new EvictingTaints(resourceSlices, featureGates.DRADeviceTaintRules ? deviceTaintRules : []);
    return {
      evictions: pods.map((pod) => {
        const claimOf = (name: string): ResourceClaim | undefined =>
          resourceClaims.find(
            ({ metadata }) => metadata.namespace === pod.metadata.namespace && metadata.name === name,
          );
        const eviction = evictionOf(pod, claimOf, taints);
        return eviction === undefined
          ? { pod: pod.metadata.name, evictAt: null }
          : { pod: pod.metadata.name, evictAt: timeText(eviction.at), reasons: eviction.reasons };
      }),
    };
  },
};

const timeText = (nanoseconds: bigint): string =>
  new Date(Number(nanoseconds / 1_000_000n)).toISOString().replace(/\.\d+Z$/, 'Z');
