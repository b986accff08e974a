import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Affinity, Pod, PodSpec } from '../kubernetes/objects/pod.js';
import type { DaemonSet } from '../kubernetes/objects/workloads.js';
import { STOCK_ADMISSION, type AdmissionPluginName } from './admission-configuration.js';
import { admissionIn, type ClusterAdmission } from './admission-in.js';
import { readmitManifest, type ReadmissionOptions } from './readmit-manifest.js';
import { Readmissions } from './readmissions.js';
import type { Placeable } from './read-pod-manifest.js';

const NAMESPACE = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: 'shop',
    annotations: {
      'scheduler.alpha.kubernetes.io/node-selector': 'team=shop',
      'scheduler.alpha.kubernetes.io/tolerationsWhitelist': JSON.stringify(
        ['a', 'b', 'd', 'not-ready', 'unreachable', 'memory-pressure'].map((name) => ({
          key: name.length > 1 ? `node.kubernetes.io/${name}` : name,
          operator: 'Exists',
        })),
      ),
      'scheduler.alpha.kubernetes.io/defaultTolerations': '[{"key":"d","operator":"Exists"}]',
    },
  },
} as KubernetesObject;

const ACCOUNT = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'shop' } };

const KATA = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'kata' },
  handler: 'kata',
  overhead: { podFixed: { cpu: '250m' } },
  scheduling: { nodeSelector: { runtime: 'kata' }, tolerations: [{ key: 'b', operator: 'Exists' }] },
} as KubernetesObject;

const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', labels: { app: 'web', rev: '1' } },
  spec: {
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'a', operator: 'Exists' }],
    affinity: {
      nodeAffinity: affinityTo('z1').nodeAffinity,
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'web' } }, matchLabelKeys: ['rev'] },
        ],
      },
    },
    containers: [
      {
        name: 'main',
        image: 'app:1',
        resources: { requests: { cpu: '4', memory: '4Gi' }, limits: { cpu: '4', memory: '4Gi' } },
      },
      {
        name: 'side',
        image: 'app:1',
        resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } },
      },
    ],
    initContainers: [
      {
        name: 'first',
        image: 'app:1',
        resources: { requests: { cpu: '0.5', memory: '64Mi' }, limits: { cpu: '1', memory: '64Mi' } },
      },
    ],
  },
};

function affinityTo(zone: string): Required<Pick<Affinity, 'nodeAffinity'>> {
  const nodeSelectorTerms = [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }];
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
}

type Change = (pod: Pod) => Pod;
const inSpec =
  (part: (spec: PodSpec) => Partial<PodSpec>): Change =>
  (pod) => ({ ...pod, spec: { ...pod.spec, ...part(pod.spec) } });

const requesting =
  (index: number, resource: string, amount: string): Change =>
  (pod) =>
    inSpec(({ containers }) => ({
      containers: containers.map((container, at) => {
        const { resources } = container;
        return at === index
          ? { ...container, resources: { ...resources, requests: { ...resources?.requests, [resource]: amount } } }
          : container;
      }),
    }))(pod);
const tolerating = (...tolerations: NonNullable<PodSpec['tolerations']>): Change => inSpec(() => ({ tolerations }));
const selecting = (nodeSelector: NonNullable<PodSpec['nodeSelector']>): Change => inSpec(() => ({ nodeSelector }));
const inZone = (zone: string): Change => inSpec(({ affinity }) => ({ affinity: { ...affinity, ...affinityTo(zone) } }));
const both =
  (one: Change, other: Change): Change =>
  (pod) =>
    other(one(pod));

/** Of the kinds that make a pod fit a node; each follows others that it differs from in one thing or several. */
const CHANGES: Readonly<Record<string, Change>> = {
  nothing: (pod) => pod,
  'less cpu': requesting(0, 'cpu', '1500m'),
  'less cpu, not as the API server writes it': requesting(0, 'cpu', '0.0015'),
  'a tenth of a thousandth of cpu': requesting(0, 'cpu', '0.0001'),
  'less of both containers': both(requesting(0, 'cpu', '2'), requesting(1, 'memory', '512Mi')),
  'no cpu': requesting(0, 'cpu', '0'),
  'less memory than the LimitRange allows': requesting(0, 'memory', '1Mi'),
  'more than the limit': requesting(1, 'cpu', '3'),
  'more than the quota': requesting(1, 'cpu', '1999m'),
  'less than nothing': requesting(0, 'cpu', '-1'),
  'a resource more': requesting(0, 'ephemeral-storage', '1Gi'),
  'a resource more, and less of it': requesting(0, 'ephemeral-storage', '1Mi'),
  'a toleration': tolerating({ key: 'a', operator: 'Exists' }, { key: 'b', operator: 'Equal', value: '1' }),
  'a toleration of nodes that are not ready': tolerating({ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }),
  'a toleration that is invalid': tolerating({ key: 'b', operator: 'Exists', value: '1' }),
  'no toleration': tolerating(),
  'another selector': selecting({ disk: 'hdd', zone: 'z1' }),
  'a selector that conflicts with the namespace': selecting({ team: 'other' }),
  'an invalid selector': selecting({ disk: 'a b' }),
  'another zone': inZone('z2'),
  'another zone, and less cpu': both(inZone('z3'), requesting(0, 'cpu', '700m')),
  'an invalid zone': inZone('a b'),
  'all at once': both(both(inZone('z3'), selecting({})), both(tolerating(), requesting(0, 'cpu', '800m'))),
  'a node': inSpec(() => ({ nodeName: 'n1' })),
  'no scheduling gates': inSpec(() => ({ schedulingGates: [] })),
  'another Pod anti-affinity': inSpec(({ affinity }) => ({ affinity: { ...affinity, podAntiAffinity: {} } })),
  'another host port': inSpec(({ containers }) => ({
    containers: containers.map((one, at) =>
      at === 0 ? { ...one, ports: [{ containerPort: 80, hostPort: 8080 }] } : one,
    ),
  })),
};

interface Case {
  readonly objects?: readonly KubernetesObject[];
  readonly object?: Placeable;
  readonly plugins?: readonly AdmissionPluginName[];
  readonly options?: ReadmissionOptions;
}

const { plugins: STOCK } = STOCK_ADMISSION;
const withSpec = (part: Partial<PodSpec>): Pod => ({ ...POD, spec: { ...POD.spec, ...part } });
const quota = (cpu: string): KubernetesObject => {
  const hard = { 'requests.cpu': cpu };
  const metadata = { name: 'quota', namespace: 'shop' };
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata,
    spec: { hard },
    status: { hard, used: { 'requests.cpu': '0' } },
  } as never;
};
const limits = (limit: object): KubernetesObject => {
  const metadata = { name: 'limits', namespace: 'shop' };
  return { apiVersion: 'v1', kind: 'LimitRange', metadata, spec: { limits: [limit] } } as never;
};
function ofGpus(): Pod {
  const [main, ...others] = POD.spec.containers;
  const gpus = { 'example.com/gpu': '1' };
  const resources = {
    requests: { ...main?.resources?.requests, ...gpus },
    limits: { ...main?.resources?.limits, ...gpus },
  };
  return withSpec({ containers: [{ ...main!, resources }, ...others] });
}
const DAEMON_SET: DaemonSet = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'shop' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web', rev: '1' } }, spec: POD.spec },
  },
};
const POLICY = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'enough-cpu' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      validations: [
        { expression: "object.spec.containers[0].resources.requests['cpu'] != '1500m'", message: 'no half measures' },
      ],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'enough-cpu' },
    spec: { policyName: 'enough-cpu', validationActions: ['Deny'] },
  },
] as unknown as readonly KubernetesObject[];

const CASES: Readonly<Record<string, Case>> = {
  'a pod': {},
  'a Guaranteed pod': { object: withSpec({ containers: POD.spec.containers.slice(0, 1), initContainers: [] }) },
  'a pod as sent': { options: { skipAdmission: true } },
  'a pod of which all is known': { options: { whole: POD } },
  'a policy': { objects: POLICY, options: { whole: POD } },
  'a LimitRange': {
    objects: [
      limits({ type: 'Container', min: { memory: '2Mi' }, max: { cpu: '4' }, maxLimitRequestRatio: { cpu: '5' } }),
    ],
  },
  'a LimitRange that gives defaults': {
    objects: [
      limits({ type: 'Container', default: { 'ephemeral-storage': '2Gi' }, defaultRequest: { memory: '1Mi' } }),
    ],
  },
  'a LimitRange for pods': { objects: [limits({ type: 'Pod', min: { cpu: '2' } })] },
  'a quota': { objects: [quota('5900m')] },
  'a quota that is not asked': { objects: [quota('1')], options: { without: ['ResourceQuota'] } },
  'selectors of namespaces': { plugins: [...STOCK, 'PodNodeSelector'] },
  'tolerations of namespaces': { plugins: [...STOCK, 'PodTolerationRestriction'] },
  'tolerations of extended resources': { plugins: [...STOCK, 'ExtendedResourceToleration'], object: ofGpus() },
  'no default tolerations': { plugins: ['ResourceQuota'] },
  'a RuntimeClass': { objects: [KATA], object: withSpec({ runtimeClassName: 'kata' }) },
  'pod-level resources': { object: withSpec({ resources: { requests: { cpu: '5500m', memory: '5Gi' } } }) },
  'a DaemonSet': { object: DAEMON_SET },
};

function admissionOf({ objects = [], plugins }: Case): ClusterAdmission {
  const kinds = [
    'Namespace',
    'ServiceAccount',
    'LimitRange',
    'ResourceQuota',
    'RuntimeClass',
    'PriorityClass',
  ] as const;
  const others = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'] as const;
  const state = ClusterState.build([NAMESPACE, ACCOUNT, ...objects], [...kinds, ...others]);
  const into = admissionIn(state, 'shop');
  return plugins === undefined ? into : { ...into, configuration: { ...into.configuration, plugins } };
}

describe('changed manifests that are admitted one after another', () => {
  it.each(Object.entries(CASES))('become what each becomes by itself: %s', (_, one) => {
    const into = admissionOf(one);
    const { object = POD, options = {} } = one;
    const plain = (change: Change) => {
      const { outcome, pod, ...rest } = readmitManifest(object, change, into, options);
      return JSON.stringify({ outcome, pod, message: 'message' in rest ? rest.message : null });
    };
    const first = readmitManifest(object, (pod) => pod, into, options);
    expect(first).toMatchObject({ outcome: 'admitted' });
    // In both directions, so that each change follows others.
    for (const names of [Object.keys(CHANGES), Object.keys(CHANGES).reverse()]) {
      const readmissions = new Readmissions(object, first.pod, into, options);
      for (const name of names) {
        const { outcome, pod, ...rest } = readmissions.readmit(CHANGES[name]!);
        const found = JSON.stringify({ outcome, pod, message: 'message' in rest ? rest.message : null });
        expect(`${name}: ${found}`).toBe(`${name}: ${plain(CHANGES[name]!)}`);
      }
    }
  });

  it('refuse what only some of the cases refuse', () => {
    const refusedIn = (name: string): readonly string[] => {
      const readmissions = new Readmissions(POD, POD, admissionOf(CASES[name]!), CASES[name]!.options ?? {});
      return Object.keys(CHANGES).filter((change) => readmissions.readmit(CHANGES[change]!).outcome === 'refused');
    };
    const always = refusedIn('a pod');
    expect(always).toEqual([
      'more than the limit',
      'less than nothing',
      'a toleration that is invalid',
      'an invalid selector',
      'an invalid zone',
    ]);
    const besides = (name: string) => refusedIn(name).filter((change) => !always.includes(change));
    expect(besides('a LimitRange')).toContain('less memory than the LimitRange allows');
    expect(besides('a LimitRange for pods')).toContain('less cpu, not as the API server writes it');
    expect(besides('a quota')).toEqual(['more than the quota']);
    expect(besides('a policy')).toEqual(['less cpu']);
  });
});
