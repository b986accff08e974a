import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { patchBetween } from '../json/patch-between.js';
import { ClusterState } from '../cluster/cluster-state.js';
import { settingOf } from '../cluster/setting.js';
import type { JsonObject } from '../json/json-value.js';
import { findClusterFindings } from '../findings/find-cluster-findings.js';
import { FieldPath } from '../kubernetes/field-path.js';
import type { Labels, OwnerReference } from '../kubernetes/objects/meta.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { admitToPools } from './admit-to-pools.js';
import type { Pool } from './pool.js';
import { mayUse } from './pool-user.js';
import { poolOf, poolsIn } from './pools-in.js';
import { readPool, type GivenPool } from './read-pool.js';
import { newPoolRefusals, poolRefusals } from './refuse-intruder.js';
import { remainingChanges } from './remaining-changes.js';

const GATES = DEFAULT_GATES;

const ML: GivenPool = {
  nodes: { matchLabels: { type: 'big' } },
  taints: ['dedicated=ml:NoSchedule', 'dedicated=ml:NoExecute'],
  labels: { dedicated: 'ml' },
  users: { namespaces: ['ml'] },
};

const GPU: GivenPool = {
  nodes: { matchExpressions: [{ key: 'gpu', operator: 'Exists' }] },
  taints: ['nvidia.com/gpu:NoSchedule'],
  labels: { accelerator: 'nvidia' },
  users: { extendedResource: 'nvidia.com/gpu' },
};

function declared(name: string, given: GivenPool): Pool {
  const { pool, faults } = readPool(given, FieldPath.of('pool'));
  expect(faults).toEqual([]);
  return poolOf(name, pool);
}

interface PodParts {
  readonly namespace?: string;
  readonly spec?: Partial<PodSpec>;
  readonly owner?: OwnerReference;
  readonly annotations?: Labels;
  readonly name?: string;
}

const pod = ({ namespace = 'web', spec = {}, owner, annotations, name = 'p' }: PodParts): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, ...(owner && { ownerReferences: [owner] }), ...(annotations && { annotations }) },
  spec: { containers: [{ name: 'c' }], ...spec },
});

const namespace = (name: string, labels: Labels = {}): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

const node = (name: string, labels: Labels, taints: readonly Taint[] = []): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  spec: { taints },
});

const requesting = (amounts: Labels): Partial<PodSpec> => ({
  containers: [{ name: 'c', resources: { requests: amounts } }],
});

const affinityOf = (given: Pod) =>
  given.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

const inLabel = (key: string, ...values: string[]) => ({ key, operator: 'In', values });

const required = (...terms: object[]): Partial<PodSpec> => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
});

describe('reading a pool', () => {
  const fields = (given: GivenPool) => readPool(given, FieldPath.of('pool')).faults.map(({ field }) => field);

  it('accepts taints and labels as kubectl arguments or as objects', () => {
    const { pool } = readPool(
      { ...ML, taints: [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }], labels: ['dedicated=ml'] },
      FieldPath.of('pool'),
    );
    expect(pool.taints).toEqual([{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }]);
    expect(pool.labels).toEqual({ dedicated: 'ml' });
    expect(pool.exemptNamespaces).toEqual(['kube-system']);
  });

  it("reports all faults at once, with Kubernetes' messages", () => {
    const { faults } = readPool(
      {
        nodes: { matchLabels: { 'no good': 'x' }, more: 1 },
        taints: ['a=b:Never', { key: 'k', effect: '' }],
        labels: { 'also bad!': 'x' },
        users: { namespaces: ['UPPER'], serviceAccounts: ['alone'], extendedResource: 'cpu', namespaceSelector: [] },
        exemptNamespaces: ['-'],
      },
      FieldPath.of('pool'),
    );
    expect(faults.map(({ field }) => field)).toEqual([
      'pool.nodes.more',
      'pool.nodes.matchLabels',
      'pool.taints[0]',
      'pool.taints[1].effect',
      'pool.labels[also bad!]',
      'pool.users.namespaces[0]',
      'pool.users.serviceAccounts[0]',
      'pool.users.extendedResource',
      'pool.users.namespaceSelector',
      'pool.exemptNamespaces[0]',
    ]);
    expect(faults[1]!.message).toContain('name part must consist of alphanumeric characters');
    expect(faults[2]!.message).toContain('unsupported taint effect');
  });

  it.each<[string, GivenPool, string[]]>([
    ['nothing', {}, ['pool.nodes', 'pool.taints', 'pool.labels', 'pool.users']],
    ['a selector of every node', { ...ML, nodes: {} }, ['pool.nodes']],
    ['a selector of every namespace', { ...ML, users: { namespaceSelector: {} } }, ['pool.users.namespaceSelector']],
    ['a soft taint alone', { ...ML, taints: ['a=b:PreferNoSchedule'] }, ['pool.taints']],
    [
      'a taint that says how the node is',
      { ...ML, taints: ['node.kubernetes.io/not-ready:NoExecute'] },
      ['pool.taints[0].key'],
    ],
    ['a taint to take away', { ...ML, taints: ['a=b:NoSchedule', 'c-'] }, ['pool.taints[1]']],
    ['a label to take away', { ...ML, labels: ['a=b', 'c-'] }, ['pool.labels']],
  ])('refuses %s', (_, given, expected) => {
    expect(fields(given)).toEqual(expected);
  });

  it('accepts keys with a special meaning in JavaScript', () => {
    const labels = JSON.parse('{"__proto__":"x"}') as JsonObject;
    expect(fields({ ...ML, labels })).toEqual(['pool.labels[__proto__]']);
  });
});

describe('who may use a pool', () => {
  const open = (users: GivenPool['users'], parts: PodParts, labels?: Labels) =>
    mayUse(declared('p', { ...ML, users: users! }), pod(parts), labels && namespace(parts.namespace ?? 'web', labels))
      .verdict;

  it.each<[string, GivenPool['users'], PodParts, Labels | undefined, string]>([
    ['a pod of a named namespace', { namespaces: ['web'] }, {}, undefined, 'yes'],
    ['a pod of another', { namespaces: ['ml'] }, {}, undefined, 'no'],
    [
      'by the labels of its namespace',
      { namespaceSelector: { matchLabels: { team: 'ml' } } },
      {},
      { team: 'ml' },
      'yes',
    ],
    ['by other labels', { namespaceSelector: { matchLabels: { team: 'ml' } } }, {}, {}, 'no'],
    ['by labels that are not known', { namespaceSelector: { matchLabels: { team: 'ml' } } }, {}, undefined, 'unknown'],
    ['by its account', { serviceAccounts: ['web/t'] }, { spec: { serviceAccountName: 't' } }, undefined, 'yes'],
    ['by the account of pods that name none', { serviceAccounts: ['web/default'] }, {}, undefined, 'yes'],
    ['by an account of that name elsewhere', { serviceAccounts: ['ml/default'] }, {}, undefined, 'no'],
    ['by a request', GPU.users, { spec: requesting({ 'nvidia.com/gpu': '1' }) }, undefined, 'yes'],
    [
      'by a limit',
      GPU.users,
      { spec: { containers: [{ name: 'c', resources: { limits: { 'nvidia.com/gpu': '1' } } }] } },
      undefined,
      'yes',
    ],
    [
      'by a request of an init container',
      GPU.users,
      { spec: { initContainers: requesting({ 'nvidia.com/gpu': '1' }).containers! } },
      undefined,
      'yes',
    ],
    ['by a request for none', GPU.users, { spec: requesting({ 'nvidia.com/gpu': '0' }) }, undefined, 'no'],
  ])('%s', (_, users, parts, labels, verdict) => {
    expect(open(users, parts, labels)).toBe(verdict);
  });
});

describe('what a pool adds to its pods', () => {
  const ml = declared('ml', ML);
  const gpu = declared('gpu', GPU);
  const admit = (parts: PodParts, pools = [ml, gpu]) => admitToPools(pools, pod(parts), undefined, GATES);

  it('adds a toleration for each taint, and the labels as required affinity', () => {
    const admitted = admit({ namespace: 'ml' });
    expect(admitted.pod.spec.tolerations).toEqual([
      { key: 'dedicated', operator: 'Equal', value: 'ml', effect: 'NoSchedule' },
      { key: 'dedicated', operator: 'Equal', value: 'ml', effect: 'NoExecute' },
    ]);
    expect(affinityOf(admitted.pod)).toEqual([{ matchExpressions: [inLabel('dedicated', 'ml')] }]);
    const patch = patchBetween(pod({ namespace: 'ml' }), admitted.pod, admitted.why);
    expect(patch.map(({ op, path }) => `${op} ${path}`)).toEqual(['add /spec/tolerations', 'add /spec/affinity']);
    expect(patch[0]!.why).toBe(
      'the pod may use pool ml because of namespace ml; the toleration admits it to the tainted nodes',
    );
  });

  it('adds the affinity to every term, and leaves an empty term unchanged', () => {
    const terms = [{ matchExpressions: [inLabel('zone', 'a')] }, { matchFields: [inLabel('metadata.name', 'n')] }, {}];
    expect(affinityOf(admit({ namespace: 'ml', spec: required(...terms) }).pod)).toEqual([
      { matchExpressions: [inLabel('zone', 'a'), inLabel('dedicated', 'ml')] },
      { matchFields: [inLabel('metadata.name', 'n')], matchExpressions: [inLabel('dedicated', 'ml')] },
      {},
    ]);
  });

  it('keeps existing preferred affinity and tolerations in their order', () => {
    const tolerations: Toleration[] = [
      { key: 'x', operator: 'Exists' },
      { key: 'dedicated', operator: 'Equal', value: 'ml', effect: 'NoExecute', tolerationSeconds: 60 },
    ];
    const preferred = [{ weight: 1, preference: { matchExpressions: [inLabel('zone', 'a')] } }];
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
    const { spec } = admit({ namespace: 'ml', spec: { tolerations, affinity } }).pod;
    expect(spec.tolerations).toEqual([
      ...tolerations,
      { key: 'dedicated', operator: 'Equal', value: 'ml', effect: 'NoSchedule' },
    ]);
    expect(spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution).toEqual(preferred);
  });

  it.each<[string, PodParts]>([
    ['a pod of one pool', { namespace: 'ml' }],
    ['a pod of two', { namespace: 'ml', spec: requesting({ 'nvidia.com/gpu': '2' }) }],
    ['a pod with terms of its own', { namespace: 'ml', spec: required({ matchExpressions: [inLabel('zone', 'a')] }) }],
  ])('changes nothing the second time: %s', (_, parts) => {
    const once = admit(parts).pod;
    const twice = admitToPools([ml, gpu], once, undefined, GATES).pod;
    expect(twice).toEqual(once);
  });

  it('allows a pod of two pools on the nodes of either', () => {
    const admitted = admit({ namespace: 'ml', spec: requesting({ 'nvidia.com/gpu': '2' }) });
    expect(admitted.pools.map(({ pool }) => pool.name)).toEqual(['ml', 'gpu']);
    expect(affinityOf(admitted.pod)).toEqual([
      { matchExpressions: [inLabel('dedicated', 'ml')] },
      { matchExpressions: [inLabel('accelerator', 'nvidia')] },
    ]);
    expect(admitted.pod.spec.tolerations).toHaveLength(3);
  });

  it('restricts a pod that requires the labels of one of its pools to that pool', () => {
    const spec = { ...requesting({ 'nvidia.com/gpu': '2' }), nodeSelector: { accelerator: 'nvidia' } };
    const admitted = admit({ namespace: 'ml', spec });
    expect(admitted.pools.map(({ pool }) => pool.name)).toEqual(['gpu']);
    expect(admitted.pod.spec.affinity).toBeUndefined();
    expect(admitted.pod.spec.tolerations).toEqual([{ key: 'nvidia.com/gpu', operator: 'Equal', effect: 'NoSchedule' }]);
  });

  it.each<[string, PodParts]>([
    ['of no user', {}],
    ['of an exempted namespace', { namespace: 'kube-system', spec: requesting({ 'nvidia.com/gpu': '1' }) }],
    [
      'of a DaemonSet',
      { namespace: 'ml', owner: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', controller: true } },
    ],
    ['that mirrors a static one', { namespace: 'ml', annotations: { 'kubernetes.io/config.mirror': 'x' } }],
    ['whose terms are none, which the API server refuses', { namespace: 'ml', spec: required({}) }],
  ])('leaves a pod alone %s', (_, parts) => {
    expect(admit(parts).pod).toEqual(pod(parts));
  });

  it('adds no affinity to a pod that already has a node', () => {
    const { spec } = admit({ namespace: 'ml', spec: { nodeName: 'n' } }).pod;
    expect(spec.affinity).toBeUndefined();
    expect(spec.tolerations).toHaveLength(2);
  });
});

describe('what a pool refuses', () => {
  const twin = declared('twin', { ...ML, labels: { dedicated: 'twin' }, users: { namespaces: ['twin'] } });
  const ml = declared('ml', ML);
  const state = ClusterState.build([node('big-1', { type: 'big' }), node('small', {})], ['Node']);
  const refusals = (parts: PodParts, pools = [ml]) => poolRefusals(state, pools, pod(parts), undefined, GATES);
  const tolerating = (...tolerations: Toleration[]): PodParts => ({ spec: { tolerations } });

  it.each<[string, PodParts, string | undefined]>([
    ['a wide Exists', tolerating({ operator: 'Exists' }), 'spec.tolerations[0]'],
    ['the key with any value', tolerating({ key: 'dedicated', operator: 'Exists' }), 'spec.tolerations[0]'],
    [
      'each taint by name',
      tolerating(
        { key: 'other', operator: 'Exists' },
        { key: 'dedicated', value: 'ml', effect: 'NoExecute' },
        { key: 'dedicated', value: 'ml', effect: 'NoSchedule' },
      ),
      'spec.tolerations[2]',
    ],
    [
      'one of two taints, which opens nothing',
      tolerating({ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }),
      undefined,
    ],
    ['another value', tolerating({ key: 'dedicated', value: 'web' }), undefined],
    ['none', {}, undefined],
    ['a node of the pool by name', { spec: { nodeName: 'big-1' } }, 'spec.nodeName'],
    ['another node by name', { spec: { nodeName: 'small' } }, undefined],
    [
      'everything, in an exempted namespace',
      { ...tolerating({ operator: 'Exists' }), namespace: 'kube-system' },
      undefined,
    ],
    ['everything, and may use it', { ...tolerating({ operator: 'Exists' }), namespace: 'ml' }, undefined],
    [
      'everything, for a DaemonSet',
      {
        ...tolerating({ operator: 'Exists' }),
        owner: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', controller: true },
      },
      undefined,
    ],
    [
      'everything, for a ReplicaSet',
      {
        ...tolerating({ operator: 'Exists' }),
        owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'd', controller: true },
      },
      'spec.tolerations[0]',
    ],
    [
      'everything, for what is called a DaemonSet elsewhere',
      {
        ...tolerating({ operator: 'Exists' }),
        owner: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'DaemonSet', name: 'd', controller: true },
      },
      'spec.tolerations[0]',
    ],
  ])('a pod that tolerates %s', (_, parts, field) => {
    expect(refusals(parts).map((one) => one.field)).toEqual(field === undefined ? [] : [field]);
  });

  it('names the pool, the user and the toleration', () => {
    expect(refusals(tolerating({ operator: 'Exists' }))[0]!.message).toBe(
      'pool "ml" is not open to pods of namespace "web" that run as service account "default": spec.tolerations[0] ' +
        '(Exists without a key, for every taint) tolerates dedicated=ml:NoSchedule and dedicated=ml:NoExecute',
    );
  });

  it('ignores tolerations from a pool that the pod may use, even if another pool has the same taint', () => {
    const admitted = admitToPools([ml, twin], pod({ namespace: 'twin' }), undefined, GATES).pod;
    expect(poolRefusals(state, [ml, twin], admitted, undefined, GATES)).toEqual([]);
    const wide = { namespace: 'twin', ...tolerating({ operator: 'Exists' }) };
    expect(refusals(wide, [ml, twin]).map(({ pool }) => pool.name)).toEqual(['ml']);
  });

  it('allows updates of a stored intruder, and refuses one that turns a pod into an intruder', () => {
    const before = refusals(tolerating({ operator: 'Exists' }));
    expect(newPoolRefusals(before, before)).toEqual([]);
    expect(newPoolRefusals([], before)).toEqual(before);
    const other = before.map((refusal) => ({ ...refusal, because: 'node' as const }));
    expect(newPoolRefusals(other, before)).toEqual(before);
  });
});

describe('the remaining changes on the nodes of a pool', () => {
  const taint = (effect: string, value = 'ml'): Taint => ({ key: 'dedicated', value, effect });
  const ml = declared('ml', ML);
  const whole = node('c', { type: 'big', dedicated: 'ml' }, [taint('NoSchedule'), taint('NoExecute')]);
  const remaining = (...nodes: Node[]) => remainingChanges(ClusterState.build(nodes, ['Node']), ml);

  it('are none if every node has all taints and labels', () => {
    expect(remaining(whole, node('x', {}))).toEqual({ nodes: 1, lacking: [], change: undefined });
  });

  it('are one change of the incomplete nodes, with overwriting only if necessary', () => {
    expect(remaining(whole, node('b', { type: 'big' }), node('a', { type: 'big' })).change).toEqual({
      nodes: ['a', 'b'],
      taints: ['dedicated=ml:NoSchedule', 'dedicated=ml:NoExecute'],
      labels: ['dedicated=ml'],
      overwrite: false,
    });
    expect(remaining(node('a', { type: 'big', dedicated: 'ml' }, [taint('NoSchedule')])).change).toEqual({
      nodes: ['a'],
      taints: ['dedicated=ml:NoExecute'],
      labels: [],
      overwrite: false,
    });
  });

  it('list the values to replace', () => {
    const { lacking, change } = remaining(node('a', { type: 'big', dedicated: 'x' }, [taint('NoSchedule', 'x')]));
    expect(lacking[0]!.replaces).toEqual(['dedicated=x:NoSchedule', 'dedicated=x']);
    expect(change!.overwrite).toBe(true);
  });

  it('overwrite if one node has what another one lacks', () => {
    const half = node('a', { type: 'big', dedicated: 'ml' }, [taint('NoSchedule')]);
    expect(remaining(half, node('b', { type: 'big' })).change!.overwrite).toBe(true);
    const tainted = node('a', { type: 'big' }, [taint('NoSchedule')]);
    expect(remaining(tainted, node('b', { type: 'big' })).change!.overwrite).toBe(true);
    const labelled = node('a', { type: 'big', dedicated: 'ml' });
    expect(remaining(labelled, node('b', { type: 'big' })).change!.overwrite).toBe(true);
  });
});

describe('findings on a declared pool', () => {
  const content = readPool(ML, FieldPath.of('pool')).pool as unknown as JsonObject;
  const taints = declared('ml', ML).taints;
  const findings = (...objects: (Node | Pod)[]) =>
    findClusterFindings(ClusterState.build([settingOf('Pool', 'ml', content), ...objects], ['Node', 'Pod']))
      .filter(({ code }) => code.startsWith('pool-') && code !== 'pool-not-selected')
      .map(
        ({ code, subject, occurrences }) => `${code} ${subject.name ?? ''}: ${occurrences?.examples.join(', ') ?? ''}`,
      );
  const on = (nodeName: string, parts: PodParts): Pod => pod({ ...parts, spec: { ...parts.spec, nodeName } });
  const ready = node('big', { type: 'big', dedicated: 'ml' }, taints);

  it('cover its nodes', () => {
    expect(findings(node('a', { type: 'big' }), node('b', { dedicated: 'ml' }))).toEqual([
      'pool-label-elsewhere ml: b',
      'pool-node-lacking ml: a (dedicated=ml)',
      'pool-node-lacking ml: a (dedicated=ml:NoSchedule, dedicated=ml:NoExecute)',
    ]);
    expect(findings(node('x', {}))).toEqual(['pool-without-nodes ml: ']);
    expect(findings(ready)).toEqual([]);
  });

  it('cover pods that run on the nodes without permission, or could', () => {
    const wide = { tolerations: [{ operator: 'Exists' }] };
    const kept = admitToPools([declared('ml', ML)], pod({ namespace: 'ml' }), undefined, GATES).pod.spec;
    expect(
      findings(
        ready,
        on('big', { name: 'unauthorized' }),
        on('big', { name: 'system', namespace: 'kube-system', spec: wide }),
        pod({ name: 'wide', spec: wide }),
        pod({ name: 'loose', namespace: 'ml', spec: wide }),
        pod({ name: 'kept', namespace: 'ml', spec: kept }),
      ),
    ).toEqual([
      'pool-unauthorized-pod unauthorized: web/unauthorized on big',
      'pool-unauthorized-toleration wide: web/wide',
      'pool-pod-not-kept loose: ml/loose',
    ]);
  });

  it('are none without a declaration', () => {
    expect(poolsIn(ClusterState.build([ready], ['Node']))).toEqual([]);
  });
});
