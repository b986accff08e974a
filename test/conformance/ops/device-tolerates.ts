import { preventingDeviceTaint, toleratesDeviceTaint } from '../../../src/core/devices/device-taints.js';
import type { DeviceTaint, DeviceToleration } from '../../../src/core/kubernetes/objects/dra.js';
import type { Op } from '../op.js';

export const deviceTolerates: Op = {
  answer: (input) => {
    const { tolerations, taint } = input as unknown as { tolerations: DeviceToleration[]; taint: DeviceTaint };
    const each = tolerations.map((toleration) => toleratesDeviceTaint(toleration, taint));
    return {
      any: each.includes(true),
      each,
      preventsAllocation: preventingDeviceTaint([taint], tolerations) !== undefined,
    };
  },
};
