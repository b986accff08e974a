import { DEFAULT_RULES } from '../kubernetes/kubernetes-rules.js';
import { DEFAULT_GATES, gatesOf } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject, Labels } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { stepTaintEffects } from './step-taint-effects.js';
import type { EffectWarningCode, TaintEffects } from './taint-effects.js';
import { stepWorkloadShapes } from './workload-shapes.js';
import { Dice } from '../../../test/support/dice.js';

const NOW = '2026-05-04T03:02:01Z';
const GATES = DEFAULT_GATES;
const ALL_KINDS: readonly KeptKind[] = [
  'Node',
  'Pod',
  'DaemonSet',
  'PodDisruptionBudget',
  'Deployment',
  'StatefulSet',
  'ReplicaSet',
  'ReplicationController',
  'Job',
  'CronJob',
  'RuntimeClass',
];

interface NodeParts {
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly labels?: Labels;
  readonly conditions?: Readonly<Record<string, string>>;
}

function node(name: string, { taints, unschedulable, labels, conditions }: NodeParts = {}): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, ...(labels && { labels }) },
    spec: { ...(taints && { taints }), ...(unschedulable && { unschedulable }) },
    ...(conditions && {
      status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
    }),
  };
}

interface PodParts extends Partial<PodSpec> {
  readonly on?: string;
  readonly of?: string;
  readonly phase?: string;
  readonly labels?: Labels;
  readonly meta?: Partial<Pod['metadata']>;
}

/** @param of the controller as `Kind/name` */
function pod(name: string, { on, of, phase = 'Running', labels, meta, ...spec }: PodParts = {}): Pod {
  const [kind = '', owner = ''] = of?.split('/') ?? [];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      ...(labels && { labels }),
      ...(of !== undefined && { ownerReferences: [{ apiVersion: 'apps/v1', kind, name: owner, controller: true }] }),
      ...meta,
    },
    spec: { containers: [], ...(on !== undefined && { nodeName: on }), ...spec },
    status: { phase },
  };
}

function workload(kind: string, name: string, spec: Partial<PodSpec>, more: object = {}): KubernetesObject {
  const template = { spec: { containers: [], ...spec } };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'shop' },
    spec: kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template },
    ...more,
  } as KubernetesObject;
}

const taint = (key: string, effect: string, value?: string): Taint => ({
  key,
  effect,
  ...(value !== undefined && { value }),
});
const exists = (key: string, more: Partial<Toleration> = {}): Toleration => ({ key, operator: 'Exists', ...more });

function effectsOf(
  objects: readonly KubernetesObject[],
  edited: readonly Node[],
  { loaded = ALL_KINDS, mostListed }: { readonly loaded?: readonly KeptKind[]; readonly mostListed?: number } = {},
): TaintEffects {
  const before = ClusterState.build(objects, loaded);
  const after = before.apply({ upserts: edited });
  const names = edited.map(({ metadata }) => metadata.name);
  return finish(
    stepTaintEffects(before, after, names, { gates: GATES, now: NOW, ...(mostListed !== undefined && { mostListed }) }),
  );
}

const evicted = ({ evictions }: TaintEffects): readonly string[] =>
  evictions.pods.items.map(({ name, when, seconds }) => `${name} ${when}${seconds === undefined ? '' : ` ${seconds}`}`);

const moved = ({ workloads }: TaintEffects): readonly string[] =>
  workloads.entries.items.map(
    (entry) =>
      `${entry.workload.kind}/${entry.workload.name} ${entry.feasibleBefore}->${entry.feasibleAfter}` +
      entry.lost.items.map((name) => ` -${name}`).join('') +
      entry.gained.items.map((name) => ` +${name}`).join(''),
  );

const warned = ({ warnings }: TaintEffects, code: EffectWarningCode): readonly string[] =>
  warnings.items.filter((warning) => warning.code === code).map(({ message }) => message);

describe('stepTaintEffects: evictions', () => {
  const out = taint('out', 'NoExecute');
  it.each<{ name: string; before?: readonly Taint[]; after: readonly Taint[]; pods: readonly Pod[]; want: string[] }>([
    {
      name: 'a new NoExecute taint immediately evicts pods that do not tolerate it, later those that tolerate it for a time, and never the rest',
      after: [out],
      pods: [
        pod('plain', { on: 'a' }),
        pod('minute', { on: 'a', tolerations: [exists('out', { tolerationSeconds: 60 })] }),
        pod('second', { on: 'a', tolerations: [exists('out', { tolerationSeconds: 1 })] }),
        pod('forever', { on: 'a', tolerations: [exists('out')] }),
        pod('elsewhere', { on: 'b' }),
        pod('pending', { phase: 'Pending' }),
      ],
      want: ['plain now', 'second after 1', 'minute after 60', 'forever never'],
    },
    {
      name: 'a NoSchedule taint evicts no pod',
      after: [taint('out', 'NoSchedule')],
      pods: [pod('p', { on: 'a' })],
      want: [],
    },
    {
      name: 'zero seconds and fewer are at once',
      after: [out],
      pods: [
        pod('negative', { on: 'a', tolerations: [exists('out', { tolerationSeconds: -5 })] }),
        pod('zero', { on: 'a', tolerations: [exists('out', { tolerationSeconds: 0 })] }),
      ],
      want: ['negative now', 'zero now'],
    },
    {
      name: 'the first matching toleration counts, whatever follows it',
      after: [out],
      pods: [pod('p', { on: 'a', tolerations: [exists('out', { tolerationSeconds: 9 }), exists('out')] })],
      want: ['p after 9'],
    },
    {
      name: 'a pod that a former taint already evicted is not reported',
      before: [taint('other', 'NoExecute')],
      after: [out, taint('other', 'NoExecute')],
      pods: [pod('p', { on: 'a' })],
      want: [],
    },
    {
      name: 'a running timer is not changed by another taint with another toleration, and ends immediately with one that is not tolerated',
      before: [taint('first', 'NoExecute')],
      after: [out, taint('first', 'NoExecute')],
      pods: [
        pod('shorter', {
          on: 'a',
          tolerations: [exists('first', { tolerationSeconds: 300 }), exists('out', { tolerationSeconds: 2 })],
        }),
        pod('zero', {
          on: 'a',
          tolerations: [exists('first', { tolerationSeconds: 300 }), exists('out', { tolerationSeconds: 0 })],
        }),
        pod('untolerated', { on: 'a', tolerations: [exists('first', { tolerationSeconds: 300 })] }),
      ],
      want: ['untolerated now'],
    },
    {
      name: 'taking the last timed taint off cancels what waited, also where what is left is tolerated for ever',
      before: [out, taint('mild', 'NoExecute')],
      after: [taint('mild', 'NoExecute')],
      pods: [pod('p', { on: 'a', tolerations: [exists('out', { tolerationSeconds: 60 }), exists('mild')] })],
      want: ['p cancelled'],
    },
    {
      name: 'another value of a taint may evict',
      before: [taint('out', 'NoExecute', 'x')],
      after: [taint('out', 'NoExecute', 'y')],
      pods: [
        pod('p', { on: 'a', tolerations: [{ key: 'out', operator: 'Equal', value: 'x' }] }),
        pod('q', { on: 'a', tolerations: [exists('out')] }),
      ],
      want: ['p now', 'q never'],
    },
    {
      name: 'a pod that has ended is deleted too, and a static pod',
      after: [out],
      pods: [
        pod('done', { on: 'a', phase: 'Succeeded' }),
        pod('static', { on: 'a', meta: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }),
      ],
      want: ['done now', 'static now'],
    },
  ])('$name', ({ before = [], after, pods, want }) => {
    const objects = [node('a', { taints: before }), node('b'), ...pods];
    expect(evicted(effectsOf(objects, [node('a', { taints: after })]))).toEqual(want);
  });

  it('reports the time, the cause and special cases', () => {
    const objects = [
      node('a'),
      pod('timed', { on: 'a', tolerations: [exists('x'), exists('out', { tolerationSeconds: 90 })] }),
      pod('static', { on: 'a', of: 'Node/a' }),
      pod('done', { on: 'a', of: 'Job/nightly', phase: 'Failed' }),
    ];
    const { evictions } = effectsOf(objects, [node('a', { taints: [taint('x', 'NoExecute', '1'), out] })]);
    const [done, mirror, timed] = evictions.pods.items;
    expect(timed).toEqual({
      namespace: 'shop',
      name: 'timed',
      node: 'a',
      workload: { kind: 'Pod', namespace: 'shop', name: 'timed' },
      when: 'after',
      seconds: 90,
      at: '2026-05-04T03:03:31Z',
      because: { taint: 'out:NoExecute', toleration: { index: 1, field: 'spec.tolerations[1]' } },
    });
    expect(mirror).toMatchObject({ name: 'static', because: { taint: 'x=1:NoExecute' } });
    expect(mirror?.because?.toleration).toBeUndefined();
    expect(mirror?.note).toMatch(/^A static pod/);
    expect(done?.note).toMatch(/ended \(Failed\)/);
    expect(evictions.byWorkload).toEqual({
      total: 3,
      items: [
        { workload: { kind: 'Job', namespace: 'shop', name: 'nightly' }, now: 1, after: 0 },
        { workload: { kind: 'Pod', namespace: 'shop', name: 'static' }, now: 1, after: 0 },
        { workload: { kind: 'Pod', namespace: 'shop', name: 'timed' }, now: 0, after: 1 },
      ],
    });
  });

  it('names the taint with the shortest toleration time, or the new one if all are tolerated without a limit', () => {
    const slow = taint('slow', 'NoExecute');
    const fast = taint('fast', 'NoExecute');
    const timed = [exists('slow', { tolerationSeconds: 60 }), exists('fast', { tolerationSeconds: 5 })];
    const objects = [
      node('a'),
      node('b', { taints: [slow] }),
      pod('timed', { on: 'a', tolerations: timed }),
      pod('forever', { on: 'b', tolerations: [exists('slow'), exists('fast')] }),
    ];
    const edited = [node('a', { taints: [slow, fast] }), node('b', { taints: [slow, fast] })];
    const causes = effectsOf(objects, edited).evictions.pods.items.map(({ name, because }) => [name, because]);
    const because = { taint: 'fast:NoExecute', toleration: { index: 1, field: 'spec.tolerations[1]' } };
    expect(causes).toEqual([
      ['timed', because],
      ['forever', because],
    ]);
  });

  it('lists the first pods and counts all', () => {
    const pods = Array.from({ length: 50 }, (_, i) => pod(`p-${String(i).padStart(2, '0')}`, { on: 'a' })).reverse();
    const { evictions, workloads } = effectsOf([node('a'), node('b'), ...pods], [node('a', { taints: [out] })], {
      mostListed: 3,
    });
    expect(evictions.counts).toEqual({ now: 50, after: 0, never: 0, cancelled: 0, pending: 0 });
    expect(evictions.pods.total).toBe(50);
    expect(evictions.pods.items.map(({ name }) => name)).toEqual(['p-00', 'p-01', 'p-02']);
    expect(evictions.byWorkload.total).toBe(50);
    expect(workloads.entries).toMatchObject({ total: 50, items: { length: 3 } });
  });

  it('lists the first workloads, those without a node left before all, and counts all, whatever their tolerations', () => {
    const closed = [taint('out', 'NoSchedule')];
    const workloads = Array.from({ length: 60 }, (_, i) => {
      const name = `w-${String((i * 37) % 60).padStart(2, '0')}`;
      const tolerations = Array.from({ length: i % 4 }, (__, own) => exists(`own-${own}`));
      // A fifth has no other node.
      return workload('Deployment', name, { tolerations, ...(i % 5 === 4 && { nodeSelector: { disk: 'ssd' } }) });
    });
    const ssd = { disk: 'ssd' };
    const all = effectsOf(
      [node('a', { labels: ssd }), node('b'), ...workloads],
      [node('a', { labels: ssd, taints: closed })],
    );
    const few = effectsOf(
      [node('a', { labels: ssd }), node('b'), ...workloads],
      [node('a', { labels: ssd, taints: closed })],
      { mostListed: 4 },
    );
    expect(all.workloads.counts).toMatchObject({ lost: 60, becameInfeasible: 12 });
    const inOrder = all.workloads.entries.items.map(({ becameInfeasible, workload: { name } }) => [
      becameInfeasible,
      name,
    ]);
    expect(inOrder).toEqual(
      inOrder.toSorted(([a, first], [b, second]) => Number(b) - Number(a) || (first! < second! ? -1 : 1)),
    );
    expect(few.workloads).toEqual({
      counts: all.workloads.counts,
      entries: { total: 60, items: all.workloads.entries.items.slice(0, 4) },
    });
  });

  it('counts a running timer as pending', () => {
    const timed = pod('p', {
      on: 'a',
      tolerations: [exists('first', { tolerationSeconds: 300 }), exists('out', { tolerationSeconds: 2 })],
    });
    const first = taint('first', 'NoExecute');
    const { evictions } = effectsOf([node('a', { taints: [first] }), timed], [node('a', { taints: [out, first] })]);
    expect(evictions.counts).toEqual({ now: 0, after: 0, never: 0, cancelled: 0, pending: 1 });
  });
});

describe('stepTaintEffects: workloads that lose or gain nodes', () => {
  const gpu = taint('gpu', 'NoSchedule');
  it.each<{ name: string; objects: readonly KubernetesObject[]; edited: readonly Node[]; want: string[] }>([
    {
      name: 'a NoSchedule taint takes the node from those that do not tolerate it',
      objects: [
        node('a'),
        node('b'),
        pod('p', { of: 'ReplicaSet/web', on: 'b' }),
        pod('q', { of: 'ReplicaSet/ml', tolerations: [exists('gpu')] }),
      ],
      edited: [node('a', { taints: [gpu] })],
      want: ['ReplicaSet/web 2->1 -a'],
    },
    {
      name: 'PreferNoSchedule takes it from nobody',
      objects: [node('a'), pod('p', { of: 'ReplicaSet/web' })],
      edited: [node('a', { taints: [taint('gpu', 'PreferNoSchedule')] })],
      want: [],
    },
    {
      name: 'a cordon takes it from all but those that tolerate the cordon, and an uncordon gives it back',
      objects: [
        node('a'),
        node('b', { unschedulable: true }),
        pod('p', { of: 'ReplicaSet/web' }),
        pod('q', { of: 'ReplicaSet/any', tolerations: [{ operator: 'Exists' }] }),
      ],
      edited: [node('a', { unschedulable: true }), node('b')],
      want: ['ReplicaSet/web 1->1 -a +b'],
    },
    {
      name: 'a label gives the node to those that select it and another value takes it from those that do not',
      objects: [
        node('a', { labels: { pool: 'old' } }),
        node('b'),
        pod('p', { of: 'ReplicaSet/new', nodeSelector: { pool: 'new' } }),
        pod('q', { of: 'ReplicaSet/old', nodeSelector: { pool: 'old' } }),
        pod('r', { of: 'ReplicaSet/any' }),
      ],
      edited: [node('a', { labels: { pool: 'new' } })],
      want: ['ReplicaSet/old 1->0 -a', 'ReplicaSet/new 0->1 +a'],
    },
    {
      name: 'a workload without pods is judged by its template',
      objects: [
        node('a'),
        workload('Deployment', 'idle', {}),
        workload('CronJob', 'nightly', { tolerations: [exists('gpu')] }),
        workload('StatefulSet', 'db', { nodeName: 'a' }),
        workload('Job', 'done', {}, { status: { completionTime: NOW } }),
        workload(
          'ReplicaSet',
          'idle-1',
          {},
          {
            metadata: {
              name: 'idle-1',
              namespace: 'shop',
              ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'idle', controller: true }],
            },
          },
        ),
      ],
      edited: [node('a', { taints: [gpu] })],
      want: ['Deployment/idle 1->0 -a'],
    },
    {
      name: 'a template gets the tolerations of its RuntimeClass',
      objects: [
        node('a'),
        {
          apiVersion: 'node.k8s.io/v1',
          kind: 'RuntimeClass',
          metadata: { name: 'kata' },
          handler: 'kata',
          scheduling: { tolerations: [exists('gpu')] },
        } as unknown as KubernetesObject,
        workload('Deployment', 'kata', { runtimeClassName: 'kata' }),
        workload('Deployment', 'runc', {}),
      ],
      edited: [node('a', { taints: [gpu] })],
      want: ['Deployment/runc 1->0 -a'],
    },
    {
      name: 'static pods and pods that have ended are placed by nobody',
      objects: [node('a'), pod('p', { of: 'Node/a', on: 'a' }), pod('q', { phase: 'Succeeded' })],
      edited: [node('a', { taints: [gpu] })],
      want: [],
    },
    {
      name: 'pods of one workload that demand different things are told apart',
      objects: [
        node('a'),
        node('b', { labels: { disk: 'ssd' } }),
        pod('old', { of: 'ReplicaSet/web' }),
        pod('new', { of: 'ReplicaSet/web', nodeSelector: { disk: 'ssd' } }),
      ],
      edited: [node('b', { labels: { disk: 'ssd' }, taints: [gpu] })],
      want: ['ReplicaSet/web 1->0 -b', 'ReplicaSet/web 2->1 -b'],
    },
    {
      name: 'a node that the change leaves unchanged is not an edited node',
      objects: [node('a', { taints: [gpu] }), pod('p')],
      edited: [node('a', { taints: [gpu] })],
      want: [],
    },
  ])('$name', ({ objects, edited, want }) => {
    expect(moved(effectsOf(objects, edited))).toEqual(want);
  });

  it('counts pods with the same requirements, and those of a DaemonSet by its template', () => {
    const objects = [
      node('a'),
      pod('p', { of: 'ReplicaSet/web' }),
      pod('q', { of: 'ReplicaSet/web' }),
      pod('r', { of: 'ReplicaSet/web', phase: 'Failed' }),
      pod('s', { of: 'DaemonSet/agent', on: 'a', tolerations: [exists('gpu')] }),
      workload('DaemonSet', 'agent', {}),
    ];
    const { entries } = effectsOf(objects, [node('a', { taints: [gpu] })]).workloads;
    expect(entries.items.map(({ workload: { name }, pods }) => [name, pods])).toEqual([
      ['agent', 1],
      ['web', 2],
    ]);
  });

  it('names ten of the nodes that are lost in different ways, in order', () => {
    const nodes = Array.from({ length: 24 }, (_, i) => node(`n${String(i).padStart(2, '0')}`));
    const edited = nodes.map(({ metadata: { name } }, i) => node(name, { taints: [taint(`k${i % 2}`, 'NoSchedule')] }));
    const [entry] = effectsOf([...nodes, pod('p')], edited).workloads.entries.items;
    expect(entry?.lost.total).toBe(24);
    expect(entry?.lost.items).toEqual(nodes.slice(0, 10).map(({ metadata }) => metadata.name));
  });

  it('separates the feature gates of two questions about one state', () => {
    const before = ClusterState.build(
      [node('a'), pod('p', { tolerations: [{ key: 'x', operator: 'Gt', value: '0' }] })],
      ALL_KINDS,
    );
    const after = before.apply({ upserts: [node('a', { taints: [taint('x', 'NoSchedule', '1')] })] });
    const shapes = finish(stepWorkloadShapes(before));
    const lost = [false, true, false].map((comparisonOperators) => {
      const options = { gates: gatesOf(DEFAULT_RULES, comparisonOperators), now: NOW, shapes };
      return finish(stepTaintEffects(before, after, ['a'], options)).workloads.counts.lost;
    });
    expect(lost).toEqual([1, 0, 1]);
  });

  it('counts workloads that became infeasible and feasible', () => {
    const objects = [
      node('a', { labels: { pool: 'x' } }),
      pod('p', { nodeSelector: { pool: 'x' } }),
      pod('q', { nodeSelector: { pool: 'y' } }),
    ];
    const { workloads } = effectsOf(objects, [node('a', { labels: { pool: 'y' } })]);
    expect(workloads.counts).toEqual({ lost: 1, gained: 1, becameInfeasible: 1, becameFeasible: 1 });
  });
});

describe('stepTaintEffects: warnings', () => {
  const ml = taint('dedicated', 'NoSchedule', 'ml');
  const out = taint('out', 'NoExecute');
  const daemon = (tolerations: readonly Toleration[] = []): KubernetesObject =>
    workload('DaemonSet', 'agent', { tolerations });
  const budget = (matchLabels?: Labels): KubernetesObject =>
    ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { minAvailable: 2, selector: matchLabels === undefined ? {} : { matchLabels } },
      status: { currentHealthy: 3, disruptionsAllowed: 1 },
    }) as unknown as KubernetesObject;
  const cases: {
    name: string;
    objects: readonly KubernetesObject[];
    edited: readonly Node[];
    code: EffectWarningCode;
    want: readonly (string | RegExp)[];
  }[] = [
    {
      name: 'a pool that only a DaemonSet tolerates',
      objects: [node('a'), node('b'), pod('p'), daemon([exists('dedicated')])],
      edited: [node('a', { taints: [ml] })],
      code: 'pool-nobody-tolerates',
      want: [
        'No workload except DaemonSets tolerates dedicated=ml:NoSchedule in addition to the other taints of a: no new pod is scheduled on 1 node until a workload gets the toleration.',
      ],
    },
    {
      name: 'no such pool where a workload without pods tolerates it',
      objects: [node('a'), pod('p'), workload('Deployment', 'ml', { tolerations: [exists('dedicated')] })],
      edited: [node('a', { taints: [ml] })],
      code: 'pool-nobody-tolerates',
      want: [],
    },
    {
      name: 'no such pool by a cordon, which is meant for everybody',
      objects: [node('a'), pod('p')],
      edited: [node('a', { unschedulable: true, taints: [taint('node.kubernetes.io/unschedulable', 'NoSchedule')] })],
      code: 'pool-nobody-tolerates',
      want: [],
    },
    {
      name: 'no such pool where nobody tolerated the nodes before',
      objects: [node('a', { taints: [out] }), pod('p')],
      edited: [node('a', { taints: [ml, out] })],
      code: 'pool-nobody-tolerates',
      want: [],
    },
    {
      name: 'taints that are tolerated individually, but not together',
      objects: [
        node('a'),
        pod('p'),
        pod('q', { tolerations: [exists('dedicated')] }),
        pod('r', { tolerations: [exists('out')] }),
      ],
      edited: [node('a', { taints: [ml, out] })],
      code: 'pool-nobody-tolerates',
      want: [/^No workload in the cluster tolerates all of dedicated=ml:NoSchedule and out:NoExecute/],
    },
    {
      name: 'the last node of a workload',
      objects: [node('a', { labels: { pool: 'x' } }), node('b'), pod('p', { nodeSelector: { pool: 'x' } })],
      edited: [node('a', { labels: { pool: 'x' }, taints: [ml] })],
      code: 'last-feasible-node-lost',
      want: [/^Pod shop\/p loses the last node that taints, cordons and labels allow: a\./],
    },
    {
      name: 'a zone whose last open node is closed, and not one that was closed before',
      objects: [
        node('a', { labels: { 'topology.kubernetes.io/zone': 'one' } }),
        node('b', { labels: { 'topology.kubernetes.io/zone': 'one' }, unschedulable: true }),
        node('c', { labels: { 'topology.kubernetes.io/zone': 'two' } }),
        node('d', { labels: { 'failure-domain.beta.kubernetes.io/zone': 'three' }, taints: [ml] }),
      ],
      edited: [
        node('a', { labels: { 'topology.kubernetes.io/zone': 'one' }, taints: [ml] }),
        node('d', { labels: { 'failure-domain.beta.kubernetes.io/zone': 'three' }, taints: [ml, out] }),
      ],
      code: 'zone-closed',
      want: [/^Zone one is closed: its 2 nodes/],
    },
    {
      name: 'a cluster whose last open node is closed',
      objects: [node('a'), node('b', { taints: [ml] })],
      edited: [node('a', { unschedulable: true })],
      code: 'cluster-closed',
      want: [/^Every node of the cluster \(2\)/],
    },
    {
      name: 'no closed zone by PreferNoSchedule',
      objects: [node('a', { labels: { 'topology.kubernetes.io/zone': 'one' } })],
      edited: [
        node('a', {
          labels: { 'topology.kubernetes.io/zone': 'one' },
          taints: [taint('dedicated', 'PreferNoSchedule')],
        }),
      ],
      code: 'zone-closed',
      want: [],
    },
    {
      name: 'a control plane node, recognized by its label',
      objects: [node('a', { labels: { 'node-role.kubernetes.io/control-plane': '' } }), node('b')],
      edited: [
        node('a', { labels: { 'node-role.kubernetes.io/control-plane': '' }, taints: [ml] }),
        node('b', { taints: [ml] }),
      ],
      code: 'control-plane-node',
      want: [/touches 1 node of the control plane: a\./],
    },
    {
      name: 'a control plane that loses its taint',
      objects: [node('a', { taints: [taint('node-role.kubernetes.io/master', 'NoSchedule')] })],
      edited: [node('a')],
      code: 'control-plane-opened',
      want: [/^a would lose the control plane taint/],
    },
    {
      name: 'a DaemonSet that does not tolerate NoSchedule keeps its pods and gets no new ones',
      objects: [node('a'), node('b'), daemon()],
      edited: [node('a', { taints: [ml] })],
      code: 'daemonset-stops',
      want: [
        'DaemonSet shop/agent does not tolerate dedicated=ml:NoSchedule on 1 node (a): its pods there stay, but are not replaced once they are gone.',
      ],
    },
    {
      name: 'a DaemonSet that does not tolerate NoExecute loses its pods, even if it got no new ones before',
      objects: [node('a'), node('b', { taints: [ml] }), daemon()],
      edited: [node('a', { taints: [out] }), node('b', { taints: [out, ml] })],
      code: 'daemonset-stops',
      want: [
        'DaemonSet shop/agent does not tolerate out:NoExecute on 2 nodes (a and b): its pods there are deleted and not replaced.',
      ],
    },
    {
      name: 'a DaemonSet whose label a node loses',
      objects: [
        node('a', { labels: { agent: 'yes' } }),
        workload('DaemonSet', 'agent', { nodeSelector: { agent: 'yes' } }),
      ],
      edited: [node('a')],
      code: 'daemonset-stops',
      want: ['DaemonSet shop/agent no longer selects 1 node (a): its pods there are deleted and not replaced.'],
    },
    {
      name: 'no DaemonSet by a cordon, which its controller gives its pods a toleration of',
      objects: [node('a'), daemon()],
      edited: [node('a', { unschedulable: true, taints: [taint('node.kubernetes.io/unschedulable', 'NoSchedule')] })],
      code: 'daemonset-stops',
      want: [],
    },
    {
      name: 'a PodDisruptionBudget that NoExecute bypasses',
      objects: [
        node('a'),
        pod('p', { on: 'a', labels: { app: 'web', tier: 'front' } }),
        pod('q', {
          on: 'a',
          labels: { app: 'web', tier: 'front' },
          tolerations: [exists('out', { tolerationSeconds: 60 })],
        }),
        pod('r', { on: 'a', labels: { app: 'web', tier: 'front' }, phase: 'Succeeded' }),
        pod('s', { on: 'a', labels: { app: 'db' } }),
        pod('t', { on: 'a', labels: { app: 'web', tier: 'other' } }),
        budget({ app: 'web', tier: 'front' }),
      ],
      edited: [node('a', { taints: [out] })],
      code: 'pdb-not-respected',
      want: [
        'PodDisruptionBudget shop/web (minAvailable 2) does not protect its pods from NoExecute, which deletes 1 pod immediately and 1 pod when their tolerations run out. It currently allows 1 disruption, with 3 healthy. kubectl drain would wait for it.',
      ],
    },
    {
      name: 'a budget with an empty selector, which selects every pod of its namespace',
      objects: [node('a'), pod('p', { on: 'a' }), budget()],
      edited: [node('a', { taints: [out] })],
      code: 'pdb-not-respected',
      want: [/1 pod immediately/],
    },
    {
      name: 'no budget by a taint that evicts nobody',
      objects: [node('a'), pod('p', { on: 'a' }), budget()],
      edited: [node('a', { taints: [ml] })],
      code: 'pdb-not-respected',
      want: [],
    },
    {
      name: 'a pressure taint without its condition is removed again',
      objects: [node('a', { conditions: { MemoryPressure: 'False' } })],
      edited: [
        node('a', {
          conditions: { MemoryPressure: 'False' },
          taints: [taint('node.kubernetes.io/memory-pressure', 'NoSchedule')],
        }),
      ],
      code: 'managed-taint-undone',
      want: [
        /removes node.kubernetes.io\/memory-pressure:NoSchedule on a: .* the condition MemoryPressure, which is False/,
      ],
    },
    {
      name: 'the same key with NoExecute may stay',
      objects: [node('a', { conditions: { MemoryPressure: 'False' } })],
      edited: [
        node('a', {
          conditions: { MemoryPressure: 'False' },
          taints: [taint('node.kubernetes.io/memory-pressure', 'NoExecute')],
        }),
      ],
      code: 'managed-taint-undone',
      want: [],
    },
    {
      name: 'not-ready on a ready node is removed, with either effect',
      objects: [node('a', { conditions: { Ready: 'True' } })],
      edited: [
        node('a', {
          conditions: { Ready: 'True' },
          taints: [
            taint('node.kubernetes.io/not-ready', 'NoExecute'),
            taint('node.kubernetes.io/not-ready', 'NoSchedule'),
          ],
        }),
      ],
      code: 'managed-taint-undone',
      want: [
        /removes node.kubernetes.io\/not-ready:NoExecute on a/,
        /removes node.kubernetes.io\/not-ready:NoSchedule/,
      ],
    },
    {
      name: 'a taint that its condition requires is restored',
      objects: [
        node('a', {
          conditions: { Ready: 'Unknown' },
          taints: [taint('node.kubernetes.io/unreachable', 'NoSchedule')],
        }),
      ],
      edited: [node('a', { conditions: { Ready: 'Unknown' } })],
      code: 'managed-taint-undone',
      want: [/restores node.kubernetes.io\/unreachable:NoSchedule on a: .* the condition Ready, which is Unknown/],
    },
    {
      name: 'not-ready with NoExecute is restored on a node that is not ready, but not on a silent one',
      objects: [
        node('a', { conditions: { Ready: 'False' }, taints: [taint('node.kubernetes.io/not-ready', 'NoExecute')] }),
        node('b', { conditions: { Ready: 'Unknown' }, taints: [taint('node.kubernetes.io/not-ready', 'NoExecute')] }),
      ],
      edited: [node('a', { conditions: { Ready: 'False' } }), node('b', { conditions: { Ready: 'Unknown' } })],
      code: 'managed-taint-undone',
      want: [/restores node.kubernetes.io\/not-ready:NoExecute on a: .* at the rate at which it taints the zone/],
    },
    {
      name: 'a taint whose value alone changes is neither restored nor removed if its condition requires it',
      objects: [
        node('a', {
          conditions: { PIDPressure: 'True' },
          taints: [taint('node.kubernetes.io/pid-pressure', 'NoSchedule')],
        }),
      ],
      edited: [
        node('a', {
          conditions: { PIDPressure: 'True' },
          taints: [taint('node.kubernetes.io/pid-pressure', 'NoSchedule', 'x')],
        }),
      ],
      code: 'managed-taint-undone',
      want: [],
    },
    {
      name: 'the unschedulable taint follows the cordon',
      objects: [node('a')],
      edited: [node('a', { taints: [taint('node.kubernetes.io/unschedulable', 'NoSchedule')] })],
      code: 'managed-taint-undone',
      want: [/the taint follows spec.unschedulable, and the node is not cordoned/],
    },
    {
      name: "the cluster autoscaler's key",
      objects: [node('a')],
      edited: [node('a', { taints: [taint('ToBeDeletedByClusterAutoscaler', 'NoSchedule')] })],
      code: 'taint-key-owned',
      want: [
        /^ToBeDeletedByClusterAutoscaler is a key of Cluster Autoscaler: set by the cluster autoscaler when it drains/,
      ],
    },
    {
      name: 'not a key that marks a kind of node',
      objects: [node('a')],
      edited: [node('a', { taints: [taint('nvidia.com/gpu', 'NoSchedule')] })],
      code: 'taint-key-owned',
      want: [],
    },
    {
      name: 'a key that no component uses any longer',
      objects: [node('a')],
      edited: [node('a', { taints: [taint('node.alpha.kubernetes.io/notReady', 'NoExecute')] })],
      code: 'legacy-taint-key',
      want: [/replaced by node.kubernetes.io\/not-ready/],
    },
  ];
  it.each(cases)('$name', ({ objects, edited, code, want }) => {
    const messages = warned(effectsOf(objects, edited), code);
    expect(messages).toHaveLength(want.length);
    for (const [index, words] of want.entries()) {
      if (typeof words === 'string') expect(messages[index]).toBe(words);
      else expect(messages[index]).toMatch(words);
    }
  });

  it('lists twenty warnings of a code and counts all', () => {
    const pods = Array.from({ length: 30 }, (_, i) => pod(`p${i}`));
    const { warnings } = effectsOf([node('a'), ...pods], [node('a', { taints: [ml] })]);
    // One for each of the thirty workloads, one for the pool and one for the cluster.
    expect(warnings.total).toBe(32);
    expect(warnings.items).toHaveLength(22);
  });

  it('reports kinds that were never loaded', () => {
    const { notConsidered } = effectsOf([node('a')], [node('a', { taints: [ml] })], { loaded: ['Node', 'Pod', 'Job'] });
    expect(notConsidered.map(({ kind }) => kind)).toEqual([
      'DaemonSet',
      'PodDisruptionBudget',
      'Deployment',
      'StatefulSet',
      'ReplicaSet',
      'ReplicationController',
      'CronJob',
    ]);
    const kata = workload('Deployment', 'kata', { runtimeClassName: 'kata' });
    const { notConsidered: classes } = effectsOf([node('a'), kata], [node('a', { taints: [ml] })]);
    expect(classes).toEqual([expect.objectContaining({ kind: 'RuntimeClass' })]);
  });
});

describe('stepTaintEffects: lost and gained nodes on generated clusters', () => {
  const FILTERS = ['NodeUnschedulable', 'TaintToleration', 'NodeAffinity'];
  it.each(Array.from({ length: 40 }, (_, seed) => seed))(
    'agree with placing each pod before and after (seed %i)',
    (seed) => {
      const dice = new Dice(seed);
      const some = <Item>(items: readonly Item[]): readonly Item[] => dice.some(items, 30);
      const effects = ['NoSchedule', 'NoExecute', 'PreferNoSchedule'];
      const randomTaints = (): readonly Taint[] =>
        some(
          ['x', 'y', 'node.kubernetes.io/unschedulable'].map((key) =>
            taint(key, dice.one(effects), dice.one(['1', '2'])),
          ),
        );
      const randomNode = (name: string): Node =>
        node(name, {
          taints: randomTaints(),
          unschedulable: dice.chance(20),
          labels: { pool: dice.one(['a', 'b']), ...(dice.chance(50) && { disk: 'ssd' }) },
        });
      const names = Array.from({ length: 8 }, (_, i) => `n${i}`);
      const randomTolerations = (): readonly Toleration[] =>
        some([
          exists('x'),
          { key: 'x', operator: 'Equal', value: '1', effect: 'NoSchedule' },
          { key: 'y', value: dice.one(['1', '2']) },
          { operator: 'Exists', effect: 'NoExecute' },
          { operator: 'Exists' },
          { key: 'x', operator: 'Gt', value: '0' },
        ] as readonly Toleration[]);
      const term = (): object =>
        dice.one([
          { matchExpressions: [{ key: 'disk', operator: dice.one(['Exists', 'DoesNotExist']) }] },
          { matchExpressions: [{ key: 'pool', operator: dice.one(['In', 'NotIn']), values: ['a'] }] },
          { matchFields: [{ key: 'metadata.name', operator: dice.one(['In', 'NotIn']), values: [dice.one(names)] }] },
          {},
        ]);
      const nodes = names.map(randomNode);
      const pods = Array.from({ length: 12 }, (_, i) =>
        pod(`p${String(i).padStart(2, '0')}`, {
          tolerations: randomTolerations(),
          ...(dice.chance(40) && { nodeSelector: { pool: dice.one(['a', 'b']) } }),
          ...(dice.chance(40) && {
            affinity: {
              nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term(), term()] } },
            },
          }),
        }),
      );
      const before = ClusterState.build([...nodes, ...pods], ALL_KINDS);
      const edited = some(names).map(randomNode);
      const after = before.apply({ upserts: edited });
      const feasible = (state: ClusterState, one: Pod): readonly string[] => {
        const placement = evaluatePlacement(state, { pod: one, filterNames: FILTERS, gates: GATES });
        return names.filter((name) => placement.verdict(state.nodes.indexOf(name)) === 'feasible');
      };
      const want = pods.flatMap((one) => {
        const [was, is] = [feasible(before, one), feasible(after, one)];
        const lost = was.filter((name) => !is.includes(name));
        const gained = is.filter((name) => !was.includes(name));
        if (lost.length + gained.length === 0) return [];
        return [{ name: one.metadata.name, was: was.length, is: is.length, lost, gained }];
      });
      const options = { gates: GATES, now: NOW, shapes: finish(stepWorkloadShapes(before)) };
      const found = finish(stepTaintEffects(before, after, names, options)).workloads;
      const got = found.entries.items.map(({ workload: { name }, feasibleBefore, feasibleAfter, lost, gained }) => ({
        name,
        was: feasibleBefore,
        is: feasibleAfter,
        lost: lost.items,
        gained: gained.items,
      }));
      expect(got.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(want);
      // The cached results of the first change must not affect the second: the reverse change has the opposite effects.
      const back = finish(stepTaintEffects(after, before, names, options)).workloads.counts;
      expect(back).toEqual({
        lost: found.counts.gained,
        gained: found.counts.lost,
        becameInfeasible: found.counts.becameFeasible,
        becameFeasible: found.counts.becameInfeasible,
      });
    },
  );
});
