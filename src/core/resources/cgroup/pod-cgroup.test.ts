import { describe, expect, it } from '@jest/globals';
import type { Container, Pod } from '../../kubernetes/objects/pod.js';
import { cgroupfsPath, podCgroupName, systemdPath } from './cgroup-name.js';
import { cgroupV1Files, cgroupV2Files, type CgroupFile } from './cgroup-files.js';
import { declaredLimits } from './declared-limits.js';
import { DEFAULT_KUBELET_CGROUP_OPTIONS, podCgroup } from './pod-cgroup.js';

const limited = (name: string, limits: Readonly<Record<string, string>>, restartPolicy?: string): Container => ({
  name,
  resources: { limits, requests: limits },
  ...(restartPolicy !== undefined && { restartPolicy }),
});

const pod = (spec: Partial<Pod['spec']>, status?: Pod['status']): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', uid: '1234-5' },
  spec: { containers: [], ...spec },
  ...(status !== undefined && { status }),
});

/** The example in the documentation of Pod Overhead. */
const KATA = pod({
  containers: [
    limited('busybox', { cpu: '500m', memory: '100Mi' }),
    limited('nginx', { cpu: '1500m', memory: '100Mi' }),
  ],
  overhead: { cpu: '250m', memory: '120Mi' },
});

const texts = (files: readonly CgroupFile[]): string[] => files.map(({ file, text }) => `${file} ${text}`);

describe('podCgroup', () => {
  it('includes the overhead of kata-fc in shares, quota and memory', () => {
    expect(podCgroup(KATA)).toMatchObject({
      qosClass: 'Guaranteed',
      cpuShares: 2304n,
      cpuQuota: 225_000n,
      cpuPeriod: 100_000n,
      memory: 335_544_320n,
    });
  });

  it('writes it to the files of cgroup v1 and v2', () => {
    expect(texts(cgroupV1Files(podCgroup(KATA)))).toEqual([
      'cpu.shares 2304',
      'cpu.cfs_period_us 100000',
      'cpu.cfs_quota_us 225000',
      'memory.limit_in_bytes 335544320',
    ]);
    expect(texts(cgroupV2Files(podCgroup(KATA)))).toEqual([
      'cpu.weight 88',
      'cpu.max 225000 100000',
      'memory.max 335544320',
    ]);
  });

  it('writes max if the kubelet does not enforce quotas, and keeps the period', () => {
    const set = podCgroup(KATA, { ...DEFAULT_KUBELET_CGROUP_OPTIONS, enforceCPULimits: false });
    expect(texts(cgroupV1Files(set))).toContain('cpu.cfs_quota_us -1');
    expect(texts(cgroupV2Files(set))).toContain('cpu.max max 100000');
  });

  it('names the files of huge pages by size, one for each size', () => {
    const set = podCgroup(
      pod({
        containers: [limited('a', { 'hugepages-1Gi': '1Gi', 'hugepages-1024Mi': '2Gi', 'hugepages-2Mi': '4Mi' })],
      }),
    );
    expect(texts(cgroupV2Files(set))).toEqual([
      'cpu.weight 1',
      'hugetlb.1GB.max 3221225472',
      'hugetlb.2MB.max 4194304',
    ]);
  });

  it.each([
    ['nothing is kept for a pod unless the policy says so', 'None', KATA, []],
    ['what a Guaranteed pod requests is kept for certain', 'TieredReservation', KATA, ['memory.min']],
    [
      'what a Burstable pod requests is kept if it can be',
      'TieredReservation',
      pod({ containers: [{ name: 'a', resources: { requests: { memory: '1Gi' } } }] }),
      ['memory.low'],
    ],
    [
      'so is the overhead of a BestEffort pod',
      'TieredReservation',
      pod({ containers: [{ name: 'a' }], overhead: { memory: '1Gi' } }),
      ['memory.low'],
    ],
  ] as const)('with memory QoS, %s', (_, memoryReservationPolicy, of, files) => {
    const options = { ...DEFAULT_KUBELET_CGROUP_OPTIONS, enforceMemoryQoS: true, memoryReservationPolicy };
    expect([...podCgroup(of, options).unified.keys()]).toEqual(files);
  });
});

describe('declaredLimits', () => {
  it('lists the container without a limit that makes the pod unlimited', () => {
    const of = pod({ containers: [limited('a', { cpu: '1', memory: '1Gi' }), limited('b', { memory: '1Gi' })] });
    expect(declaredLimits(of)).toEqual({
      cpu: false,
      memory: true,
      missing: [{ container: 'b', resource: 'cpu' }],
    });
    expect(podCgroup(of).cpuQuota).toBeUndefined();
    expect(podCgroup(of).memory).toBe(2n ** 31n);
  });

  it('requires a limit of an init container before a limited sidecar, but not after it', () => {
    const containers = [limited('a', { cpu: '1', memory: '1Gi' })];
    const sidecar = limited('side', { cpu: '1', memory: '1Gi' }, 'Always');
    const init = { name: 'init' };
    expect(declaredLimits(pod({ containers, initContainers: [sidecar, init] })).missing).toEqual([]);
    expect(declaredLimits(pod({ containers, initContainers: [init, sidecar] })).missing).toEqual([
      { container: 'init', resource: 'cpu' },
      { container: 'init', resource: 'memory' },
    ]);
  });

  it('requires no limits of containers for a resource with a pod-level limit', () => {
    const of = pod({ containers: [{ name: 'a' }], resources: { limits: { cpu: '2' } } });
    expect(declaredLimits(of)).toEqual({ cpu: true, memory: false, missing: [{ container: 'a', resource: 'memory' }] });
  });
});

describe('podCgroupName', () => {
  it.each([
    ['Guaranteed', '/kubepods/pod1234-5', '/kubepods.slice/kubepods-pod1234_5.slice'],
    [
      'Burstable',
      '/kubepods/burstable/pod1234-5',
      '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234_5.slice',
    ],
    [
      'BestEffort',
      '/kubepods/besteffort/pod1234-5',
      '/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1234_5.slice',
    ],
  ])('computes the path of a %s pod for each driver', (qosClass, cgroupfs, systemd) => {
    const name = podCgroupName(pod({}, { qosClass }));
    expect([cgroupfsPath(name), systemdPath(name)]).toEqual([cgroupfs, systemd]);
  });

  it('uses the UID of a static pod at its kubelet', () => {
    const mirror = pod({});
    const annotations = { 'kubernetes.io/config.mirror': 'f3a1' };
    expect(podCgroupName({ ...mirror, metadata: { ...mirror.metadata, annotations } })).toContain('podf3a1');
  });
});
