import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import type { WholePod, WholePodSpec } from '../kubernetes/objects/whole-pod.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { LimitRange, ResourceQuota } from '../kubernetes/objects/quota.js';
import type { RuntimeClass } from '../kubernetes/objects/scheduling.js';
import { admitPod, type Admission } from './admission-chain.js';
import { ADMISSION_PLUGINS, STOCK_ADMISSION, type AdmissionConfiguration } from './admission-configuration.js';
import type { AdmissionSurroundings } from './admission-plugins.js';
import type { PatchOperation } from '../json/patch-between.js';
import { SYSTEM_PRIORITY_CLASSES } from './priority.js';

const namespace = (annotations: Readonly<Record<string, string>> = {}): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'team-a', annotations },
});
const kata: RuntimeClass = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'kata' },
  handler: 'kata',
  overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
  scheduling: { tolerations: [{ key: 'kata', operator: 'Exists', effect: 'NoSchedule' }] },
};
const limits: LimitRange = {
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'limits', namespace: 'team-a' },
  spec: { limits: [{ type: 'Container', max: { cpu: '2' }, defaultRequest: { cpu: '100m' } }] },
};
const quota: ResourceQuota = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', namespace: 'team-a' },
  spec: { hard: { pods: '1' } },
  status: { hard: { pods: '1' }, used: { pods: '0' } },
};
const pod = (spec: Partial<WholePodSpec> = {}): WholePod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'team-a' },
  spec: { containers: [{ name: 'c', image: 'app:v1' }], ...spec },
});
const around = (more: Partial<AdmissionSurroundings> = {}): AdmissionSurroundings => ({
  namespace: namespace(),
  limitRanges: [],
  serviceAccounts: [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'team-a' } }],
  quotas: [],
  priorityClasses: SYSTEM_PRIORITY_CLASSES,
  findRuntimeClass: (name) => (name === 'kata' ? kata : undefined),
  now: 0,
  ...more,
});
const ALL: AdmissionConfiguration = { plugins: ADMISSION_PLUGINS.filter((name) => name !== 'AlwaysDeny') };
const GATES = DEFAULT_GATES;
const WHITELIST = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';

const create = (
  sent: WholePod,
  more: Partial<AdmissionSurroundings> = {},
  configuration: AdmissionConfiguration = STOCK_ADMISSION,
): Admission =>
  admitPod({ operation: 'create', pod: sent }, { surroundings: around(more), configuration, gates: GATES });

const refusalOf = (admission: Admission): unknown =>
  admission.outcome === 'refused' ? [admission.refusal.by, admission.refusal.status, admission.refusal.message] : [];

/** Applies patches as any client would, without their reasons. */
function applied(object: unknown, patch: readonly PatchOperation[]): unknown {
  const root = { root: structuredClone(object) } as Record<string, unknown>;
  for (const operation of patch) {
    const path = ['root', ...operation.path.split('/').slice(1)].map((name) =>
      name.replaceAll('~1', '/').replaceAll('~0', '~'),
    );
    const name = path.pop() ?? '';
    const parent = path.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], root);
    if (Array.isArray(parent)) {
      if (operation.op === 'remove') parent.splice(Number(name), 1);
      else parent.splice(Number(name), operation.op === 'replace' ? 1 : 0, operation.value);
    } else if (operation.op === 'remove') Reflect.deleteProperty(parent as object, name);
    else (parent as Record<string, unknown>)[name] = operation.value;
  }
  return root['root'];
}

describe('admitPod', () => {
  it('passes every plugin that is on, those that change before validation and those that judge after it', () => {
    const admission = create(pod(), {}, ALL);
    expect(admission.steps.map(({ by, type }) => `${by} ${type}`)).toEqual([
      'defaults mutating',
      'NamespaceLifecycle mutating',
      'LimitRanger mutating',
      'ServiceAccount mutating',
      'AlwaysPullImages mutating',
      'PodNodeSelector mutating',
      'Priority mutating',
      'DefaultTolerationSeconds mutating',
      'PodTolerationRestriction mutating',
      'ExtendedResourceToleration mutating',
      'RuntimeClass mutating',
      'MutatingAdmissionPolicy mutating',
      'MutatingAdmissionWebhook mutating',
      'preparation mutating',
      'validation validating',
      'NamespaceExists validating',
      'LimitPodHardAntiAffinityTopology validating',
      'LimitRanger validating',
      'ServiceAccount validating',
      'AlwaysPullImages validating',
      'PodSecurity validating',
      'PodNodeSelector validating',
      'PodTolerationRestriction validating',
      'RuntimeClass validating',
      'ValidatingAdmissionPolicy validating',
      'ValidatingAdmissionWebhook validating',
      'ResourceQuota validating',
    ]);
  });

  it('leaves out plugins that are off, as some are in stock', () => {
    const by = new Set(create(pod()).steps.map((step) => step.by));
    expect(ADMISSION_PLUGINS.filter((name) => !by.has(name))).toEqual([
      'NamespaceExists',
      'LimitPodHardAntiAffinityTopology',
      // Of a pod it has nothing to say.
      'TaintNodesByCondition',
      'AlwaysPullImages',
      'PodNodeSelector',
      'PodTolerationRestriction',
      'ExtendedResourceToleration',
      'AlwaysDeny',
    ]);
  });

  it('tells of each change as a patch, which together make the stored pod of the one that was sent', () => {
    const sent = pod({
      runtimeClassName: 'kata',
      containers: [{ name: 'c', image: 'app', resources: { limits: { 'example.com/gpu': '1', memory: '0.5Gi' } } }],
      tolerations: [
        { key: 'kata', operator: 'Exists', effect: 'NoSchedule' },
        { key: 'x', operator: 'Exists' },
      ],
    });
    const admission = create(sent, { limitRanges: [limits] }, ALL);
    if (admission.outcome === 'refused') throw new Error(admission.refusal.message);
    const patches = admission.steps.flatMap(({ patch }) => patch);
    expect(applied(sent, patches)).toEqual(JSON.parse(JSON.stringify(admission.pod)));
    expect(patches.every(({ why }) => why !== '')).toBe(true);
    expect(admission.pod.spec.overhead).toEqual({ cpu: '250m', memory: '120Mi' });
    expect(admission.pod.spec.containers[0]?.resources?.requests).toMatchObject({ cpu: '100m', memory: '512Mi' });
    expect(admission.pod.status).toEqual({ phase: 'Pending', qosClass: 'Burstable' });
  });

  it('sets defaults once more from what plugins have set, as when the stored pod is read', () => {
    const defaults = { ...limits, spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '500m' } }] } };
    const resources = { requests: { memory: '1Gi' }, limits: { memory: '4Gi' } };
    const admission = create(pod({ resources }), { limitRanges: [defaults] });
    expect(admission).toMatchObject({
      pod: { spec: { resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '4Gi' } } } },
    });
    expect(admission.steps.at(-1)).toMatchObject({
      by: 'defaults',
      again: true,
      patch: [{ op: 'add', path: '/spec/resources/requests/cpu', value: '500m' }],
    });
    expect(create(pod(), { limitRanges: [defaults] }).steps.filter(({ by }) => by === 'defaults')).toHaveLength(1);
  });

  it('judges the tolerations that a RuntimeClass adds by the whitelist, after the plugin has let its own pass', () => {
    const allowed = [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists' },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists' },
    ];
    const more = { namespace: namespace({ [WHITELIST]: JSON.stringify(allowed) }) };
    expect(create(pod(), more, ALL).outcome).toBe('admitted');
    const refused = create(pod({ runtimeClassName: 'kata' }), more, ALL);
    expect(refusalOf(refused)).toEqual([
      'PodTolerationRestriction',
      500,
      'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
    ]);
    expect(refused.steps.map(({ by }) => by)).toContain('RuntimeClass');
  });

  it.each<[string, WholePod, Partial<AdmissionSurroundings>, readonly [string, number, string]]>([
    [
      'a namespace that does not exist',
      pod(),
      { namespace: undefined },
      ['NamespaceLifecycle', 404, 'namespaces "team-a" not found'],
    ],
    [
      'a namespace that is being deleted',
      pod(),
      { namespace: { ...namespace(), status: { phase: 'Terminating' } } },
      [
        'NamespaceLifecycle',
        403,
        'pods "web" is forbidden: unable to create new content in namespace team-a because it is being terminated',
      ],
    ],
    [
      'a fault of the pod before what a plugin judges',
      pod({ overhead: { cpu: '1' }, tolerations: [{ operator: 'Equal' }] }),
      {},
      [
        'validation',
        422,
        'Pod "web" is invalid: spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ],
    ],
    [
      'an overhead without a class',
      pod({ overhead: { cpu: '1' } }),
      {},
      [
        'RuntimeClass',
        403,
        'pods "web" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
      ],
    ],
    [
      'a container above its LimitRange',
      pod({ containers: [{ name: 'c', image: 'app', resources: { limits: { cpu: '3' } } }] }),
      { limitRanges: [limits] },
      ['LimitRanger', 403, 'pods "web" is forbidden: maximum cpu usage per Container is 2, but limit is 3'],
    ],
    [
      'a pod above its quota',
      pod(),
      { quotas: [{ ...quota, status: { hard: { pods: '1' }, used: { pods: '1' } } }] },
      [
        'ResourceQuota',
        403,
        'pods "web" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
      ],
    ],
  ])('refuses %s', (_, sent, more, want) => {
    expect(refusalOf(create(sent, more))).toEqual(want);
  });

  it('says why a namespace takes nothing new as the API server does', () => {
    const terminating = { ...namespace(), status: { phase: 'Terminating' } };
    expect(create(pod(), { namespace: terminating })).toMatchObject({
      refusal: {
        causes: [
          {
            type: 'NamespaceTerminating',
            message: 'namespace team-a is being terminated',
            field: 'metadata.namespace',
          },
        ],
      },
    });
  });

  it('names a pod that is still to be named, and speaks of it by its prefix before', () => {
    const sent = { ...pod(), metadata: { name: '', generateName: 'web-', namespace: 'team-a' } };
    expect(create(sent)).toMatchObject({ pod: { metadata: { name: 'web-xxxxx' } } });
    const refused = create({ ...sent, spec: { ...sent.spec, priorityClassName: 'absent' } });
    expect(refusalOf(refused)).toEqual([
      'Priority',
      403,
      'pods "web-" is forbidden: no PriorityClass with name absent was found',
    ]);
  });

  it('charges the pod to the quotas of its namespace', () => {
    const admission = create(pod(), { quotas: [quota] });
    expect(admission).toMatchObject({ quotas: [{ status: { used: { pods: '1' } } }] });
  });

  it('gives other seconds where the API server was told so', () => {
    const admission = create(
      pod(),
      {},
      {
        ...STOCK_ADMISSION,
        defaultTolerations: { notReadySeconds: 30, unreachableSeconds: 0 },
      },
    );
    expect(admission).toMatchObject({
      pod: {
        spec: {
          tolerations: [
            { key: 'node.kubernetes.io/not-ready', tolerationSeconds: 30 },
            { key: 'node.kubernetes.io/unreachable', tolerationSeconds: 0 },
          ],
        },
      },
    });
  });

  describe('of an update', () => {
    const stored = create(pod({ tolerations: [{ key: 'x', operator: 'Exists' }] }));
    if (stored.outcome === 'refused') throw new Error(stored.refusal.message);
    const before: WholePod = stored.pod;
    const update = (spec: Partial<WholePodSpec>, more: Partial<AdmissionSurroundings> = {}): Admission =>
      admitPod(
        { operation: 'update', pod: { ...before, spec: { ...before.spec, ...spec } }, stored: before },
        { surroundings: around(more), configuration: ALL, gates: GATES },
      );

    it('gives tolerations of silent nodes back that it leaves out', () => {
      const admission = update({ tolerations: [{ key: 'x', operator: 'Exists' }] });
      expect(admission).toMatchObject({ pod: { spec: { tolerations: before.spec.tolerations } } });
    });

    it('keeps a priority that it leaves out', () => {
      const kept = Object.entries(before.spec).filter(([name]) => !/^(?:priority|preemptionPolicy)$/.test(name));
      const sent = { ...before, spec: Object.fromEntries(kept) as unknown as WholePodSpec };
      const admission = admitPod(
        { operation: 'update', pod: sent, stored: before },
        { surroundings: around(), configuration: ALL, gates: GATES },
      );
      expect(admission).toMatchObject({ pod: { spec: { priority: 0, preemptionPolicy: 'PreemptLowerPriority' } } });
    });

    it('asks neither LimitRanges nor node selectors, and gives no tolerations of the namespace', () => {
      const annotations = {
        'scheduler.alpha.kubernetes.io/defaultTolerations': '[{"key":"team","operator":"Exists"}]',
        'scheduler.alpha.kubernetes.io/node-selector': 'pool=a',
      };
      const admission = update({}, { limitRanges: [limits], namespace: namespace(annotations) });
      expect(admission).toMatchObject({ outcome: 'admitted', pod: { spec: { tolerations: before.spec.tolerations } } });
    });

    it('leaves the status to those whose it is', () => {
      const sent: WholePod = { ...before, status: { phase: 'Running' } };
      const admission = admitPod(
        { operation: 'update', pod: sent, stored: before },
        { surroundings: around(), configuration: ALL, gates: GATES },
      );
      expect(admission).toMatchObject({ pod: { status: { phase: 'Pending', qosClass: 'BestEffort' } } });
    });

    it('refuses what may not change', () => {
      expect(refusalOf(update({ tolerations: [] }))).toEqual([
        'validation',
        422,
        'Pod "web" is invalid: spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
      ]);
    });
  });
});
