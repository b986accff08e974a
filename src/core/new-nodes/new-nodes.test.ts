import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { NodePool, PoolRequirement } from '../kubernetes/objects/karpenter.js';
import type { MachineDeployment, OpenShiftMachineSet } from '../kubernetes/objects/machines.js';
import type { KubernetesObject, Labels } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../kubernetes/objects/storage.js';
import type { DaemonSet } from '../kubernetes/objects/workloads.js';
import { KINDS } from '../kubernetes/kinds.js';
import { DaemonPods } from './daemon-pods.js';
import { newNodeOf, nodeGroups, type NewNode } from './new-nodes.js';

const ZONE = 'topology.kubernetes.io/zone';
const TYPE = 'node.kubernetes.io/instance-type';
const POOL = 'karpenter.sh/nodepool';

type Template = NonNullable<NonNullable<NodePool['spec']>['template']>;
const pool = (
  name: string,
  template: NonNullable<Template['spec']> & { readonly labels?: Labels } = {},
  spec: Omit<NonNullable<NodePool['spec']>, 'template'> = {},
): NodePool => {
  const { labels, ...more } = template;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: { ...spec, template: { metadata: { labels: labels ?? {} }, spec: { requirements: [], ...more } } },
  };
};
const only = (key: string, ...values: string[]) => ({ key, operator: 'In', values });
const node = (name: string, labels: Labels, allocatable: Record<string, string> = {}): Node => {
  const amounts = { cpu: '4', memory: '16Gi', pods: '110', ...allocatable };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', ...labels } },
    status: { capacity: amounts, allocatable: amounts, conditions: [{ type: 'Ready', status: 'True' }] },
  };
};
const pod = (spec: Partial<PodSpec> = {}, cpu = '1', labels: Labels = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', labels },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...spec },
});
const ask = (one: Pod, ...objects: KubernetesObject[]): readonly NewNode[] => {
  const state = ClusterState.build(
    objects,
    KINDS.map(({ kind }) => kind),
  );
  const daemons = new DaemonPods(state);
  return nodeGroups(state).map((group) => {
    const steps = newNodeOf(state, group, { pod: one }, daemons);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  });
};
const summary = ({ group, verdict, groupReasons, explanation }: NewNode): string =>
  [group.name, verdict, ...groupReasons.map(({ code }) => code), ...explanation.reasons.map(({ code }) => code)].join(
    ' ',
  );
const asked = (one: Pod, ...objects: KubernetesObject[]): string =>
  ask(one, ...objects)
    .map(summary)
    .join('; ');

/** Karpenter on AWS, in a version. */
const karpenter = (tag: string): KubernetesObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'karpenter', namespace: 'kube-system' },
    spec: {
      template: { spec: { containers: [{ name: 'c', image: `public.ecr.aws/karpenter/controller:${tag}` }] } },
    },
  }) as KubernetesObject;

const M5 = node('n1', { [POOL]: 'a', [TYPE]: 'm5.xlarge', [ZONE]: 'z1' });

describe('a new node of a NodePool', () => {
  it('takes a pod that a machine of the pool would hold', () => {
    const [answer] = ask(pod(), pool('a'), M5);
    expect(summary(answer!)).toBe('a feasible');
    expect(answer).toMatchObject({ zone: 'z1', shape: { source: 'node', like: 'n1' } });
  });

  it('is unknown for a pod that something else has to admit first', () => {
    const one = pod();
    const queued = { ...one, metadata: { ...one.metadata, labels: { 'kueue.x-k8s.io/queue-name': 'team-a' } } };
    expect(asked(queued, pool('a'), M5)).toBe('a unknown NotImplemented');
  });

  it('is unknown where nothing shows the resources of a machine, or the shown ones are too small', () => {
    expect(asked(pod(), pool('a'))).toBe('a unknown InstanceTypeUnknown');
    expect(asked(pod({}, '32'), pool('a'), M5)).toBe('a unknown InstanceTypeUnknown InsufficientResource');
  });

  it('refuses a pod that is too great for each instance type that the pool allows', () => {
    const requirements = [only(TYPE, 'm5.xlarge')];
    expect(asked(pod({}, '32'), pool('a', { requirements }), M5)).toBe('a infeasible InsufficientResource');
  });

  it.each([
    [{ key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt', values: ['5'] }, { cpu: '64' }, { cpu: '4' }],
    [only('karpenter.k8s.aws/instance-cpu', '2', '4'), { cpu: '4100m' }, { cpu: '4' }],
    [
      { key: 'karpenter.k8s.aws/instance-memory', operator: 'Lte', values: ['4096'] },
      { memory: '5Gi' },
      { memory: '4Gi' },
    ],
    [
      { key: 'karpenter.azure.com/sku-gpu-count', operator: 'Lt', values: ['3'] },
      { 'nvidia.com/gpu': '4' },
      { 'nvidia.com/gpu': '2' },
    ],
  ])('is too small where %j bounds the machine below what the pod requests', (requirement, requests, fitting) => {
    const requesting = (amounts: Record<string, string>) =>
      pod({ containers: [{ name: 'c', resources: { requests: amounts } }] });
    const bounded = pool('a', { requirements: [requirement] });
    expect(asked(requesting(requests), bounded, M5)).toContain('a infeasible InstanceTypeTooSmall');
    expect(asked(requesting(fitting), bounded, M5)).toContain('a unknown InstanceTypeUnknown');
  });

  const claim = (name: string, deviceClassName = 'gpu', metadata: object = {}): KubernetesObject =>
    ({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name, namespace: 'default', ...metadata },
      spec: { devices: { requests: [{ name: 'one', exactly: { deviceClassName } }] } },
    }) as KubernetesObject;
  const gpus = { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} };

  it.each([
    ['is not there', [], 'could not find ResourceClaim "default/gpu"'],
    [
      'is being deleted',
      [claim('gpu', 'gpu', { deletionTimestamp: '2026-01-01T00:00:00Z' })],
      'resourceclaim "gpu" is being deleted',
    ],
    ['names no class that is there', [claim('gpu', 'tpu')], 'request one: device class tpu does not exist'],
  ])('is refused, as one that is there, for a pod whose resource claim %s', (_, objects, message) => {
    const claiming = pod({
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }],
      containers: [{ name: 'c', resources: { claims: [{ name: 'gpu' }] } }],
    });
    const [answer] = ask(claiming, pool('a'), M5, gpus, ...objects);
    expect(summary(answer!)).toBe('a infeasible ResourceClaimNotUsable');
    expect(answer!.explanation.reasons).toMatchObject([{ plugin: 'DynamicResources', message, first: true }]);
    expect(asked(claiming, pool('a'), M5, gpus, claim('gpu'))).toMatch(/^a unknown DevicesIgnored DevicesUnknown /);
  });

  it('does not come for a pod with resource claims, as far as the version of Karpenter is known', () => {
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
    const pools = pool('a', { nodeClassRef });
    const claiming = pod({
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }],
      containers: [{ name: 'c', resources: { claims: [{ name: 'gpu' }] } }],
    });
    const reasons = (...more: KubernetesObject[]) => {
      const [answer] = ask(claiming, pools, M5, gpus, claim('gpu'), ...more);
      return [answer!.verdict, ...answer!.groupReasons.map(({ code }) => code)].join(' ');
    };
    expect(reasons()).toBe('unknown DevicesIgnored DevicesUnknown');
    expect(reasons(karpenter('1.6.4'))).toBe('unknown DevicesUnknown');
    // A flag that is not stored decides.
    for (const tag of ['1.7.0', '1.9.1', `1.13.0@sha256:${'0'.repeat(64)}`, '1.14.1']) {
      expect(reasons(karpenter(tag))).toBe('unknown DevicesIgnored DevicesUnknown');
    }
    expect(reasons(karpenter('1.9.1'), { ...karpenter('1.6.4'), metadata: { name: 'old', namespace: 'x' } })).toBe(
      'unknown DevicesIgnored DevicesUnknown',
    );
    expect(asked(pod(), pools, M5, karpenter('1.9.1'))).toBe('a feasible');
  });

  describe('for a pod that Karpenter ignores', () => {
    const required = (...nodeSelectorTerms: object[]) =>
      pod({
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
      });
    const aws = pool('a', { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' } });
    const fine = { matchExpressions: [only(ZONE, 'z1')] };

    it.each([
      ['the hostname', { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'NotIn', values: ['n9'] }] }],
      ['another label of Karpenter', { matchExpressions: [{ key: 'karpenter.sh/initialized', operator: 'Exists' }] }],
      ['no known capacity type', { matchExpressions: [only('karpenter.sh/capacity-type', 'purple')] }],
      ['a field', { matchFields: [only('metadata.name', 'n9')] }],
    ])('is refused if a term of its required affinity has %s, even if another one fits', (_, term) => {
      expect(asked(required(fine), aws, M5)).toBe('a feasible');
      expect(asked(required(fine, term), aws, M5)).toBe('a infeasible PodIgnored');
    });

    it('is refused if the first term excludes nodes of Karpenter', () => {
      const none = { matchExpressions: [{ key: POOL, operator: 'DoesNotExist' }] };
      expect(asked(required(none, fine), aws, M5)).toBe('a infeasible PodIgnored');
      expect(asked(required(fine, none), aws, M5)).toBe('a feasible');
    });

    it('is refused if the preferred term with the greatest weight excludes nodes of Karpenter', () => {
      const preferring = (...terms: readonly (readonly [weight: number, expressions: PoolRequirement[]])[]) => {
        const preferred = terms.map(([weight, matchExpressions]) => ({ weight, preference: { matchExpressions } }));
        const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
        return { affinity: { nodeAffinity } };
      };
      const none = { key: POOL, operator: 'DoesNotExist' };
      const other = only(ZONE, 'z9');
      const [refused] = ask(pod(preferring([1, [other]], [5, [none]])), aws, M5);
      expect(summary(refused!)).toBe('a infeasible PodIgnored');
      expect(refused!.groupReasons[0]!.message).toBe(
        'Karpenter ignores a pod whose node selector or required node affinity allows no karpenter.sh/nodepool together with the preferred term that has the greatest weight',
      );
      // Other preferences are dropped one by one until a node fits.
      expect(asked(pod(preferring([5, [other]], [1, [none]])), aws, M5)).toBe('a feasible');
      expect(asked(pod(preferring([5, [other]], [5, [none]])), aws, M5)).toBe('a feasible');
      // It avoids the only NodePool that it may use, too.
      const selecting = { nodeSelector: { [POOL]: 'a' } };
      expect(asked(pod({ ...selecting, ...preferring([1, [only(POOL, 'b')]]) }), aws, M5)).toBe(
        'a infeasible PodIgnored',
      );
      expect(asked(pod({ ...selecting, ...preferring([1, [only(POOL, 'a', 'b')]]) }), aws, M5)).toBe('a feasible');
    });

    it('depends on the version where it requires labels of Kubernetes', () => {
      const role = { key: 'node-role.kubernetes.io/control-plane', operator: 'DoesNotExist' };
      const one = required({ matchExpressions: [role] });
      expect(asked(one, aws, M5)).toBe('a unknown PodIgnored');
      expect(asked(one, aws, M5, karpenter('1.8.3'))).toBe('a infeasible PodIgnored');
      expect(asked(one, aws, M5, karpenter('1.9.0'))).toBe('a feasible');
      const excepted = { key: 'node-restriction.kubernetes.io/x', operator: 'DoesNotExist' };
      expect(asked(required({ matchExpressions: [excepted] }), aws, M5, karpenter('1.8.3'))).toBe('a feasible');
    });
  });

  it('knows a machine by a node of another pool', () => {
    const [answer] = ask(pod(), pool('b', { requirements: [only(TYPE, 'm5.xlarge')] }), M5);
    expect(summary(answer!)).toBe('b feasible');
    expect(answer?.shape).toMatchObject({ source: 'nodeOfAnotherGroup', like: 'n1' });
    expect(asked(pod(), pool('b', { requirements: [only(TYPE, 'c5.large')] }), M5)).toBe(
      'b unknown InstanceTypeUnknown',
    );
  });

  it('knows a machine by a node of another class, and has the label of its own', () => {
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'gpu' };
    const other = node('n1', { ...M5.metadata.labels, 'karpenter.k8s.aws/ec2nodeclass': 'default' });
    const [answer] = ask(pod(), pool('b', { nodeClassRef }), other);
    expect(summary(answer!)).toBe('b feasible');
    const ofClass = (value: string) => pod({ nodeSelector: { 'karpenter.k8s.aws/ec2nodeclass': value } });
    // Karpenter ignores a pod that selects by class, whichever it is.
    expect(asked(ofClass('gpu'), pool('b', { nodeClassRef }), other)).toBe('b infeasible PodIgnored');
    expect(asked(ofClass('default'), pool('b', { nodeClassRef }), other)).toBe(
      'b infeasible PodIgnored NodeSelectorMismatch',
    );
  });

  it('has the taints of the template and not those of a node that shows the machine', () => {
    const tainted: Node = { ...M5, spec: { taints: [{ key: 'mine', effect: 'NoSchedule' }] } };
    expect(asked(pod(), pool('a'), tainted)).toBe('a feasible');
    const taints = [{ key: 'gpu', effect: 'NoSchedule' }];
    expect(asked(pod(), pool('a', { taints }), M5)).toBe('a infeasible UntoleratedTaint');
    expect(asked(pod({ tolerations: [{ key: 'gpu', operator: 'Exists' }] }), pool('a', { taints }), M5)).toBe(
      'a feasible',
    );
  });

  it('waits for startup taints, and says which of them the pod tolerates', () => {
    const startupTaints = [{ key: 'node.cilium.io/agent-not-ready', effect: 'NoExecute', value: 'true' }];
    const rule = (name: string, pool_: string): KubernetesObject =>
      ({
        apiVersion: 'readiness.node.x-k8s.io/v1alpha1',
        kind: 'NodeReadinessRule',
        metadata: { name },
        spec: {
          conditions: [{ type: 'Ready2', requiredStatus: 'True' }],
          enforcementMode: 'bootstrap-only',
          taint: { key: `readiness.k8s.io/${name}`, effect: 'NoSchedule' },
          nodeSelector: { matchLabels: { [POOL]: pool_ } },
        },
      }) as KubernetesObject;
    const [answer] = ask(
      pod({ tolerations: [{ key: 'node.cilium.io/agent-not-ready', operator: 'Exists' }] }),
      pool('a', { startupTaints }),
      M5,
      rule('gpu', 'a'),
      rule('other', 'b'),
    );
    expect(answer?.verdict).toBe('feasible');
    expect(answer?.startupTaints.map(({ taint, tolerated }) => [taint.key, tolerated])).toEqual([
      ['node.cilium.io/agent-not-ready', true],
      ['karpenter.sh/unregistered', false],
      ['readiness.k8s.io/gpu', false],
    ]);
  });

  it('has labels of the template, and such that its requirements and the pod agree on', () => {
    const labelled = pool('a', { labels: { team: 'x' }, requirements: [only('tier', 'gold', 'silver')] });
    expect(asked(pod({ nodeSelector: { team: 'x', tier: 'silver' } }), labelled, M5)).toBe('a feasible');
    expect(asked(pod({ nodeSelector: { team: 'y' } }), labelled, M5)).toBe('a infeasible NodeSelectorMismatch');
    expect(asked(pod({ nodeSelector: { tier: 'bronze' } }), labelled, M5)).toBe('a infeasible NodeSelectorMismatch');
    expect(asked(pod({ nodeSelector: { nowhere: 'x' } }), labelled, M5)).toBe('a infeasible NodeSelectorMismatch');
  });

  it('has labels under their former keys', () => {
    expect(asked(pod({ nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }), pool('a'), M5)).toBe('a feasible');
    const former = { 'failure-domain.beta.kubernetes.io/zone': 'z1' };
    expect(asked(pod({ nodeSelector: former }), pool('a', { requirements: [only(ZONE, 'z1')] }), M5)).toBe(
      'a feasible',
    );
  });

  it('is the machine that holds the pod, among those that nodes show', () => {
    const large = node('n2', { [POOL]: 'a', [TYPE]: 'm5.4xlarge', [ZONE]: 'z1' }, { cpu: '16' });
    expect(ask(pod({}, '8'), pool('a'), M5, large)[0]?.shape).toMatchObject({ like: 'n2' });
  });

  it('takes the first term of the node affinity that fits', () => {
    const term = (zone: string) => ({ matchExpressions: [only(ZONE, zone)] });
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term('z3'), term('z2')] },
      },
    };
    const [answer] = ask(pod({ affinity }), pool('a', { requirements: [only(ZONE, 'z1', 'z2')] }), M5);
    expect(answer).toMatchObject({ verdict: 'feasible', zone: 'z2' });
  });

  it('goes to the zone where the pod may be', () => {
    const spread: Partial<PodSpec> = {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: ZONE,
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'w' } },
        },
      ],
    };
    const running: Pod = {
      ...pod({ nodeName: 'n1' }, '1', { app: 'w' }),
      metadata: { name: 'w-1', namespace: 'default', labels: { app: 'w' } },
    };
    const zoned = (...zones: string[]) => pool('a', { requirements: [only(ZONE, ...zones)] });
    const other = node('n2', { [POOL]: 'a', [TYPE]: 'm5.xlarge', [ZONE]: 'z2' });
    const [answer] = ask(pod(spread, '1', { app: 'w' }), zoned('z1', 'z2'), M5, other, running);
    expect(answer).toMatchObject({ verdict: 'feasible', zone: 'z2' });
    expect(asked(pod(spread, '1', { app: 'w' }), zoned('z1'), M5, other, running)).toBe(
      'a infeasible TopologySpreadSkew',
    );
  });

  it('is unknown in a zone of which nothing says that the pool has nodes there', () => {
    const inZone = (zone: string) => pod({ nodeSelector: { [ZONE]: zone } });
    const [answer] = ask(inZone('mars'), pool('a'), M5);
    expect(summary(answer!)).toBe('a unknown ZoneUnknown');
    expect(answer?.groupReasons[0]?.message).toContain('zone mars');
    expect(asked(inZone('z1'), pool('a'), M5)).toBe('a feasible');
    const claim: KubernetesObject = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: 'c', labels: { [POOL]: 'a', [ZONE]: 'z2' } },
    };
    expect(asked(inZone('z2'), pool('a'), M5, claim)).toBe('a feasible');
    expect(asked(inZone('mars'), pool('a', { requirements: [only(ZONE, 'mars')] }), M5)).toBe('a feasible');
    expect(asked(inZone('z1'), pool('a', { requirements: [only(ZONE, 'mars')] }), M5)).toBe(
      'a infeasible NodeSelectorMismatch',
    );
    // The node of another pool may be in another subnet.
    expect(asked(inZone('z1'), pool('b'), M5)).toBe('b unknown ZoneUnknown');
  });

  it('is no spot machine if the pod excludes those, although the node that shows the machine is one', () => {
    const spot = node('n1', { ...M5.metadata.labels, 'karpenter.sh/capacity-type': 'spot' });
    const terms = [{ matchExpressions: [{ key: 'karpenter.sh/capacity-type', operator: 'NotIn', values: ['spot'] }] }];
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
    };
    expect(asked(pod({ affinity }), pool('a'), spot)).toBe('a feasible');
  });

  it('may be in the zones of nodes of the same class', () => {
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
    const other = node('n1', { ...M5.metadata.labels, 'karpenter.k8s.aws/ec2nodeclass': 'default' });
    expect(asked(pod({ nodeSelector: { [ZONE]: 'z1' } }), pool('b', { nodeClassRef }), other)).toBe('b feasible');
  });

  it('is unknown where the pod excludes each zone that is known', () => {
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'NotIn', values: ['z1'] }] }],
        },
      },
    };
    expect(asked(pod({ affinity }), pool('a'), M5)).toBe('a unknown ZoneUnknown');
    const exists = { ...affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution };
    exists.nodeSelectorTerms = [{ matchExpressions: [{ key: ZONE, operator: 'Exists', values: [] }] }];
    const any = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: exists } };
    expect(asked(pod({ affinity: any }), pool('a'), M5)).toBe('a feasible');
  });

  it('is unknown where the zone matters, and only other pools have nodes in the one that would do', () => {
    const near: Partial<PodSpec> = {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: ZONE, labelSelector: { matchLabels: { app: 'db' } } },
          ],
        },
      },
    };
    const db: Pod = {
      ...pod({ nodeName: 'n1' }),
      metadata: { name: 'db', namespace: 'default', labels: { app: 'db' } },
    };
    expect(asked(pod(near), pool('a'), M5, db)).toBe('a feasible');
    expect(asked(pod(near), pool('b'), M5, db)).toBe('b unknown ZoneUnknown');
    expect(asked(pod(), pool('b'), M5, db)).toBe('b feasible');
  });

  it('is unknown in a region or of a capacity type of which nothing says that it is there', () => {
    const region = 'topology.kubernetes.io/region';
    const n1 = node('n1', { ...M5.metadata.labels, [region]: 'r1' });
    const select = (key: string, value: string) => pod({ nodeSelector: { [key]: value } });
    expect(asked(select(region, 'r1'), pool('b'), n1)).toBe('b feasible');
    expect(asked(select(region, 'mars'), pool('b'), n1)).toBe('b unknown ZoneUnknown');
    const capacity = 'karpenter.sh/capacity-type';
    expect(asked(select(capacity, 'spot'), pool('a'), n1)).toBe('a feasible');
    expect(asked(select(capacity, 'reserved'), pool('a'), n1)).toBe('a unknown InstanceTypeUnknown');
    const reserving = pool('a', { requirements: [only(capacity, 'reserved')] });
    expect(asked(select(capacity, 'reserved'), reserving, n1)).toBe('a feasible');
  });

  const daemonSet = (spec: Partial<PodSpec> = {}, cpu = '2'): DaemonSet => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'kube-system' },
    spec: {
      template: { metadata: {}, spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...spec } },
    },
  });

  it('counts the pods of DaemonSets', () => {
    const requirements = [only(TYPE, 'm5.xlarge')];
    const [answer] = ask(pod({}, '3'), pool('a', { requirements }), M5, daemonSet());
    expect(summary(answer!)).toBe('a infeasible InsufficientResource');
    expect(answer).toMatchObject({ daemonPods: 1, daemonRequests: { cpu: '2' } });
    const taints = [{ key: 'gpu', effect: 'NoSchedule' }];
    const tolerations = [{ key: 'gpu', operator: 'Exists' }];
    expect(asked(pod({ tolerations }, '3'), pool('a', { requirements, taints }), M5, daemonSet())).toBe('a feasible');
  });

  describe('beside DaemonSets that would not run on the machine', () => {
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
    const arch = 'kubernetes.io/arch';
    const machine = (type: string, cpu: string) =>
      node(type, { [POOL]: 'a', [TYPE]: type, [ZONE]: 'z1', [arch]: 'amd64' }, { cpu });
    const small = machine('m5.xlarge', '4');
    const onlySmall = pool('a', { nodeClassRef, requirements: [only(TYPE, 'm5.xlarge')] });
    const three = pod({}, '3');
    const onArm = daemonSet({ nodeSelector: { [arch]: 'arm64' } });

    it('fits as long as Karpenter does not count them, which depends on its version', () => {
      expect(asked(three, onlySmall, small, onArm, karpenter('1.13.0'))).toBe('a infeasible DaemonOverhead');
      expect(asked(three, onlySmall, small, onArm, karpenter('1.14.1'))).toBe('a feasible');
      const [answer] = ask(three, onlySmall, small, onArm);
      expect(summary(answer!)).toBe('a unknown DaemonOverhead');
      expect(answer).toMatchObject({ daemonPods: 0, daemonRequests: {} });
      expect(answer!.groupReasons[0]!.message).toBe(
        'Karpenter before 1.14 counts DaemonSets that would not run on such a machine (agent), and the pod does not fit beside them',
      );
      expect(asked(pod({}, '2'), onlySmall, small, onArm)).toBe('a feasible');
    });

    it('fits where the requirements or taints of the NodePool keep them off', () => {
      const old = karpenter('1.13.0');
      const onAmd = pool('a', { nodeClassRef, requirements: [only(TYPE, 'm5.xlarge'), only(arch, 'amd64')] });
      expect(asked(three, onAmd, small, onArm, old)).toBe('a feasible');
      const taints = [{ key: 'gpu', effect: 'NoSchedule' }];
      const tainted = pool('a', { nodeClassRef, requirements: [only(TYPE, 'm5.xlarge')], taints });
      const tolerations = [{ key: 'gpu', operator: 'Exists' }];
      expect(asked(pod({ tolerations }, '3'), tainted, small, onArm, old)).toBe('a feasible');
      const tolerant = daemonSet({ nodeSelector: { [arch]: 'arm64' }, tolerations });
      expect(asked(pod({ tolerations }, '3'), tainted, small, tolerant, old)).toBe('a infeasible DaemonOverhead');
      const custom = daemonSet({ nodeSelector: { team: 'other' } });
      expect(asked(three, onlySmall, small, custom, old)).toBe('a feasible');
    });

    it('counts in every version those of another zone, since an instance type is in several', () => {
      const elsewhere = daemonSet({ nodeSelector: { [ZONE]: 'z2' } });
      for (const tag of ['1.13.0', '1.14.1']) {
        expect(asked(three, onlySmall, small, elsewhere, karpenter(tag))).toBe('a infeasible DaemonOverhead');
      }
      expect(asked(three, onlySmall, small, elsewhere)).toBe('a infeasible DaemonOverhead');
    });

    it('comes as a larger machine, if there may be one', () => {
      const old = karpenter('1.13.0');
      const any = pool('a', { nodeClassRef });
      expect(asked(three, any, small, onArm, old)).toBe('a unknown DaemonOverhead');
      const [answer] = ask(three, any, small, machine('m6.xlarge', '8'), onArm, old);
      expect(summary(answer!)).toBe('a feasible');
      expect(answer!.shape!.like).toBe('m6.xlarge');
      // Nothing shows in which zones nodes of another pool are.
      const both = [only(TYPE, 'm5.xlarge', 'm6.xlarge')];
      const other = pool('b', { nodeClassRef, requirements: both });
      const machines = [small, machine('m6.xlarge', '8'), onArm, old];
      expect(asked(three, other, ...machines)).toBe('b feasible');
      const inZone = pod({ nodeSelector: { [ZONE]: 'z1' } }, '3');
      expect(asked(inZone, other, ...machines)).toBe('b unknown ZoneUnknown');
    });

    it('counts labels of the cloud provider of its class, and none of another', () => {
      const selecting = (key: string) => daemonSet({ nodeSelector: { [key]: 't4' } });
      const old = karpenter('1.13.0');
      expect(asked(three, onlySmall, small, selecting('karpenter.k8s.aws/instance-gpu-name'), old)).toBe(
        'a infeasible DaemonOverhead',
      );
      expect(asked(three, onlySmall, small, selecting('cloud.google.com/gke-accelerator'), old)).toBe('a feasible');
    });

    it('counts their host ports from 1.4 on, and none with resource claims from 1.7 on', () => {
      const containers = [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80 }] }];
      const port = daemonSet({ nodeSelector: { [arch]: 'arm64' }, containers });
      expect(asked(pod({ containers }), onlySmall, small, port, karpenter('1.3.0'))).toBe('a feasible');
      expect(asked(pod({ containers }), onlySmall, small, port, karpenter('1.4.0'))).toBe(
        'a infeasible DaemonOverhead',
      );
      const claiming = daemonSet({
        nodeSelector: { [arch]: 'arm64' },
        resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }],
        containers: [{ name: 'c', resources: { requests: { cpu: '2' }, claims: [{ name: 'gpu' }] } }],
      });
      expect(asked(three, onlySmall, small, claiming, karpenter('1.6.4'))).toBe('a infeasible DaemonOverhead');
      expect(asked(three, onlySmall, small, claiming, karpenter('1.7.0'))).toBe('a feasible');
    });
  });

  describe('for a pod with a volume', () => {
    const one = pod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] });
    const claim = (spec: PersistentVolumeClaim['spec']): PersistentVolumeClaim => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { storageClassName: 'ssd', ...spec },
    });
    const bound = (key: string, value: string): readonly KubernetesObject[] => {
      const volume: PersistentVolume = {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'pv' },
        spec: { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [only(key, value)] }] } } },
      };
      return [claim({ volumeName: 'pv' }), volume];
    };

    it('is in the zone of the volume', () => {
      const other = node('n2', { [POOL]: 'a', [TYPE]: 'm5.xlarge', [ZONE]: 'z2' });
      expect(ask(one, pool('a'), M5, other, ...bound(ZONE, 'z2'))[0]).toMatchObject({
        verdict: 'feasible',
        zone: 'z2',
      });
      expect(asked(one, pool('a', { requirements: [only(ZONE, 'z1')] }), M5, other, ...bound(ZONE, 'z2'))).toBe(
        'a infeasible VolumeNodeMismatch',
      );
    });

    it('has the label of the driver for the zone', () => {
      expect(asked(one, pool('a'), M5, ...bound('topology.ebs.csi.aws.com/zone', 'z1'))).toBe('a feasible');
      expect(asked(one, pool('a'), ...bound('topology.ebs.csi.aws.com/zone', 'z1'))).toBe(
        'a unknown InstanceTypeUnknown ZoneUnknown',
      );
    });

    it('is unknown in a zone of which nothing says that the pool has nodes there', () => {
      expect(asked(one, pool('a'), M5, ...bound(ZONE, 'mars'))).toBe('a unknown ZoneUnknown');
      const certain = pool('a', { requirements: [only(TYPE, 'm5.xlarge')] });
      expect(asked(one, certain, M5, ...bound(ZONE, 'mars'))).toBe('a unknown ZoneUnknown');
    });

    it('is refused for a local volume of another node, and for a claim that is not there', () => {
      expect(asked(one, pool('a'), M5, ...bound('kubernetes.io/hostname', 'n1'))).toBe(
        'a infeasible VolumeNodeMismatch',
      );
      expect(asked(one, pool('a'), M5)).toContain('a infeasible ClaimNotUsable');
    });

    it('is in a zone in which the class of an unbound claim allows volumes', () => {
      const unbound = (zone: string, volumeBindingMode = 'WaitForFirstConsumer'): readonly KubernetesObject[] => {
        const storageClass: StorageClass = {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'StorageClass',
          metadata: { name: 'ssd' },
          provisioner: 'ebs.csi.aws.com',
          volumeBindingMode,
          allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: [zone] }] }],
        };
        return [claim({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }), storageClass];
      };
      expect(asked(one, pool('a'), M5, ...unbound('z1', 'Immediate'))).toContain('a infeasible ClaimNotBound');
      expect(asked(one, pool('a'), M5, ...unbound('z1'))).toBe('a feasible');
      expect(asked(one, pool('a'), M5, ...unbound('mars'))).toBe('a unknown ZoneUnknown');
    });
  });

  it('does not come once a limit is reached', () => {
    expect(asked(pod(), pool('a', {}, { limits: { cpu: '4' } }), M5)).toBe('a infeasible LimitReached');
    expect(asked(pod(), pool('a', {}, { limits: { nodes: '1' } }), M5)).toBe('a infeasible LimitReached');
    expect(asked(pod(), pool('a', {}, { limits: { cpu: '8' } }), M5)).toBe('a feasible');
    // The machine that is known would go beyond the limit, but a smaller one may do.
    expect(asked(pod(), pool('a', {}, { limits: { cpu: '6' } }), M5)).toBe('a unknown InstanceTypeUnknown');
    expect(asked(pod({}, '3'), pool('a', {}, { limits: { cpu: '6' } }), M5)).toBe('a infeasible LimitReached');
    const small = pool('a', { requirements: [only(TYPE, 'm5.xlarge')] }, { limits: { cpu: '6' } });
    expect(asked(pod(), small, M5)).toBe('a infeasible LimitReached');
  });

  it('does not come from a pool that is static, not ready, or wants more instance types than the pod leaves', () => {
    expect(asked(pod(), pool('a', {}, { replicas: 3 }), M5)).toBe('a infeasible StaticSize');
    const notReady: NodePool = { ...pool('a'), status: { conditions: [{ type: 'Ready', status: 'False' }] } };
    expect(asked(pod(), notReady, M5)).toBe('a infeasible NotReady');
    const flexible = pool('a', { requirements: [{ ...only(TYPE, 'm5.xlarge', 'c5.large'), minValues: 2 }] });
    expect(asked(pod(), flexible, M5)).toBe('a feasible');
    expect(asked(pod({ nodeSelector: { [TYPE]: 'm5.xlarge' } }), flexible, M5)).toBe('a infeasible TooFewValues');
  });

  it('of v1beta1 has no taint until it is registered, as Karpenter before 1.0', () => {
    const taintsOf = (nodeClassRef: object): readonly string[] | undefined =>
      ask(pod(), pool('a', { nodeClassRef }), M5)[0]?.startupTaints.map(({ taint }) => taint.key);
    expect(taintsOf({ kind: 'EC2NodeClass', name: 'default' })).toEqual([]);
    expect(taintsOf({ group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' })).toEqual([
      'karpenter.sh/unregistered',
    ]);
  });

  it('is tried by weight, then by name', () => {
    const pools = [pool('b'), pool('a'), pool('c', {}, { weight: 10 })];
    expect(ask(pod(), ...pools).map(({ group }) => group.name)).toEqual(['c', 'a', 'b']);
  });
});

describe('a new machine of Cluster API', () => {
  const SIZE = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size';
  const CAPACITY = 'capacity.cluster-autoscaler.kubernetes.io/';
  const deployment = (
    annotations: Record<string, string>,
    spec: MachineDeployment['spec'] = {},
  ): MachineDeployment => ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: { name: 'md', namespace: 'capi', annotations: { [SIZE]: '3', ...annotations } },
    spec: { clusterName: 'c', replicas: 0, ...spec },
  });
  const ANNOTATED = {
    [`${CAPACITY}cpu`]: '8',
    [`${CAPACITY}memory`]: '32Gi',
    [`${CAPACITY}gpu-type`]: 'nvidia.com/gpu',
    [`${CAPACITY}gpu-count`]: '1',
    [`${CAPACITY}labels`]: 'disk=ssd,tier=gold',
    [`${CAPACITY}taints`]: 'gpu=true:NoSchedule,startup-taint.cluster-autoscaler.kubernetes.io/x=:NoExecute',
  };

  it('is what its annotations describe', () => {
    const tolerations = [{ key: 'gpu', operator: 'Exists' }];
    expect(asked(pod(), deployment(ANNOTATED))).toBe('md infeasible UntoleratedTaint');
    const [answer] = ask(pod({ tolerations, nodeSelector: { disk: 'ssd' } }, '7'), deployment(ANNOTATED));
    expect(summary(answer!)).toBe('md feasible');
    expect(answer?.shape?.status.allocatable).toEqual({ cpu: '8', memory: '32Gi', 'nvidia.com/gpu': '1', pods: '110' });
    expect(answer?.startupTaints.map(({ taint }) => taint.key)).toEqual([
      'startup-taint.cluster-autoscaler.kubernetes.io/x',
      'node.cluster.x-k8s.io/uninitialized',
    ]);
    expect(asked(pod({ tolerations }, '9'), deployment(ANNOTATED))).toBe('md infeasible InsufficientResource');
  });

  it('is as a node of the group rather than as the annotations', () => {
    const owned: Node = {
      ...M5,
      metadata: {
        ...M5.metadata,
        annotations: { 'cluster.x-k8s.io/owner-kind': 'MachineSet', 'cluster.x-k8s.io/owner-name': 'md-1' },
      },
    };
    const machineSet = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineSet',
      metadata: {
        name: 'md-1',
        namespace: 'capi',
        ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment', name: 'md' }],
      },
    };
    const [answer, ...others] = ask(pod({}, '3'), deployment(ANNOTATED, { replicas: 1 }), machineSet, owned);
    expect(others).toEqual([]);
    expect(answer).toMatchObject({ shape: { like: 'n1' }, zone: 'z1' });
  });

  const owned = (labels: Labels = {}): Node => ({
    ...M5,
    metadata: {
      ...M5.metadata,
      labels: { ...M5.metadata.labels, ...labels },
      annotations: { 'cluster.x-k8s.io/owner-kind': 'MachineDeployment', 'cluster.x-k8s.io/owner-name': 'md' },
    },
  });

  it('has the labels and taints of a node of the group, not those of annotations', () => {
    const annotated = deployment(ANNOTATED, { replicas: 1 });
    expect(asked(pod(), annotated, owned())).toBe('md feasible');
    expect(asked(pod({ nodeSelector: { disk: 'ssd' } }), annotated, owned())).toBe(
      'md infeasible NodeSelectorMismatch',
    );
    expect(asked(pod({ nodeSelector: { disk: 'ssd' } }), annotated, owned({ disk: 'ssd' }))).toBe('md feasible');
    const inDomain = deployment(ANNOTATED, { replicas: 1, template: { spec: { failureDomain: '1' } } });
    expect(ask(pod(), inDomain, owned())[0]).toMatchObject({ zone: 'z1' });
  });

  it('is unknown where the pod needs a label or zone that annotations do not name, as long as the group has no node', () => {
    const tolerations = [{ key: 'gpu', operator: 'Exists' }];
    const spec: MachineDeployment['spec'] = {
      template: {
        metadata: { labels: { 'node-role.kubernetes.io/gpu': '' } },
        spec: { failureDomain: 'z1' },
      },
    };
    const [empty, role] = [deployment(ANNOTATED, spec), { 'node-role.kubernetes.io/gpu': '' }];
    expect(asked(pod({ tolerations }), empty)).toBe('md feasible');
    expect(asked(pod({ tolerations, nodeSelector: role }), empty)).toBe('md unknown LabelsUnknown');
    expect(asked(pod({ tolerations, nodeSelector: { [ZONE]: 'z1' } }), empty)).toBe('md unknown LabelsUnknown');
    expect(asked(pod({ tolerations, nodeSelector: { disk: 'ssd' } }), empty)).toBe('md feasible');
    const named = deployment({ ...ANNOTATED, [`${CAPACITY}labels`]: `node-role.kubernetes.io/gpu=,${ZONE}=z1` }, spec);
    expect(asked(pod({ tolerations, nodeSelector: { ...role, [ZONE]: 'z1' } }), named)).toBe('md feasible');
  });

  it('is unknown without nodes and annotations, and refused where the autoscaler cannot add it', () => {
    expect(asked(pod(), deployment({}))).toBe('md unknown InstanceTypeUnknown');
    expect(asked(pod(), deployment({ [SIZE]: '2' }, { replicas: 2 }))).toContain('md infeasible SizeAtMaximum');
    expect(asked(pod(), deployment({ [SIZE]: '0' }))).toContain('md infeasible NotAutoscaled');
  });

  it.each(['node.cilium.io/agent-not-ready', 'readiness.k8s.io/disk', 'ebs.csi.aws.com/agent-not-ready'])(
    'is unknown with the startup taint %s, which the autoscaler counts unless a flag of it names the taint',
    (key) => {
      const tainted = deployment({ ...ANNOTATED, [`${CAPACITY}taints`]: `${key}=true:NoExecute` });
      const [answer] = ask(pod(), tainted);
      expect(summary(answer!)).toBe('md unknown StartupTaintUnknown');
      expect(answer?.groupReasons[0]?.message).toContain(`--startup-taint=${key}`);
      expect(answer?.startupTaints[0]).toMatchObject({ taint: { key }, tolerated: false });
      expect(asked(pod({ tolerations: [{ key, operator: 'Exists' }] }), tainted)).toBe('md feasible');
      const preferred = deployment({ ...ANNOTATED, [`${CAPACITY}taints`]: `${key}=true:PreferNoSchedule` });
      expect(asked(pod(), preferred)).toBe('md feasible');
    },
  );

  it.each([
    'node.kubernetes.io/network-unavailable',
    'node.cloudprovider.kubernetes.io/uninitialized',
    'NodeWithImpairedVolumes',
    'startup-taint.cluster-autoscaler.kubernetes.io/x',
    'ignore-taint.cluster-autoscaler.kubernetes.io/x',
    'status-taint.cluster-autoscaler.kubernetes.io/x',
  ])('comes with the taint %s, which the autoscaler does not count', (key) => {
    const tainted = deployment({ ...ANNOTATED, [`${CAPACITY}taints`]: `${key}=true:NoSchedule` });
    expect(asked(pod(), tainted)).toBe('md feasible');
  });

  it.each([
    ['5', '3'],
    ['1', undefined],
    ['-1', '3'],
    ['0', '-1'],
    ['0', 'three'],
  ])('is refused with a minimum size of %s and a maximum size of %s, and others are unknown', (least, most) => {
    const MIN = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size';
    const sized = deployment({ ...ANNOTATED, [MIN]: least });
    const annotations = Object.fromEntries(
      Object.entries({ ...sized.metadata.annotations, [SIZE]: most }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
    const faulty = { ...sized, metadata: { ...sized.metadata, annotations } };
    const tolerating = pod({ tolerations: [{ key: 'gpu', operator: 'Exists' }] });
    const good = deployment(ANNOTATED);
    const other = { ...good, metadata: { ...good.metadata, name: 'other' } };
    expect(asked(tolerating, faulty, other)).toBe('md infeasible SizeInvalid; other unknown SizeInvalid');
  });

  it('is unknown for a pod that the autoscaler adds no node for, unless a flag says otherwise', () => {
    const tolerations = [{ key: 'gpu', operator: 'Exists' }];
    expect(asked(pod({ tolerations, priority: -11 }), deployment(ANNOTATED))).toBe('md unknown PriorityTooLow');
    expect(asked(pod({ tolerations, priority: -10 }), deployment(ANNOTATED))).toBe('md feasible');
    expect(asked(pod({ priority: -11 }), pool('a'), M5)).toBe('a feasible');
  });

  it('has room for the kube-proxy that the autoscaler counts in a template of annotations', () => {
    const tolerations = [{ key: 'gpu', operator: 'Exists' }];
    expect(asked(pod({ tolerations }, '7900m'), deployment(ANNOTATED))).toBe('md feasible');
    expect(asked(pod({ tolerations }, '7901m'), deployment(ANNOTATED))).toBe('md infeasible InsufficientResource');
  });

  it('has static pods like those of the node that shows it', () => {
    const mirror = pod({ nodeName: 'n1' }, '1');
    const annotations = { 'kubernetes.io/config.mirror': 'x' };
    const one: Pod = { ...mirror, metadata: { name: 'proxy', namespace: 'kube-system', annotations } };
    const scaled = deployment(ANNOTATED, { replicas: 1 });
    expect(asked(pod({}, '3'), scaled, owned(), one)).toBe('md feasible');
    expect(asked(pod({}, '3100m'), scaled, owned(), one)).toBe('md infeasible InsufficientResource');
    expect(asked(pod({}, '4'), scaled, owned(), { ...one, metadata: { name: 'proxy', namespace: 'x' } })).toBe(
      'md feasible',
    );
  });

  it('has the labels in annotations as the autoscaler reads them, which does not trim', () => {
    const tolerations = [{ key: 'gpu', operator: 'Exists' }];
    const spaced = deployment({ ...ANNOTATED, [`${CAPACITY}labels`]: 'disk=ssd, tier=gold' });
    expect(asked(pod({ tolerations, nodeSelector: { disk: 'ssd' } }), spaced)).toBe('md feasible');
    expect(asked(pod({ tolerations, nodeSelector: { tier: 'gold' } }), spaced)).toBe(
      'md infeasible NodeSelectorMismatch',
    );
  });

  it('is refused while its group is paused', () => {
    expect(asked(pod(), deployment({ ...ANNOTATED, 'cluster.x-k8s.io/paused': '' }))).toContain(
      'md infeasible NotAutoscaled',
    );
  });

  it('is not one of another cluster of the management cluster', () => {
    const named: Node = {
      ...M5,
      metadata: { ...M5.metadata, annotations: { 'cluster.x-k8s.io/cluster-name': 'mine' } },
    };
    expect(asked(pod(), deployment(ANNOTATED), named)).toBe('');
    expect(asked(pod(), deployment({}, { clusterName: 'mine' }), named)).toBe('md unknown InstanceTypeUnknown');
  });
});

describe('a new machine of OpenShift', () => {
  const DOMAIN = 'machine.openshift.io/';
  const machineSet = (annotations: Record<string, string>, replicas = 0): OpenShiftMachineSet => ({
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'OpenShiftMachineSet',
    metadata: {
      name: 'c-worker-a',
      namespace: 'openshift-machine-api',
      annotations: { [`${DOMAIN}cluster-api-autoscaler-node-group-max-size`]: '3', ...annotations },
    },
    spec: {
      replicas,
      template: {
        spec: {
          metadata: { labels: { 'node-role.kubernetes.io/infra': '' } },
          taints: [{ key: 'infra', effect: 'NoSchedule' }],
        },
      },
    },
  });
  const SIZED = { [`${DOMAIN}vCPU`]: '8', [`${DOMAIN}memoryMb`]: '16384', [`${DOMAIN}GPU`]: '2' };
  const tolerations = [{ key: 'infra', operator: 'Exists' }];
  const infra = { tolerations, nodeSelector: { 'node-role.kubernetes.io/infra': '' } };

  it('is what its template and annotations describe', () => {
    expect(asked(pod(), machineSet(SIZED))).toBe('c-worker-a infeasible UntoleratedTaint');
    const [answer] = ask(pod(infra, '7'), machineSet(SIZED));
    expect(summary(answer!)).toBe('c-worker-a feasible');
    expect(answer?.shape?.status.allocatable).toEqual({
      cpu: '8',
      memory: '16384Mi',
      'nvidia.com/gpu': '2',
      pods: '110',
    });
    expect(answer?.startupTaints).toEqual([]);
    const preferred = { ...SIZED, 'capacity.cluster-autoscaler.kubernetes.io/cpu': '4' };
    expect(asked(pod(infra, '7'), machineSet(preferred))).toBe('c-worker-a infeasible InsufficientResource');
  });

  it('is as a node whose machine it has made', () => {
    const machine = (name: string): Node => ({
      ...M5,
      metadata: { ...M5.metadata, annotations: { [`${DOMAIN}machine`]: `openshift-machine-api/${name}` } },
    });
    expect(ask(pod(infra), machineSet(SIZED, 1), machine('c-worker-a-x7k2p'))[0]).toMatchObject({
      shape: { like: 'n1' },
      zone: 'z1',
    });
    expect(ask(pod(infra), machineSet(SIZED), machine('c-worker-b-x7k2p'))[0]?.shape).toMatchObject({
      source: 'annotations',
    });
  });

  it('is refused where the autoscaler cannot add it', () => {
    expect(asked(pod(infra), machineSet(SIZED, 3))).toBe('c-worker-a infeasible SizeAtMaximum');
  });
});

describe('a new node of a node group of a cloud provider', () => {
  const member = (name: string, labels: Labels, spec: Node['spec'] = {}): Node => ({ ...node(name, labels), spec });

  it.each(['eks.amazonaws.com/nodegroup', 'cloud.google.com/gke-nodepool', 'kubernetes.azure.com/agentpool'])(
    'is as a node with the label %s, and nobody in the cluster knows whether the group may grow',
    (key) => {
      const taints = [{ key: 'gpu', effect: 'NoSchedule' }];
      const [a, b] = [member('n1', { [key]: 'a', [ZONE]: 'z1' }), member('n2', { [key]: 'b' }, { taints })];
      expect(asked(pod(), a, b)).toBe('a unknown SizeUnknown; b infeasible UntoleratedTaint');
      expect(asked(pod({}, '5'), a)).toBe('a infeasible InsufficientResource');
      expect(ask(pod(), a)[0]).toMatchObject({ zone: 'z1', shape: { source: 'node', like: 'n1' } });
    },
  );

  it('is as a node that has finished starting, if there is one', () => {
    const taints = [{ key: 'node.cilium.io/agent-not-ready', effect: 'NoExecute' }];
    const starting = member('n1', { 'eks.amazonaws.com/nodegroup': 'a' }, { taints });
    expect(asked(pod(), starting)).toBe('a unknown SizeUnknown StartupTaintUnknown');
    expect(ask(pod(), starting, member('n2', { 'eks.amazonaws.com/nodegroup': 'a' }))[0]).toMatchObject({
      shape: { like: 'n2' },
      startupTaints: [],
    });
  });

  it('is as a node that is not cordoned, if there is one', () => {
    const cordoned = member('n1', { 'eks.amazonaws.com/nodegroup': 'a' }, { unschedulable: true });
    expect(ask(pod(), cordoned)[0]).toMatchObject({ shape: { like: 'n1' } });
    expect(ask(pod(), cordoned, member('n2', { 'eks.amazonaws.com/nodegroup': 'a' }))[0]).toMatchObject({
      shape: { like: 'n2' },
    });
  });

  it('is not made of a node of Karpenter', () => {
    const labels = { 'kubernetes.azure.com/agentpool': 'x', [POOL]: 'p' };
    expect(asked(pod(), member('n1', labels))).toBe('');
  });

  it('has none of the taints that only the condition of a node brings', () => {
    const taints = [{ key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' }];
    expect(asked(pod(), member('n1', { 'eks.amazonaws.com/nodegroup': 'a' }, { taints }))).toBe(
      'a unknown SizeUnknown',
    );
  });
});
