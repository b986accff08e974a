import { describe, expect, it } from '@jest/globals';
import { Dice } from '../../../test/support/dice.js';
import { interleaved } from '../../../test/support/interleaved.js';
import { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod, PodAffinityTerm, PodSpec } from '../kubernetes/objects/pod.js';
import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { stepEvaluatePlacement } from '../placement/evaluate-placement.js';
import { stepPreempt } from '../preemption/preempt.js';
import { unscheduledMessage } from '../preemption/unscheduled-message.js';
import { DEFAULT_PROFILE } from '../scheduler-configuration/default-profile.js';
import { stepRankPlacement } from './node-ranking.js';
import { profilePlugins } from './profile-plugins.js';
import { stepInQueueOrder, stepPendingPods } from './queue/queued-work.js';
import { stepQueue } from './queue/step-queue.js';

const PROFILE = profilePlugins(DEFAULT_PROFILE, DEFAULT_GATES);
const NOW = Date.UTC(2026, 4, 4);
const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const NODES = 12;

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

function aNode(name: string, dice: Dice): object {
  const taints = [{ key: 'dedicated', value: 'x', effect: dice.one(['NoSchedule', 'PreferNoSchedule']) }];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { [HOST]: name, [ZONE]: dice.one(['a', 'b', 'c']) } },
    spec: { ...(dice.chance(30) && { taints }) },
    status: {
      allocatable: { cpu: dice.one(['4', '8']), memory: '8Gi', pods: '20' },
      images: [{ names: ['app:1'], sizeBytes: 1e8 * (1 + dice.below(9)) }],
    },
  };
}

function aPod(name: string, dice: Dice, more: Partial<PodSpec> = {}): Pod {
  const app = dice.one(['a', 'b', 'c']);
  const labelSelector = { matchLabels: { app: dice.one(['a', 'b', 'c']) } };
  const terms = (): PodAffinityTerm[] =>
    times(1 + dice.below(3), () => ({ labelSelector, topologyKey: dice.one([ZONE, HOST]), namespaceSelector: {} }));
  const kind = dice.one(['podAffinity', 'podAntiAffinity'] as const);
  const when = 'requiredDuringSchedulingIgnoredDuringExecution';
  const spread = { maxSkew: 1 + dice.below(3), topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', labelSelector };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: dice.one(['default', 'shop']),
      name,
      labels: { app },
      creationTimestamp: `2026-01-0${1 + dice.below(9)}T00:00:00Z`,
    },
    spec: {
      containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu: dice.one(['100m', '1', '2']) } } }],
      priority: dice.one([0, 0, 10, 100]),
      ...(dice.chance(20) && { affinity: { [kind]: { [when]: terms() } } }),
      ...(dice.chance(20) && { topologySpreadConstraints: [spread] }),
      ...(dice.chance(30) && { tolerations: [{ operator: 'Exists' }] }),
      ...more,
    },
    status: { phase: 'Running', startTime: `2026-02-0${1 + dice.below(9)}T00:00:00Z` },
  };
}

function aState(dice: Dice, placed: number): ClusterState {
  const objects = [
    ...['default', 'shop'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    ...times(NODES, (index) => aNode(`n${index}`, dice)),
    ...times(placed, (index) => aPod(`on-${index}`, dice, { nodeName: `n${dice.below(NODES)}` })),
    ...times(40, (index) => aPod(`pending-${index}`, dice)),
  ];
  const kinds = ['Node', 'Pod', 'Namespace', 'PodDisruptionBudget', 'DeviceClass'] as const;
  return ClusterState.build(objects as KubernetesObject[], kinds);
}

/** Where a pod fits, which pods would be evicted for it, and which node is the best. */
function* stepPlaced(state: ClusterState, pod: Pod): Generator<undefined, unknown> {
  const { filters, gates } = PROFILE;
  const placement = yield* stepEvaluatePlacement(state, { pod, filters, gates });
  const preemption = yield* stepPreempt(placement, { now: NOW });
  const ranking = yield* stepRankPlacement(placement, PROFILE);
  return [
    placement.verdicts,
    placement.rollUp(),
    preemption,
    unscheduledMessage(placement, preemption),
    ranking.nodes(),
  ];
}

function* stepQueued(state: ClusterState): Generator<undefined, unknown> {
  const { work } = yield* stepPendingPods(state, 'default-scheduler');
  return yield* stepQueue(state, yield* stepInQueueOrder(work), PROFILE);
}

describe('computations in steps', () => {
  it.each(times(12, (seed) => seed))('have the same results while others run in between (seed %i)', (seed) => {
    const dice = new Dice(seed + 1);
    // Two on one state share what it keeps.
    const states = times(2, () => aState(dice, seed < 2 ? 1200 : 80));
    const pods = times(6, (index) => aPod(`new-${index}`, dice, dice.chance(50) ? { priority: 1000 } : {}));
    const hungry = aPod('hungry', dice, {
      priority: 1000,
      containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu: '7500m' } } }],
    });
    const all = (): Generator<undefined, unknown>[] => [
      ...states.flatMap((state) => [...pods, hungry].map((pod) => stepPlaced(state, pod))),
      ...states.map(stepQueued),
    ];
    const alone = all().map(finish);
    expect(interleaved(all(), dice)).toEqual(alone);
  });
});
