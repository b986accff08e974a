import { DEFAULT_GATES } from '../../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../cluster/cluster-state.js';
import type { JsonObject } from '../../json/json-value.js';
import type { KubernetesObject } from '../../kubernetes/objects/meta.js';
import type { Node } from '../../kubernetes/objects/node.js';
import type {
  Affinity,
  Pod,
  PodAffinityTerm,
  PodSpec,
  PreferredSchedulingTerm,
  TopologySpreadConstraint,
} from '../../kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../../kubernetes/objects/taints.js';
import { DEFAULT_ARGUMENTS, type PluginArguments } from '../../placement/plugin-arguments.js';
import { DEFAULT_PROFILE } from '../../scheduler-configuration/default-profile.js';
import { readConfiguration } from '../../scheduler-configuration/read-configuration.js';
import type { SchedulerProfile } from '../../scheduler-configuration/scheduler-profile.js';
import { profilePlugins } from '../profile-plugins.js';
import { schedulePod } from '../schedule-pod.js';
import { SchedulingRun } from './scheduling-run.js';
import { Dice } from '../../../../test/support/dice.js';

const ZONES = ['a', 'b', 'c', ''];
const APPS = ['web', 'db', 'cache'];
const NAMESPACES = ['one', 'two'];
const TAINTS: readonly Taint[] = [
  { key: 'dedicated', value: 'x', effect: 'NoSchedule' },
  { key: 'warm', value: '1', effect: 'PreferNoSchedule' },
  { key: 'old', effect: 'PreferNoSchedule' },
  { key: 'gone', effect: 'NoExecute' },
];
const KEYS = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'rack'];

function node(dice: Dice, index: number): Node {
  const name = `n${String(index).padStart(2, '0')}`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        ...(dice.chance(85) ? { 'topology.kubernetes.io/zone': dice.one(ZONES) } : {}),
        ...(dice.chance(60) ? { rack: dice.one(['r1', 'r2']) } : {}),
      },
    },
    spec: { taints: TAINTS.filter(() => dice.chance(20)), ...(dice.chance(5) ? { unschedulable: true } : {}) },
    status: {
      allocatable: {
        cpu: dice.one(['2', '4', '7900m']),
        memory: dice.one(['4Gi', '8Gi', '16G']),
        pods: dice.one(['5', '110']),
        ...(dice.chance(30) ? { 'example.com/gpu': '4' } : {}),
      },
      images: dice.chance(40) ? [{ names: ['app:1'], sizeBytes: 300_000_000 }] : [],
    },
  };
}

function term(dice: Dice): PodAffinityTerm {
  return {
    topologyKey: dice.one(KEYS),
    labelSelector: dice.chance(80) ? { matchLabels: { app: dice.one(APPS) } } : {},
    ...(dice.chance(20) ? { namespaces: [dice.one(NAMESPACES)] } : {}),
    ...(dice.chance(20) ? { namespaceSelector: dice.one([{}, { matchLabels: { team: 'a' } }]) } : {}),
  };
}

const preference = (dice: Dice, key: string, values: readonly string[]): PreferredSchedulingTerm => ({
  weight: dice.below(100) + 1,
  preference: { matchExpressions: [{ key, operator: 'In', values: [dice.one(values)] }] },
});

function affinity(dice: Dice): Affinity {
  const terms = (chance: number): PodAffinityTerm[] => (dice.chance(chance) ? [term(dice)] : []);
  const weighted = (chance: number) =>
    terms(chance).map((one) => ({ weight: dice.below(100) + 1, podAffinityTerm: one }));
  return {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: terms(15),
      preferredDuringSchedulingIgnoredDuringExecution: weighted(30),
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: terms(30),
      preferredDuringSchedulingIgnoredDuringExecution: weighted(30),
    },
    ...(dice.chance(30)
      ? {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              preference(dice, 'rack', ['r1', 'r2']),
              // With a second one, nodes have several scores, of which the greatest may be that of excluded nodes.
              ...(dice.chance(70) ? [preference(dice, 'topology.kubernetes.io/zone', ZONES)] : []),
            ],
          },
        }
      : {}),
  };
}

function spread(dice: Dice): TopologySpreadConstraint {
  return {
    maxSkew: dice.below(2) + 1,
    topologyKey: dice.one(KEYS),
    whenUnsatisfiable: dice.one(['DoNotSchedule', 'ScheduleAnyway']),
    labelSelector: { matchLabels: { app: dice.one(APPS) } },
    ...(dice.chance(20) ? { minDomains: 3, whenUnsatisfiable: 'DoNotSchedule' } : {}),
    ...(dice.chance(30) ? { nodeTaintsPolicy: 'Honor' } : {}),
    ...(dice.chance(30) ? { nodeAffinityPolicy: 'Ignore' } : {}),
  };
}

function spec(dice: Dice): PodSpec {
  const tolerations: Toleration[] = TAINTS.filter(() => dice.chance(40)).map(({ key }) => ({
    key,
    operator: 'Exists',
  }));
  return {
    containers: [
      {
        name: 'c',
        image: dice.one(['app:1', 'other']),
        ...(dice.chance(85)
          ? {
              resources: {
                requests: {
                  cpu: dice.one(['100m', '500m', '1']),
                  ...(dice.chance(70) ? { memory: dice.one(['128Mi', '1Gi', '500M']) } : {}),
                  ...(dice.chance(10) ? { 'example.com/gpu': '1' } : {}),
                },
              },
            }
          : {}),
        ...(dice.chance(10) ? { ports: [{ containerPort: 80, hostPort: 8080 }] } : {}),
      },
    ],
    tolerations,
    ...(dice.chance(20) ? { nodeSelector: { rack: 'r1' } } : {}),
    ...(dice.chance(40) ? { affinity: affinity(dice) } : {}),
    ...(dice.chance(40)
      ? { topologySpreadConstraints: dice.chance(40) ? [spread(dice), spread(dice)] : [spread(dice)] }
      : {}),
    ...(dice.chance(3) ? { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'none' } }] } : {}),
    ...(dice.chance(3) ? { schedulingGates: [{ name: 'wait' }] } : {}),
  };
}

/** @param most replicas of a workload */
function pods(dice: Dice, count: number, prefix: string, most = 6): readonly Pod[] {
  const made: Pod[] = [];
  while (made.length < count) {
    const one = spec(dice);
    const metadata = { namespace: dice.one(NAMESPACES), labels: { app: dice.one(APPS) } };
    const isOwned = dice.chance(30);
    const replicas = dice.below(most) + 1;
    for (let replica = 0; replica < replicas; replica++) {
      made.push({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          ...metadata,
          name: `${prefix}${made.length}`,
          ...(isOwned
            ? {
                ownerReferences: [
                  { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u', controller: true },
                ],
              }
            : {}),
        },
        spec: one,
      });
    }
  }
  // Mix the replicas of several workloads.
  return made
    .map((pod) => ({ pod, place: dice.below(1000) }))
    .sort((a, b) => a.place - b.place)
    .map(({ pod }) => pod);
}

const REPLICA_SETS = NAMESPACES.map((namespace) => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet' as const,
  metadata: { name: 'rs', namespace },
  spec: { selector: { matchLabels: { app: 'web' } } },
}));

const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service' as const,
  metadata: { name: 'db', namespace: 'one' },
  spec: { selector: { app: 'db' } },
};

function cluster(dice: Dice, { fewest, running } = { fewest: 6, running: 20 }): ClusterState {
  const nodes = Array.from({ length: fewest + dice.below(14) }, (_, index) => node(dice, index));
  const bound = pods(dice, running, 'b').map((pod) => ({
    ...pod,
    metadata: { ...pod.metadata, ...(dice.chance(10) ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}) },
    spec: { ...pod.spec, nodeName: dice.one(nodes).metadata.name },
  }));
  const namespaces = NAMESPACES.map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace' as const,
    metadata: { name, labels: { team: name === 'one' ? 'a' : 'b' } },
  }));
  const services = dice.chance(30) ? [SERVICE] : [];
  return ClusterState.build([...nodes, ...bound, ...namespaces, ...REPLICA_SETS, ...services] as KubernetesObject[], [
    'Node',
    'Pod',
    'Namespace',
    'DeviceClass',
    'ReplicaSet',
    'Service',
    'PersistentVolumeClaim',
  ]);
}

const ARGUMENTS: readonly PluginArguments[] = [
  {
    ...DEFAULT_ARGUMENTS,
    nodeResourcesFit: {
      ...DEFAULT_ARGUMENTS.nodeResourcesFit,
      scoringStrategy: {
        type: 'MostAllocated',
        resources: [
          { name: 'cpu', weight: 3 },
          { name: 'example.com/gpu', weight: 5 },
        ],
      },
    },
    interPodAffinity: { hardPodAffinityWeight: 70, ignorePreferredTermsOfExistingPods: true },
  },
];

/** A scheduler profile from a configuration. */
function configured(profile: JsonObject): SchedulerProfile {
  const apiVersion = 'kubescheduler.config.k8s.io/v1';
  const reading = readConfiguration({ apiVersion, kind: 'KubeSchedulerConfiguration', profiles: [profile] });
  if (reading.outcome === 'refused') throw new Error(reading.message);
  return reading.profiles[0]!;
}

const without = (...names: readonly string[]): JsonObject => ({
  plugins: { multiPoint: { disabled: names.map((name) => ({ name })) } },
});

const told = (name: string, args: JsonObject): JsonObject => ({ pluginConfig: [{ name, args }] });

const PROFILES: readonly SchedulerProfile[] = [
  DEFAULT_PROFILE,
  ...ARGUMENTS.map((args) => ({ ...DEFAULT_PROFILE, args: { ...DEFAULT_PROFILE.args, ...args } })),
  ...[
    without('TaintToleration', 'NodePorts'),
    without('NodeResourcesFit', 'PodTopologySpread'),
    without('InterPodAffinity', 'NodeAffinity', 'NodeUnschedulable'),
    { plugins: { filter: { disabled: [{ name: 'InterPodAffinity' }] } } },
    { plugins: { filter: { disabled: [{ name: '*' }] } } },
    { plugins: { score: { disabled: [{ name: '*' }], enabled: [{ name: 'ImageLocality', weight: 7 }] } } },
    { plugins: { score: { enabled: [{ name: 'Somebodys', weight: 2 }] } } },
    { plugins: { filter: { enabled: [{ name: 'Somebodys' }] } } },
    told('NodeResourcesFit', { ignoredResources: ['example.com/gpu'] }),
    told('NodeResourcesFit', { ignoredResourceGroups: ['example.com'] }),
    told('NodeAffinity', {
      addedAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'Exists' }] }],
        },
      },
    }),
    told('PodTopologySpread', {
      defaultingType: 'List',
      defaultConstraints: [
        { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
        { maxSkew: 2, topologyKey: 'rack', whenUnsatisfiable: 'ScheduleAnyway' },
      ],
    }),
  ].map((profile) => configured(profile)),
];

/** Schedules pods in a run and plainly, one after another, and compares each decision, and the amounts at the end. */
function compare(
  start: ClusterState,
  profileOf: SchedulerProfile,
  asked: readonly Pod[],
  pick: 'first' | 'last',
): void {
  let state = start;
  const profile = profilePlugins(profileOf, DEFAULT_GATES);
  const run = new SchedulingRun(state, profile, pick === 'first' ? {} : { pick: (tied) => tied - 1 });
  for (const pod of asked) {
    const plain = schedulePod(state, pod, profile);
    const fast = run.schedule(pod);
    if (plain.outcome !== 'placed' || fast.outcome !== 'placed') {
      expect([pod.metadata.name, fast.outcome]).toEqual([pod.metadata.name, plain.outcome]);
      if (plain.outcome === 'unplaced' && fast.outcome === 'unplaced') {
        expect(fast.placement().message()).toEqual(plain.placement.message());
      }
      continue;
    }
    const { feasible, total, best, uncertain } = plain;
    const index = pick === 'first' ? plain.node : best.at(-1)!;
    expect({ pod: pod.metadata.name, ...fast }).toEqual({
      pod: pod.metadata.name,
      outcome: 'placed',
      node: index,
      feasible,
      tied: best.length,
      ...(total === undefined ? {} : { total }),
      ...(uncertain === undefined ? {} : { uncertain }),
    });
    const bound: Pod = { ...pod, spec: { ...pod.spec, nodeName: state.nodes.name(index) } };
    state = state.apply({ upserts: [bound] });
  }
  expect(run.state().nodes.requested.at('cpu', 0)).toEqual(state.nodes.requested.at('cpu', 0));
}

describe('a run of pods', () => {
  it.each(Array.from({ length: PROFILES.length * 10 }, (_, seed) => seed))(
    'decides as the plain way does, seed %i',
    (seed) => {
      const dice = new Dice(seed + 1);
      const state = cluster(dice);
      compare(state, PROFILES[seed % PROFILES.length]!, pods(dice, 40, 'p'), seed % 2 === 0 ? 'first' : 'last');
    },
  );

  // Few nodes change between two pods of a spec, so that its best nodes are kept in trees.
  it.each(Array.from({ length: PROFILES.length * 2 }, (_, seed) => seed))(
    'decides as the plain way does for many replicas on many nodes, seed %i',
    (seed) => {
      const dice = new Dice(seed + 1001);
      const state = cluster(dice, { fewest: 70, running: 2 });
      const profile = PROFILES[seed % PROFILES.length]!;
      compare(state, profile, pods(dice, 70, 'p', 30), seed % 3 === 0 ? 'first' : 'last');
    },
  );
});
