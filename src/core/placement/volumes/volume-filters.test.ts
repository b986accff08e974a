import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../cluster/cluster-state.js';
import type { KeptKind } from '../../kubernetes/kinds.js';
import type { KubernetesObject } from '../../kubernetes/objects/meta.js';
import type { Pod, Volume } from '../../kubernetes/objects/pod.js';
import { evaluatePlacement } from '../evaluate-placement.js';
import type { Placement } from '../placement.js';

const KINDS: readonly KeptKind[] = [
  'Node',
  'Pod',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'StorageClass',
  'CSINode',
  'CSIDriver',
  'CSIStorageCapacity',
  'VolumeAttachment',
];
const FILTERS = ['VolumeRestrictions', 'NodeVolumeLimits', 'VolumeBinding', 'VolumeZone'];

const object = (kind: string, name: string, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...(kind === 'PersistentVolumeClaim' && { namespace: 'd' }) },
  ...more,
});
const node = (name: string, labels: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
});
const bound = (name: string, volumeName: string, spec: object = {}): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'd', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { volumeName, ...spec },
  }) as KubernetesObject;
const of = (claimName: string): Volume => ({ name: claimName, persistentVolumeClaim: { claimName } });
const pod = (name: string, volumes: readonly Volume[], more: { on?: string; nominated?: string } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'd' },
  spec: { containers: [{ name: 'c' }], volumes, ...(more.on !== undefined && { nodeName: more.on }) },
  ...(more.nominated !== undefined && { status: { phase: 'Pending', nominatedNodeName: more.nominated } }),
});
const driver = (name: string, count: number): KubernetesObject =>
  object('CSINode', name, { spec: { drivers: [{ name: 'csi', nodeID: 'x', allocatable: { count } }] } });
const disk = (name: string, spec: object = {}): KubernetesObject =>
  object('PersistentVolume', name, { spec: { csi: { driver: 'csi', volumeHandle: name }, ...spec } });

const place = (objects: readonly KubernetesObject[], asked: Pod, kinds = KINDS): Placement =>
  evaluatePlacement(ClusterState.build(objects, kinds), { pod: asked, filterNames: FILTERS });
const codes = (placement: Placement): readonly string[] =>
  Array.from({ length: placement.state.nodes.count }, (_, index) => {
    const { verdict, reasons } = placement.explainNode(index);
    return [verdict, ...reasons.map(({ code }) => code)].join(' ');
  });

describe('filters of volumes', () => {
  it('count the volumes of a driver, with those of a nominated pod and those attached without a pod', () => {
    const objects = [
      node('a'),
      node('b'),
      driver('a', 2),
      driver('b', 2),
      ...['1', '2', '3', '4'].flatMap((n) => [bound(`c${n}`, `v${n}`), disk(`v${n}`)]),
      pod('x', [of('c1')], { on: 'a' }),
      pod('y', [of('c2')], { nominated: 'a' }),
      object('VolumeAttachment', 'va', {
        spec: { attacher: 'csi', nodeName: 'b', source: { persistentVolumeName: 'v4' } },
      }),
    ];
    const placement = place(objects, pod('p', [of('c3')]));
    expect(codes(placement)).toEqual(['infeasible VolumeLimitReached', 'feasible']);
    expect(placement.explainNode(0).reasons[0]!.facts).toEqual({
      volumeLimit: { driver: 'csi', attached: 2, added: 1, limit: 2 },
    });
    // What a pod of the node has already takes no more room.
    expect(codes(place(objects, pod('p', [of('c1')])))[0]).toBe('feasible');
  });

  it('name the claim that one pod alone may use, and who uses it', () => {
    const claim = bound('c', 'v', { accessModes: ['ReadWriteOncePod'] });
    const placement = place(
      [node('a'), node('b'), claim, disk('v'), pod('x', [of('c')], { on: 'a' })],
      pod('p', [of('c')]),
    );
    expect(codes(placement)).toEqual(['infeasible ClaimInUse', 'infeasible ClaimInUse']);
    expect(placement.explainNode(1).reasons[0]).toMatchObject({
      status: 'Unschedulable',
      facts: { claim: 'd/c', pods: ['d/x'] },
      fields: [{ pointer: '/spec/volumes/0' }],
    });
  });

  it('give each of two claims a volume of its own, the smaller claim first', () => {
    const late = object('StorageClass', 'late', {
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    const open = (name: string, storage: string): KubernetesObject =>
      object('PersistentVolumeClaim', name, {
        spec: { storageClassName: 'late', resources: { requests: { storage } } },
      });
    const free = (name: string, storage: string, on: string): KubernetesObject =>
      object('PersistentVolume', name, {
        spec: {
          storageClassName: 'late',
          capacity: { storage },
          local: {},
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [on] }] },
              ],
            },
          },
        },
        status: { phase: 'Available' },
      });
    const objects = [
      node('a'),
      node('b'),
      late,
      open('big', '2Gi'),
      open('small', '1Gi'),
      free('a1', '1Gi', 'a'),
      free('a2', '2Gi', 'a'),
      free('b2', '2Gi', 'b'),
    ];
    const placement = place(objects, pod('p', [of('big'), of('small')]));
    expect(codes(placement)).toEqual(['feasible', 'infeasible NoVolumeToBind']);
    expect(placement.explainNode(1).reasons[0]!.facts).toEqual({ claim: 'd/big', storageClass: 'late' });
  });

  it.each<[string, readonly KeptKind[], string]>([
    ['claims', ['PersistentVolumeClaim'], 'unknown KindNotLoaded KindNotLoaded KindNotLoaded KindNotLoaded'],
    ['volumes', ['PersistentVolume'], 'unknown KindNotLoaded KindNotLoaded KindNotLoaded'],
    ['attachments', ['VolumeAttachment'], 'unknown KindNotLoaded'],
    [
      'classes, which a bound claim does not need to be judged but by limits',
      ['StorageClass'],
      'unknown KindNotLoaded',
    ],
    ['capacities, which a bound claim does not need', ['CSIStorageCapacity'], 'feasible'],
  ])('do not guess where there were never %s', (_, missing, expected) => {
    const kinds = KINDS.filter((kind) => !missing.includes(kind));
    expect(codes(place([node('a'), bound('c', 'v'), disk('v')], pod('p', [of('c')]), kinds))).toEqual([expected]);
  });

  it.each<[string, object]>([
    ['a path of the node', { hostPath: {} }],
    ['a local disk', { local: {} }],
    ['a network file system', { nfs: {} }],
  ])('need no CSINode for a claim that is bound to %s', (_, source) => {
    const kinds: readonly KeptKind[] = ['Node', 'Pod', 'PersistentVolumeClaim', 'PersistentVolume'];
    const objects = [
      node('a'),
      node('b'),
      bound('c', 'v', { storageClassName: 'manual' }),
      object('PersistentVolume', 'v', { spec: { ...source, storageClassName: 'manual' } }),
    ];
    expect(codes(place(objects, pod('p', [of('c')]), kinds))).toEqual(['feasible', 'feasible']);
  });

  it('need no CSINode for a claim whose class has no CSI driver', () => {
    const kinds = KINDS.filter((kind) => kind !== 'CSINode' && kind !== 'VolumeAttachment');
    const unbound = (provisioner: string): readonly KubernetesObject[] => [
      node('a'),
      object('StorageClass', 'late', { provisioner, volumeBindingMode: 'WaitForFirstConsumer' }),
      object('PersistentVolumeClaim', 'c', { spec: { storageClassName: 'late' } }),
    ];
    const verdict = (provisioner: string): readonly string[] =>
      codes(place(unbound(provisioner), pod('p', [of('c')]), kinds));
    expect(verdict('rancher.io/local-path')).toEqual(['feasible']);
    expect(verdict('ebs.csi.aws.com')).toEqual(['unknown KindNotLoaded']);
    expect(verdict('kubernetes.io/aws-ebs')).toEqual(['unknown KindNotLoaded']);
  });

  it('tell the failure of a plugin in the words of the scheduler', () => {
    const objects = [
      node('a'),
      object('StorageClass', 'odd', { provisioner: 'x' }),
      object('PersistentVolumeClaim', 'c', { spec: { storageClassName: 'odd' } }),
    ];
    const asked = pod('p', [of('c')]);
    const placement = evaluatePlacement(ClusterState.build(objects, KINDS), {
      pod: asked,
      filterNames: ['VolumeBinding'],
    });
    expect(placement.message()).toEqual({
      text: 'running PreFilter plugin "VolumeBinding": VolumeBindingMode not set for StorageClass "odd"',
      preemption: 'none',
    });
  });
});
