import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { settingOf } from '../cluster/setting.js';
import { finish } from '../collections/finish.js';
import { KINDS } from '../kubernetes/kinds.js';
import type { JsonObject } from '../json/json-value.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { FEASIBLE } from '../placement/placement.js';
import { rankNodes } from '../placement/rank-nodes.js';
import { DEFAULT_PROFILE } from '../scheduler-configuration/default-profile.js';
import { profilePlugins } from '../scheduling/profile-plugins.js';
import { profileNamed, schedulerConfigurationIn } from '../scheduling/profiles-in.js';
import type { SchedulingProfile } from '../scheduling/schedule-pod.js';
import type { ReschedulingEvent, Rescheduling, RescheduledPod } from './rescheduling.js';
import { replacementPod } from '../kubernetes/replacement-pod.js';
import { stepRescheduling } from './step-rescheduling.js';

const GATES = DEFAULT_GATES;
const LOADED = KINDS.map(({ kind }) => kind);
const START = Date.UTC(2026, 4, 4);

/** Pseudorandom numbers, reproducible by seed (mulberry32). */
class Seeded {
  constructor(private state: number) {}

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)]!;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }
}

const TAINTS: readonly [Taint, ...Taint[]] = [
  { key: 'maint', effect: 'NoExecute' },
  { key: 'gpu', value: 'a', effect: 'NoSchedule' },
  { key: 'slow', effect: 'PreferNoSchedule' },
];

function randomNode(random: Seeded, index: number, { hasHuge }: Oddities): Node {
  const name = `n${String(index).padStart(2, '0')}`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        zone: random.pick(['a', 'b', 'c']),
        ...(random.chance(0.5) && { pool: random.pick(['x', 'y']) }),
        'kubernetes.io/hostname': name,
      },
    },
    spec: {
      ...(random.chance(0.3) && { taints: [random.pick(TAINTS)] }),
      ...(random.chance(0.1) && { unschedulable: true }),
    },
    status: {
      allocatable: {
        cpu: random.pick(['2', '4', '3500m']),
        // More bytes than a double can represent exactly.
        memory: hasHuge && random.chance(0.15) ? '9007199254740993' : random.pick(['4Gi', '8Gi']),
        pods: random.pick(['4', '8', '110']),
        ...(random.chance(0.3) && { 'example.com/fpga': '2' }),
      },
    },
  };
}

/** Optional parts of a cluster with pods for which every filter must be evaluated. */
interface Oddities {
  readonly hasHuge: boolean;
  readonly hasVolumes: boolean;
  readonly hasNominated: boolean;
}

interface Template {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly spec: PodSpec;
  readonly labels: Readonly<Record<string, string>>;
}

function randomTemplate(random: Seeded, index: number, { hasHuge, hasVolumes }: Oddities): Template {
  const kind = random.pick([
    'ReplicaSet',
    'ReplicaSet',
    'ReplicaSet',
    'StatefulSet',
    'Job',
    'ReplicationController',
    'DaemonSet',
  ]);
  const app = `app-${index}`;
  const requests = {
    ...(random.chance(0.9) && { cpu: random.pick(['250m', '500m', '1']) }),
    ...(random.chance(0.8) && {
      memory: hasHuge && random.chance(0.15) ? '9007199254740991' : random.pick(['512Mi', '1Gi', '3Gi']),
    }),
    ...(random.chance(0.15) && { 'example.com/fpga': '1' }),
  };
  const affinity: PodSpec['affinity'] = {
    ...(random.chance(0.15) && {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] }],
        },
      },
    }),
    ...(random.chance(0.1) && {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            topologyKey: random.pick(['zone', 'kubernetes.io/hostname']),
            labelSelector: { matchLabels: { tier: 't0' } },
          },
        ],
      },
    }),
    ...(random.chance(0.1) && {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'zone', labelSelector: { matchLabels: { tier: random.pick(['t1', 't2']) } } },
        ],
      },
    }),
    ...(random.chance(0.1) && {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 30, podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { tier: 't3' } } } },
        ],
      },
    }),
  };
  return {
    kind,
    name: app,
    namespace: random.pick(['shop', 'shop', 'pay']),
    labels: { app, tier: `t${random.below(4)}` },
    spec: {
      containers: [
        {
          name: 'c',
          resources: { requests },
          ...(random.chance(0.15) && { ports: [{ containerPort: 80, hostPort: random.pick([80, 81]) }] }),
        },
      ],
      ...(random.chance(0.3) && { nodeSelector: { pool: random.pick(['x', 'y']) } }),
      ...(Object.keys(affinity).length > 0 && { affinity }),
      ...(random.chance(0.4) && {
        tolerations: [
          random.chance(0.5)
            ? { key: 'gpu', operator: 'Exists' }
            : { key: 'maint', operator: 'Exists', tolerationSeconds: 30 },
        ],
      }),
      ...(hasVolumes &&
        random.chance(0.15) && {
          volumes: [
            {
              name: 'v',
              ...random.pick([
                { persistentVolumeClaim: { claimName: 'shared' } },
                { persistentVolumeClaim: { claimName: 'alone' } },
                { ephemeral: {} },
                { gcePersistentDisk: { pdName: 'disk' } },
              ]),
            },
          ],
        }),
      ...(random.chance(0.3) && {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: random.pick(['zone', 'kubernetes.io/hostname']),
            whenUnsatisfiable: random.pick(['DoNotSchedule', 'ScheduleAnyway']),
            ...(random.chance(0.1) && { nodeTaintsPolicy: 'Honor' }),
            labelSelector: { matchLabels: { tier: random.pick(['t0', 't1']) } },
          },
        ],
      }),
      priority: random.pick([0, 0, 0, 10]),
    },
  };
}

/** A claim of the pods, with its volume. */
function claim(name: string, accessMode: string, zone: string): readonly KubernetesObject[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: 'shop', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { accessModes: [accessMode], volumeName: `pv-${name}` },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `pv-${name}`, labels: { 'topology.kubernetes.io/zone': zone } },
      spec: {
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', zone] }] }],
          },
        },
      },
    },
  ] as unknown as readonly KubernetesObject[];
}

const API_VERSION = 'kubescheduler.config.k8s.io/v1';
const SCHEDULERS = ['default-scheduler', 'other'] as const;

const without = (point: string, ...names: readonly string[]): JsonObject => ({
  plugins: { [point]: { disabled: names.map((name) => ({ name })) } },
});
const told = (name: string, args: JsonObject): JsonObject => ({ pluginConfig: [{ name, args }] });

const PROFILES: readonly [JsonObject, ...JsonObject[]] = [
  {},
  without('multiPoint', 'TaintToleration'),
  without('filter', 'TaintToleration'),
  without('score', 'TaintToleration', 'PodTopologySpread'),
  without('multiPoint', 'NodeUnschedulable', 'NodePorts'),
  without('multiPoint', 'NodeAffinity'),
  without('filter', 'NodeResourcesFit', 'InterPodAffinity'),
  { plugins: { score: { enabled: [{ name: 'NodeResourcesFit', weight: 30_000_000 }] } } },
  { plugins: { filter: { enabled: [{ name: 'Somebodys' }] } } },
  told('NodeResourcesFit', { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 1 }] } }),
  told('InterPodAffinity', { hardPodAffinityWeight: 100, ignorePreferredTermsOfExistingPods: true }),
  told('PodTopologySpread', {
    defaultingType: 'List',
    defaultConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
  }),
];

/** The selector of a controller, which default spread constraints use, too. */
function selectorOf(random: Seeded, kind: string, labels: Template['labels']): JsonObject {
  const key = random.pick(['app', 'tier']);
  const chosen = { [key]: labels[key]! };
  return kind === 'ReplicationController' ? chosen : { matchLabels: chosen };
}

/** A copy of a workload with one difference. */
function twin(random: Seeded, last: Template, { name }: Template): Template {
  const like = { ...last, name };
  const changed: PodSpec = { ...last.spec };
  switch (random.below(5)) {
    case 0:
      return { ...last, namespace: last.namespace === 'shop' ? 'pay' : 'shop' };
    case 1:
      return { ...like, spec: { ...changed, schedulerName: random.pick(['default-scheduler', 'other', 'nobody']) } };
    case 2:
      return { ...like, spec: { ...changed, priority: random.pick([5, 50]) } };
    case 3:
      return { ...like, labels: { ...last.labels, tier: `t${random.below(4)}` } };
    default:
      return like;
  }
}

function randomCluster(random: Seeded): readonly KubernetesObject[] {
  const oddities = { hasHuge: random.chance(0.15), hasVolumes: random.chance(0.3), hasNominated: random.chance(0.15) };
  const nodes = Array.from({ length: 6 + random.below(8) }, (_, i) => randomNode(random, i, oddities));
  const objects: KubernetesObject[] = [
    ...nodes,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's', namespace: 'shop' },
      spec: { selector: { tier: 't2' } },
    } as KubernetesObject,
    ...claim('shared', 'ReadWriteMany', 'b'),
    ...claim('alone', 'ReadWriteOncePod', 'c'),
  ];
  const groups: Readonly<Record<string, string>> = { Job: 'batch/v1', ReplicationController: 'v1' };
  if (random.chance(0.6)) {
    const profiles = SCHEDULERS.map((schedulerName) => ({ schedulerName, ...random.pick(PROFILES) }));
    const kind = 'KubeSchedulerConfiguration';
    objects.push(settingOf('SchedulerConfiguration', 'default', { apiVersion: API_VERSION, kind, profiles }));
  }
  let last: Template | undefined;
  for (let index = 0; index < 12; index++) {
    let template = randomTemplate(random, index, oddities);
    // Similar workloads are the easiest to confuse.
    if (last !== undefined && random.chance(0.5)) template = twin(random, last, template);
    last = template;
    const { kind, name, labels, namespace } = template;
    const apiVersion = groups[kind] ?? 'apps/v1';
    const replicas = 1 + random.below(6);
    objects.push({
      apiVersion,
      kind,
      metadata: { name, namespace, uid: name },
      spec: {
        ...(kind === 'Job' ? { parallelism: replicas, completions: 99 } : { replicas }),
        ...(random.chance(0.5) && { podManagementPolicy: 'Parallel' }),
        ...(kind !== 'Job' && { selector: selectorOf(random, kind, labels) }),
        template: { metadata: { labels }, spec: template.spec },
      },
    } as KubernetesObject);
    for (let ordinal = 0; ordinal < replicas; ordinal++) {
      const on = random.chance(0.85) ? nodes[random.below(nodes.length)]!.metadata.name : undefined;
      objects.push({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: `${name}-${ordinal}`,
          namespace,
          labels,
          ownerReferences: [{ apiVersion, kind, name, uid: name, controller: true }],
        },
        spec: {
          ...template.spec,
          ...(kind === 'DaemonSet' &&
            on !== undefined && {
              affinity: {
                ...template.spec.affinity,
                nodeAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: {
                    nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [on] }] }],
                  },
                },
              },
            }),
          ...(on !== undefined && { nodeName: on }),
          // As during a rollout.
          ...(random.chance(0.1) && { priority: 50 }),
          ...(random.chance(0.1) && { schedulerName: 'other' }),
        },
        status: {
          phase: on === undefined ? 'Pending' : random.chance(0.05) ? 'Succeeded' : 'Running',
          ...(on === undefined &&
            oddities.hasNominated &&
            random.chance(0.1) && { nominatedNodeName: nodes[0]!.metadata.name }),
        },
      } as Pod);
    }
  }
  return objects;
}

/**
 * Taints are added and removed, nodes are deleted and return, and pods are marked for deletion, most of which then go.
 */
function randomEvents(random: Seeded, { nodes, pods }: ClusterState): readonly ReschedulingEvent[] {
  const events: ReschedulingEvent[] = [];
  let at = START;
  const marked: number[] = [];
  for (let moment = 0; moment < 25; moment++) {
    at += 1000 * (1 + random.below(60));
    for (let i = random.below(3); i > 0; i--) {
      events.push({
        at,
        kind: 'taints',
        node: random.below(nodes.count),
        taints: random.chance(0.5) ? [] : [random.pick(TAINTS)],
        ...(random.chance(0.2) && { unschedulable: random.chance(0.5) }),
        ...(random.chance(0.1) && { gone: true }),
      });
    }
    for (let i = random.below(4); i > 0; i--) {
      const pod = random.below(pods.count);
      if (pods.nodeIndex(pod) < 0) continue;
      events.push({ at, kind: 'marked', pod });
      marked.push(pod);
    }
    for (let i = random.below(4); i > 0 && marked.length > 0; i--) {
      events.push({ at, kind: 'gone', pod: marked.splice(random.below(marked.length), 1)[0]! });
    }
  }
  return events;
}

/** The state as it would be stored at a given time, with all changes applied. */
class Replay {
  state: ClusterState;
  private readonly goneBefore = new Set<number>();
  private readonly changed: Map<number, { taints: readonly Taint[]; unschedulable: boolean; gone: boolean }>;

  constructor(
    private readonly before: ClusterState,
    private readonly original: ReadonlyMap<string, Node>,
  ) {
    this.state = before;
    this.changed = new Map();
  }

  happen(event: ReschedulingEvent): void {
    if (event.kind === 'taints') {
      const stored = this.original.get(this.before.nodes.name(event.node))!;
      const was = this.changed.get(event.node);
      const unschedulable = event.unschedulable ?? was?.unschedulable ?? stored.spec?.unschedulable === true;
      const now = { taints: event.taints, unschedulable, gone: event.gone === true };
      this.changed.set(event.node, now);
      const node: Node = { ...stored, spec: { ...stored.spec, taints: now.taints, unschedulable } };
      this.state = this.state.apply(
        now.gone ? { deletes: [{ kind: 'Node', name: stored.metadata.name }] } : { upserts: [node] },
      );
      return;
    }
    const { pods } = this.before;
    if (this.goneBefore.has(event.pod)) return;
    if (event.kind === 'marked') {
      const pod = pods.pod(event.pod);
      const deletionTimestamp = new Date(event.at).toISOString();
      this.state = this.state.apply({ upserts: [{ ...pod, metadata: { ...pod.metadata, deletionTimestamp } }] });
    } else {
      this.goneBefore.add(event.pod);
      this.state = this.state.apply({
        deletes: [{ kind: 'Pod', namespace: pods.namespace(event.pod), name: pods.name(event.pod) }],
      });
    }
  }

  made({ pod }: RescheduledPod): Pod {
    const { pods, nodes } = this.before;
    const isDaemon = pods.workload(pod).kind === 'DaemonSet';
    return replacementPod(pods.pod(pod), isDaemon ? nodes.name(pods.nodeIndex(pod)) : undefined);
  }

  place(row: RescheduledPod): void {
    const pod = this.made(row);
    const metadata = { ...pod.metadata, name: `new-${row.order!}` };
    const landed: Pod = { ...pod, metadata, spec: { ...pod.spec, nodeName: row.chosen! } };
    this.state = this.state.apply({ upserts: [landed] });
  }
}

/** The profile for a pod; the default profile if its scheduler has none. */
function profileOf(state: ClusterState, { spec }: Pod): SchedulingProfile {
  const { schedulerName = 'default-scheduler' } = spec;
  return profilePlugins(profileNamed(schedulerConfigurationIn(state), schedulerName) ?? DEFAULT_PROFILE, GATES);
}

/** In descending order of totals, then by name. */
function bestFirst(state: ClusterState, feasible: readonly number[], pod: Pod): readonly string[] {
  const nodes = Int32Array.from(feasible);
  const { scores, args } = profileOf(state, pod);
  const { totals } = rankNodes(state, { pod, nodes, gates: GATES, scores, args });
  return feasible
    .map((node, position) => ({ node, total: totals[position]! }))
    .sort((a, b) => b.total - a.total || a.node - b.node)
    .map(({ node }) => state.nodes.name(node));
}

interface Tallied {
  landed: number;
  later: number;
  none: number;
  unknown: number;
  /** Pods that were placed in plans with few full evaluations. */
  byTheirLike: number;
}

/** Compares every row of the plan with the changed state. */
function hold(seed: number, tallied: Tallied): void {
  const random = new Seeded(seed);
  const objects = randomCluster(random);
  const before = ClusterState.build(objects, LOADED);
  const events = randomEvents(random, before);
  const plan: Rescheduling = finish(stepRescheduling(before, events, { gates: GATES, mostListed: 10_000 }));
  const original = new Map(
    objects.filter(({ kind }) => kind === 'Node').map((node) => [node.metadata.name, node as Node]),
  );
  const replay = new Replay(before, original);
  if (plan.evaluations < plan.totals.landed) tallied.byTheirLike += plan.totals.landed;
  const rows = plan.pods.items;
  const placed = rows.filter(({ order }) => order !== undefined).sort((a, b) => a.order! - b.order!);
  const moments = [...new Set(events.map(({ at }) => at))];
  expect(plan.timeline.items.map(({ at }) => at)).toEqual(moments);
  let next = 0;
  for (const at of moments) {
    for (const event of events) if (event.at === at) replay.happen(event);
    const states = [replay.state];
    const [first] = placed.slice(next);
    if (first?.landedAt === at) {
      // No waiting pod with a higher priority could have been placed first.
      const priorityOf = (row: RescheduledPod): number => before.pods.priority(row.pod);
      for (const row of rows) {
        const waits = row.replacementAt !== undefined && row.replacementAt < at && (row.landedAt ?? at) >= at;
        if (!waits || row.verdict === 'unknown' || priorityOf(row) <= priorityOf(first)) continue;
        const pod = replay.made(row);
        const { filters } = profileOf(before, pod);
        const { counts } = evaluatePlacement(replay.state, { pod, gates: GATES, filters });
        expect([seed, row.pod, first.pod, counts.feasible]).toEqual([seed, row.pod, first.pod, 0]);
      }
    }
    for (; placed[next]?.landedAt === at; next++) {
      const row = placed[next]!;
      const pod = replay.made(row);
      const { filters } = profileOf(before, pod);
      const placement = evaluatePlacement(replay.state, { pod, gates: GATES, filters });
      const where = `seed ${seed}, pod ${row.pod} at ${at}`;
      expect([where, placement.counts.feasible, placement.counts.unknown]).toEqual([
        where,
        row.feasibleNodes,
        row.unknownNodes,
      ]);
      const feasible: number[] = [];
      placement.verdicts.forEach((verdict, node) => verdict === FEASIBLE && feasible.push(node));
      expect(feasible.map((node) => replay.state.nodes.name(node))).toEqual(expect.arrayContaining([...row.nodes]));
      expect(row.chosen).toBe(row.nodes[0]);
      // A single feasible node is not scored.
      const best = feasible.length === 1 ? row.nodes : bestFirst(replay.state, feasible, pod).slice(0, 5);
      expect([where, ...row.nodes]).toEqual([where, ...best]);
      replay.place(row);
      states.push(replay.state);
      tallied.landed++;
      if (row.landedAt! > row.replacementAt!) tallied.later++;
    }
    // A pod that waits after a moment has no feasible node then, and none with an unknown result.
    for (const row of rows) {
      if (row.replacementAt === undefined || row.replacementAt > at) continue;
      const isWaiting = row.verdict === 'none' || (row.landedAt !== undefined && row.landedAt > at);
      if (!isWaiting) continue;
      const pod = replay.made(row);
      const { filters } = profileOf(before, pod);
      const placement = evaluatePlacement(replay.state, { pod, gates: GATES, filters });
      const where = `seed ${seed}, pod ${row.pod} waiting at ${at}`;
      expect([where, placement.counts.feasible, placement.counts.unknown]).toEqual([where, 0, 0]);
      if (row.replacementAt === at && row.refusal !== undefined) {
        const { message, reasons } = row.refusal;
        const isAsAtSomeTime = states.some((state) => {
          const then = evaluatePlacement(state, { pod, gates: GATES, filters });
          return JSON.stringify([then.message(), then.rollUp()]) === JSON.stringify([message, reasons]);
        });
        expect([where, isAsAtSomeTime]).toEqual([where, true]);
      }
    }
  }
  expect(next).toBe(placed.length);
  for (const { verdict, unknownBecause } of rows) {
    if (verdict === 'unknown') expect(unknownBecause).not.toEqual([]);
    if (verdict === 'none') tallied.none++;
    if (verdict === 'unknown') tallied.unknown++;
  }
}

describe('stepRescheduling, compared with changed states', () => {
  it('finds the same nodes for every pod as a placement in the state at that moment', () => {
    const tallied = { landed: 0, later: 0, none: 0, unknown: 0, byTheirLike: 0 };
    for (let seed = 1; seed <= 60; seed++) hold(seed, tallied);
    // Every kind of result occurred.
    for (const count of Object.values(tallied)) expect(count).toBeGreaterThan(10);
  });
});
