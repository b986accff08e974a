import { DEFAULT_GATES } from '../../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../cluster/cluster-state.js';
import type { Pod, PodSpec } from '../../kubernetes/objects/pod.js';
import type { Taint } from '../../kubernetes/objects/taints.js';
import { DEFAULT_ARGUMENTS } from '../../placement/plugin-arguments.js';
import { DEFAULT_FILTERS } from '../../placement/profile.js';
import { DEFAULT_SCORES } from '../../placement/score-profile.js';
import { SchedulingRun } from '../run/scheduling-run.js';
import { schedulePod, type SchedulingProfile } from '../schedule-pod.js';
import { stepCapacity, type Capacity } from './step-capacity.js';
import { Dice } from '../../../../test/support/dice.js';

const PROFILE: SchedulingProfile = {
  filters: DEFAULT_FILTERS,
  scores: DEFAULT_SCORES,
  args: DEFAULT_ARGUMENTS,
  gates: DEFAULT_GATES,
};

const TAINTS: readonly Taint[] = [
  { key: 'dedicated', value: 'x', effect: 'NoSchedule' },
  { key: 'warm', effect: 'PreferNoSchedule' },
  { key: 'gone', effect: 'NoExecute' },
];
const APP = { matchLabels: { app: 'web' } };
const ZONE = 'topology.kubernetes.io/zone';

function cluster(dice: Dice): ClusterState {
  const nodes = Array.from({ length: 4 + dice.below(8) }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: `n${index}`,
      labels: { 'kubernetes.io/hostname': `n${index}`, ...(dice.chance(80) ? { [ZONE]: dice.one(['a', 'b']) } : {}) },
    },
    spec: { taints: TAINTS.filter(() => dice.chance(25)), ...(dice.chance(8) ? { unschedulable: true } : {}) },
    status: {
      allocatable: {
        cpu: dice.one(['1', '3900m', '4']),
        memory: dice.one(['2Gi', '7G']),
        pods: dice.one(['4', '110']),
        ...(dice.chance(40) ? { 'example.com/gpu': '3' } : {}),
      },
    },
  }));
  const bound = Array.from({ length: dice.below(12) }, (_, index) => ({
    ...pod(dice, `b${index}`),
    spec: { ...pod(dice, '').spec, nodeName: dice.one(nodes).metadata.name },
  }));
  const nominated = dice.chance(10) ? [{ ...pod(dice, 'nominee'), status: { nominatedNodeName: 'n0' } }] : [];
  return ClusterState.build([...nodes, ...bound, ...nominated], ['Node', 'Pod', 'Namespace', 'DeviceClass']);
}

function pod(dice: Dice, name: string): Pod {
  const requests = {
    ...(dice.chance(90) ? { cpu: dice.one(['0', '150m', '700m']) } : {}),
    ...(dice.chance(70) ? { memory: dice.one(['100Mi', '1Gi']) } : {}),
    ...(dice.chance(20) ? { 'example.com/gpu': '1' } : {}),
  };
  const more: Partial<PodSpec> = {
    ...(dice.chance(50) ? { tolerations: [{ operator: 'Exists' as const }] } : {}),
    ...(dice.chance(20) ? { nodeSelector: { [ZONE]: 'a' } } : {}),
    ...(dice.chance(15)
      ? {
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: ZONE,
              whenUnsatisfiable: dice.one(['DoNotSchedule', 'ScheduleAnyway']),
              labelSelector: APP,
            },
          ],
        }
      : {}),
    ...(dice.chance(15)
      ? {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: dice.one([ZONE, 'kubernetes.io/hostname']), labelSelector: APP },
              ],
            },
          },
        }
      : {}),
    ...(dice.chance(3) ? { schedulingGates: [{ name: 'wait' }] } : {}),
  };
  const ports = dice.chance(10) ? { ports: [{ containerPort: 80, hostPort: 8080 }] } : {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name, labels: { app: dice.one(['web', 'db']) } },
    spec: { containers: [{ name: 'c', resources: { requests }, ...ports }], ...more },
  };
}

function capacityOf(state: ClusterState, one: Pod): Capacity {
  const steps = stepCapacity(state, { pod: one, profile: PROFILE, unknowns: [] });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe('capacity', () => {
  const methods = new Set<string>();

  it.each(Array.from({ length: 150 }, (_, seed) => seed))(
    'equals the number of pods that fit one after another, seed %i',
    (seed) => {
      const dice = new Dice(seed + 7);
      const state = cluster(dice);
      const asked = pod(dice, 'p');
      const capacity = capacityOf(state, asked);
      methods.add(capacity.method);
      const run = new SchedulingRun(state, PROFILE);
      const replicas = new Float64Array(state.nodes.count);
      for (let number = 0; ; number++) {
        const next = { ...asked, metadata: { ...asked.metadata, name: `p-${number}` } };
        const decision = run.schedule(next);
        if (decision.outcome === 'placed') {
          replicas[decision.node]!++;
          continue;
        }
        const plain = schedulePod(run.state(), next, PROFILE);
        expect(plain.outcome).toBe('unplaced');
        if (plain.outcome !== 'unplaced') return;
        expect(capacity.next?.message()).toEqual(plain.placement.message());
        expect(capacity.next?.rollUp()).toEqual(plain.placement.rollUp());
        break;
      }
      expect([...capacity.replicas]).toEqual([...replicas]);
      expect(capacity.total).toBe(replicas.reduce((sum, count) => sum + count, 0));
    },
  );

  it('covers both methods', () => {
    expect([...methods].sort()).toEqual(['byNode', 'run']);
  });

  it('stops after the maximum number of pods', () => {
    const spread = {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'DoNotSchedule' as const,
          labelSelector: APP,
        },
      ],
    };
    const dice = new Dice(3);
    const one = pod(dice, 'p');
    const steps = stepCapacity(
      cluster(dice),
      { pod: { ...one, spec: { ...one.spec, ...spread } }, profile: PROFILE, unknowns: [] },
      { mostPlaced: 0 },
    );
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    expect([step.value.stopped, step.value.next]).toEqual(['pods', undefined]);
  });
});
