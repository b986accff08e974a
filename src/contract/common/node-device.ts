import { object } from '../schema.js';

export const nodeDevice = object('NodeDevice', 'A device that a claim of the pod would get on a node.', {
  claim: {
    type: 'identifier',
    description:
      'The claim, as `namespace/name`; `namespace/<extended-resources>` is made for the extended resources of the pod.',
    example: 'default/web-gpu',
  },
  request: {
    type: 'identifier',
    description: 'The request; `request/subrequest` for one of several alternatives.',
    example: 'gpu',
  },
  device: {
    type: 'identifier',
    description: 'The device, as `driver/pool/device`.',
    example: 'gpu.example.com/node-1/gpu-0',
  },
  adminAccess: {
    type: 'boolean',
    description: 'Whether it is for administration, beside other claims.',
    example: false,
  },
  consumedCapacity: {
    type: object('ConsumedCapacity', 'What is consumed of a device that can be shared.', {
      name: { type: 'identifier', description: 'Name of the capacity.', example: 'memory' },
      amount: { type: 'identifier', description: 'The amount.', example: '10Gi' },
    }),
    list: true,
    description: 'What is consumed of a device that can be shared.',
    example: [],
  },
  bindingConditions: {
    type: 'identifier',
    list: true,
    description:
      'Conditions that the driver sets once the device is ready: the scheduler waits for all of them, ten minutes by default, before it binds the pod.',
    example: [],
  },
});
