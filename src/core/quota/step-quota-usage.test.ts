import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { DeviceClass, ResourceClaim } from '../kubernetes/objects/dra.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import type { PersistentVolumeClaim } from '../kubernetes/objects/storage.js';
import { Quantity } from '../kubernetes/quantity.js';
import { countedObjects, ObjectsByNamespace } from './object-usage.js';
import { recountQuota } from './recount.js';
import { stepChangedQuotaUsage, type ChangedObject } from './step-changed-quota-usage.js';
import { stepQuotaUsage, type QuotaUsages } from './step-quota-usage.js';
import { Dice } from '../../../test/support/dice.js';

const NOON = Date.parse('2026-01-01T12:00:00Z');

/** Runs steps to their end. */
function done<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const NAMESPACES = ['a', 'b', '__proto__'];
const CPU = ['100m', '1', '0', '1u', undefined];
const MEMORY = ['1Gi', '64M', '1e3', '0.5', undefined];

function randomPod(dice: Dice): Pod {
  const requests = {
    ...given('cpu', dice.one(CPU)),
    ...given('memory', dice.one(MEMORY)),
    ...given('example.com/gpu', dice.one(['1', undefined, undefined])),
    ...given('hugepages-2Mi', dice.one(['2Mi', undefined, undefined])),
  };
  const phase = dice.one(['Running', 'Pending', 'Succeeded', 'Failed']);
  const deleted = dice.below(4) === 0;
  const seconds = dice.below(90);
  const name = `p${dice.below(60)}`;
  const resources = { requests, limits: given('memory', dice.one(MEMORY)) };
  const reported = { requests: given('cpu', dice.one(['2', undefined])) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      uid: name,
      namespace: dice.one([...NAMESPACES, 'without']),
      ...(deleted
        ? {
            deletionTimestamp: `2026-01-01T11:59:${String(dice.below(60)).padStart(2, '0')}Z`,
            deletionGracePeriodSeconds: seconds,
          }
        : {}),
    },
    spec: {
      containers: [{ name: 'c', resources }],
      ...(dice.below(3) === 0 ? { activeDeadlineSeconds: 60 } : {}),
      ...(dice.below(3) === 0 ? { priorityClassName: dice.one(['high', 'low']) } : {}),
      ...(dice.below(4) === 0 ? { overhead: { cpu: '250m' } } : {}),
    },
    status: { phase, ...(dice.below(3) === 0 ? { containerStatuses: [{ name: 'c', resources: reported }] } : {}) },
  };
}

const given = (name: string, amount: string | undefined): Record<string, string> =>
  amount === undefined ? {} : { [name]: amount };

const GPU = 'requests.example.com/gpu';

const BOUNDED = [
  'pods',
  'count/pods',
  'cpu',
  'requests.cpu',
  'limits.memory',
  'memory',
  GPU,
  'hugepages-2Mi',
  'count/deployments.apps',
  'services',
  'gold.storageclass.storage.k8s.io/requests.storage',
];

function randomQuota(dice: Dice): ResourceQuota {
  const hard = Object.fromEntries(BOUNDED.filter(() => dice.below(2) === 0).map((name) => [name, '10']));
  const scopes = dice.one([undefined, undefined, ['Terminating'], ['NotTerminating', 'BestEffort'], ['PriorityClass']]);
  const operator = dice.one(['In', 'NotIn', 'DoesNotExist', 'None']);
  const values = operator.endsWith('In') ? { values: ['high'] } : {};
  const matchExpressions = [{ scopeName: 'PriorityClass', operator, ...values }];
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: `q${dice.below(3)}`, namespace: dice.one(NAMESPACES) },
    spec: {
      hard,
      ...(scopes === undefined ? {} : { scopes }),
      ...(dice.below(4) === 0 ? { scopeSelector: { matchExpressions } } : {}),
    },
    status: { hard, used: { pods: '3', services: '1' } },
  };
}

function randomObject(dice: Dice): KubernetesObject {
  if (dice.below(8) === 0) return randomQuota(dice);
  const metadata = { name: `o${dice.below(5)}`, namespace: dice.one(NAMESPACES) };
  if (dice.below(8) === 0) return { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
  if (dice.below(40) === 0) return randomClass(dice);
  if (dice.below(8) === 0) return randomDeviceClaim(dice);
  if (dice.below(8) > 0) return randomPod(dice);
  const claim: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata,
    spec: { storageClassName: dice.one(['gold', 'tin']), resources: { requests: { storage: '1500m' } } },
  };
  return claim;
}

function randomClass(dice: Dice): DeviceClass {
  const spec = given('extendedResourceName', dice.one(['example.com/gpu', undefined]));
  return { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: dice.one(['gpu', 'nic']) }, spec };
}

/** Some are made by the scheduler for extended resources of a pod. */
function randomDeviceClaim(dice: Dice): ResourceClaim {
  const pod = `p${dice.below(60)}`;
  const owner = { apiVersion: 'v1', kind: 'Pod', name: pod, uid: pod, controller: true };
  const annotations = { 'resource.kubernetes.io/extended-resource-claim': 'true' };
  const exactly = { deviceClassName: dice.one(['gpu', 'nic']), allocationMode: 'ExactCount', count: dice.below(3) };
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      name: `c${dice.below(40)}`,
      namespace: dice.one(NAMESPACES),
      ...(dice.below(2) === 0 && { ownerReferences: [owner], annotations }),
    },
    spec: { devices: { requests: [{ name: 'r', exactly }] } },
  };
}

/** The usage of each quota by a separate recount without shared or cached results: values by resource. */
function plain(state: ClusterState, now: number): unknown {
  const pods = Array.from({ length: state.pods.count }, (_, index) => state.pods.pod(index));
  return (state.objects('ResourceQuota') as readonly ResourceQuota[]).map((quota) => {
    const { namespace = '', name } = quota.metadata;
    const scoped = (quota.spec?.scopes ?? quota.spec?.scopeSelector) !== undefined;
    const objectsOf = (kind: 'Deployment' | 'PersistentVolumeClaim'): readonly PersistentVolumeClaim[] =>
      (state.objects(kind) as readonly PersistentVolumeClaim[]).filter(
        ({ metadata }) => metadata.namespace === namespace,
      );
    const others = (resource: string): Quantity | undefined => {
      if (resource === GPU) {
        const objects = new ObjectsByNamespace(state, now);
        const counted = countedObjects(resource, objects.cluster);
        return scoped || counted === undefined ? undefined : objects.usageOf(counted, namespace);
      }
      const isStorage = resource === 'gold.storageclass.storage.k8s.io/requests.storage';
      if (!isStorage && resource !== 'count/deployments.apps') return undefined;
      if (scoped) return Quantity.ZERO;
      if (!isStorage) return Quantity.of(objectsOf('Deployment').length);
      return Quantity.of(
        2 * objectsOf('PersistentVolumeClaim').filter(({ spec }) => spec?.storageClassName === 'gold').length,
      );
    };
    const quiet: ResourceQuota = { ...quota, status: {} };
    const used = recountQuota(
      quiet,
      pods.filter(({ metadata }) => metadata.namespace === namespace),
      { now, rules: state.rules, others },
    );
    return [`${namespace}/${name}`, values(used)];
  });
}

const values = (amounts: Iterable<readonly [string, Quantity]>): unknown =>
  [...amounts].map(([name, amount]) => `${name} ${amount.in('DecimalSI').toString()}`).sort();

function fast({ usages }: QuotaUsages): unknown {
  return usages.map((usage) => [
    `${usage.quota.metadata.namespace ?? ''}/${usage.quota.metadata.name}`,
    values(usage.resources().flatMap(({ resource, used }) => (used === undefined ? [] : [[resource, used] as const]))),
  ]);
}

/** Includes the text of each quantity, which could depend on the order of addition. */
const texts = ({ usages }: QuotaUsages): unknown =>
  usages.map((usage) => [
    usage.pods,
    usage
      .resources()
      .map(({ resource, used, reported }) => `${resource} ${used?.toString() ?? '?'} ${reported?.toString() ?? '?'}`),
  ]);

const KINDS = [
  ...(['Pod', 'ResourceQuota', 'Deployment', 'PersistentVolumeClaim'] as const),
  ...(['DeviceClass', 'ResourceClaim'] as const),
];

const keyOf = ({ kind, metadata: { namespace = '', name } }: KubernetesObject): ChangedObject => ({
  kind,
  namespace,
  name,
});

describe('stepQuotaUsage', () => {
  it.each([1, 2, 3, 4, 5])('counts each quota like a plain recount (seed %i)', (seed) => {
    const dice = new Dice(seed);
    const state = ClusterState.build(
      Array.from({ length: 250 }, () => randomObject(dice)),
      KINDS,
    );
    expect(state.objects('ResourceQuota').length).toBeGreaterThan(3);
    expect(fast(done(stepQuotaUsage(state, { now: NOON })))).toEqual(plain(state, NOON));
  });

  it('does not know the usage of kinds that were not loaded', () => {
    const quota: ResourceQuota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'a' },
      spec: {
        hard: { 'count/jobs.batch': '5', 'requests.storage': '1Gi', 'count/secrets': '4', persistentvolumeclaims: '5' },
      },
      status: { used: { 'count/secrets': '2' } },
    };
    const state = ClusterState.build([quota], ['ResourceQuota', 'Pod', 'Job']);
    const [usage] = done(stepQuotaUsage(state, { now: NOON })).usages;
    expect(
      usage?.resources().map(({ resource, used, reported }) => [resource, used?.toString(), reported?.toString()]),
    ).toEqual([
      ['count/jobs.batch', '0', undefined],
      ['count/secrets', undefined, '2'],
      ['persistentvolumeclaims', undefined, undefined],
      ['requests.storage', undefined, undefined],
    ]);
  });

  it('writes a sum as a binary quantity if any part of it is binary', () => {
    const pod = (name: string, memory: string): Pod => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'a' },
      spec: { containers: [{ name: 'c', resources: { requests: { memory } } }] },
    });
    const quota: ResourceQuota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'a' },
      spec: { hard: { memory: '1Gi' } },
    };
    const usedBy = (...pods: Pod[]): unknown =>
      done(stepQuotaUsage(ClusterState.build([quota, ...pods], KINDS), { now: NOON }))
        .usages[0]?.resources()[0]
        ?.used?.toString();
    expect([
      usedBy(pod('p', '1024'), pod('r', '1Ki')),
      usedBy(pod('p', '1Ki'), pod('r', '1024')),
      usedBy(pod('p', '2k')),
    ]).toEqual(['2Ki', '2Ki', '2k']);
  });
});

describe('stepChangedQuotaUsage', () => {
  it.each([11, 12, 13, 14])('equals a complete count after each change (seed %i)', (seed) => {
    const dice = new Dice(seed);
    let state = ClusterState.build(
      Array.from({ length: 150 }, () => randomObject(dice)),
      KINDS,
    );
    let now = NOON;
    let usages = done(stepQuotaUsage(state, { now }));
    for (let round = 0; round < 60; round++) {
      const upserts = Array.from({ length: dice.below(3) }, () => randomObject(dice));
      const deletes = Array.from({ length: dice.below(2) }, () => keyOf(randomObject(dice)));
      state = state.apply({ upserts, deletes });
      // The time may go backwards, too.
      now = NOON + (dice.below(3) - 1) * 1000 * dice.below(120);
      usages = done(stepChangedQuotaUsage(usages, { state, now, changed: [...deletes, ...upserts.map(keyOf)] }));
      expect(texts(usages)).toEqual(texts(done(stepQuotaUsage(state, { now }))));
    }
    expect(fast(usages)).toEqual(plain(state, now));
  });

  it('copies the usage of quotas in namespaces without changes', () => {
    const dice = new Dice(21);
    const state = ClusterState.build(
      Array.from({ length: 200 }, () => randomObject(dice)),
      KINDS,
    );
    const former = done(stepQuotaUsage(state, { now: NOON }));
    const pod: Pod = { ...randomPod(dice), metadata: { name: 'new', namespace: 'a' } };
    const next = state.apply({ upserts: [pod] });
    const usages = done(stepChangedQuotaUsage(former, { state: next, now: NOON, changed: [keyOf(pod)] }));
    const same = usages.usages.filter((usage, index) => usage === former.usages[index]);
    expect(same.map(({ quota }) => quota.metadata.namespace)).not.toContain('a');
    expect(same.length).toBe(usages.usages.filter(({ quota }) => quota.metadata.namespace !== 'a').length);
  });

  it('subtracts a pod of an extreme size without a trace', () => {
    const pod = (name: string, memory: string): Pod => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'a' },
      spec: { containers: [{ name: 'c', resources: { requests: { memory } } }] },
    });
    const quota: ResourceQuota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'a' },
      spec: { hard: { memory: '1Gi' } },
    };
    const state = ClusterState.build([quota, pod('small', '1Mi'), pod('absurd', '1e99999999')], KINDS);
    const former = done(stepQuotaUsage(state, { now: NOON }));
    const next = state.apply({ deletes: [{ kind: 'Pod', namespace: 'a', name: 'absurd' }] });
    const changed = [{ kind: 'Pod', namespace: 'a', name: 'absurd' }];
    const { usages } = done(stepChangedQuotaUsage(former, { state: next, now: NOON, changed }));
    expect(usages[0]?.resources()[0]?.used?.toString()).toBe('1Mi');
  });
});
