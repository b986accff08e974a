import { describe, expect, it } from '@jest/globals';
import type { DeviceClass } from '../kubernetes/objects/dra.js';
import type { Container, Pod } from '../kubernetes/objects/pod.js';
import { classesByResource, requestsFor } from './extended-resources.js';

const deviceClass = (name: string, creationTimestamp?: string): DeviceClass => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceClass',
  metadata: { name, ...(creationTimestamp !== undefined && { creationTimestamp }) },
  spec: { extendedResourceName: 'example.com/gpu' },
});

const container = (name: string, gpus: number, more: Partial<Container> = {}): Container => ({
  name,
  resources: { requests: { cpu: '1', 'example.com/gpu': String(gpus) } },
  ...more,
});

const pod = (containers: readonly Container[], initContainers: readonly Container[] = []): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default' },
  spec: { containers, initContainers },
});

const GPUS = new Map([['example.com/gpu', deviceClass('gpu')]]);

const asked = (of: Pod): unknown => {
  const { requests, mappings } = requestsFor(of, GPUS);
  return {
    requests: requests.map(({ name, exactly }) => `${name} ${exactly!.count}`),
    mappings: mappings.map(({ containerName, requestName }) => `${containerName} ${requestName}`),
  };
};

describe('the class behind an extended resource', () => {
  it('is the newest of those that declare its name, and the first by name of equally old ones', () => {
    const classes = [deviceClass('old', '2026-01-01T00:00:00Z'), deviceClass('new', '2026-02-01T00:00:00Z')];
    expect(classesByResource(classes).get('example.com/gpu')?.metadata.name).toBe('new');
    expect(
      classesByResource([...classes, deviceClass('a', '2026-02-01T00:00:00Z')]).get('example.com/gpu')?.metadata.name,
    ).toBe('a');
  });

  it('is also found by its own name', () => {
    expect(classesByResource([deviceClass('gpu')]).has('deviceclass.resource.kubernetes.io/gpu')).toBe(true);
  });
});

describe('the requests for extended resources', () => {
  it('are named after the container, init containers first, and after the resource among all that it requests', () => {
    expect(asked(pod([container('a', 1), container('b', 2)], [{ name: 'init' }]))).toEqual({
      requests: ['container-1-request-1 1', 'container-2-request-1 2'],
      mappings: ['a container-1-request-1', 'b container-2-request-1'],
    });
  });

  it('of an init container ask only for what later containers do not have', () => {
    expect(asked(pod([container('a', 1)], [container('init', 3)]))).toEqual({
      requests: ['container-0-request-1 2', 'container-1-request-1 1'],
      mappings: ['a container-1-request-1', 'init container-1-request-1', 'init container-0-request-1'],
    });
    expect(asked(pod([container('a', 2)], [container('init', 1)]))).toEqual({
      requests: ['container-1-request-1 2'],
      mappings: ['a container-1-request-1', 'init container-1-request-1'],
    });
  });

  it('of several init containers are the largest one', () => {
    expect(asked(pod([], [container('first', 1), container('second', 2)]))).toEqual({
      requests: ['container-1-request-1 2'],
      mappings: ['first container-1-request-1', 'second container-1-request-1'],
    });
  });

  it('of a sidecar are kept while other containers run', () => {
    expect(asked(pod([container('a', 1)], [container('sidecar', 1, { restartPolicy: 'Always' })]))).toEqual({
      requests: ['container-0-request-1 1', 'container-1-request-1 1'],
      mappings: ['sidecar container-0-request-1', 'a container-1-request-1'],
    });
  });
});
