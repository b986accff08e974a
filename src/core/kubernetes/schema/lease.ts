import type { Lease } from '../objects/lease.js';
import { object } from './containers.js';
import { objectMeta } from './metadata.js';
import { constant, int32, string, time } from './scalars.js';
import { required } from './schema.js';

/** `v1.LeaseSpec`. */
const leaseSpec = object<NonNullable<Lease['spec']>>(
  {
    acquireTime: time,
    holderIdentity: string,
    leaseDurationSeconds: int32,
    leaseTransitions: int32,
    renewTime: time,
  },
  {
    preferredHolder: string,
    strategy: string,
  },
);

/** `v1.Lease`. */
export const lease = object<Lease>({
  apiVersion: required(string),
  kind: required(constant('Lease')),
  metadata: required(objectMeta),
  spec: leaseSpec,
});
