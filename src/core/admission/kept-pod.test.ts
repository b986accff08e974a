import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { JsonObject } from '../json/json-value.js';
import { decodeObject } from '../kubernetes/decode.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import { rulesOfMinor } from '../kubernetes/kubernetes-rules.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { LimitRange, LimitRangeItem } from '../kubernetes/objects/quota.js';
import type { PriorityClass, RuntimeClass } from '../kubernetes/objects/scheduling.js';
import type { DaemonSet, StatefulSet, Workload } from '../kubernetes/objects/workloads.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { additionsOf } from './additions.js';
import { admitPod, type NewPod } from './admission-chain.js';
import { admissionIn, type ClusterAdmission } from './admission-in.js';
import { podOfManifest } from './pod-of-template.js';

const kata: RuntimeClass = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'kata-fc' },
  handler: 'kata-fc',
  overhead: { podFixed: { memory: '120Mi', cpu: '250m' } },
  scheduling: { nodeSelector: { runtime: 'kata' }, tolerations: [{ key: 'kata', operator: 'Exists' }] },
};
const LOADED: readonly KeptKind[] = ['Namespace', 'LimitRange', 'ResourceQuota', 'RuntimeClass'];
const contextOf = (objects: readonly KubernetesObject[], loaded = LOADED): ClusterAdmission =>
  admissionIn(ClusterState.build([kata, ...objects], loaded), 'default');
const context = contextOf([]);
const pod = (spec: Partial<Pod['spec']>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default' },
  spec: { containers: [{ name: 'c' }], ...spec },
});

/** @throws {Error} with the message of the refusal */
function admitted(manifest: Pod | Workload, into: ClusterAdmission, options: Partial<NewPod> = {}) {
  const admission = admitPod(
    {
      operation: 'create',
      pod: podOfManifest(manifest)!,
      known: 'kept',
      ...(manifest.kind !== 'Pod' && { workload: manifest }),
      allowMissingRuntimeClass: true,
      ...options,
    },
    into,
  );
  if (admission.outcome === 'refused') throw new Error(admission.refusal.message);
  return { ...admission, added: additionsOf(admission.steps) };
}

describe('admission of a pod of which the kept fields are known', () => {
  it('refuses in 1.35 that a container restarts all of them, though the exit codes are not kept', () => {
    const restarting = pod({
      containers: [{ name: 'c', restartPolicy: 'Never', restartPolicyRules: [{ action: 'RestartAllContainers' }] }],
    });
    const by = (minor: number): ClusterAdmission => ({ ...context, gates: gatesOf(rulesOfMinor(minor)) });
    expect(() => admitted(restarting, by(35))).toThrow(
      'Pod "web" is invalid: spec.containers[0].restartPolicyRules[0].action: Unsupported value: "RestartAllContainers": supported values: "Restart"',
    );
    expect(admitted(restarting, by(36)).pod.spec.containers[0]?.restartPolicyRules).toHaveLength(1);
  });

  it('lists a request that was made from a limit, and says why', () => {
    const prepared = admitted(pod({ containers: [{ name: 'c', resources: { limits: { cpu: '500m' } } }] }), context);
    expect(prepared.pod.spec.containers[0]?.resources?.requests).toEqual({ cpu: '500m' });
    expect(prepared.added).toContainEqual({
      by: 'defaults',
      pointer: '/spec/containers/0/resources/requests',
      value: { cpu: '500m' },
      why: 'a limit without a request becomes the request',
    });
  });

  it('puts in overhead, node selector and tolerations of the runtime class', () => {
    const prepared = admitted(pod({ runtimeClassName: 'kata-fc' }), context);
    expect(prepared.pod.spec).toMatchObject({
      overhead: { memory: '120Mi', cpu: '250m' },
      nodeSelector: { runtime: 'kata' },
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'kata', operator: 'Exists' },
      ],
    });
    expect(prepared.added.filter(({ by }) => by === 'RuntimeClass').map(({ pointer }) => pointer)).toEqual([
      '/spec/tolerations/2',
      '/spec/overhead',
      '/spec/nodeSelector',
    ]);
  });

  describe('validation of what the plugins have made of it', () => {
    const limitRange = (spec: LimitRangeItem): LimitRange => ({
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'defaults', namespace: 'default' },
      spec: { limits: [spec] },
    });
    const requesting = (cpu: string): Pod => pod({ containers: [{ name: 'c', resources: { requests: { cpu } } }] });
    const halfACore = contextOf([limitRange({ type: 'Container', default: { cpu: '500m' } })]);

    it('refuses a request above the limit that a LimitRange gives', () => {
      expect(() => admitted(requesting('700m'), halfACore)).toThrow(
        'Pod "web" is invalid: spec.containers[0].resources.requests: Invalid value: "700m": must be less than or equal to cpu limit of 500m',
      );
      expect(admitted(requesting('500m'), halfACore).pod.spec.containers[0]?.resources?.limits).toEqual({
        cpu: '500m',
      });
    });

    it('refuses it of a workload, too', () => {
      const job: Workload = {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'j', namespace: 'default' },
        spec: { template: { spec: requesting('700m').spec } },
      };
      expect(() => admitted(job, halfACore)).toThrow('must be less than or equal to cpu limit of 500m');
    });

    it('refuses pod-level requests below the sum of those that a LimitRange gives', () => {
      const into = contextOf([limitRange({ type: 'Container', defaultRequest: { memory: '2Gi' } })]);
      expect(() => admitted(pod({ resources: { requests: { memory: '1Gi' } } }), into)).toThrow(
        'spec.resources.requests[memory]: Invalid value: "1Gi": must be greater than or equal to aggregate container requests of 2Gi',
      );
    });

    it('asks nothing of fields that are not kept, nor for a name, containers or images', () => {
      const volumes = [{ name: 'host', hostPath: {} }];
      expect(admitted({ ...pod({ volumes }), metadata: { name: '', namespace: 'default' } }, context).outcome).toBe(
        'admitted',
      );
      expect(admitted(pod({ containers: [] }), context).outcome).toBe('admitted');
    });

    it('is left out with admission', () => {
      expect(
        admitted(requesting('700m'), halfACore, { skipAdmission: true }).pod.spec.containers[0]?.resources,
      ).toEqual({
        requests: { cpu: '700m' },
      });
    });
  });

  it('leaves admission out where it is told to', () => {
    const sent = pod({ runtimeClassName: 'kata-fc', priorityClassName: 'absent', overhead: { cpu: '1' } });
    const prepared = admitted(sent, contextOf([], [...LOADED, 'PriorityClass']), { skipAdmission: true });
    expect(prepared.pod.spec).toMatchObject({ overhead: { cpu: '1' } });
    expect(prepared.pod.spec).not.toHaveProperty('tolerations');
    expect(prepared.added.every(({ by }) => by === 'defaults')).toBe(true);
  });

  it('refuses nothing for the lack of a kind that was never loaded', () => {
    const prepared = admitted({ ...pod({}), metadata: { name: 'web', namespace: 'absent' } }, contextOf([], []));
    expect(prepared.pod.spec.tolerations).toHaveLength(2);
    const known = admissionIn(ClusterState.build([], LOADED), 'absent');
    expect(() => admitted({ ...pod({}), metadata: { name: 'web', namespace: 'absent' } }, known)).toThrow(
      'namespaces "absent" not found',
    );
  });

  it('refuses a pod that brings another overhead than its class', () => {
    expect(() => admitted(pod({ runtimeClassName: 'kata-fc', overhead: { cpu: '1' } }), context)).toThrow(
      "pods \"web\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    );
  });

  it('reports a runtime class that is not stored instead of refusing', () => {
    const prepared = admitted(pod({ runtimeClassName: 'gvisor' }), context);
    expect(prepared.missingRuntimeClass).toEqual({ name: 'gvisor', loaded: true });
  });

  describe('priority', () => {
    const classes = (...given: readonly (readonly [string, number, Partial<PriorityClass>?])[]): ClusterAdmission =>
      contextOf(
        given.map(([name, value, more = {}]): PriorityClass => ({
          apiVersion: 'scheduling.k8s.io/v1',
          kind: 'PriorityClass',
          metadata: { name },
          value,
          ...more,
        })),
        [...LOADED, 'PriorityClass'],
      );
    const unloaded = context;

    it.each<[string, Partial<Pod['spec']>, ClusterAdmission, object]>([
      [
        'is that of the class, which preempts unless it says Never',
        { priorityClassName: 'high' },
        classes(['high', 1000]),
        { priority: 1000, preemptionPolicy: 'PreemptLowerPriority' },
      ],
      [
        'comes with the policy of the class',
        { priorityClassName: 'polite' },
        classes(['polite', 7, { preemptionPolicy: 'Never' }]),
        { priority: 7, preemptionPolicy: 'Never' },
      ],
      [
        'of a pod without a class is that of the lowest global default',
        {},
        classes(['a', 9, { globalDefault: true }], ['b', 8, { globalDefault: true }], ['c', 7]),
        { priority: 8, priorityClassName: 'b' },
      ],
      ['is 0 where there is neither', {}, classes(), { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
      [
        'of a system class is known without any snapshot of classes',
        { priorityClassName: 'system-node-critical' },
        unloaded,
        { priority: 2_000_001_000 },
      ],
    ])('%s', (_, spec, given, want) => {
      expect(admitted(pod(spec), given).pod.spec).toMatchObject(want);
    });

    it.each<[string, Partial<Pod['spec']>, ClusterAdmission]>([
      ['the class was never loaded', { priorityClassName: 'high' }, unloaded],
      ['a default class might exist', {}, unloaded],
    ])('stays as it was sent where %s', (_, spec, given) => {
      const prepared = admitted(pod({ ...spec, priority: 3 }), given);
      expect(prepared.pod.spec.priority).toBe(3);
      expect(prepared.pod.spec).not.toHaveProperty('preemptionPolicy');
    });

    it('of a class that does not exist is refused', () => {
      expect(() => admitted(pod({ priorityClassName: 'high' }), classes(['low', 1]))).toThrow(
        'pods "web" is forbidden: no PriorityClass with name high was found',
      );
    });

    it('of another number than the class says is refused', () => {
      expect(() => admitted(pod({ priorityClassName: 'high', priority: 3 }), classes(['high', 1000]))).toThrow(
        'the integer value of priority (3) must not be provided in pod spec',
      );
    });
  });

  it("adds the DaemonSet controller's tolerations to a DaemonSet's pod", () => {
    const daemonSet: DaemonSet = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent', namespace: 'ops' },
      spec: { template: { spec: { containers: [{ name: 'c' }] } } },
    };
    const prepared = admitted(daemonSet, context);
    expect(prepared.pod.metadata.namespace).toBe('ops');
    expect(prepared.pod.spec.tolerations?.map(({ key }) => key)).toContain('node.kubernetes.io/unschedulable');
    expect(prepared.added.map(({ by }) => by)).toContain('DaemonSet controller');
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
    expect(admitted(statefulSet, context).pod.spec.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } },
    ]);
  });

  it('has nothing to place for a workload without a template', () => {
    expect(podOfManifest({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' } })).toBeUndefined();
  });
});

describe('PodSecurity of a pod of which the kept fields are known', () => {
  const restricted = contextOf([
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'default', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    },
  ]);
  const stored = (manifest: object): Pod => {
    const decoded = decodeObject(manifest as JsonObject);
    if (decoded.outcome !== 'object') throw new Error(decoded.outcome);
    return decoded.object as Pod;
  };
  const given = (spec: object, container: object = {}): Pod =>
    stored({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec },
    });
  const SECURE = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  const undecided = (sent: Pod): readonly string[] =>
    admitted(sent, restricted)
      .undecided.filter(({ plugin }) => plugin === 'PodSecurity')
      .map(({ why }) => why);

  it('admits it where what is stored meets the standard, with volumes of any type that the standard allows', () => {
    const volumes = [
      { name: 'a', configMap: { name: 'm' } },
      { name: 'b', secret: { secretName: 's' } },
      { name: 'c', projected: { sources: [] } },
      { name: 'd', downwardAPI: {} },
      { name: 'e', emptyDir: {} },
    ];
    const probe = { livenessProbe: { httpGet: { port: 80 } } };
    expect(undecided(given({ securityContext: SECURE, volumes }, { securityContext, ...probe }))).toEqual([]);
  });

  it.each([
    ['a security context', { securityContext: {} }, {}, 'allowPrivilegeEscalation != false'],
    ['a shared namespace', { hostPID: true }, {}, 'host namespaces (hostPID=true)'],
    ['a capability', {}, { capabilities: { add: ['CHOWN'] } }, 'must not include "CHOWN"'],
    [
      'a volume of the host',
      { volumes: [{ name: 'h', hostPath: { path: '/' } }] },
      {},
      'volume "h" uses restricted volume type "hostPath"',
    ],
    [
      'another restricted volume',
      { volumes: [{ name: 'n', nfs: { server: 's', path: '/' } }] },
      {},
      'restricted volume type "nfs"',
    ],
    [
      'a sysctl',
      { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
      {},
      'forbidden sysctls (kernel.msgmax)',
    ],
    ['an SELinux option', {}, { seLinuxOptions: { user: 'u', level: 's0' } }, 'user may not be set'],
  ])('refuses it for %s', (_, spec, context, message) => {
    const sent = given({ securityContext: SECURE, ...spec }, { securityContext: { ...securityContext, ...context } });
    const bare = given({ securityContext: {}, ...spec }, { securityContext: context });
    expect(() => admitted(message.startsWith('allow') ? bare : sent, restricted)).toThrow(message);
  });

  it('refuses it for the host of a probe', () => {
    const probe = { readinessProbe: { tcpSocket: { host: '10.0.0.1', port: 80 } } };
    expect(() => admitted(given({ securityContext: SECURE }, { securityContext, ...probe }), restricted)).toThrow(
      'container "c" uses probe or lifecycle host "10.0.0.1"',
    );
  });

  it('is not known where the pod was stored before these fields were kept', () => {
    expect(undecided(given({}))).toEqual([
      'the namespace enforces the pod security standard "restricted:latest", and fields of the pod that it restricts are not stored',
    ]);
  });

  it('leaves out complaints that quote fields which are not kept, unless all of the pod is known', () => {
    const spec = { securityContext: {} };
    const context = { allowPrivilegeEscalation: false, privileged: true, readOnlyRootFilesystem: true };
    const whole = decodeObject(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web', namespace: 'default' },
        spec: { containers: [{ name: 'c', image: 'i', securityContext: context }] },
      },
      { whole: true },
    );
    const kept = given(spec, { securityContext: context });
    expect(admitted(kept, contextOf([])).outcome).toBe('admitted');
    if (whole.outcome !== 'object') throw new Error(whole.outcome);
    expect(() => admitted(kept, contextOf([]), { whole: whole.object as Pod })).toThrow(
      '"ReadOnlyRootFilesystem":true,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
    );
  });
});
