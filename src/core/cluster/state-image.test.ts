import { describe, expect, it } from '@jest/globals';
import { parseJson } from '../json/lossless-json.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
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

const OWNER = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u-web', controller: true };

const imageOf = (state: ClusterState): readonly ImagePart[] => [...state.image()].filter((part) => part !== undefined);

function restored(parts: readonly ImagePart[]): ClusterState {
  const builder = new ClusterStateBuilder(['Node', 'Pod']);
  for (const part of parts) Array.from(builder.restore(part));
  return builder.finish();
}

describe('the image of a state', () => {
  it('has this form; an image of another form is not read, so that IMAGE_FORM is to be raised with a change of this', () => {
    const started = { status: { phase: 'Running', startTime: '2026-01-02T03:04:05Z' } };
    const state = ClusterState.build([node('a'), pod('p', started), pod('q')], ['Node', 'Pod']);
    const lines = (part: ImagePart): unknown => ({
      shared: part.shared.split('\n'),
      own: part.own.split('\n'),
      numbers: [...part.numbers],
    });
    expect({ form: IMAGE_FORM, parts: imageOf(state).map(lines) }).toEqual({
      form: 1,
      parts: [
        {
          shared: ['{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"4"}}}'],
          own: [''],
          numbers: [0, 0, 0, 0, 0, 0, 1, 0],
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
          own: [
            '["p","shop","u-p",null,null,null,"a",null,"2026-01-02T03:04:05Z"]',
            '["q","shop","u-q",null,null,null,"a",null]',
          ],
          // Of strings, labels, owners, metadata, specs, statuses, objects and pods; then of each pod: its namespace, its node, and so on.
          numbers: [2, 1, 1, 1, 1, 2, 0, 2, ...[0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
        },
      ],
    });
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
});
