import { answerBasis } from '../common/basis.js';
import { NOT_LOADED } from '../common/not-loaded.js';
import { featureGatesInput } from '../common/pod-subject.js';
import { LIST_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { device, DEVICE_STATE } from './device.js';

export const listDevices = question({
  id: 'devices.list',
  summary: 'List devices',
  description:
    'The devices in ResourceSlices that match all filters (Dynamic Resource Allocation), by driver, pool and slice: state, classes, attributes, taints, and the claims and pods that have them.',
  method: 'GET',
  path: 'clusters/{cluster}/devices',
  permission: 'read',
  readsRevision: true,
  query: {
    node: { type: 'identifier', optional: true, description: 'Only devices on this node.', example: 'node-1' },
    driver: { type: 'identifier', optional: true, description: 'Only devices of this driver.' },
    pool: { type: 'identifier', optional: true, description: 'Only devices of pools with this name.' },
    deviceClass: { type: 'identifier', optional: true, description: 'Only devices that this device class selects.' },
    state: { type: DEVICE_STATE, optional: true, description: 'Only devices in this state.' },
    DRADeviceTaintRules: featureGatesInput.members.DRADeviceTaintRules,
  },
  response: list({
    name: 'DeviceList',
    item: device,
    itemsDescription: 'The devices, by driver, pool and slice.',
    head: {
      basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
      notLoaded: NOT_LOADED,
    },
    connection: { name: 'Device', description: 'Devices, by driver, pool and slice.' },
  }),
  statuses: { 200: 'A page of devices.' },
  errors: [...LIST_ERRORS, 'budget-exceeded'],
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: { on: 'Cluster', name: 'devices', description: 'The devices that match all filters.' },
});
