import type { WellKnownTaint } from './well-known-taint.js';

const accelerator = (key: string, product: string, more: Partial<WellKnownTaint>): WellKnownTaint => ({
  key,
  match: 'exact',
  product,
  effects: ['NoSchedule'],
  setBy: 'whoever creates the node pool; a device plugin sets no taint',
  when: 'the node has such devices, which pods that do not use them would occupy',
  removedBy: 'an operator',
  transient: false,
  legacy: false,
  notes:
    'The key is the name of the resource, so the admission plugin ExtendedResourceToleration, where it is on, adds the ' +
    'toleration to each pod that requests the resource.',
  source: '',
  ...more,
});

/** The taints that keep other pods off nodes with accelerators. */
export const acceleratorTaints: readonly WellKnownTaint[] = [
  accelerator('nvidia.com/gpu', 'NVIDIA', {
    value: '<none, present or true: it differs by provider>',
    setBy:
      'GKE (nvidia.com/gpu=present:NoSchedule), DigitalOcean; elsewhere whoever creates the node pool, not the device plugin',
    source: 'GKE documentation, GPUs in Standard node pools; DigitalOcean documentation, GPU worker nodes',
  }),
  accelerator('amd.com/gpu', 'AMD', {
    setBy: 'DigitalOcean; elsewhere whoever creates the node pool, not the device plugin',
    source: 'DigitalOcean documentation, GPU worker nodes',
  }),
  accelerator('google.com/tpu', 'GKE', {
    value: 'present',
    setBy: 'GKE',
    when: 'the node is a slice of TPUs',
    source: 'GKE documentation, TPUs in GKE',
  }),
  accelerator('aws.amazon.com/neuron', 'AWS Neuron', {
    value: '<usually true>',
    source: 'AWS documentation and samples, EKS node pools for Inferentia and Trainium',
  }),
  accelerator('amd-gpu-unhealthy', 'AMD GPU Operator', {
    value: '<the condition of the node>',
    setBy: 'the AMD GPU Operator, by a remediation workflow',
    when: 'the Node Problem Detector reports a defect of a GPU, which the workflow mends',
    removedBy: 'the last step of the workflow, once the tests of the GPUs pass',
    transient: true,
    notes: 'DeviceConfig.spec.remediationWorkflow can name other taints in its place.',
    source: 'ROCm/gpu-operator, internal/controllers/remediation_handler.go',
  }),
];
