import { describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson } from '../json/lossless-json.js';
import { rulesOfMinor, type KubernetesRules } from '../kubernetes/kubernetes-rules.js';
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

function restored(parts: readonly ImagePart[], rules?: KubernetesRules): ClusterState {
  const builder = new ClusterStateBuilder(['Node', 'Pod'], rules);
  for (const part of parts) Array.from(builder.restore(part));
  return builder.finish();
}

/** The texts of a part, by what they are. */
const TEXTS = ['labels', 'owner', 'meta', 'spec', 'tolerations', 'own', 'keys', 'objects'] as const;
type Text = (typeof TEXTS)[number];

const linesOf = (part: ImagePart, name: Text): readonly string[] => part.texts[TEXTS.indexOf(name)]!.read().split('\n');

/** The part with other lines in one of its texts. */
function withLines(part: ImagePart, name: Text, change: (lines: readonly string[]) => readonly string[]): ImagePart {
  const lines = change(linesOf(part, name)).join('\n');
  const texts = part.texts.with(TEXTS.indexOf(name), { bytes: lines.length, read: () => lines });
  return { ...part, texts };
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** A restored state, and how often each text of each part has been read. */
function countedReads(parts: readonly ImagePart[]): {
  readonly state: ClusterState;
  readonly reads: (name: Text) => readonly number[];
} {
  const reads = parts.map(() => TEXTS.map(() => 0));
  const state = restored(
    parts.map((part, index) => ({
      ...part,
      texts: part.texts.map(({ bytes, read }, text) => ({
        bytes,
        read: () => {
          reads[index]![text]! += 1;
          return read();
        },
      })),
    })),
  );
  return { state, reads: (name) => reads.map((ofPart) => ofPart[TEXTS.indexOf(name)]!) };
}

describe('the image of a state', () => {
  it('has this form; an image of another form is not read, so that IMAGE_FORM is to be raised with a change of this', () => {
    const started = { status: { phase: 'Running', startTime: '2026-01-02T03:04:05Z' } };
    const state = ClusterState.build([node('a'), SHOP, pod('p', started), pod('q')], ['Node', 'Pod']);
    const lines = (part: ImagePart): unknown => ({
      shared: part.shared.split('\n'),
      texts: part.texts.map((text) => text.read().split('\n')),
      numbers: [...part.numbers],
    });
    const none = ['', '', '', '', '', ''].map((text) => [text]);
    expect({ form: IMAGE_FORM, parts: imageOf(state).map(lines) }).toEqual({
      form: 3,
      parts: [
        {
          shared: ['"Node"'],
          texts: [
            ...none,
            ['a'],
            ['{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"4"}}}'],
          ],
          numbers: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 94, 0],
        },
        {
          shared: ['"Namespace"'],
          texts: [...none, ['/shop'], ['{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}']],
          numbers: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 65, 0],
        },
        {
          shared: ['"shop"', '"a"', '{"phase":"Running","startTime":""}', '', '["500","0","0","500","209715200"]'],
          texts: [
            ['{"app":"web"}'],
            ['[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"u-web","controller":true}]'],
            ['{"apiVersion":"v1","meta":{},"terminating":false}'],
            ['{"containers":[{"name":"c","resources":{"requests":{"cpu":"500m"}}}]}'],
            ['[]'],
            [
              '["p","shop","u-p",null,null,null,"a",null,"2026-01-02T03:04:05Z"]',
              '["q","shop","u-q",null,null,null,"a",null]',
            ],
            [''],
            [''],
          ],
          // Of strings, statuses, amounts, labels, owners, metadata, specs, tolerations, pods, objects, their characters, and the rules; of
          // the spec: its tolerations, priority and flags; then of each pod: its namespace, its node, and so on.
          numbers: [
            ...[2, 2, 1, 1, 1, 1, 1, 1, 2, 0, 0, 15],
            ...[0, 0, 0],
            ...[0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
          ],
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
    const sections = ['labels', 'owner', 'meta', 'spec', 'own'] as const;
    expect([part!.shared.split('\n'), ...sections.map((name) => linesOf(part!, name))]).toEqual([
      [
        '"shop"',
        '"a"',
        '{"phase":"Running","containerStatuses":[{"name":"c","allocatedResources":{"cpu":"1"}}],"startTime":"","conditions":[{"type":"Ready","status":"True","lastTransitionTime":""}]}',
        '["0","0","0","100","209715200"]',
      ],
      [''],
      [''],
      [
        '{"apiVersion":"v1","meta":{"generateName":"p-","deletionGracePeriodSeconds":30,"annotations":{"note":"x"}},"terminating":true}',
      ],
      [
        '{"containers":[{"name":"c"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"Exists"}]}]}}},"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data"}}]}',
      ],
      [
        '["p\\"1","shop","u","7","2026-01-01T00:00:00Z","2026-01-02T00:00:00Z","a","a","2026-01-01T00:00:01Z","2026-01-01T00:00:02Z"]',
      ],
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
    expect([state.nodes.count, state.pods.key(0), reads('objects')]).toEqual([1, 'shop/p', [1, 0, 0]]);
    const changed = state.apply({ upserts: [pod('q')] });
    const other = changed.under(rulesOfMinor(31));
    expect(sum(reads('objects'))).toBe(1);
    expect(other.find('Namespace', undefined, 'shop')).toEqual(SHOP);
    expect(state.find('Namespace', undefined, 'shop')).toBe(other.find('Namespace', undefined, 'shop'));
    expect(changed.objects('Namespace')[0]).toBe(state.objects('Namespace')[0]);
    expect(reads('objects')).toEqual([1, 1, 0]);
  });

  it('is made of stored objects that are not read, and of those that have been read or changed since', () => {
    const note = 'x'.repeat(50_000);
    const account = (name: string, more: object = {}): KubernetesObject => ({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name, namespace: 'shop', annotations: { note }, ...more },
    });
    const settings = [settingOf('Pool', 'gpu', { taint: 'x' })];
    const accounts = ['a', 'b', 'c', 'd'].map((name) => account(name));
    const objects = [node('a'), SHOP, pod('p'), ...accounts, ...settings];
    const builder = new ClusterStateBuilder(['Node', 'Pod']);
    for (const object of objects) {
      const { name, namespace = '' } = object.metadata;
      builder.addStored(object.kind, namespace, name, stringifyJson(object));
    }
    const state = builder.finish();
    const built = ClusterState.build(objects, ['Node', 'Pod']);
    const content = (of: ClusterState): unknown => [
      ...(['Node', 'Pod', 'Namespace', 'ServiceAccount'] as const).map((kind) => of.objects(kind)),
      of.settings('Pool'),
      of.size,
    ];
    const unread = imageOf(state);
    expect(unread.map((part) => linesOf(part, 'keys').length)).toEqual([1, 3, 1, 1, 1, 1]);
    expect(content(restored(unread))).toEqual(content(built));
    const before = state.approximateBytes;
    expect(state.find('ServiceAccount', 'shop', 'b')).toEqual(account('b'));
    expect(state.approximateBytes).toBeGreaterThan(before);
    expect(content(state)).toEqual(content(built));
    expect(content(restored(imageOf(state)))).toEqual(content(built));
    const upserts = [account('b', { labels: { a: 'b' } }), account('e')];
    const deletes = [{ kind: 'ServiceAccount', namespace: 'shop', name: 'c' }];
    const changed = built.apply({ upserts, deletes });
    for (const one of [state, restored(unread)]) {
      expect(content(restored(imageOf(one.apply({ upserts, deletes }))))).toEqual(content(changed));
    }
  });

  it('leaves what pods consist of unread until it is asked for, also what is known of their specs', () => {
    const tolerations = [{ operator: 'Exists' }];
    const ports = [{ containerPort: 80, hostPort: 80 }];
    const antiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] };
    const spec = {
      containers: [{ name: 'c', ports, resources: { requests: { cpu: '2' } } }],
      affinity: { podAntiAffinity: antiAffinity },
      nodeName: 'a',
      priority: 7,
      tolerations,
    };
    const { state, reads } = countedReads(
      imageOf(ClusterState.build([node('a'), pod('p', { spec }), pod('q')], ['Node', 'Pod'])),
    );
    const { pods, nodes } = state;
    expect([pods.nodeIndex(0), pods.phase(0), pods.priority(0), pods.priority(1)]).toEqual([0, '', 7, 0]);
    expect([pods.withHostPorts(), pods.withRequiredAntiAffinity()]).toEqual([[0], [0]]);
    expect([nodes.requested.at('cpu', 0), [...pods.podsPerTolerationSet()]]).toEqual([2500, [1, 1]]);
    const read = (): readonly number[] => TEXTS.slice(0, 6).map((name) => sum(reads(name)));
    expect(read()).toEqual([0, 0, 0, 0, 0, 0]);
    expect([pods.hostPorts(1), pods.requiredAntiAffinity(1)]).toEqual([[], []]);
    expect(read()).toEqual([0, 0, 0, 0, 0, 0]);
    expect(pods.hostPorts(0)).toMatchObject([{ port: 80 }]);
    expect(pods.requiredAntiAffinity(0)).toEqual(antiAffinity.requiredDuringSchedulingIgnoredDuringExecution);
    expect(state.tolerationSets[pods.tolerationSetId(0)]).toEqual(tolerations);
    expect(read()).toEqual([0, 0, 0, 1, 1, 0]);
    expect([pods.indexOf('shop', 'q'), pods.labels(0), pods.ownerReferences(0)]).toEqual([1, { app: 'web' }, [OWNER]]);
    expect(read()).toEqual([1, 1, 0, 1, 1, 1]);
    expect(pods.pod(0)).toEqual(pod('p', { spec }));
    expect(read()).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('counts anew what pods hold if it is restored under rules that count otherwise', () => {
    const sidecar = { name: 's', restartPolicy: 'Always', ports: [{ containerPort: 80, hostPort: 80 }] };
    const spec = {
      containers: [{ name: 'c' }],
      initContainers: [sidecar],
      resources: { requests: { cpu: '2' } },
      nodeName: 'a',
    };
    const objects = [node('a'), pod('p', { spec }), pod('q')];
    const [old, now] = [rulesOfMinor(31), rulesOfMinor(36)];
    const held = ({ pods, nodes }: ClusterState): unknown => [
      nodes.requested.at('cpu', 0),
      pods.withHostPorts(),
      pods.hostPorts(0).length,
      pods.requests(0).milliCPU,
    ];
    for (const [from, to] of [
      [old, now],
      [now, old],
      [now, now],
    ] as const) {
      const parts = imageOf(ClusterState.build(objects, ['Node', 'Pod'], from));
      expect(held(restored(parts, to))).toEqual(held(ClusterState.build(objects, ['Node', 'Pod'], to)));
    }
    expect(held(ClusterState.build(objects, [], old))).not.toEqual(held(ClusterState.build(objects, [], now)));
  });

  it('reads the objects of a namespace without the others', () => {
    const account = (namespace: string, name: string): KubernetesObject => ({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name, namespace, annotations: { note: 'x'.repeat(100_000) } },
    });
    const accounts = [account('a', 'z'), account('a', 'b'), account('b', 'd'), account('ab', 'c'), account('c', 'a')];
    const { state, reads } = countedReads(imageOf(ClusterState.build(accounts, [])));
    expect(reads('objects')).toEqual([0, 0, 0]);
    expect(state.objectsIn('ServiceAccount', 'a')).toEqual([account('a', 'b'), account('a', 'z')]);
    expect(sum(reads('objects'))).toBe(1);
    expect(state.objectsIn('ServiceAccount', 'no')).toEqual([]);
    const changed = state.apply({
      upserts: [account('a', 'a')],
      deletes: [{ ...account('a', 'z').metadata, kind: 'ServiceAccount' }],
    });
    expect(changed.objectsIn('ServiceAccount', 'a')).toEqual([account('a', 'a'), account('a', 'b')]);
    expect(sum(reads('objects'))).toBe(1);
    expect(state.objectsIn('LimitRange', 'a')).toEqual([]);
  });

  it('counts the objects of a kind without reading them', () => {
    const account = (name: string): KubernetesObject => ({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name, namespace: 'shop' },
    });
    const stored = [node('a'), SHOP, pod('p'), pod('q'), account('a'), account('b'), account('c')];
    const { state, reads } = countedReads(imageOf(ClusterState.build(stored, [])));
    const before = reads('objects');
    const counts = (of: ClusterState): readonly number[] =>
      (['Node', 'Pod', 'Namespace', 'ServiceAccount', 'Service'] as const).map((kind) => of.count(kind));
    expect(counts(state)).toEqual([1, 2, 1, 3, 0]);
    expect(reads('objects')).toEqual(before);
    const changed = state.apply({
      upserts: [account('b'), account('d'), pod('r')],
      deletes: [{ ...SHOP.metadata, kind: 'Namespace' }],
    });
    expect(counts(changed)).toEqual([1, 3, 0, 4, 0]);
    expect(reads('objects')).toEqual(before);
  });

  it('counts what is not read by its packed size, and more when it has been read', () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      pod(`p${index}`, { spec: { containers: [{ name: `c${index}` }], nodeName: 'a' } }),
    );
    const packed = (parts: readonly ImagePart[]): readonly ImagePart[] =>
      parts.map((part) => ({ ...part, texts: part.texts.map(({ read }) => ({ bytes: 10, read })) }));
    const state = restored(packed(imageOf(ClusterState.build([node('a'), SHOP, ...many], ['Node', 'Pod']))));
    const sizes = [state.approximateBytes];
    const reads: readonly (() => unknown)[] = [
      () => state.pods.specOf(0),
      () => state.pods.specOf(1),
      () => state.pods.name(0),
      () => state.pods.indexOf('shop', 'p0'),
      () => state.objects('Namespace'),
      () => state.tolerationSets,
      () => state.apply({ upserts: [pod('new')] }),
    ];
    for (const read of reads) {
      read();
      sizes.push(state.approximateBytes);
    }
    expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => a - b));
  });

  it('leaves no more of a kind unread than can be read without a pause', () => {
    const note = 'x'.repeat(100_000);
    const large = Array.from({ length: 100 }, (_, index) => ({
      ...SHOP,
      metadata: { name: `n${index}`, annotations: { note } },
    }));
    const state = ClusterState.build(large, []);
    const { state: again, reads } = countedReads(imageOf(state));
    const unread = reads('objects').filter((count) => count === 0).length;
    expect([reads('objects').length, unread]).toEqual([50, 10]);
    expect(again.objects('Namespace')).toEqual(state.objects('Namespace'));
    expect(reads('objects').every((count) => count === 1)).toBe(true);
  });

  it('has each shared value once in its parts, and only those that pods have', () => {
    const many = Array.from({ length: 3000 }, (_, index) => pod(`p${index}`));
    const former = ClusterState.build([...many, pod('other', { spec: { containers: [{ name: 'former' }] } })], ['Pod']);
    const state = former.apply({ deletes: [{ kind: 'Pod', namespace: 'shop', name: 'other' }] });
    const parts = imageOf(state);
    expect(parts.length).toBeGreaterThan(2);
    const withText = (text: string): readonly ImagePart[] =>
      parts.filter((part) => linesOf(part, 'spec').some((line) => line.includes(text)));
    expect(withText('"name":"c"')).toEqual([parts[0]]);
    expect(withText('former')).toEqual([]);
    expect(restored(parts).objects('Pod')).toEqual(state.objects('Pod'));
  });

  it.each<[string, (parts: readonly ImagePart[]) => readonly ImagePart[]]>([
    ['a part is missing', (parts) => parts.slice(1)],
    ['a value is missing', ([first, ...rest]) => [{ ...first!, shared: first!.shared.split('\n')[0]! }, ...rest]],
    ['numbers are missing', ([first, ...rest]) => [{ ...first!, numbers: first!.numbers.slice(0, -1) }, ...rest]],
    ['a text is missing', ([first, ...rest]) => [{ ...first!, texts: first!.texts.slice(1) }, ...rest]],
  ])('is not restored if %s', (_, damaged) => {
    const many = Array.from({ length: 3000 }, (_, index) => pod(`p${index}`));
    expect(() => restored(damaged(imageOf(ClusterState.build(many, ['Pod']))))).toThrow(BrokenImage);
  });

  it.each<[Text, (state: ClusterState) => unknown]>([
    ['own', (state) => state.pods.name(0)],
    ['spec', (state) => state.pods.specOf(0)],
    ['labels', (state) => state.pods.labels(0)],
    ['tolerations', (state) => state.tolerationSets],
  ])('does not answer from %s of which lines are missing', (name, read) => {
    const parts = imageOf(ClusterState.build([pod('p'), pod('q')], ['Pod']));
    const state = restored(parts.map((part) => withLines(part, name, (lines) => [...lines, '{}'])));
    expect(() => read(state)).toThrow(BrokenImage);
  });

  it('is not restored, or read, if an object is missing', () => {
    const [nodes, others] = imageOf(ClusterState.build([node('a'), node('b'), SHOP], ['Node', 'Namespace']));
    expect(() => restored([withLines(nodes!, 'objects', (lines) => lines.slice(1)), others!])).toThrow(BrokenImage);
    const state = restored([nodes!, withLines(others!, 'objects', (lines) => [...lines, '{}'])]);
    expect(() => state.objects('Namespace')).toThrow(BrokenImage);
  });
});
