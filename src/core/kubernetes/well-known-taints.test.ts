import { describe, expect, it } from '@jest/globals';
import { describeTaintKey, wellKnownTaints } from './well-known-taints.js';

describe('describeTaintKey', () => {
  it.each([
    'node.kubernetes.io/not-ready',
    'node.kubernetes.io/unreachable',
    'node.kubernetes.io/memory-pressure',
    'node.kubernetes.io/disk-pressure',
    'node.kubernetes.io/pid-pressure',
    'node.kubernetes.io/network-unavailable',
    'node.kubernetes.io/unschedulable',
    'node.kubernetes.io/out-of-service',
    'node.cloudprovider.kubernetes.io/uninitialized',
    'node.cloudprovider.kubernetes.io/shutdown',
    'node-role.kubernetes.io/control-plane',
    'ToBeDeletedByClusterAutoscaler',
    'karpenter.sh/disrupted',
    'nvidia.com/gpu',
    'ebs.csi.aws.com/agent-not-ready',
    'efs.csi.aws.com/agent-not-ready',
    'disk.csi.azure.com/agent-not-ready',
    'cni.istio.io/not-ready',
    'amd-gpu-unhealthy',
  ])('knows %s, which is set today', (key) => {
    expect(describeTaintKey(key)).toMatchObject({ key, legacy: false });
  });

  it.each([
    ['node.alpha.kubernetes.io/notReady', 'node.kubernetes.io/not-ready'],
    ['node.alpha.kubernetes.io/unreachable', 'node.kubernetes.io/unreachable'],
    ['node.kubernetes.io/out-of-disk', 'node.kubernetes.io/disk-pressure'],
    ['karpenter.sh/disruption', 'karpenter.sh/disrupted'],
  ])('reports that %s is legacy and replaced by %s', (key, replacedBy) => {
    expect(describeTaintKey(key)).toMatchObject({ legacy: true, replacedBy });
  });

  it('names the cloud-controller-manager, not the kubelet, as the remover of uninitialized', () => {
    const { removedBy } = describeTaintKey('node.cloudprovider.kubernetes.io/uninitialized')!;
    expect(removedBy).toMatch(/^the node controller of the cloud-controller-manager/);
  });

  it('knows which taints only start a node', () => {
    for (const key of ['readiness.k8s.io/gpu', 'efs.csi.aws.com/agent-not-ready', 'karpenter.sh/unregistered']) {
      expect(describeTaintKey(key)?.transient).toBe(true);
    }
  });

  it('finds a key with a reserved prefix, but not the prefix alone', () => {
    expect(describeTaintKey('startup-taint.cluster-autoscaler.kubernetes.io/gpu')?.match).toBe('prefix');
    expect(describeTaintKey('startup-taint.cluster-autoscaler.kubernetes.io/')).toBeUndefined();
  });

  it.each(['dedicated', '', '__proto__', 'constructor', 'node.kubernetes.io/Not-Ready'])(
    'knows nothing of %j',
    (key) => {
      expect(describeTaintKey(key)).toBeUndefined();
    },
  );

  it('has each key once, with who sets it, when, who removes it, and the source', () => {
    expect(new Set(wellKnownTaints.map(({ key }) => key)).size).toBe(wellKnownTaints.length);
    for (const entry of wellKnownTaints) {
      expect([entry.setBy, entry.when, entry.removedBy, entry.source, ...entry.effects]).not.toContain('');
      expect(entry.effects.length).toBeGreaterThan(0);
    }
  });
});
