import { describe, expect, it } from '@jest/globals';
import type { Container, Pod, PodSpec, PodStatus } from '../objects/pod.js';
import { podLimits } from './pod-limits.js';
import { podRequests } from './pod-requests.js';
import type { ResourceAmounts } from './resource-amounts.js';

const container = (requests: Record<string, string>, more: Partial<Container> = {}): Container => ({
  name: 'c',
  resources: { requests, limits: requests },
  ...more,
});
const sidecar = (requests: Record<string, string>): Container => container(requests, { restartPolicy: 'Always' });
const pod = (spec: PodSpec, status?: PodStatus): Pick<Pod, 'spec' | 'status'> => ({
  spec,
  ...(status && { status }),
});
const shown = (amounts: ResourceAmounts): Record<string, string> =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, quantity.toString()]));

interface Case {
  readonly name: string;
  readonly spec: PodSpec;
  readonly requests: Record<string, string>;
  readonly limits?: Record<string, string>;
}

const cases: readonly Case[] = [
  {
    name: 'containers add up',
    spec: { containers: [container({ cpu: '1', memory: '64Mi' }), container({ cpu: '500m', memory: '100M' })] },
    requests: { cpu: '1500m', memory: '167108864' },
  },
  {
    name: 'a single container keeps its spelling',
    spec: { containers: [container({ cpu: '1E3' })] },
    requests: { cpu: '1E3' },
  },
  {
    name: 'an init container is a minimum, with the sidecars before it and not those after it',
    spec: {
      containers: [container({ cpu: '1' })],
      initContainers: [sidecar({ cpu: '100m' }), container({ cpu: '2' }), sidecar({ cpu: '200m' })],
    },
    requests: { cpu: '2100m' },
  },
  {
    name: 'sidecars run beside the containers',
    spec: { containers: [container({ cpu: '1' }), container({ cpu: '1' })], initContainers: [sidecar({ cpu: '1' })] },
    requests: { cpu: '3' },
  },
  {
    name: 'pod-level resources take the place of what they name, and only of cpu, memory and hugepages',
    spec: {
      containers: [container({ cpu: '1', memory: '1Gi', 'example.com/gpu': '1' })],
      resources: {
        requests: { cpu: '2', 'example.com/gpu': '4' },
        limits: { cpu: '3', 'hugepages-2Mi': '4Mi' },
      },
    },
    requests: { cpu: '2', memory: '1Gi', 'example.com/gpu': '1' },
    limits: { cpu: '3', memory: '1Gi', 'example.com/gpu': '1', 'hugepages-2Mi': '4Mi' },
  },
  {
    name: 'overhead adds to every request, but only to limits that are there and not zero',
    spec: {
      containers: [container({ cpu: '1', memory: '0' })],
      overhead: { cpu: '250m', memory: '120Mi', 'ephemeral-storage': '1Gi' },
    },
    requests: { cpu: '1250m', memory: '120Mi', 'ephemeral-storage': '1Gi' },
    limits: { cpu: '1250m', memory: '0' },
  },
  {
    name: 'a resource may be called like a member of Object.prototype',
    spec: { containers: [container(JSON.parse('{"__proto__":"1","constructor":"2"}') as Record<string, string>)] },
    requests: JSON.parse('{"__proto__":"1","constructor":"2"}') as Record<string, string>,
  },
];

describe('podRequests and podLimits of a pod without a node', () => {
  it.each(cases)('$name', ({ spec, requests, limits }) => {
    expect(shown(podRequests(pod(spec)))).toEqual(requests);
    expect(shown(podLimits(pod(spec)))).toEqual(limits ?? requests);
  });

  it('excludes overhead and pod-level resources if told to', () => {
    const given = pod({
      containers: [container({ cpu: '1' })],
      resources: { requests: { cpu: '2' } },
      overhead: { cpu: '1' },
    });
    expect(shown(podRequests(given, { excludeOverhead: true }))).toEqual({ cpu: '2' });
    expect(shown(podRequests(given, { skipPodLevelResources: true }))).toEqual({ cpu: '2' });
    expect(shown(podRequests(given, { skipPodLevelResources: true, excludeOverhead: true }))).toEqual({ cpu: '1' });
  });
});

describe('podRequests with the status of a resize', () => {
  const spec: PodSpec = {
    containers: [{ name: 'a', resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } }],
    initContainers: [{ name: 'i', resources: { requests: { cpu: '100m' } } }],
  };
  const status: PodStatus = {
    containerStatuses: [
      { name: 'a', resources: { requests: { cpu: '2' }, limits: { cpu: '4' } }, allocatedResources: { cpu: '3' } },
    ],
    initContainerStatuses: [{ name: 'i', resources: { requests: { cpu: '9' } } }],
  };

  it('uses the largest of spec, status and allocation, and ignores the status of an init container', () => {
    expect(shown(podRequests(pod(spec, status)))).toEqual({ cpu: '1' });
    expect(shown(podRequests(pod(spec, status), { useStatusResources: true }))).toEqual({ cpu: '3' });
    expect(shown(podLimits(pod(spec, status), { useStatusResources: true }))).toEqual({ cpu: '4' });
  });

  it('ignores an allocation whose status reports no resources', () => {
    const unreported: PodStatus = { containerStatuses: [{ name: 'a', allocatedResources: { cpu: '3' } }] };
    expect(shown(podRequests(pod(spec, unreported), { useStatusResources: true }))).toEqual({ cpu: '1' });
  });

  it('ignores the spec while the resize is infeasible', () => {
    const big: PodSpec = { containers: [{ name: 'a', resources: { requests: { cpu: '50' } } }] };
    const infeasible: PodStatus = {
      ...status,
      conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }],
    };
    expect(shown(podRequests(pod(big, infeasible), { useStatusResources: true }))).toEqual({ cpu: '3' });
  });

  it('uses the pod-level status only with podLevelResize', () => {
    const podLevel: PodSpec = { containers: [{ name: 'a' }], resources: { requests: { cpu: '1' } } };
    const reported: PodStatus = { resources: { requests: { cpu: '2', memory: '1Gi' } } };
    const given = pod(podLevel, reported);
    expect(shown(podRequests(given, { useStatusResources: true }))).toEqual({ cpu: '1' });
    expect(shown(podRequests(given, { useStatusResources: true, podLevelResize: true }))).toEqual({ cpu: '2' });
  });

  it('counts zero for a pod-level request that the status of an infeasible resize lacks, but keeps the limit', () => {
    const podLevel: PodSpec = {
      containers: [{ name: 'a' }],
      resources: { requests: { cpu: '50' }, limits: { cpu: '60' } },
    };
    const infeasible: PodStatus = {
      resources: {},
      conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }],
    };
    const options = { useStatusResources: true, podLevelResize: true };
    expect(shown(podRequests(pod(podLevel, infeasible), options))).toEqual({ cpu: '0' });
    expect(shown(podLimits(pod(podLevel, infeasible), options))).toEqual({ cpu: '60' });
  });
});
