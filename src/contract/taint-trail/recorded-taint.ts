import { kubernetesTaint } from '../common/kubernetes.js';
import { object } from '../schema.js';

const name = (description: string) => ({ type: 'identifier', omittable: true, description }) as const;

const recordedDevices = object('RecordedDevices', 'Devices that a DeviceTaintRule taints: its `deviceSelector`.', {
  driver: name('Driver; all if absent.'),
  pool: name('Pool; all if absent.'),
  device: name('Device; all if absent.'),
  deviceClassName: name('Device class, until Kubernetes 1.34.'),
});
/** A taint as records have it. */
export const recordedTaint = object('RecordedTaint', 'A taint of a node, or of a DeviceTaintRule.', {
  ...kubernetesTaint.members,
  devices: {
    type: recordedDevices,
    omittable: true,
    description: 'The tainted devices; absent for nodes, and for a rule without a selector.',
  },
});
