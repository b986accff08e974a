import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_RULES, rulesOfMinor, type KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { ClusterState, ClusterStateBuilder, type ClusterChanges } from './cluster-state.js';
import type { ImagePart } from './state-image.js';

const NODES = ['n1', 'n2', 'n3', '__proto__'];
const QUANTITIES = ['0', '100m', '1', '9223372036854775807', '1e30', '3Gi'];

const aNode: fc.Arbitrary<Node> = fc.record({
  apiVersion: fc.constant('v1'),
  kind: fc.constant('Node' as const),
  metadata: fc.record(
    {
      name: fc.constantFrom(...NODES),
      labels: fc.dictionary(fc.constantFrom('zone', 'pool', 'constructor'), fc.constantFrom('a', 'b', '')),
    },
    { requiredKeys: ['name'] },
  ),
  spec: fc.record(
    {
      unschedulable: fc.boolean(),
      taints: fc.array(
        fc.record(
          {
            key: fc.constantFrom('a', 'b'),
            value: fc.constantFrom('', 'x'),
            effect: fc.constantFrom('NoSchedule', 'NoExecute'),
          },
          { requiredKeys: ['key', 'effect'] },
        ),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: [] },
  ),
  status: fc.record({
    allocatable: fc.dictionary(
      fc.constantFrom('cpu', 'memory', 'pods', 'example.com/gpu'),
      fc.constantFrom(...QUANTITIES),
    ),
  }),
});

const aTime = fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z');

const aPod: fc.Arbitrary<Pod> = fc.record({
  apiVersion: fc.constant('v1'),
  kind: fc.constant('Pod' as const),
  metadata: fc.record(
    {
      name: fc.constantFrom('p1', 'p2', 'p3', 'p"4', 'p5', 'constructor'),
      namespace: fc.constantFrom('default', 'other'),
      uid: fc.constantFrom('u1', 'u2'),
      labels: fc.dictionary(fc.constantFrom('app'), fc.constantFrom('a', 'b')),
      creationTimestamp: aTime,
      generateName: fc.constant('p'),
      deletionTimestamp: aTime,
      resourceVersion: fc.constantFrom('1', '2'),
      annotations: fc.dictionary(fc.constantFrom('note', 'constructor'), fc.constantFrom('a\nb', '')),
      ownerReferences: fc
        .constantFrom('web', 'db')
        .map((name) => [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid: `u-${name}`, controller: true }]),
    },
    { requiredKeys: ['name', 'namespace'] },
  ),
  spec: fc
    .record(
      {
        nodeName: fc.constantFrom(...NODES, 'absent'),
        tolerations: fc.array(
          fc.record(
            {
              key: fc.constantFrom('a', 'b'),
              operator: fc.constant('Exists'),
              tolerationSeconds: fc.constantFrom(60, 2n ** 60n),
            },
            { requiredKeys: ['key', 'operator'] },
          ),
          { maxLength: 2 },
        ),
        volumes: fc.constantFrom('d', 'e').map((name) => [{ name, persistentVolumeClaim: { claimName: name } }]),
        overhead: fc.constant({ cpu: '250m' }),
        priority: fc.constantFrom(0, 5),
        affinity: fc.constantFrom(...NODES).map((name) => ({
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [{ key: 'zone', operator: 'Exists' }],
                  matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
                },
              ],
            },
          },
        })),
      },
      { requiredKeys: [] },
    )
    .chain((spec) =>
      fc
        .dictionary(fc.constantFrom('cpu', 'memory', 'example.com/gpu'), fc.constantFrom(...QUANTITIES))
        .map((requests) => ({
          ...spec,
          containers: [{ name: 'c', resources: { requests }, ports: [{ containerPort: 1, hostPort: 80 }] }],
        })),
    ),
  status: fc.record(
    {
      phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
      startTime: aTime,
      nominatedNodeName: fc.constantFrom('n1', 'absent'),
      containerStatuses: fc.constantFrom('1', '3').map((cpu) => [{ name: 'c', allocatedResources: { cpu } }]),
      conditions: fc.array(
        fc.record(
          {
            type: fc.constantFrom('Ready', 'PodScheduled'),
            status: fc.constant('True'),
            lastTransitionTime: aTime,
            lastHeartbeatTime: aTime,
          },
          { requiredKeys: ['type', 'status'] },
        ),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: [] },
  ),
});

const OTHER_KINDS = ['Namespace', 'PriorityClass', 'ResourceQuota', 'ResourceClaim'] as const;
const anOther: fc.Arbitrary<KubernetesObject> = fc
  .record({
    kind: fc.constantFrom(...OTHER_KINDS),
    name: fc.constantFrom('default', '__proto__', 'a"b'),
    namespace: fc.constantFrom('default', 'other'),
    value: fc.constantFrom(1, 2n ** 60n, 'text\n'),
  })
  .map(({ kind, name, namespace, value }) => {
    const isNamespaced = kind.startsWith('Resource');
    return { apiVersion: 'v1', kind, metadata: { name, ...(isNamespaced && { namespace }) }, spec: { value } };
  });

const anObject: fc.Arbitrary<KubernetesObject> = fc.oneof(
  { weight: 2, arbitrary: aNode },
  { weight: 4, arbitrary: aPod },
  { weight: 2, arbitrary: anOther },
);

const aChange: fc.Arbitrary<ClusterChanges> = fc.record({
  upserts: fc.array(anObject, { maxLength: 6 }),
  deletes: fc.array(
    anObject.map(({ kind, metadata }) => ({ kind, namespace: metadata.namespace ?? '', name: metadata.name })),
    { maxLength: 4 },
  ),
});

/** All contents of a state, in an order that does not depend on how it was built. */
function picture(state: ClusterState): unknown {
  const { nodes, pods } = state;
  const resources = ['cpu', 'memory', 'ephemeral-storage', 'pods', 'example.com/gpu'];
  return {
    nodes: Array.from({ length: nodes.count }, (_, i) => ({
      node: nodes.node(i),
      found: nodes.indexOf(nodes.name(i)) === i,
      taints: state.taintSets[nodes.taintSetId(i)],
      unschedulable: nodes.unschedulable[i],
      allocatable: resources.map((name) => String(nodes.allocatable.at(name, i))),
      requested: resources.map((name) => String(nodes.requested.at(name, i))),
      labels: ['zone', 'pool', 'constructor', '__proto__'].map((key) => {
        const column = nodes.labelColumn(key);
        return column?.values[column.valueIds[i]!] ?? null;
      }),
      pods: [...nodes.podsOf(i)].map((pod) => pods.key(pod)).sort(),
    })),
    pods: Array.from({ length: pods.count }, (_, i) => ({
      pod: pods.pod(i),
      key: pods.key(i),
      found: pods.indexOf(pods.namespace(i), pods.name(i)) === i,
      node: pods.nodeIndex(i) < 0 ? null : nodes.name(pods.nodeIndex(i)),
      tolerations: state.tolerationSets[pods.tolerationSetId(i)],
      active: pods.active(i),
      requests: String(pods.requests(i).milliCPU),
    })).sort((a, b) => (a.key < b.key ? -1 : 1)),
    ports: pods
      .withHostPorts()
      .map((pod) => pods.key(pod))
      .sort(),
    nominated: pods
      .nominated()
      .map(({ pod, nodeIndex }) => `${pods.key(pod)} ${nodes.name(nodeIndex)}`)
      .sort(),
    labelKeys: nodes.labelKeys(),
    others: OTHER_KINDS.map((kind) => state.objects(kind)),
  };
}

/** The objects that remain after the changes, computed with a plain map. */
function surviving(changes: readonly ClusterChanges[]): KubernetesObject[] {
  const objects = new Map<string, KubernetesObject>();
  const keyOf = (kind: string, namespace: string, name: string): string => `${kind} ${namespace} ${name}`;
  for (const change of changes) {
    for (const { kind, namespace, name } of change.deletes ?? []) objects.delete(keyOf(kind, namespace ?? '', name));
    for (const object of change.upserts ?? []) {
      objects.set(keyOf(object.kind, object.metadata.namespace ?? '', object.metadata.name), object);
    }
  }
  return [...objects.values()];
}

const imageOf = (state: ClusterState): readonly ImagePart[] => [...state.image()].filter((part) => part !== undefined);

const textsOf = (part: ImagePart): unknown => ({ ...part, texts: part.texts.map((text) => text.read()) });

function restored(parts: readonly ImagePart[], rules: KubernetesRules): ClusterState {
  const builder = new ClusterStateBuilder(['Node', 'Pod'], rules);
  for (const part of parts) Array.from(builder.restore(part));
  return builder.finish();
}

/** Runs computations to their ends, a step of each at a time. */
function inTurns<Result>(computations: readonly Generator<undefined, Result>[]): readonly Result[] {
  const results = new Array<Result>(computations.length);
  let running = computations.map((steps, index) => ({ steps, index }));
  while (running.length > 0) {
    running = running.filter(({ steps, index }) => {
      const step = steps.next();
      if (step.done === true) results[index] = step.value;
      return step.done !== true;
    });
  }
  return results;
}

describe('ClusterState', () => {
  it('equals, after any changes, a state built from the remaining objects', () => {
    fc.assert(
      fc.property(fc.array(aChange, { minLength: 1, maxLength: 6 }), (changes) => {
        let state = ClusterState.empty(['Node', 'Pod']);
        const before: { state: ClusterState; picture: unknown }[] = [];
        for (const change of changes) {
          before.push({ state, picture: picture(state) });
          state = state.apply(change);
        }
        const rebuilt = ClusterState.build(surviving(changes), ['Node', 'Pod']);
        expect(picture(state)).toEqual(picture(rebuilt));
        expect(picture(state.compacted())).toEqual(picture(rebuilt));
        for (const earlier of before) expect(picture(earlier.state)).toEqual(earlier.picture);
      }),
      { numRuns: 150 },
    );
  });

  it('equals, when several are made from it in turns, what it equals when they are made one after another', () => {
    fc.assert(
      fc.property(aChange, fc.array(aChange, { minLength: 2, maxLength: 3 }), (first, changes) => {
        const before = ClusterState.empty(['Node', 'Pod']).apply(first);
        const made = inTurns(changes.map((change) => before.stepApply(change)));
        expect(made.map(picture)).toEqual(changes.map((change) => picture(before.apply(change))));
      }),
      { numRuns: 50 },
    );
  });

  it('is made with a pause after each object, and after each part of a node', () => {
    /** Its place, its pods, what they hold, the amounts in two columns, its taints, its allocatable amounts, and those in the column. */
    const PARTS = 8;
    const objects = Array.from({ length: 40 }, (_, index): readonly [Node, Pod] => [
      { apiVersion: 'v1', kind: 'Node', metadata: { name: `n${index}` }, status: { allocatable: { cpu: '1' } } },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `p${index}`, namespace: 'd' },
        spec: { nodeName: `n${index}`, containers: [] },
      },
    ]).flat();
    const steps = ClusterState.empty(['Node', 'Pod']).stepApply({ upserts: objects });
    expect([...steps].length).toBeGreaterThanOrEqual(objects.length + PARTS * 40);
    const builder = new ClusterStateBuilder(['Node', 'Pod']);
    for (const object of objects) builder.add(object);
    expect([...builder.stepFinish()].length).toBeGreaterThanOrEqual(PARTS * 40);
  });

  it('equals, under any rules and after any changes, what is restored from its image', () => {
    fc.assert(
      fc.property(fc.array(aChange, { minLength: 1, maxLength: 6 }), aChange, (changes, later) => {
        let state = ClusterState.empty(['Node', 'Pod']);
        for (const change of changes) state = state.apply(change);
        for (const rules of [DEFAULT_RULES, rulesOfMinor(31)]) {
          const again = restored(imageOf(state), rules);
          expect(picture(again)).toEqual(picture(state.under(rules)));
          expect(again.size).toBe(state.size);
          expect(picture(again.apply(later))).toEqual(picture(state.apply(later).under(rules)));
          expect(imageOf(again).map(textsOf)).toEqual(imageOf(state.under(rules)).map(textsOf));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('reads labels after changes of them as if they had always been so', () => {
    const keys = ['zone', 'pool', 'constructor', '__proto__'];
    const someLabels = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom('a', 'b', ''));
    const labelled = (labels: Readonly<Record<string, string>>, index: number): Node => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: NODES[index]!, labels },
    });
    const columns = ({ nodes }: ClusterState): unknown => keys.map((key) => nodes.labelColumn(key) ?? null);
    const aStep = fc.record({
      nodes: fc.dictionary(fc.constantFrom('0', '1', '2', '3'), someLabels),
      read: fc.constantFrom('nothing', 'keys', 'one', 'all'),
    });
    fc.assert(
      fc.property(
        fc.array(someLabels, { minLength: 4, maxLength: 4 }),
        fc.array(aStep, { minLength: 1, maxLength: 6 }),
        (first, steps) => {
          let state = ClusterState.build(first.map(labelled), ['Node']);
          for (const { nodes, read } of steps) {
            if (read === 'keys') state.nodes.labelKeys();
            if (read === 'one') state.nodes.labelColumn('zone');
            if (read === 'all') columns(state);
            state = state.apply({ upserts: Object.entries(nodes).map(([node, labels]) => labelled(labels, +node)) });
          }
          const rebuilt = ClusterState.build(
            Array.from(NODES, (_, index) => state.nodes.node(index)),
            ['Node'],
          );
          expect(columns(state)).toEqual(columns(rebuilt));
          expect(state.nodes.labelKeys()).toEqual(rebuilt.nodes.labelKeys());
        },
      ),
      { numRuns: 500 },
    );
  });

  it('can be forked, with changes that do not affect the original and its successors', () => {
    const changes = fc.array(aChange, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(changes, changes, changes, (common, forked, later) => {
        let base = ClusterState.empty(['Node', 'Pod']);
        for (const change of common) base = base.apply(change);
        const before = picture(base);
        let fork = base.fork();
        expect(picture(fork)).toEqual(before);
        let next = base;
        // Alternates, so that each interns values for which the other already has an ID.
        for (let turn = 0; turn < 3; turn++) {
          next = next.apply(later[turn] ?? {});
          fork = fork.apply(forked[turn] ?? {});
        }
        const built = (all: readonly ClusterChanges[]): unknown =>
          picture(ClusterState.build(surviving(all), ['Node', 'Pod']));
        expect(picture(fork)).toEqual(built([...common, ...forked]));
        expect(picture(fork.fork().apply(later[0]!))).toEqual(built([...common, ...forked, later[0]!]));
        expect(picture(next)).toEqual(built([...common, ...later]));
        expect(picture(base)).toEqual(before);
      }),
      { numRuns: 150 },
    );
  });

  it("can be forked, with changes that leave nothing in the original's tables", () => {
    const node = (name: string, taint: string): Node => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      spec: { taints: [{ key: taint, effect: 'NoSchedule' }] },
    });
    const state = ClusterState.build([node('a', 'old')], ['Node']);
    const sets = state.taintSets.length;
    const fork = state.fork().apply({ upserts: [node('b', 'new')] });
    expect(fork.taintSets.map((set) => set[0]?.key)).toEqual([...state.taintSets.map((set) => set[0]?.key), 'new']);
    expect(state.taintSets).toHaveLength(sets);
  });

  it('returns every pod unchanged, including int64 values', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(aPod, { selector: (pod) => `${pod.metadata.namespace}/${pod.metadata.name}` }),
        (pods) => {
          const state = ClusterState.build(pods, ['Pod']);
          for (const pod of pods) expect(state.find('Pod', pod.metadata.namespace, pod.metadata.name)).toEqual(pod);
        },
      ),
    );
    const huge: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'd' },
      spec: { containers: [], tolerations: [{ operator: 'Exists', tolerationSeconds: 9223372036854775807n }] },
    };
    expect(ClusterState.build([huge], []).find('Pod', 'd', 'p')).toEqual(huge);
  });

  it('adds exactly beyond the safe range, and overflows at 64 bits like Go', () => {
    const pod = (name: string): Pod => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'd' },
      spec: { nodeName: 'n', containers: [{ name: 'c', resources: { requests: { memory: '9223372036854775807' } } }] },
    });
    const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
    const one = ClusterState.build([node, pod('a')], []);
    expect(one.nodes.requested.at('memory', 0)).toBe(9223372036854775807n);
    const two = one.apply({ upserts: [pod('b')] });
    expect(two.nodes.requested.at('memory', 0)).toBe(-2);
    expect(two.nodes.requested.at('pods', 0)).toBe(2);
    expect(two.apply({ deletes: [{ kind: 'Pod', namespace: 'd', name: 'a' }] }).nodes.requested.at('memory', 0)).toBe(
      9223372036854775807n,
    );
  });

  it("reports the outermost stored controller as a pod's workload", () => {
    const controlled = (kind: string, name: string, owner?: string): KubernetesObject => ({
      apiVersion: 'v1',
      kind,
      metadata: {
        name,
        namespace: 'd',
        ...(owner === undefined
          ? {}
          : {
              ownerReferences: [
                { apiVersion: 'v1', kind: owner.split('/')[0]!, name: owner.split('/')[1]!, controller: true },
              ],
            }),
      },
      ...(kind === 'Pod' ? { spec: { containers: [] } } : {}),
    });
    const state = ClusterState.build(
      [
        controlled('Pod', 'a', 'ReplicaSet/web-1'),
        controlled('ReplicaSet', 'web-1', 'Deployment/web'),
        controlled('Pod', 'b', 'ReplicaSet/unseen-1'),
        controlled('Pod', 'c', 'Job/tick-1'),
        controlled('Job', 'tick-1', 'CronJob/tick'),
        controlled('CronJob', 'tick'),
        controlled('Pod', 'd'),
        controlled('Pod', 'e', 'Node/n1'),
      ],
      ['Pod'],
    );
    const workload = (name: string): string => {
      const { kind, name: of } = state.pods.workload(state.pods.indexOf('d', name));
      return `${kind}/${of}`;
    };
    expect(['a', 'b', 'c', 'd', 'e'].map(workload)).toEqual([
      'Deployment/web',
      'ReplicaSet/unseen-1',
      'CronJob/tick',
      'Pod/d',
      'Pod/e',
    ]);
  });
});
