import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { settingOf, THE_ONE } from '../cluster/setting.js';
import { finish } from '../collections/finish.js';
import type { JsonObject } from '../json/json-value.js';
import { KINDS } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Finding } from './expectation.js';
import { ExpectationMemory, stepExpectations } from './evaluate-expectations.js';
import { expectationsIn, readExpectations } from './read-expectations.js';

const ZONE = 'topology.kubernetes.io/zone';

const node = (
  name: string,
  zone: string,
  rest: { spec?: object; cpu?: string; labels?: object; ready?: string } = {},
): Node =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { [ZONE]: zone, 'kubernetes.io/hostname': name, ...rest.labels } },
    spec: rest.spec ?? {},
    status: {
      allocatable: { cpu: rest.cpu ?? '4', memory: '8Gi', pods: '10' },
      conditions: [{ type: 'Ready', status: rest.ready ?? 'True' }],
    },
  }) as unknown as Node;

const pod = (
  key: string,
  nodeName: string,
  rest: { owner?: object; spec?: object; labels?: object } = {},
): KubernetesObject => {
  const [namespace, name] = key.split('/');
  const owner = rest.owner ?? { kind: 'ReplicaSet', name: 'rs' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      name,
      labels: rest.labels ?? { app: 'web' },
      ownerReferences: [{ apiVersion: 'apps/v1', uid: 'u', controller: true, ...owner }],
    },
    spec: {
      ...(nodeName !== '' && { nodeName }),
      containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }],
      ...rest.spec,
    },
    status: { phase: nodeName === '' ? 'Pending' : 'Running' },
  } as unknown as KubernetesObject;
};

const template = (spec: object = {}): object => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '2' } } }], ...spec },
});

const deployment = (key: string, spec: object = {}): KubernetesObject => {
  const [namespace, name] = key.split('/');
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name },
    spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: template(spec) },
  } as unknown as KubernetesObject;
};

const replicaSet = (namespace: string): KubernetesObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      namespace,
      name: 'rs',
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd', controller: true }],
    },
    spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: template() },
  }) as unknown as KubernetesObject;

const namespace = (name: string, labels: object = {}): KubernetesObject =>
  ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }) as unknown as KubernetesObject;

const serviceAccount = (ns: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { namespace: ns, name: 'default' },
});

const ALL = KINDS.map(({ kind }) => kind);
const BASICS = ['shop', 'ml'].flatMap((name) => [namespace(name), serviceAccount(name)]);

const stateOf = (...objects: KubernetesObject[]): ClusterState => ClusterState.build([...BASICS, ...objects], ALL);

const file = (...expectations: object[]): JsonObject => ({
  apiVersion: 'kube-placement/v1',
  kind: 'Expectations',
  expectations: expectations.map((one, index) => ({ name: `e${index}`, ...one })),
});

const read = (...expectations: object[]) => {
  const result = readExpectations(file(...expectations));
  if ('faults' in result) throw new Error(JSON.stringify(result.faults));
  return result.expectations;
};

const evaluate = (state: ClusterState, ...expectations: object[]): readonly Finding[] =>
  finish(stepExpectations(state, read(...expectations), { now: 0 }));

const one = (state: ClusterState, expectation: object): Finding => evaluate(state, expectation)[0]!;

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'shop' },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '2' } } }] },
};
const GPU = { taints: [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }] };
const WEB = { kind: 'Deployment', namespace: 'shop', name: 'web' };

describe('podFits', () => {
  const state = stateOf(
    node('a', 'z1'),
    node('b', 'z1', { spec: GPU }),
    node('c', 'z2', { cpu: '1' }),
    deployment('shop/web'),
  );

  it('counts the nodes that pass every filter, and names the reasons of the others', () => {
    const broken = one(state, { podFits: { pod: POD, atLeast: 2 } });
    expect(broken).toMatchObject({ verdict: 'broken', count: 1, nodes: ['b', 'c'] });
    expect(broken.reason).toBe('The pod fits 1 of 3 nodes; at least 2 wanted.');
    expect(broken.details).toEqual([
      'b: TaintToleration: node(s) had untolerated taint(s)',
      'c: NodeResourcesFit: Insufficient cpu',
    ]);
  });

  it('holds for a stored workload within all bounds', () => {
    expect(one(state, { podFits: { workload: WEB, exactly: 1 } })).toMatchObject({ verdict: 'holds', nodes: ['a'] });
    expect(one(state, { podFits: { workload: WEB, atMost: 0 } })).toMatchObject({ verdict: 'broken', nodes: ['a'] });
  });

  it('restricts the nodes by label selector, name and pool', () => {
    const pool = settingOf('Pool', 'z1', {
      nodes: { matchLabels: { [ZONE]: 'z1' } },
      taints: [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }],
      labels: {},
      users: { namespaces: ['ml'] },
      exemptNamespaces: [],
    });
    const counts = evaluate(
      state.apply({ upserts: [pool] }),
      { podFits: { pod: POD, nodes: { labelSelector: `${ZONE}=z2` }, exactly: 0 } },
      { podFits: { pod: POD, nodes: { names: ['a', 'b'] }, atLeast: 1 } },
      { podFits: { pod: POD, nodes: { pool: 'z1' }, atLeast: 2 } },
      { podFits: { pod: POD, nodes: { pool: 'gone' }, atLeast: 2 } },
      { podFits: { pod: POD, nodes: { names: ['gone'] }, atLeast: 2 } },
    );
    expect(counts.map(({ verdict }) => verdict)).toEqual(['holds', 'holds', 'broken', 'unknown', 'unknown']);
    expect(counts[3]!.reason).toBe('no pool "gone" is declared.');
  });

  it('is unknown for what is not stored, and says what is missing', () => {
    expect(one(state, { podFits: { workload: { ...WEB, name: 'gone' }, atLeast: 1 } }).reason).toBe(
      'Whether the pod fits is not known: there is no Deployment shop/gone.',
    );
    const bare = ClusterState.build([node('a', 'z1')], ['Node', 'Pod']);
    expect(one(bare, { podFits: { workload: WEB, atLeast: 1 } }).reason).toContain(
      'no snapshot has contained the kind Deployment',
    );
    expect(one(ClusterState.build([], []), { podFits: { pod: POD, atLeast: 1 } }).reason).toBe(
      'No snapshot has contained the kind Node and Pod.',
    );
  });

  it('fits no node if admission refuses the pod', () => {
    const refused = { ...POD, metadata: { namespace: 'gone' } };
    const found = one(state, { podFits: { pod: refused, exactly: 0 } });
    expect(found).toMatchObject({ verdict: 'holds', count: 0 });
    expect(found.details[0]).toContain('namespaces "gone" not found');
  });
});

describe('admission', () => {
  const state = stateOf(
    namespace('strict', { 'pod-security.kubernetes.io/enforce': 'restricted' }),
    serviceAccount('strict'),
  );
  const into = (ns: string) => ({ ...POD, metadata: { name: 'p', namespace: ns } });

  it('compares the outcome and the message', () => {
    const found = evaluate(
      state,
      { admission: { pod: into('shop'), outcome: 'admitted' } },
      { admission: { pod: into('shop'), outcome: 'refused' } },
      { admission: { pod: into('strict'), outcome: 'refused', messageContains: 'violates PodSecurity' } },
      { admission: { pod: into('strict'), outcome: 'refused', messageContains: 'quota' } },
      { admission: { pod: into('strict'), outcome: 'admitted' } },
    );
    expect(found.map(({ verdict }) => verdict)).toEqual(['holds', 'broken', 'holds', 'broken', 'broken']);
    expect(found[4]!.details[0]).toContain('violates PodSecurity "restricted:latest"');
  });

  it('is unknown if what the pod refers to was never loaded', () => {
    const bare = ClusterState.build(BASICS, ['Namespace']);
    const pod = { ...into('shop'), spec: { ...POD.spec, runtimeClassName: 'gvisor' } };
    expect(one(bare, { admission: { pod, outcome: 'admitted' } })).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringContaining('RuntimeClass'),
    });
  });
});

describe('taintedNodes and nodeCount', () => {
  const drain = { taints: [{ key: 'drain', effect: 'NoExecute' }] };
  const state = stateOf(
    node('a', 'z1', { spec: drain }),
    node('b', 'z1', { spec: { unschedulable: true } }),
    node('c', 'z2', { spec: GPU, ready: 'Unknown' }),
  );

  it.each([
    [
      { taint: { effect: 'NoExecute' }, atMost: 0 },
      'broken',
      '1 of 3 nodes carries a taint with effect NoExecute; at most 0 wanted.',
      ['a'],
    ],
    [
      { taint: { key: 'dedicated', value: 'ml' }, exactly: 1 },
      'holds',
      '1 of 3 nodes carries dedicated=ml; exactly 1 wanted.',
      ['c'],
    ],
    [
      { taint: { key: 'dedicated', value: '' }, atMost: 0 },
      'holds',
      '0 of 3 nodes carry dedicated=; at most 0 wanted.',
      [],
    ],
    [
      { taint: { key: 'drain' }, nodes: { labelSelector: `${ZONE}=z1` }, atLeast: 2 },
      'broken',
      `1 of 2 nodes with ${ZONE}=z1 carries drain; at least 2 wanted.`,
      ['b'],
    ],
  ])('counts tainted nodes: %j', (spec, verdict, reason, nodes) => {
    expect(one(state, { taintedNodes: spec })).toMatchObject({ verdict, reason, nodes });
  });

  it.each([
    [{ atLeast: 3 }, 'holds', 'There are 3 nodes; at least 3 wanted.'],
    [
      { ready: true, schedulable: true, atLeast: 2 },
      'broken',
      '1 of 3 nodes is ready and not cordoned; at least 2 wanted.',
    ],
  ])('counts nodes: %j', (spec, verdict, reason) => {
    expect(one(state, { nodeCount: spec })).toMatchObject({ verdict, reason });
  });
});

describe('tolerates', () => {
  const tolerating = { tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'ml', effect: 'NoSchedule' }] };
  const state = stateOf(
    pod('ml/a', '', { spec: tolerating }),
    pod('shop/b', '', { spec: { tolerations: [{ operator: 'Exists' }] } }),
    deployment('shop/idle', tolerating),
    deployment('shop/web'),
    replicaSet('shop'),
  );

  it('names the pods and templates of others', () => {
    const found = one(state, { tolerates: { taint: 'dedicated=ml', only: { namespaces: ['ml'] } } });
    expect(found).toMatchObject({ verdict: 'broken', count: 1, pods: ['shop/b'] });
    expect(found.workloads).toEqual([
      { kind: 'Deployment', namespace: 'shop', name: 'idle' },
      { kind: 'Deployment', namespace: 'shop', name: 'web' },
    ]);
    expect(found.reason).toBe('1 pod and 1 pod template of 2 other workloads tolerate dedicated=ml.');
  });

  it('holds if all of them are named, and for an effect that nobody tolerates by name', () => {
    const only = { namespaces: ['ml'], workloads: [WEB, { ...WEB, name: 'idle' }] };
    expect(one(state, { tolerates: { taint: 'dedicated=ml', only } }).verdict).toBe('holds');
    const executing = { tolerates: { taint: 'dedicated=ml:NoExecute', only: { workloads: [WEB] } } };
    expect(one(state, executing).verdict).toBe('holds');
  });
});

describe('capacityFor', () => {
  const state = stateOf(node('a', 'z1'), node('b', 'z2', { cpu: '6' }), deployment('shop/web'));

  it('counts replicas node by node, with the message for the next one', () => {
    expect(one(state, { capacityFor: { workload: WEB, replicas: 5 } })).toMatchObject({ verdict: 'holds', count: 5 });
    expect(one(state, { capacityFor: { workload: WEB, replicas: 6 } })).toEqual({
      verdict: 'broken',
      count: 5,
      reason: '5 more replicas fit; 6 replicas wanted.',
      details: [expect.stringContaining('0/2 nodes are available: 2 Insufficient cpu.')],
      nodes: [],
      pods: [],
      workloads: [],
    });
  });

  it('places replicas that mind each other one after another', () => {
    const spread = {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: ZONE,
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'web' } },
        },
      ],
    };
    const spreading = state.apply({ upserts: [deployment('shop/web', spread)] });
    expect(one(spreading, { capacityFor: { workload: WEB, replicas: 5 } })).toMatchObject({
      verdict: 'holds',
      count: 5,
    });
    expect(one(spreading, { capacityFor: { workload: WEB, replicas: 6 } })).toMatchObject({
      verdict: 'broken',
      count: 5,
    });
  });

  it('counts the quotas of the namespace', () => {
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace: 'shop', name: 'q' },
      spec: { hard: { pods: '3' } },
      status: { hard: { pods: '3' }, used: { pods: '1' } },
    } as unknown as KubernetesObject;
    const found = one(state.apply({ upserts: [quota] }), { capacityFor: { workload: WEB, replicas: 5 } });
    expect(found).toMatchObject({ verdict: 'broken', count: 2 });
    expect(found.details[0]).toContain('exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3');
  });
});

describe('survives', () => {
  const zones = { label: ZONE };
  const survives = (rest: object = {}) => ({ survives: { workloads: [WEB], lossOf: zones, ...rest } });
  const base = [replicaSet('shop'), deployment('shop/web')];

  it('holds if the displaced replicas find a node in every case', () => {
    const state = stateOf(...base, node('a', 'z1'), node('b', 'z2'), pod('shop/w1', 'a'), pod('shop/w2', 'b'));
    expect(one(state, survives())).toMatchObject({
      verdict: 'holds',
      reason: `All replicas find a node after the loss of any of 2: Deployment shop/web, ${ZONE}.`,
    });
  });

  it('names the value, the replicas and the message of the scheduler', () => {
    const state = stateOf(
      ...base,
      node('a', 'z1'),
      node('b', 'z2', { cpu: '3' }),
      ...['w1', 'w2'].map((name) => pod(`shop/${name}`, 'a')),
    );
    const found = one(state, survives());
    expect(found).toMatchObject({ verdict: 'broken', count: 1, pods: ['shop/w2'] });
    expect(found.reason).toBe(`After the loss of ${ZONE}=z1, 1 replica of Deployment shop/web finds no node.`);
    expect(found.details[0]).toBe(`${ZONE}=z1: 0/1 nodes are available: 1 Insufficient cpu.`);
    expect(one(state, survives({ lossOf: { label: ZONE, values: ['z2'] } })).verdict).toBe('holds');
    expect(one(state, survives({ lossOf: { label: ZONE, values: ['z9'] } })).verdict).toBe('unknown');
  });

  it('obeys the spreading of the replicas over the zones that remain', () => {
    const spread = {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: ZONE,
          whenUnsatisfiable: 'DoNotSchedule',
          minDomains: 3,
          labelSelector: { matchLabels: { app: 'web' } },
        },
      ],
    };
    const pods = ['a', 'b', 'c'].map((name) => pod(`shop/${name}`, name, { spec: spread }));
    const state = stateOf(...base, node('a', 'z1'), node('b', 'z2'), node('c', 'z3'), ...pods);
    expect(one(state, survives()).verdict).toBe('broken');
  });

  it('lets other pods of the lost nodes compete, by priority', () => {
    const other = { kind: 'ReplicaSet', name: 'other' };
    const crowd = (priority: number) =>
      stateOf(
        ...base,
        node('a', 'z1', { cpu: '8' }),
        node('b', 'z2'),
        pod('shop/w1', 'a'),
        ...['o1', 'o2'].map((name) => pod(`ml/${name}`, 'a', { owner: other, spec: { priority } })),
      );
    expect(one(crowd(-1), survives()).verdict).toBe('holds');
    expect(one(crowd(1), survives()).verdict).toBe('broken');
    const equal = one(crowd(0), survives());
    expect(equal.verdict).toBe('unknown');
    expect(equal.details[0]).toContain('their order is not known');
    expect(one(crowd(0), survives({ competing: 'none' })).verdict).toBe('holds');
  });

  it('counts preemption of pods with a lower priority', () => {
    const state = stateOf(
      ...base,
      node('a', 'z1'),
      node('b', 'z2'),
      pod('shop/w1', 'a', { spec: { priority: 10 } }),
      ...['o1', 'o2'].map((name) => pod(`ml/${name}`, 'b', { owner: { kind: 'ReplicaSet', name: 'other' } })),
    );
    const found = one(state, survives());
    expect(found.verdict).toBe('holds');
    expect(found.details[0]).toMatch(/shop\/w1 evicts ml\/o[12]/);
  });

  it('counts replicas that wait already, and pods that nothing replaces', () => {
    const waiting = stateOf(
      ...base,
      node('a', 'z1'),
      node('b', 'z2', { cpu: '2' }),
      pod('shop/w1', 'a'),
      pod('shop/w2', ''),
    );
    expect(one(waiting, survives()).verdict).toBe('broken');
    const alone = pod('shop/w1', 'a');
    const { name, namespace: ns, labels } = alone.metadata;
    const metadata = { name, namespace: ns!, labels: labels! };
    const bare = stateOf(node('a', 'z1'), node('b', 'z2'), { ...alone, metadata });
    const found = one(bare, { survives: { namespaces: ['shop'], lossOf: zones } });
    expect(found).toMatchObject({ verdict: 'broken', pods: ['shop/w1'] });
    expect(one(bare, { survives: { namespaces: ['ml'], lossOf: zones } }).reason).toBe(
      'There is no running or waiting pod of namespace ml.',
    );
  });
});

describe('a memory', () => {
  const expectations = [
    { taintedNodes: { taint: { effect: 'NoSchedule' }, nodes: { labelSelector: `${ZONE}=z1` }, atMost: 1 } },
    { podFits: { pod: POD, atLeast: 2 } },
    { tolerates: { taint: 'dedicated=ml', only: { namespaces: ['ml'] } } },
    { capacityFor: { workload: WEB, replicas: 4 } },
    { survives: { workloads: [WEB], lossOf: { label: ZONE } } },
    { survives: { workloads: [WEB], lossOf: { label: 'kubernetes.io/hostname' }, competing: 'none' } },
    { nodeCount: { ready: true, atLeast: 3 } },
    { admission: { pod: POD, outcome: 'admitted' } },
  ];
  const start = stateOf(
    replicaSet('shop'),
    deployment('shop/web'),
    node('a', 'z1'),
    node('b', 'z2'),
    node('c', 'z2'),
    pod('shop/w1', 'a'),
    pod('shop/w2', 'b'),
  );
  const changes: readonly [string, (state: ClusterState) => ClusterState][] = [
    ['nothing', (state) => state],
    ['a taint', (state) => state.apply({ upserts: [node('c', 'z2', { spec: GPU })] })],
    ['a label', (state) => state.apply({ upserts: [node('c', 'z1', { spec: GPU })] })],
    ['a lost node that shrinks', (state) => state.apply({ upserts: [node('a', 'z1', { cpu: '2' })] })],
    ['a new node', (state) => state.apply({ upserts: [node('d', 'z3')] })],
    [
      'a pod',
      (state) => state.apply({ upserts: [pod('shop/w3', 'd', { spec: { tolerations: [{ operator: 'Exists' }] } })] }),
    ],
    ['a workload', (state) => state.apply({ upserts: [deployment('shop/web', { nodeSelector: { [ZONE]: 'z2' } })] })],
    ['a lost node', (state) => state.apply({ deletes: [{ kind: 'Node', name: 'b' }] })],
    ['a namespace', (state) => state.apply({ deletes: [{ kind: 'Namespace', name: 'shop' }] })],
    ['a kind', (state) => state.apply({ loadedKinds: [] })],
  ];

  it('finds the same as without it, after every change', () => {
    const memory = new ExpectationMemory();
    const list = read(...expectations);
    let state = start;
    for (const [what, change] of changes) {
      state = change(state);
      const found = finish(stepExpectations(state, list, { now: 0, memory }));
      expect([what, found]).toEqual([what, finish(stepExpectations(state, list, { now: 0 }))]);
    }
  });

  it('does not evaluate again what a change cannot touch', () => {
    const memory = new ExpectationMemory();
    const list = read(...expectations);
    const before = finish(stepExpectations(start, list, { now: 0, memory }));
    const after = finish(stepExpectations(changes[1]![1](start), list, { now: 0, memory }));
    expect(before.map((found, index) => found === after[index])).toEqual([
      false,
      false,
      true,
      false,
      false,
      false,
      false,
      true,
    ]);
  });
});

describe('reading a file', () => {
  const faultsOf = (value: JsonObject): readonly string[] => {
    const result = readExpectations(value);
    return 'faults' in result ? result.faults.map(({ pointer, code }) => `${pointer} ${code}`) : [];
  };

  it('reports every fault, in the order of the file', () => {
    expect(
      faultsOf({
        ...file(
          { podFits: { pod: POD, atLeast: -1, atleast: 3 } },
          { taintedNodes: { taint: {}, atMost: '2' } },
          { name: 'e0', nodeCount: { atLeast: 1 } },
          { podFits: { pod: POD, atLeast: 1 }, nodeCount: { atLeast: 1 } },
          { podFits: { pod: { ...POD, spec: { ...POD.spec, tolerations: [{ operator: 'Equal' }] } }, atLeast: 1 } },
          { nodeCount: { nodes: { labelSelector: 'a in' }, atLeast: 3, atMost: 2 } },
          { tolerates: { taint: 'a=b:Never', only: { namespaces: ['x'] } } },
          { capacityFor: { workload: { kind: 'DaemonSet', name: 'd' }, replicas: 1 } },
          { survives: { namespaces: ['x'], lossOf: { label: 'not a label' } } },
          {},
        ),
        extra: 1,
      }),
    ).toEqual([
      '/expectations/0/podFits/atLeast out-of-range',
      '/expectations/0/podFits/atleast unknown-field',
      '/expectations/1/taintedNodes/atMost wrong-type',
      '/expectations/1/taintedNodes/taint one-of',
      '/expectations/2/name duplicate',
      '/expectations/3 one-of',
      '/expectations/4/podFits/pod/spec/tolerations/0/operator FieldValueInvalid',
      '/expectations/5/nodeCount/atMost out-of-range',
      '/expectations/5/nodeCount/nodes/labelSelector invalid-selector',
      '/expectations/6/tolerates/taint invalid-taint',
      '/expectations/7/capacityFor/workload/kind unsupported-kind',
      '/expectations/8/survives/lossOf/label invalid-label',
      '/expectations/9 one-of',
      '/extra unknown-field',
    ]);
  });

  it.each([
    ['null', null],
    ['a list', []],
    ['text', 'text'],
    ['nothing', {}],
    ['another version', { apiVersion: 'v2', kind: 'Expectations', expectations: [{ name: 'n' }] }],
    ['no expectation', file()],
    ['too many', file(...Array.from({ length: 501 }, () => ({})))],
  ])('refuses %s', (_, value) => {
    expect(faultsOf(value as unknown as JsonObject).length).toBeGreaterThan(0);
  });

  it('reads what is stored in a cluster', () => {
    const content = { expectations: file({ nodeCount: { atLeast: 1 } })['expectations']! };
    const state = stateOf().apply({ upserts: [settingOf('Expectations', THE_ONE, content)] });
    expect(expectationsIn(state).map(({ name, kind }) => [name, kind])).toEqual([['e0', 'nodeCount']]);
    expect(expectationsIn(stateOf())).toEqual([]);
  });
});
