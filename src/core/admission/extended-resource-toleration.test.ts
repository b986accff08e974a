import { describe, expect, it } from '@jest/globals';
import type { Pod } from '../kubernetes/objects/pod.js';
import { admitExtendedResources } from './extended-resource-toleration.js';

const gpu = { key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' };

describe('admitExtendedResources', () => {
  it('adds one toleration a resource in the order of names, and puts it over one that is the same but for its seconds', () => {
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: {
        containers: [{ name: 'c', resources: { requests: { 'example.com/nic': '1', cpu: '1' } } }],
        initContainers: [{ name: 'i', resources: { requests: { 'example.com/gpu': '0', 'example.com/asic': '1' } } }],
        tolerations: [
          { ...gpu, tolerationSeconds: 5 },
          { key: 'example.com/nic', operator: 'Exists' },
        ],
      },
    };
    expect(admitExtendedResources(pod).spec.tolerations).toEqual([
      gpu,
      { key: 'example.com/nic', operator: 'Exists' },
      { ...gpu, key: 'example.com/asic' },
      { ...gpu, key: 'example.com/nic' },
    ]);
  });
});
