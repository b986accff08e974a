import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import { parseFieldSelector } from '../kubernetes/field-selector.js';
import { parseSelector } from '../kubernetes/label-selector.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { NODE_FIELDS, POD_FIELDS } from '../kubernetes/selectable-fields.js';
import { parseTaint, parseTaintPattern } from '../kubernetes/taint-text.js';
import { groupPods } from './pod-groups.js';
import { barringTaints, stepPodsAllowed } from './pods-allowed.js';
import { stepSelectNodes, type NodeCriteria } from './select-nodes.js';
import { selectPods, type PodCriteria } from './select-pods.js';
import { STORED_POD_FIELDS } from './stored-pod-fields.js';
import { taintInventory } from './taint-inventory.js';
import { listTaintSets } from './taint-sets.js';
import { listTolerationSets } from './toleration-sets.js';

const GATES = DEFAULT_GATES;

const node = (name: string, taints: string[], labels: Record<string, string> = {}, unschedulable = false): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  spec: { taints: taints.map(parseTaint), ...(unschedulable ? { unschedulable } : {}) },
});

const pod = (key: string, spec: Partial<PodSpec>, more: { owner?: string; phase?: string; app?: string } = {}): Pod => {
  const [namespace = '', name = ''] = key.split('/');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      name,
      ...(more.app === undefined ? {} : { labels: { app: more.app } }),
      ...(more.owner === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: more.owner, controller: true }] }),
    },
    spec: { containers: [{ name: 'c' }], ...spec },
    status: { phase: more.phase ?? 'Running' },
  };
};

const GPU = { key: 'gpu', operator: 'Equal', value: 'a100', effect: 'NoSchedule' };
const state = ClusterState.build(
  [
    node('a', [], { pool: 'plain' }),
    node('b', ['gpu=a100:NoSchedule'], { pool: 'gpu' }),
    node('c', ['gpu=t4:NoSchedule', 'slow:PreferNoSchedule'], { pool: 'gpu' }),
    node('d', ['slow:PreferNoSchedule'], {}, true),
    node('e', ['gpu=a100:NoSchedule'], { pool: 'gpu' }),
    pod('t/db-0', { nodeName: 'b', tolerations: [GPU] }, { owner: 'db', app: 'db' }),
    pod('t/db-1', { nodeName: 'a', tolerations: [GPU] }, { owner: 'db', app: 'db' }),
    pod('t/db-2', { nodeName: 'a' }, { owner: 'db', app: 'db' }),
    pod('t-x/one', { nodeName: 'a', tolerations: [{ operator: 'Exists' }] }),
    pod('s/two', { schedulerName: 'other' }, { phase: 'Pending', app: 'web' }),
    pod('s/three', { tolerations: [GPU] }, { phase: 'Pending' }),
    pod('z/done', { tolerations: [GPU] }, { phase: 'Succeeded' }),
  ],
  ['Node', 'Pod'],
);
const groups = finish(groupPods(state));

describe('selectNodes', () => {
  const cases: [string, NodeCriteria, string][] = [
    ['nothing', {}, 'a b c d e'],
    ['labels', { labels: parseSelector('pool=gpu') }, 'b c e'],
    ['fields', { fields: parseFieldSelector('spec.unschedulable=true', NODE_FIELDS) }, 'd'],
    ['a taint', { taints: [parseTaintPattern('gpu')] }, 'b c e'],
    ['a taint and its value', { taints: [parseTaintPattern('gpu=a100')] }, 'b e'],
    ['several taints, all of them', { taints: [parseTaintPattern('gpu'), parseTaintPattern('slow')] }, 'c'],
    ['what a list of tolerations does not tolerate', { untoleratedBy: [GPU] }, 'c'],
    ['taints that no toleration tolerates, except PreferNoSchedule', { untoleratedBy: [] }, 'b c e'],
    ['all of it together', { labels: parseSelector('pool=gpu'), taints: [parseTaintPattern('slow')] }, 'c'],
  ];
  it.each(cases)('%s', (_, criteria, names) => {
    const found = finish(stepSelectNodes(state, criteria, GATES)).map((index) => state.nodes.name(index));
    expect(found.join(' ')).toBe(names);
  });
});

describe('a stored pod', () => {
  it('has the same selectable fields as the pod itself', () => {
    const full: Pod = {
      ...pod('n/full', {
        nodeName: 'a',
        restartPolicy: 'Never',
        schedulerName: 'other',
        serviceAccountName: 'sa',
        hostNetwork: true,
      }),
      status: { phase: 'Failed', nominatedNodeName: 'b' },
    };
    for (const one of [full, pod('n/bare', {})]) {
      const { pods } = ClusterState.build([one], ['Pod']);
      for (const [field, read] of POD_FIELDS) {
        expect([field, STORED_POD_FIELDS.get(field)?.({ pods, index: 0 })]).toEqual([field, read(one)]);
      }
    }
  });
});

const keys = (indexes: readonly number[]): string => indexes.map((index) => state.pods.key(index)).join(' ');

describe('selectPods', () => {
  const fields = (text: string): PodCriteria => ({ fields: parseFieldSelector(text, STORED_POD_FIELDS) });
  const all = 's/three s/two t/db-0 t/db-1 t/db-2 t-x/one z/done';
  const cases: [string, PodCriteria, string][] = [
    ['nothing, in the order of namespaces and then names', {}, all],
    ['labels', { labels: parseSelector('app in (db)') }, 't/db-0 t/db-1 t/db-2'],
    ['labels that are absent', { labels: parseSelector('!app') }, 's/three t-x/one z/done'],
    ['namespace', { namespace: 's' }, 's/three s/two'],
    ['node', { nodeName: 'a' }, 't/db-1 t/db-2 t-x/one'],
    ['no node', { nodeName: '' }, 's/three s/two z/done'],
    ['phase', { phase: 'Pending' }, 's/three s/two'],
    ['workload', { workload: { kind: 'StatefulSet', name: 'db' } }, 't/db-0 t/db-1 t/db-2'],
    ['kind of workload', { workload: { kind: 'Pod' } }, 's/three s/two t-x/one z/done'],
    ['a tolerated taint', { tolerates: [parseTaint('gpu=a100:NoSchedule')] }, 's/three t/db-0 t/db-1 t-x/one z/done'],
    ['another taint', { tolerates: [parseTaint('gpu=t4:NoSchedule')] }, 't-x/one'],
    ['a field in the columns', fields('spec.nodeName=a,metadata.namespace!=t-x'), 't/db-1 t/db-2'],
    ['a field of the spec', fields('spec.schedulerName=other'), 's/two'],
    ['a field of the status', fields('status.nominatedNodeName='), all],
  ];
  it.each(cases)('%s', (_, criteria, names) => {
    expect(keys(finish(selectPods(state, criteria, 100, undefined, GATES)).page)).toBe(names);
  });

  it('returns page after page, with the number of remaining pods', () => {
    const first = finish(selectPods(state, {}, 4, undefined, GATES));
    expect({ ...first, page: keys(first.page) }).toEqual({
      page: 's/three s/two t/db-0 t/db-1',
      remaining: 3,
      total: 7,
    });
    const next = finish(selectPods(state, {}, 4, { namespace: 't', name: 'db-1' }, GATES));
    expect({ ...next, page: keys(next.page) }).toEqual({ page: 't/db-2 t-x/one z/done', remaining: 0, total: 7 });
  });

  it('returns the right page among many more pods than fit on it', () => {
    const many = Array.from({ length: 5000 }, (_, i) => pod(`n/p${(i * 7919) % 5000}`, {}));
    const big = ClusterState.build(many, ['Pod']);
    const { page, remaining } = finish(selectPods(big, {}, 3, { namespace: 'n', name: 'p4000' }, GATES));
    expect(page.map((index) => big.pods.name(index))).toEqual(['p4001', 'p4002', 'p4003']);
    const expected = Array.from({ length: 5000 }, (_, i) => `p${i}`).filter((name) => name > 'p4000').length - 3;
    expect(remaining).toBe(expected);
  });
});

describe('the inventory of a cluster', () => {
  it('lists distinct taint sets by the number of nodes with each', () => {
    expect(listTaintSets(state).map(({ taints, nodes, examples }) => [taints.length, nodes, examples])).toEqual([
      [1, 2, ['b', 'e']],
      [0, 1, ['a']],
      [2, 1, ['c']],
      [1, 1, ['d']],
    ]);
  });

  it('lists distinct toleration sets with their pods and workloads', () => {
    expect(listTolerationSets(state, groups)).toEqual([
      {
        tolerations: [GPU],
        pods: 4,
        workloads: 3,
        examples: [
          { kind: 'Pod', namespace: 's', name: 'three' },
          { kind: 'StatefulSet', namespace: 't', name: 'db' },
          { kind: 'Pod', namespace: 'z', name: 'done' },
        ],
      },
      expect.objectContaining({ tolerations: [], pods: 2, workloads: 2 }),
      expect.objectContaining({ tolerations: [{ operator: 'Exists' }], pods: 1, workloads: 1 }),
    ]);
  });

  it('lists taints by key; a workload tolerates what all of its pods tolerate', () => {
    expect(finish(taintInventory(state, groups, GATES))).toEqual([
      {
        key: 'gpu',
        nodes: 3,
        examples: ['b', 'c', 'e'],
        values: ['a100', 't4'],
        effects: ['NoSchedule'],
        taints: [
          // The pods three, db-0, db-1 and one tolerate it; the third pod of db does not.
          { taint: parseTaint('gpu=a100:NoSchedule'), nodes: 2, toleratedBy: { pods: 4, workloads: 2 } },
          { taint: parseTaint('gpu=t4:NoSchedule'), nodes: 1, toleratedBy: { pods: 1, workloads: 1 } },
        ],
        toleratedBy: { pods: 1, workloads: 1 },
      },
      expect.objectContaining({ key: 'slow', nodes: 2, values: [''], toleratedBy: { pods: 1, workloads: 1 } }),
    ]);
  });
});

describe('podsAllowed', () => {
  const allowed = (...taints: string[]) => finish(stepPodsAllowed(state, groups, taints.map(parseTaint), GATES));

  it('answers the same in whatever order pods have come', () => {
    const spare = { key: 'spare', operator: 'Exists' };
    const pods = ['t/db-4', 't/db-0', 't/db-3', 't/db-1', 't/db-2'].map((key, index) =>
      pod(key, { tolerations: index % 2 === 0 ? [GPU] : [GPU, spare] }, { owner: 'db' }),
    );
    const answer = (objects: readonly Pod[]): unknown => {
      const built = ClusterState.build([...objects], ['Pod']);
      const { entries } = finish(
        stepPodsAllowed(built, finish(groupPods(built)), [parseTaint('gpu=a100:NoSchedule')], GATES),
      );
      const sets = listTolerationSets(built, finish(groupPods(built))).map(({ tolerations }) => tolerations);
      return [entries.map(({ examples }) => examples.map((index) => built.pods.name(index))), sets];
    };
    expect(answer(pods)).toEqual([[['db-0', 'db-1', 'db-2']], [[GPU], [GPU, spare]]]);
    expect(answer([...pods].reverse())).toEqual(answer(pods));
    const grouped = (objects: readonly Pod[]): unknown => {
      const built = ClusterState.build([...objects], ['Pod']);
      return finish(groupPods(built)).groups.map(({ tolerationSetId, examples }) => [
        built.tolerationSets[tolerationSetId],
        examples.map((index) => built.pods.name(index)),
      ]);
    };
    expect(grouped([...pods].reverse())).toEqual(grouped(pods));
  });

  it('groups pods by workload and by what they do not tolerate', () => {
    const { entries, pods, workloads } = allowed('gpu=a100:NoSchedule', 'slow:PreferNoSchedule');
    const told = entries.map(({ workload, allowed: may, pods: count, untolerated }) => [
      `${workload.kind} ${workload.name}`,
      may,
      count,
      untolerated.map(({ key }) => key).join(' '),
    ]);
    expect(told).toEqual([
      ['Pod three', true, 1, ''],
      ['Pod two', false, 1, 'gpu'],
      ['StatefulSet db', true, 2, ''],
      ['StatefulSet db', false, 1, 'gpu'],
      ['Pod one', true, 1, ''],
    ]);
    expect({ pods, workloads }).toEqual({
      pods: { allowed: 4, refused: 2 },
      workloads: { allowed: 2, refused: 2 },
    });
  });

  it('allows pods despite a PreferNoSchedule taint, and reports it', () => {
    const { entries, pods } = allowed('slow:PreferNoSchedule');
    expect(pods).toEqual({ allowed: 6, refused: 0 });
    const discouraged = entries.filter((entry) => entry.discouraged.length > 0);
    expect(discouraged.map(({ workload }) => workload.name)).toEqual(['three', 'two', 'db']);
  });

  it('lists every untolerated taint', () => {
    const [first] = allowed('gpu=t4:NoSchedule', 'x:NoExecute').entries;
    expect(first?.untolerated.map(({ key }) => key)).toEqual(['gpu', 'x']);
  });

  it('counts a cordon as its taint, once', () => {
    const cordoned = node('n', ['k:NoSchedule'], {}, true);
    expect(barringTaints(cordoned).map(({ key }) => key)).toEqual(['k', 'node.kubernetes.io/unschedulable']);
    const marked = node('n', ['node.kubernetes.io/unschedulable:NoSchedule'], {}, true);
    expect(barringTaints(marked)).toHaveLength(1);
    expect(barringTaints(node('n', []))).toEqual([]);
  });
});
