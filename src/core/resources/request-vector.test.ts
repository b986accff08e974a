import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RULES } from '../kubernetes/kubernetes-rules.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { allocatableVector, podResourceVector, schedulerRequest } from './request-vector.js';

type Counted = Pick<Pod, 'spec' | 'status'>;
const schedulerRequestOf = (pod: Counted) => schedulerRequest(pod, DEFAULT_RULES);
const podResourceVectorOf = (pod: Counted) => podResourceVector(pod, DEFAULT_RULES);

const spec = (requests: Record<string, string>): PodSpec => ({ containers: [{ name: 'c', resources: { requests } }] });

describe('schedulerRequest', () => {
  it('counts cpu in thousandths rounded up, bytes in bytes, and scalar resources by name', () => {
    const vector = schedulerRequestOf({
      spec: spec({
        cpu: '1.0001',
        memory: '1.5',
        'ephemeral-storage': '1Ki',
        'hugepages-2Mi': '4Mi',
        'nvidia.com/gpu': '0',
        'attachable-volumes-csi-x': '2',
        'kubernetes.io/foo': '3',
        foo: '4',
        'requests.nvidia.com/gpu': '5',
        'bad_domain.com/x': '6',
      }),
    });
    expect(vector).toEqual({
      milliCPU: 1001n,
      memory: 2n,
      ephemeralStorage: 1024n,
      scalars: new Map([
        ['hugepages-2Mi', 4194304n],
        ['nvidia.com/gpu', 0n],
        ['attachable-volumes-csi-x', 2n],
        ['kubernetes.io/foo', 3n],
      ]),
    });
  });

  it('counts a negative request as zero, and overflows like upstream', () => {
    expect(schedulerRequestOf({ spec: spec({ cpu: '-1', memory: '-1' }) })).toMatchObject({ milliCPU: 0n, memory: 0n });
    expect(schedulerRequestOf({ spec: spec({ cpu: '1E' }) }).milliCPU).toBe(0n);
  });

  it('ignores the status', () => {
    const status = { containerStatuses: [{ name: 'c', resources: { requests: { cpu: '5' } } }] };
    expect(schedulerRequestOf({ spec: spec({ cpu: '1' }), status }).milliCPU).toBe(1000n);
    expect(podResourceVectorOf({ spec: spec({ cpu: '1' }), status }).milliCPU).toBe(5000n);
  });
});

describe('podResourceVector', () => {
  it('counts 100m and 200 MiB for scores, for each container without a request', () => {
    const two: PodSpec = {
      containers: [{ name: 'a', resources: { requests: { cpu: '0' } } }, { name: 'b' }],
      overhead: { memory: '1' },
    };
    expect(podResourceVectorOf({ spec: two })).toMatchObject({
      milliCPU: 0n,
      memory: 1n,
      nonZero: { milliCPU: 100n, memory: 419430401n },
    });
  });

  it('counts no such default if the pod-level requests have the resource', () => {
    const podLevel: PodSpec = { containers: [{ name: 'a' }, { name: 'b' }], resources: { requests: { cpu: '2' } } };
    expect(podResourceVectorOf({ spec: podLevel }).nonZero).toEqual({ milliCPU: 2000n, memory: 419430400n });
  });

  it('keeps a negative amount', () => {
    expect(podResourceVectorOf({ spec: spec({ memory: '-5' }) }).memory).toBe(-5n);
  });
});

describe('allocatableVector', () => {
  it('has the number of pods, and zeros for absent resources', () => {
    expect(allocatableVector({ cpu: '4', pods: '110' })).toMatchObject({ milliCPU: 4000n, pods: 110n });
    expect(allocatableVector(undefined)).toEqual({
      milliCPU: 0n,
      memory: 0n,
      ephemeralStorage: 0n,
      scalars: new Map(),
      pods: 0n,
    });
  });
});
