import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { stepRevision, type JudgedRevision, type RevisionQuestion } from './judge-revision.js';
import type { AgreementOutcome } from './judgement.js';

const NOW = Date.UTC(2026, 4, 4);
const KINDS = [
  ...['Node', 'Pod', 'Namespace', 'PodDisruptionBudget', 'DeviceClass', 'PersistentVolumeClaim'],
  ...['Service', 'ReplicationController', 'ReplicaSet', 'StatefulSet'],
] as readonly KeptKind[];
const NAMESPACE: KubernetesObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };

function node(name: string, cpu = '4', spec: Node['spec'] = {}): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    spec,
    status: { allocatable: { cpu, memory: '8Gi', pods: '20' } },
  };
}

interface Given {
  readonly cpu?: string;
  readonly version?: number;
  readonly told?: string;
  readonly spec?: Partial<Pod['spec']>;
  readonly status?: Pod['status'];
}

function pod(name: string, nodeName = '', { cpu = '1', version, told, spec, status }: Given = {}): Pod {
  const condition =
    nodeName === '' ? { status: 'False', reason: 'Unschedulable', message: told } : { status: 'True' as const };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name, ...(version && { resourceVersion: String(version) }) },
    spec: {
      ...(nodeName !== '' && { nodeName }),
      containers: [{ name: 'main', resources: { requests: { cpu } } }],
      ...spec,
    },
    status: {
      ...(nodeName === '' && told === undefined
        ? {}
        : { conditions: [{ type: 'PodScheduled', ...condition } as never] }),
      ...status,
    },
  };
}

const stateOf = (objects: readonly KubernetesObject[], kinds = KINDS): ClusterState =>
  ClusterState.build([NAMESPACE, ...objects], kinds);

function judged(
  before: readonly KubernetesObject[],
  upserts: readonly KubernetesObject[],
  more: Partial<RevisionQuestion> = {},
): JudgedRevision {
  const state = stateOf(before);
  return finish(stepRevision({ before: state, upserts, deletes: [], now: NOW, ...more }));
}

/** By pod, the rules and outcomes. */
const outcomes = ({ decisions }: JudgedRevision): Record<string, Record<string, AgreementOutcome>> =>
  Object.fromEntries(
    decisions.map(({ decision, judgements }) => [
      decision.pod.metadata.name,
      Object.fromEntries(judgements.map(({ rule, outcome }) => [rule, outcome])),
    ]),
  );

const texts = ({ decisions }: JudgedRevision): string =>
  decisions.flatMap(({ judgements }) => judgements.flatMap((one) => ('text' in one ? [one.text] : []))).join('\n');

const AGREED = { filter: 'agreed', score: 'agreed' };
const FULL =
  '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.';

describe('a pod that was bound', () => {
  it('agrees if the node is feasible and the best', () => {
    const found = judged([node('a'), node('b'), pod('old', 'a'), pod('p')], [pod('p', 'b')]);
    expect(outcomes(found)).toEqual({ p: AGREED });
  });

  it('agrees with the only feasible node, which is not scored', () => {
    const found = judged([node('a'), pod('p')], [pod('p', 'a')]);
    expect(outcomes(found)).toEqual({ p: { filter: 'agreed' } });
  });

  it('agrees with each of several equal nodes, among which the scheduler draws', () => {
    for (const name of ['a', 'b', 'c']) {
      const found = judged([node('a'), node('b'), node('c'), pod('p')], [pod('p', name)]);
      expect(outcomes(found)).toEqual({ p: AGREED });
    }
  });

  it('disagrees on a node that a filter refuses, and names the filter', () => {
    const tainted = node('a', '4', { taints: [{ key: 'gpu', value: 'x', effect: 'NoSchedule' }] });
    const found = judged([tainted, node('b'), pod('p')], [pod('p', 'a')]);
    expect(outcomes(found)).toEqual({ p: { filter: 'disagreed' } });
    expect(texts(found)).toMatch(/^a was chosen, and is refused: TaintToleration: /);
  });

  it('disagrees on a node with a lower total, and says by which scores', () => {
    const found = judged([node('a'), node('b'), pod('old', 'a', { cpu: '3' }), pod('p')], [pod('p', 'a')]);
    expect(outcomes(found)).toEqual({ p: { filter: 'agreed', score: 'disagreed' } });
    expect(texts(found)).toMatch(
      /^a was chosen with a total of \d+, \d+ behind b with \d+: NodeResourcesFit \d+ to \d+/,
    );
  });

  it('disagrees on a node that the state does not have', () => {
    const found = judged([node('a'), pod('p')], [pod('p', 'gone')]);
    expect(texts(found)).toBe('the state has no node gone');
  });

  it('finds a node that came in the same revision', () => {
    const found = judged([node('a', '1'), pod('old', 'a'), pod('p')], [node('b'), pod('p', 'b')]);
    expect(outcomes(found)).toEqual({ p: { filter: 'agreed' } });
  });

  it('is not judged if a kubelet made it from a file, or if it had the node before', () => {
    const mirror = pod('static', 'a');
    const owned = {
      ...mirror,
      metadata: {
        ...mirror.metadata,
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', controller: true }],
      },
    };
    expect(judged([node('a'), pod('old', 'a')], [owned, pod('old', 'a')]).decisions).toEqual([]);
  });

  it('is unknown where it came with a node that does not fit: somebody may have created it there', () => {
    const found = judged([node('a', '1'), node('b'), pod('old', 'a')], [pod('p', 'a')]);
    expect(outcomes(found)).toEqual({ p: { filter: 'unknown' } });
    expect(texts(found)).toMatch(/^the pod came with its node/);
  });

  it('is unknown without a profile for its scheduler', () => {
    const other = { spec: { schedulerName: 'other' } };
    const found = judged([node('a'), pod('p', '', other)], [pod('p', 'a', other)]);
    expect(texts(found)).toBe('no profile for the scheduler "other" is declared');
  });

  it('is unknown where no snapshot contained nodes', () => {
    const before = stateOf([pod('p')], ['Pod']);
    const found = finish(stepRevision({ before, upserts: [pod('p', 'a')], deletes: [], now: NOW }));
    expect(texts(found)).toBe('no snapshot contained Node');
  });

  it('is unknown by score where the scheduler scores only some of the nodes, unless the node is the best of all', () => {
    const many = Array.from({ length: 220 }, (_, index) => node(`n${index}`, index === 0 ? '8' : '4'));
    const worse = judged([...many, pod('busy', 'n7', { cpu: '3' }), pod('p')], [pod('p', 'n7')]);
    expect(outcomes(worse)).toEqual({ p: { filter: 'agreed', score: 'unknown' } });
    expect(texts(worse)).toMatch(/^of 220 feasible nodes, 107 are scored: n7 was chosen/);
    expect(outcomes(judged([...many, pod('p')], [pod('p', 'n0')]))).toEqual({ p: AGREED });
  });
});

describe('a pod that was told that no node fits', () => {
  it('agrees to the letter', () => {
    const found = judged([node('a', '1'), pod('old', 'a'), pod('p')], [pod('p', '', { told: FULL })]);
    expect(outcomes(found)).toEqual({ p: { message: 'agreed' } });
  });

  it('disagrees where one character differs, and says where', () => {
    const told = FULL.replace('cpu', 'gpu');
    const found = judged([node('a', '1'), pod('old', 'a'), pod('p')], [pod('p', '', { told })]);
    expect(outcomes(found)).toEqual({ p: { message: 'disagreed' } });
    expect(texts(found)).toMatch(/^from character 41 on, ours is ".*Insufficient cpu.*", and the pod was told ".*gpu/);
  });

  it('disagrees where a node fits, and names it', () => {
    const found = judged([node('a'), pod('p')], [pod('p', '', { told: FULL })]);
    expect(texts(found)).toMatch(/^the pod fits on 1 node, first of all a, and was told: 0\/1 nodes/);
  });

  it('is not judged again while the words stay', () => {
    const told = pod('p', '', { told: FULL });
    expect(judged([node('a', '1'), told], [told]).decisions).toEqual([]);
  });

  it('is unknown where the words are those of a former version', () => {
    const tainted = node('a', '4', { taints: [{ key: 'gpu', value: 'x', effect: 'NoSchedule' }] });
    const told =
      '0/1 nodes are available: 1 node(s) had untolerated taint {gpu: x}. preemption: 0/1 nodes are available';
    const found = judged([tainted, pod('p')], [pod('p', '', { told })]);
    expect(found.decisions[0]?.judgements[0]).toMatchObject({ outcome: 'unknown', because: 'otherVersion' });
  });

  it('is compared by the node to which it was nominated', () => {
    const low = (name: string, at: string): Pod =>
      pod(name, at, { cpu: '3', spec: { priority: name === 'x' ? 5 : 1 } });
    const before = [node('a'), node('b'), low('x', 'a'), low('y', 'b'), pod('p', '', { spec: { priority: 9 } })];
    const told = '0/2 nodes are available: 2 Insufficient cpu.';
    const nominatedTo = (nominatedNodeName: string): Pod =>
      pod('p', '', {
        cpu: '2',
        told,
        spec: { priority: 9 },
        status: {
          nominatedNodeName,
          conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: told }],
        },
      });
    expect(outcomes(judged(before, [nominatedTo('b')]))).toEqual({ p: { message: 'agreed', preemption: 'agreed' } });
    const other = judged(before, [nominatedTo('a')]);
    expect(outcomes(other)).toEqual({ p: { message: 'agreed', preemption: 'disagreed' } });
    expect(texts(other)).toContain('the pod was nominated to a, and the cheapest are b');
  });
});

describe('several changes in one revision', () => {
  it('are judged in an order that explains them all', () => {
    const pods = ['p', 'q', 'r'];
    const before = [node('a'), node('b'), node('c'), ...pods.map((name) => pod(name))];
    // Each of three equal nodes takes one; the message of s comes from a time when q was there, and r was not.
    const after = [pod('p', 'a'), pod('q', 'b'), pod('r', 'c')];
    expect(outcomes(judged(before, after))).toEqual({ p: AGREED, q: AGREED, r: AGREED });
  });

  it('finds the order in which a pod was told before the room became free', () => {
    const before = [node('a', '2'), pod('old', 'a', { cpu: '2' }), pod('p'), pod('q')];
    const after = [pod('p', '', { told: FULL, version: 9 }), pod('q', 'a', { version: 10 })];
    const found = judged(before, after, { deletes: [{ kind: 'Pod', namespace: 'default', name: 'old' }] });
    expect(outcomes(found)).toEqual({ p: { message: 'agreed' }, q: { filter: 'agreed' } });
  });

  it('counts pods that the scheduler had chosen a node for, and bound in the next revision', () => {
    const before = [node('a', '1'), pod('p'), pod('q')];
    const told = [pod('p', '', { told: FULL })];
    expect(outcomes(judged(before, told))).toEqual({ p: { message: 'disagreed' } });
    expect(outcomes(judged(before, told, { later: [pod('q', 'a')] }))).toEqual({ p: { message: 'agreed' } });
  });

  it('goes back to a state before, on which a decision may have been made that shows late', () => {
    const earlier = [stateOf([node('a', '1'), pod('old', 'a'), pod('p')])];
    const before = [node('a', '1'), pod('p')];
    expect(outcomes(judged(before, [pod('p', '', { told: FULL })], { earlier }))).toEqual({ p: { message: 'agreed' } });
  });

  it('disagrees where no order explains the decision', () => {
    const before = [node('a', '2'), node('b', '2'), pod('p', '', { cpu: '2' }), pod('q', '', { cpu: '2' })];
    const found = judged(before, [pod('p', 'a', { cpu: '2' }), pod('q', 'a', { cpu: '2' })]);
    expect(outcomes(found)).toEqual({ p: AGREED, q: { filter: 'disagreed' } });
    expect(texts(found)).toContain('a was chosen, and is refused: NodeResourcesFit: ');
  });

  it('is unknown where so many changes came that not every order was tried', () => {
    const names = Array.from({ length: 8 }, (_, index) => `p${index}`);
    const before = [node('a', '9'), node('b', '9'), pod('busy', 'a', { cpu: '1' }), ...names.map((name) => pod(name))];
    const found = judged(before, [...names.map((name) => pod(name, 'b'))]);
    const judgements = found.decisions.flatMap((one) => one.judgements);
    expect(judgements.some(({ outcome }) => outcome === 'disagreed')).toBe(false);
    expect(texts(found)).toContain('not every order was tried');
  });

  it('leaves out changes that decide nothing', () => {
    const renewed = { ...node('a'), status: { ...node('a').status, conditions: [{ type: 'Ready', status: 'True' }] } };
    const before = [node('a', '4'), node('b', '4'), pod('busy', 'a', { cpu: '3' }), pod('p')];
    const found = judged(before, [renewed, pod('q'), pod('p', 'a')]);
    expect(outcomes(found)).toEqual({ p: { filter: 'agreed', score: 'disagreed' } });
  });
});
