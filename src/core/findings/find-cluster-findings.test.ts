import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import { DEFAULT_RULES, rulesOfMinor } from '../kubernetes/kubernetes-rules.js';
import type { KubernetesObject, OwnerReference } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { findClusterFindings } from './find-cluster-findings.js';
import type { Finding } from './finding.js';

const node = (name: string, taints: readonly Taint[] = [], status: Node['status'] = { allocatable: { pods: '9' } }) =>
  ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { taints }, status }) as Node;

interface PodOptions {
  readonly on?: string;
  readonly tolerations?: readonly Toleration[];
  readonly owner?: Pick<OwnerReference, 'kind' | 'name'>;
  readonly phase?: string;
}

const pod = (name: string, { on, tolerations, owner, phase = 'Running' }: PodOptions): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'team',
    ...(owner && { ownerReferences: [{ apiVersion: 'apps/v1', controller: true, ...owner }] }),
  },
  spec: {
    containers: [{ name: 'c' }],
    ...(tolerations && { tolerations }),
    ...(on === undefined ? {} : { nodeName: on }),
  },
  status: { phase },
});

const findings = (objects: readonly KubernetesObject[]): readonly Finding[] =>
  findClusterFindings(ClusterState.build(objects, ['Node', 'Pod']));

const of = (objects: readonly KubernetesObject[], code: Finding['code']): readonly Finding[] =>
  findings(objects).filter((finding) => finding.code === code);

describe('findings on a stored cluster', () => {
  it('are empty for a cluster without mistakes', () => {
    expect(findings([node('a'), pod('p', { on: 'a' })])).toEqual([]);
  });

  it('report the pods of one workload together', () => {
    const owner = { kind: 'StatefulSet', name: 'db' };
    const pods = [1, 2, 3, 4].map((i) => pod(`db-${i}`, { on: 'a', owner, tolerations: [{ operator: 'Exists' }] }));
    expect(of([node('a'), ...pods], 'tolerates-everything')).toMatchObject([
      {
        subject: { kind: 'StatefulSet', namespace: 'team', name: 'db' },
        occurrences: { kind: 'Pod', count: 4, examples: ['team/db-1', 'team/db-2', 'team/db-3'] },
      },
    ]);
  });

  it('skip pods that have ended', () => {
    expect(findings([node('a'), pod('p', { tolerations: [{ operator: 'Exists' }], phase: 'Succeeded' })])).toEqual([]);
  });

  it('report a node without a status', () => {
    const bare = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } };
    expect(of([bare, node('b', [], {}), node('c')], 'node-without-status')).toMatchObject([
      { subject: { kind: 'Node', name: 'a' } },
      { subject: { kind: 'Node', name: 'b' } },
    ]);
  });

  it('report what the node lifecycle controller would set or remove, taint by taint', () => {
    const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
    const pressed = { conditions: [...ready.conditions, { type: 'DiskPressure', status: 'True' }] };
    const gone = [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }];
    const objects = [node('a', [], pressed), node('b', gone, ready), node('c', gone, pressed), node('d', [], ready)];
    expect(of(objects, 'condition-taint-missing')).toMatchObject([
      {
        severity: 'warning',
        subject: { kind: 'Cluster' },
        message: expect.stringContaining('node.kubernetes.io/disk-pressure:NoSchedule'),
        occurrences: { kind: 'Node', count: 2, examples: ['a', 'c'] },
      },
    ]);
    expect(of(objects, 'managed-taint-by-hand')).toMatchObject([
      { message: expect.stringContaining('on its next pass'), occurrences: { count: 2, examples: ['b', 'c'] } },
    ]);
    const silent = { conditions: [{ type: 'Ready', status: 'Unknown' }] };
    const unscheduled = [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }];
    expect(of([node('a', unscheduled, silent)], 'condition-taint-missing')).toMatchObject([{ severity: 'info' }]);
  });

  it('report the pods of absent nodes, node by node, but no pending pods', () => {
    const objects = [pod('p', { on: 'gone' }), pod('q', { on: 'gone' }), pod('r', {})];
    expect(of(objects, 'pod-node-absent')).toMatchObject([
      { subject: { kind: 'Node', name: 'gone' }, occurrences: { count: 2, examples: ['team/p', 'team/q'] } },
    ]);
  });

  it('report ResourceClaimTemplates that waiting pods name and that do not exist, where templates are loaded', () => {
    const waiting = (name: string, template: string, more: object = {}): Pod => ({
      ...pod(name, { phase: 'Pending' }),
      spec: { containers: [], resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: template }] },
      ...more,
    });
    const made = { phase: 'Pending', resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'r-gpu-x' }] };
    const objects = [
      waiting('p', 'none'),
      waiting('q', 'none'),
      waiting('r', 'none', { status: made }),
      waiting('s', 'there'),
      waiting('t', 'none', { status: { phase: 'Failed' } }),
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaimTemplate',
        metadata: { name: 'there', namespace: 'team' },
      },
    ] as KubernetesObject[];
    const found = (kinds: readonly KeptKind[], rules = DEFAULT_RULES): readonly Finding[] =>
      findClusterFindings(ClusterState.build(objects, kinds, rules)).filter(
        ({ code }) => code === 'claim-template-absent',
      );
    expect(found(['Node', 'Pod', 'ResourceClaimTemplate'])).toMatchObject([
      {
        subject: { kind: 'ResourceClaimTemplate', namespace: 'team', name: 'none' },
        message: expect.stringContaining(
          'PodResourceClaim gpu: resource claim template "none": resourceclaimtemplate.resource.k8s.io "none" not found',
        ),
        occurrences: { count: 2, examples: ['team/p', 'team/q'] },
      },
    ]);
    expect(found(['Node', 'Pod'])).toEqual([]);
    // The API server drops the claims of pods.
    expect(found(['Node', 'Pod', 'ResourceClaimTemplate'], rulesOfMinor(33))).toEqual([]);
  });

  it.each([
    ['NoSchedule', 'info'],
    ['NoExecute', 'warning'],
  ])('reports pods on a node whose %s taint they do not tolerate as %s', (effect, severity) => {
    const objects = [
      node('a', [{ key: 'k', value: 'v', effect }]),
      pod('p', { on: 'a' }),
      pod('q', { on: 'a', tolerations: [{ key: 'k', operator: 'Exists', effect }] }),
    ];
    const found = of(objects, 'pod-on-intolerable-node');
    expect(found).toMatchObject([{ severity, subject: { kind: 'Pod', name: 'p' }, occurrences: { count: 1 } }]);
    expect(found[0]?.message).toContain(`k=v:${effect}`);
  });

  it('ignore pods on a node with a PreferNoSchedule taint', () => {
    const objects = [node('a', [{ key: 'k', effect: 'PreferNoSchedule' }]), pod('p', { on: 'a' })];
    expect(of(objects, 'pod-on-intolerable-node')).toEqual([]);
  });

  it('report legacy taints key by key', () => {
    const legacy = { key: 'node.kubernetes.io/out-of-disk', effect: 'NoSchedule' };
    expect(of([node('a', [legacy]), node('b', [legacy]), node('c')], 'legacy-taint')).toMatchObject([
      { subject: { kind: 'Cluster' }, occurrences: { kind: 'Node', count: 2, examples: ['a', 'b'] } },
    ]);
  });

  it('list errors first, then warnings, then the rest', () => {
    const objects = [
      node('a'),
      pod('p', {
        tolerations: [{ operator: 'Exists' }, { key: 'k', operator: 'Exists', value: 'v', effect: 'NoSchedule' }],
      }),
    ];
    const severities = findings(objects).map(({ severity }) => severity);
    expect(severities).toEqual([...severities].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
    expect(new Set(severities)).toEqual(new Set(order));
  });

  it('are the same in whatever order nodes and pods have come', () => {
    const owner = { kind: 'StatefulSet', name: 'db' };
    const tolerations = [{ key: 'k', operator: 'Exists' }];
    const objects = [
      node('a', [{ key: 'k', value: 'v', effect: 'NoSchedule' }]),
      node('b', [{ key: 'k', value: 'w', effect: 'NoExecute' }]),
      node('c'),
      ...['db-3', 'db-0', 'db-4', 'db-1', 'db-2'].map((name) => pod(name, { on: 'a', owner })),
      ...['tolerant-2', 'tolerant-1'].map((name) => pod(name, { on: 'c', owner, tolerations })),
    ];
    const found = findings(objects);
    expect(found.find(({ code }) => code === 'pod-on-intolerable-node')?.occurrences?.examples).toEqual([
      'team/db-0 on a',
      'team/db-1 on a',
      'team/db-2 on a',
    ]);
    expect(found.find(({ code }) => code === 'pool-not-selected')?.message).toContain('k=v:NoSchedule, k=w:NoExecute');
    // The nodes of one list of taints came before those of the other, too.
    expect(findings([...objects].reverse())).toEqual(found);
    let state = ClusterState.empty(['Node', 'Pod']);
    for (const object of [...objects].reverse()) state = state.apply({ upserts: [object] });
    expect(findClusterFindings(state)).toEqual(found);
  });
});

const order: readonly Finding['severity'][] = ['error', 'warning', 'info'];
