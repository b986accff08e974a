import { schedulerRequest } from '../../../resources/request-vector.js';
import type { SignPod } from '../../in-tree-plugin.js';

/** What a pod requests in all, resource by resource. */
export const signRequests: SignPod = (pod) => {
  const { milliCPU, memory, ephemeralStorage, scalars } = schedulerRequest(pod);
  return `${milliCPU} ${memory} ${ephemeralStorage} ${[...scalars].map(([name, amount]) => `${name}=${amount}`).join()}`;
};
