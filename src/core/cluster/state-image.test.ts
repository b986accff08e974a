import { describe, expect, it } from '@jest/globals';
import { parseJson } from '../json/lossless-json.js';
import { rulesOfMinor } from '../kubernetes/kubernetes-rules.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { ClusterState, ClusterStateBuilder } from './cluster-state.js';
import { settingOf } from './setting.js';
import { BrokenImage, IMAGE_FORM, type ImagePart } from './state-image.js';

const node = (name: string): KubernetesObject =>
  ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { allocatable: { cpu: '4' } } }) as KubernetesObject;

const pod = (name: string, more: object = {}): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', uid: `u-${name}`, labels: { app: 'web' }, ownerReferences: [OWNER] },
    spec: { containers: [{ name: 'c', resources: { requests: { cpu: '500m' } } }], nodeName: 'a' },
    ...more,
  }) as KubernetesObject;

const SHOP: KubernetesObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };

const OWNER = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u-web', controller: true };

const imageOf = (state: ClusterState): readonly ImagePart[] => [...state.image()].filter((part) => part !== undefined);

function restored(parts: readonly ImagePart[]): ClusterState {
  const builder = new ClusterStateBuilder(['Node', 'Pod']);
  for (const part of parts) Array.from(builder.restore(part));
  return builder.finish();
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** A restored state, and how often the objects of each part have been read. */
function countedReads(parts: readonly ImagePart[]): {
  readonly state: ClusterState;
  readonly reads: readonly number[];
} {
  const reads = parts.map(() => 0);
  const state = restored(
    parts.map((part, index) => ({
      ...part,
      objects: () => {
        reads[index]! += 1;
        return part.objects();
      },
    })),
  );
  return { state, reads };
}

describe('the image of a state', () => {
  it('has this form; an image of another form is not read, so that IMAGE_FORM is to be raised with a change of this', () => {
    const started = { status: { phase: 'Running', startTime: '2026-01-02T03:04:05Z' } };
    const state = ClusterState.build([node('a'), SHOP, pod('p', started), pod('q')], ['Node', 'Pod']);
    const lines = (part: ImagePart): unknown => ({
      shared: part.shared.split('\n'),
      objects: part.objects().split('\n'),
      own: part.own.split('\n'),
      numbers: [...part.numbers],
    });
    expect({ form: IMAGE_FORM, parts: imageOf(state).map(lines) }).toEqual({
      form: 2,
      parts: [
        {
          shared: ['["Node","a"]'],
          objects: ['{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"4"}}}'],
          own: [''],
          numbers: [0, 0, 0, 0, 0, 0, 1, 94, 0],
        },
        {
          shared: ['["Namespace","/shop"]'],
          objects: ['{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}'],
          own: [''],
          numbers: [0, 0, 0, 0, 0, 0, 1, 65, 0],
        },
        {
          shared: [
            '"shop"',
            '"a"',
            '{"app":"web"}',
            '[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"u-web","controller":true}]',
            '{"apiVersion":"v1","meta":{},"terminating":false}',
            '{"containers":[{"name":"c","resources":{"requests":{"cpu":"500m"}}}]}',
            '{"phase":"Running","startTime":""}',
            '',
          ],
          objects: [''],
          own: [
            '["p","shop","u-p",null,null,null,"a",null,"2026-01-02T03:04:05Z"]',
            '["q","shop","u-q",null,null,null,"a",null]',
          ],
          // Of strings, labels, owners, metadata, specs, statuses, objects, their characters, and pods; then of each pod: its namespace, its
          // node, and so on.
          numbers: [2, 1, 1, 1, 1, 2, 0, 0, 2, ...[0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
        },
      ],
    });
  });

  it('takes pods apart like this, which IMAGE_FORM stands for, too', () => {
    const name = (value: string): object => ({ key: 'metadata.name', operator: 'In', values: [value] });
    const term = { matchExpressions: [{ key: 'zone', operator: 'Exists' }], matchFields: [name('a')] };
    const whole = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'p"1',
        namespace: 'shop',
        uid: 'u',
        resourceVersion: '7',
        generateName: 'p-',
        creationTimestamp: '2026-01-01T00:00:00Z',
        deletionTimestamp: '2026-01-02T00:00:00Z',
        deletionGracePeriodSeconds: 30,
        annotations: { note: 'x' },
      },
      spec: {
        nodeName: 'a',
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
        containers: [{ name: 'c' }],
        volumes: [{ name: 'token' }, { name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
      status: {
        phase: 'Running',
        startTime: '2026-01-01T00:00:01Z',
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:02Z' }],
        containerStatuses: [{ name: 'c', allocatedResources: { cpu: '1' } }],
      },
    } as unknown as KubernetesObject;
    const [part] = imageOf(ClusterState.build([whole], ['Pod']));
    expect([part!.shared.split('\n'), part!.own]).toEqual([
      [
        '"shop"',
        '"a"',
        '',
        '',
        '{"apiVersion":"v1","meta":{"generateName":"p-","deletionGracePeriodSeconds":30,"annotations":{"note":"x"}},"terminating":true}',
        '{"containers":[{"name":"c"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"Exists"}]}]}}},"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data"}}]}',
        '{"phase":"Running","containerStatuses":[{"name":"c","allocatedResources":{"cpu":"1"}}],"startTime":"","conditions":[{"type":"Ready","status":"True","lastTransitionTime":""}]}',
      ],
      '["p\\"1","shop","u","7","2026-01-01T00:00:00Z","2026-01-02T00:00:00Z","a","a","2026-01-01T00:00:01Z","2026-01-01T00:00:02Z"]',
    ]);
    const [volume] = [(whole as Pod).spec.volumes![1]!];
    // A volume of which only the name is kept affects nothing.
    expect(restored([part!]).objects('Pod')).toEqual([
      { ...whole, spec: { ...(whole as Pod).spec, volumes: [volume] } },
    ]);
  });

  it('restores the objects of every kind, and integers beyond 2^53', () => {
    const long = parseJson(
      '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"long","namespace":"shop"},"spec":{"containers":[],"tolerations":[{"operator":"Exists","tolerationSeconds":9007199254740993}]}}',
    ) as unknown as KubernetesObject;
    const objects = [
      node('a'),
      long,
      pod('p'),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web', namespace: 'shop', uid: 'u-web' } },
      settingOf('Pool', 'gpu', { taint: 'x' }),
    ];
    const again = restored(imageOf(ClusterState.build(objects, ['Node', 'Pod'])));
    expect(again.objects('Pod')).toEqual([long, pod('p')]);
    expect(again.objects('Node')).toEqual([node('a')]);
    expect([again.objects('Namespace'), again.objects('ReplicaSet'), again.settings('Pool')]).toEqual(
      objects.slice(3).map((object) => [object]),
    );
    expect(again.pods.workload(again.pods.indexOf('shop', 'p'))).toEqual({
      kind: 'ReplicaSet',
      namespace: 'shop',
      name: 'web',
    });
  });

  it('leaves objects other than nodes and pods unread until one of them is asked for, and then is the same each time', () => {
    const { state, reads } = countedReads(imageOf(ClusterState.build([node('a'), SHOP, pod('p')], ['Node', 'Pod'])));
    const [nodes] = reads;
    expect([state.nodes.count, state.pods.key(0), nodes, sum(reads)]).toEqual([1, 'shop/p', 1, 1]);
    const changed = state.apply({ upserts: [pod('q')] });
    const other = changed.under(rulesOfMinor(31));
    expect(sum(reads)).toBe(1);
    expect(other.find('Namespace', undefined, 'shop')).toEqual(SHOP);
    expect(state.find('Namespace', undefined, 'shop')).toBe(other.find('Namespace', undefined, 'shop'));
    expect(changed.objects('Namespace')[0]).toBe(state.objects('Namespace')[0]);
    expect(sum(reads)).toBe(2);
  });

  it('leaves no more unread than can be read without a pause', () => {
    const note = 'x'.repeat(100_000);
    const large = Array.from({ length: 100 }, (_, index) => ({
      ...SHOP,
      metadata: { name: `n${index}`, annotations: { note } },
    }));
    const state = ClusterState.build(large, []);
    const { state: again, reads } = countedReads(imageOf(state));
    const unread = reads.filter((count) => count === 0).length;
    expect([reads.length, unread]).toEqual([50, 10]);
    expect(again.objects('Namespace')).toEqual(state.objects('Namespace'));
    expect(reads.every((count) => count === 1)).toBe(true);
  });

  it('has each shared value once in its parts, and only those that pods have', () => {
    const many = Array.from({ length: 3000 }, (_, index) => pod(`p${index}`));
    const former = ClusterState.build([...many, pod('other', { spec: { containers: [{ name: 'former' }] } })], ['Pod']);
    const state = former.apply({ deletes: [{ kind: 'Pod', namespace: 'shop', name: 'other' }] });
    const parts = imageOf(state);
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.filter(({ shared }) => shared.includes('"name":"c"'))).toEqual([parts[0]]);
    expect(parts.some(({ shared }) => shared.includes('former'))).toBe(false);
    expect(restored(parts).objects('Pod')).toEqual(state.objects('Pod'));
  });

  it.each<[string, (parts: readonly ImagePart[]) => readonly ImagePart[]]>([
    ['a part is missing', (parts) => parts.slice(1)],
    [
      'a pod is missing',
      ([first, ...rest]) => [{ ...first!, own: first!.own.slice(0, first!.own.lastIndexOf('\n')) }, ...rest],
    ],
    ['a value is missing', ([first, ...rest]) => [{ ...first!, shared: first!.shared.split('\n')[0]! }, ...rest]],
    ['numbers are missing', ([first, ...rest]) => [{ ...first!, numbers: first!.numbers.slice(0, -1) }, ...rest]],
  ])('is not restored if %s', (_, damaged) => {
    const many = Array.from({ length: 3000 }, (_, index) => pod(`p${index}`));
    expect(() => restored(damaged(imageOf(ClusterState.build(many, ['Pod']))))).toThrow(BrokenImage);
  });

  it('is not restored, or read, if an object is missing', () => {
    const [nodes, others] = imageOf(ClusterState.build([node('a'), node('b'), SHOP], ['Node', 'Namespace']));
    expect(() => restored([{ ...nodes!, objects: () => nodes!.objects().split('\n')[0]! }, others!])).toThrow(
      BrokenImage,
    );
    const state = restored([nodes!, { ...others!, objects: () => `${others!.objects()}\n{}` }]);
    expect(() => state.objects('Namespace')).toThrow(BrokenImage);
  });
});
