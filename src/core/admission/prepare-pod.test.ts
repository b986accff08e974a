import { describe, expect, it } from '@jest/globals';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { RuntimeClass } from '../kubernetes/objects/scheduling.js';
import type { DaemonSet, StatefulSet } from '../kubernetes/objects/workloads.js';
import { AdmissionRefusal } from './admission-refusal.js';
import { preparePod, type PreparationContext } from './prepare-pod.js';

const kata: RuntimeClass = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'kata-fc' },
  handler: 'kata-fc',
  overhead: { podFixed: { memory: '120Mi', cpu: '250m' } },
  scheduling: { nodeSelector: { runtime: 'kata' }, tolerations: [{ key: 'kata', operator: 'Exists' }] },
};
const context: PreparationContext = {
  runtimeClassesLoaded: true,
  findRuntimeClass: (name) => (name === 'kata-fc' ? kata : undefined),
};
const pod = (spec: Partial<Pod['spec']>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default' },
  spec: { containers: [{ name: 'c' }], ...spec },
});

describe('preparePod', () => {
  it('lists a request that was made from a limit, and says why', () => {
    const prepared = preparePod(pod({ containers: [{ name: 'c', resources: { limits: { cpu: '500m' } } }] }), context);
    expect(prepared?.pod.spec.containers[0]?.resources?.requests).toEqual({ cpu: '500m' });
    expect(prepared?.added).toContainEqual({
      by: 'defaults',
      pointer: '/spec/containers/0/resources/requests',
      value: { cpu: '500m' },
      why: 'a limit without a request becomes the request',
    });
  });

  it('puts in overhead, node selector and tolerations of the runtime class', () => {
    const prepared = preparePod(pod({ runtimeClassName: 'kata-fc' }), context);
    expect(prepared?.pod.spec).toMatchObject({
      overhead: { memory: '120Mi', cpu: '250m' },
      nodeSelector: { runtime: 'kata' },
      tolerations: [{ key: 'kata', operator: 'Exists' }],
    });
    expect(prepared?.added.filter(({ by }) => by === 'RuntimeClass').map(({ pointer }) => pointer)).toEqual([
      '/spec/overhead',
      '/spec/nodeSelector',
      '/spec/tolerations',
    ]);
  });

  it('refuses a pod that brings another overhead than its class', () => {
    expect(() => preparePod(pod({ runtimeClassName: 'kata-fc', overhead: { cpu: '1' } }), context)).toThrow(
      new AdmissionRefusal(
        'RuntimeClass',
        403,
        "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        "pods \"web\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
      ),
    );
  });

  it('reports a runtime class that is not stored instead of refusing', () => {
    const prepared = preparePod(pod({ runtimeClassName: 'gvisor' }), context);
    expect(prepared?.missingRuntimeClass).toEqual({ name: 'gvisor', loaded: true });
  });

  it("adds the DaemonSet controller's tolerations to a DaemonSet's pod", () => {
    const daemonSet: DaemonSet = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent', namespace: 'ops' },
      spec: { template: { spec: { containers: [{ name: 'c' }] } } },
    };
    const prepared = preparePod(daemonSet, context);
    expect(prepared?.pod.metadata.namespace).toBe('ops');
    expect(prepared?.pod.spec.tolerations?.map(({ key }) => key)).toContain('node.kubernetes.io/unschedulable');
    expect(prepared?.added.map(({ by }) => by)).toContain('DaemonSet controller');
  });

  it("gives a StatefulSet's pod the volumes of its claim templates", () => {
    const statefulSet: StatefulSet = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db', namespace: 'default' },
      spec: {
        template: { spec: { containers: [{ name: 'c' }], volumes: [{ name: 'data', emptyDir: {} }] } },
        volumeClaimTemplates: [{ metadata: { name: 'data' } }],
      },
    };
    expect(preparePod(statefulSet, context)?.pod.spec.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } },
    ]);
  });

  it('has nothing to place for a workload without a template', () => {
    expect(preparePod({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' } }, context)).toBeUndefined();
  });
});
