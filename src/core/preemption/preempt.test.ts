import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../kubernetes/objects/pod.js';
import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { reevaluatingExtensionsOf } from './placement-extensions.js';
import { preempt, type Preemption } from './preempt.js';
import { unscheduledMessage } from './unscheduled-message.js';
import { Dice } from '../../../test/support/dice.js';

const NOW = Date.UTC(2026, 4, 4);
const KINDS = ['Node', 'Pod', 'Namespace', 'PodDisruptionBudget', 'DeviceClass'] as const;
const HOSTNAME = 'kubernetes.io/hostname';

function node(name: string, more: Partial<Node> = {}, zone = 'a'): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { [HOSTNAME]: name, zone } },
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '20' } },
    ...more,
  };
}

interface Given {
  readonly cpu?: string;
  readonly priority?: number;
  readonly hostPort?: number;
  readonly app?: string;
  readonly startTime?: string | undefined;
  readonly terminating?: boolean;
  readonly spec?: Partial<Pod['spec']>;
  readonly status?: Pod['status'];
}

function pod(name: string, nodeName: string | undefined, given: Given = {}): Pod {
  const { cpu = '1', priority = 0, hostPort, app, startTime, terminating = false, spec, status } = given;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      ...(app === undefined ? {} : { labels: { app } }),
      ...(terminating ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {
      ...(nodeName === undefined ? {} : { nodeName }),
      priority,
      containers: [
        {
          name: 'main',
          resources: { requests: { cpu } },
          ...(hostPort === undefined ? {} : { ports: [{ containerPort: 80, hostPort }] }),
        },
      ],
      ...spec,
    },
    status: { phase: 'Running', ...(startTime === undefined ? {} : { startTime }), ...status },
  };
}

function preempting(objects: readonly KubernetesObject[], preemptor: Pod): { state: ClusterState; answer: Preemption } {
  const state = ClusterState.build(objects, KINDS);
  const placement = evaluatePlacement(state, { pod: preemptor, gates: DEFAULT_GATES });
  return { state, answer: preempt(placement, { now: NOW }) };
}

/** `node: victims` of each candidate, or the message. */
function told({ state, answer }: ReturnType<typeof preempting>): string {
  if (answer.outcome === 'unschedulable') return answer.message;
  return answer.candidates
    .map(
      ({ node: at, victims }) => `${state.nodes.name(at)}: ${victims.map((victim) => state.pods.name(victim)).join()}`,
    )
    .join('; ');
}

const urgent = (given: Given = {}): Pod => pod('urgent', undefined, { priority: 100, ...given });

const spreadOverHosts: TopologySpreadConstraint = {
  maxSkew: 1,
  topologyKey: HOSTNAME,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'web' } },
};

describe('preempt', () => {
  it.each<[string, readonly KubernetesObject[], Pod, string]>([
    [
      'brings back as many as it can, the longest running first',
      [
        node('n'),
        pod('old', 'n', { cpu: '2', startTime: '2026-01-01T00:00:00Z' }),
        pod('young', 'n', { cpu: '2', startTime: '2026-02-01T00:00:00Z' }),
      ],
      urgent({ cpu: '2' }),
      'n: young',
    ],
    [
      'takes of pods without a start time the first that was there',
      [node('n'), pod('one', 'n', { cpu: '2' }), pod('two', 'n', { cpu: '2' })],
      urgent({ cpu: '2' }),
      'n: one',
    ],
    [
      'frees a host port that a pod of a higher priority holds too, with that of the victim',
      [node('n'), pod('high', 'n', { priority: 200, hostPort: 80 }), pod('low', 'n', { hostPort: 80 })],
      urgent({ hostPort: 80 }),
      'n: low',
    ],
    [
      'does not take pods of the same priority',
      [node('n'), pod('same', 'n', { cpu: '4', priority: 100 })],
      urgent(),
      'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    ],
    [
      'leaves ended pods alone',
      [node('n'), pod('high', 'n', { cpu: '4', priority: 200 }), pod('over', 'n', { status: { phase: 'Failed' } })],
      urgent(),
      'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    ],
    [
      'counts one less for a pod that is being deleted and did not count',
      [
        node('a'),
        node('b'),
        pod('one', 'a', { app: 'web', priority: 200 }),
        pod('two', 'a', { app: 'web', terminating: true, cpu: '3' }),
        pod('full', 'b', { priority: 200, cpu: '4' }),
      ],
      urgent({ app: 'web', cpu: '1', spec: { topologySpreadConstraints: [spreadOverHosts] } }),
      'a: two',
    ],
    [
      'says what still fails without the victims',
      [
        node('n'),
        pod('high', 'n', { priority: 200, cpu: '3' }),
        pod('low', 'n', { cpu: '1' }),
        node('m', { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } }),
      ],
      urgent({ cpu: '2' }),
      'preemption: 0/2 nodes are available: 1 Insufficient cpu, 1 Preemption is not helpful for scheduling.',
    ],
  ])('%s', (_, objects, preemptor, expected) => {
    expect(told(preempting(objects, preemptor))).toBe(expected);
  });

  it('appends its own message to the complete message, or nothing if it succeeds', () => {
    const message = (priority: number): string | undefined => {
      const state = ClusterState.build([node('n'), pod('low', 'n', { cpu: '4' })], KINDS);
      const placement = evaluatePlacement(state, { pod: urgent({ priority }), gates: DEFAULT_GATES });
      return unscheduledMessage(placement, preempt(placement, { now: NOW })).text;
    };
    expect(message(100)).toBe('0/1 nodes are available: 1 Insufficient cpu.');
    expect(message(0)).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    );
  });

  it('waits for victims that are already terminating, and says so', () => {
    const conditions = [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }];
    const victim = pod('low', 'n', { cpu: '4', terminating: true, status: { phase: 'Running', conditions } });
    const { answer } = preempting([node('n'), victim], urgent({ status: { nominatedNodeName: 'n' } }));
    expect(answer).toMatchObject({
      message: 'preemption: not eligible due to a terminating pod on the nominated node.',
      clearsNomination: false,
    });
  });

  it('is not tried for a pod that fits or is gated, or without nodes', () => {
    const outcome = (objects: readonly KubernetesObject[], given: Given = {}): string =>
      preempting(objects, urgent(given)).answer.outcome;
    expect(outcome([node('n')])).toBe('notTried');
    expect(outcome([])).toBe('notTried');
    expect(outcome([node('n')], { spec: { schedulingGates: [{ name: 'g' }] } })).toBe('notTried');
  });

  it('finds the same candidates incrementally and by evaluating every filter again', () => {
    let nominated = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const dice = new Dice(seed * 7919);
      const state = ClusterState.build(cluster(dice), KINDS);
      const placement = evaluatePlacement(state, { pod: preemptorOf(dice), gates: DEFAULT_GATES });
      const quick = preempt(placement, { now: NOW });
      if (quick.outcome === 'nominated') nominated++;
      expect({ seed, ...quick }).toEqual({
        seed,
        ...preempt(placement, { now: NOW, extensionsFor: reevaluatingExtensionsOf }),
      });
    }
    expect(nominated).toBeGreaterThan(30);
  });
});

const APPS = ['web', 'db'];

function antiAffinity(dice: Dice): Partial<Pod['spec']> {
  const term = (): PodAffinityTerm => ({
    topologyKey: dice.one([HOSTNAME, 'zone']),
    labelSelector: { matchLabels: { app: dice.one(APPS) } },
  });
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  return {
    affinity: {
      ...(dice.chance(70) && { podAntiAffinity: { [required]: dice.chance(50) ? [term()] : [term(), term()] } }),
      ...(dice.chance(30) && { podAffinity: { [required]: dice.chance(70) ? [term()] : [term(), term()] } }),
    },
  };
}

function cluster(dice: Dice): readonly KubernetesObject[] {
  const nodes = Array.from({ length: 3 + dice.below(4) }, (_, index) =>
    node(
      `n${index}`,
      dice.chance(15) ? { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } } : {},
      dice.one(['a', 'b']),
    ),
  );
  // No two pods of a node use the same port, and none is being deleted: otherwise upstream's updated counts differ from a new
  // evaluation.
  const pods = nodes.flatMap(({ metadata: { name } }) =>
    Array.from({ length: 2 + dice.below(5) }, (_, index) =>
      pod(`${name}-${index}`, name, {
        cpu: dice.one(['500m', '1', '1500m']),
        priority: dice.one([-10, 0, 0, 10, 200]),
        ...(dice.chance(25) ? { hostPort: 8000 + index } : {}),
        ...(dice.chance(80) ? { app: dice.one(APPS) } : {}),
        startTime: dice.chance(90) ? `2026-01-0${1 + dice.below(3)}T00:00:00Z` : undefined,
        ...(dice.chance(20) ? { spec: antiAffinity(dice) } : {}),
      }),
    ),
  );
  const waiting = dice.chance(30)
    ? [pod('waiting', undefined, { priority: 150, status: { phase: 'Pending', nominatedNodeName: 'n0' } })]
    : [];
  const budgets = APPS.filter(() => dice.chance(40)).map((app) => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget' as const,
    metadata: { name: app, namespace: 'default' },
    spec: { selector: { matchLabels: { app } } },
    status: { disruptionsAllowed: dice.below(3) },
  }));
  return [...nodes, ...pods, ...waiting, ...budgets];
}

function preemptorOf(dice: Dice): Pod {
  return urgent({
    cpu: dice.one(['1', '2', '3500m']),
    ...(dice.chance(80) ? { app: dice.one(APPS) } : {}),
    ...(dice.chance(25) ? { hostPort: 8000 + dice.below(4) } : {}),
    spec: {
      ...(dice.chance(50) ? antiAffinity(dice) : {}),
      ...(dice.chance(40)
        ? {
            topologySpreadConstraints: [
              { ...spreadOverHosts, topologyKey: dice.one([HOSTNAME, 'zone']), maxSkew: 1 + dice.below(2) },
            ],
          }
        : {}),
    },
  });
}
