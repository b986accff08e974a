import { describe, expect, it } from '@jest/globals';
import { defaultPod, defaultPodSpec } from './defaults.js';
import type { Pod, PodSpec } from './objects/pod.js';
import { QuantityError } from './quantity.js';

const DEFAULTED = { restartPolicy: 'Always', schedulerName: 'default-scheduler', terminationGracePeriodSeconds: 30 };
const requestsOf = (spec: PodSpec): unknown => defaultPodSpec(spec).containers[0]?.resources?.requests;

describe('defaultPodSpec', () => {
  it('adds policy, scheduler and grace period, also for empty strings, and nothing else', () => {
    expect(defaultPodSpec({ containers: [{ name: 'c' }] })).toEqual({ containers: [{ name: 'c' }], ...DEFAULTED });
    expect(defaultPodSpec({ containers: [], restartPolicy: '', schedulerName: '' })).toMatchObject(DEFAULTED);
    expect(defaultPodSpec({ containers: [], restartPolicy: 'Never' }).restartPolicy).toBe('Never');
  });

  it.each([
    [0, 0],
    [-5, 1],
    [9223372036854775807n, 9223372036854775807n],
  ])('a grace period of %s becomes %s', (given, want) => {
    expect(defaultPodSpec({ containers: [], terminationGracePeriodSeconds: given }).terminationGracePeriodSeconds).toBe(
      want,
    );
  });

  it('copies limits to missing requests by name, for any resource, also in init containers', () => {
    const resources = { requests: { cpu: '1' }, limits: { cpu: '2', 'foo/bar': '-3', constructor: '1' } };
    const want = { cpu: '1', 'foo/bar': '-3', constructor: '1' };
    const spec = defaultPodSpec({
      containers: [{ name: 'c', resources }],
      initContainers: [{ name: 'i', resources }],
    });
    expect(spec.containers[0]?.resources?.requests).toEqual(want);
    expect(spec.initContainers?.[0]?.resources?.requests).toEqual(want);
  });

  it.each([
    ['0.5', '500m'],
    ['1n', '1m'],
    ['0.0001', '1m'],
    ['1.0000000001', '1001m'],
    ['1.125', '1.125'],
    [' 1024Mi ', '1Gi'],
    ['8Ei', '9223372036854775807'],
    ['1e30', '1e30'],
  ])('writes the quantity %s as %s', (given, want) => {
    expect(requestsOf({ containers: [{ name: 'c', resources: { requests: { cpu: given } } }] })).toEqual({ cpu: want });
  });

  it('throws for an invalid quantity', () => {
    expect(() => requestsOf({ containers: [{ name: 'c', resources: { limits: { cpu: '1.5.5' } } }] })).toThrow(
      QuantityError,
    );
  });

  it('derives pod-level requests from the containers, then from the pod-level limits', () => {
    const { resources } = defaultPodSpec({
      containers: [
        { name: 'a', resources: { requests: { memory: '0.0001' } } },
        { name: 'b', resources: { requests: { memory: '0.0001' } } },
      ],
      resources: { limits: { cpu: '2', 'foo/bar': '1' } },
    });
    // The sum is computed before it is rounded.
    expect(resources).toEqual({ limits: { cpu: '2', 'foo/bar': '1' }, requests: { memory: '1m', cpu: '2' } });
  });

  it('derives no pod-level requests without pod-level limits', () => {
    const { resources } = defaultPodSpec({
      containers: [{ name: 'a', resources: { requests: { memory: '1Gi' }, limits: { cpu: '1' } } }],
      resources: { requests: { cpu: '2' } },
    });
    expect(resources).toEqual({ requests: { cpu: '2' } });
  });

  it('derives a pod-level limit, and a request from it, for hugepages limited by containers', () => {
    const containers = [{ name: 'a', resources: { limits: { 'hugepages-2Mi': '4Mi' } } }];
    expect(defaultPodSpec({ containers, resources: { requests: { cpu: '2' } } }).resources).toEqual({
      requests: { cpu: '2', 'hugepages-2Mi': '4Mi' },
      limits: { 'hugepages-2Mi': '4Mi' },
    });
    expect(defaultPodSpec({ containers, resources: { requests: { 'hugepages-2Mi': '8Mi' } } }).resources).toEqual({
      requests: { 'hugepages-2Mi': '8Mi' },
    });
    expect(defaultPodSpec({ containers, resources: {} }).resources).toEqual({});
  });

  it('adds the protocol to ports, and on the host network their host port', () => {
    const ports = [
      { containerPort: 80, hostPort: 0 },
      { containerPort: 53, hostPort: 54, protocol: 'UDP' },
    ];
    expect(defaultPodSpec({ containers: [{ name: 'c', ports }] }).containers[0]?.ports).toEqual([
      { containerPort: 80, hostPort: 0, protocol: 'TCP' },
      { containerPort: 53, hostPort: 54, protocol: 'UDP' },
    ]);
    expect(
      defaultPodSpec({ hostNetwork: true, containers: [], initContainers: [{ name: 'i', ports }] }).initContainers?.[0]
        ?.ports,
    ).toEqual([
      { containerPort: 80, hostPort: 80, protocol: 'TCP' },
      { containerPort: 53, hostPort: 54, protocol: 'UDP' },
    ]);
  });
});

describe('defaultPod', () => {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'x', labels: { app: 'web' } },
    spec: {
      containers: [{ name: 'c', image: 'nginx', resources: { limits: { cpu: '0.5' }, claims: [{ name: 'gpu' }] } }],
      nodeSelector: { zone: 'a' },
      tolerations: [{ key: 'a', tolerationSeconds: 5n }],
      overhead: { cpu: '0.25' },
      volumes: [{ name: 'v', emptyDir: {} }],
    },
    status: { phase: 'Running', containerStatuses: [{ name: 'c', allocatedResources: { cpu: '0.0001' } }] },
  };

  it('keeps every field without a default', () => {
    expect(defaultPod(pod)).toEqual({
      ...pod,
      spec: {
        ...pod.spec,
        ...DEFAULTED,
        containers: [
          {
            name: 'c',
            image: 'nginx',
            resources: { limits: { cpu: '500m' }, requests: { cpu: '500m' }, claims: [{ name: 'gpu' }] },
          },
        ],
        overhead: { cpu: '250m' },
      },
      status: { phase: 'Running', containerStatuses: [{ name: 'c', allocatedResources: { cpu: '1m' } }] },
    });
  });

  it('changes nothing on a second call, and does not modify its argument', () => {
    const text = (value: Pod): string =>
      JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? String(member) : (member as unknown)));
    const before = text(pod);
    const once = defaultPod(pod);
    expect(defaultPod(once)).toEqual(once);
    expect(text(pod)).toBe(before);
  });
});
