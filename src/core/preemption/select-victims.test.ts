import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { reevaluatingExtensionsOf } from './placement-extensions.js';
import { preempt } from './preempt.js';

const NOW = Date.UTC(2026, 4, 4);
const KINDS = ['Node', 'Pod', 'Namespace', 'PodDisruptionBudget', 'DeviceClass'] as const;

type Amounts = Readonly<Record<string, string>>;

const node = (name: string, allocatable: Amounts): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '500', ...allocatable } },
});

interface Given {
  readonly priority?: number;
  readonly app?: string;
  readonly startTime?: string;
}

const pod = (name: string, nodeName: string | undefined, requests: Amounts, given: Given = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...(given.app === undefined ? {} : { labels: { app: given.app } }) },
  spec: {
    ...(nodeName === undefined ? {} : { nodeName }),
    priority: given.priority ?? 0,
    containers: [{ name: 'main', resources: { requests } }],
  },
  status: { phase: 'Running', ...(given.startTime === undefined ? {} : { startTime: given.startTime }) },
});

/** `node: victims (how many are protected)` of each candidate, or the message. Both ways of evaluation must agree. */
function told(objects: readonly KubernetesObject[], requests: Amounts): string {
  const state = ClusterState.build(objects, KINDS);
  const urgent = pod('urgent', undefined, requests, { priority: 100 });
  const placement = evaluatePlacement(state, { pod: urgent, gates: DEFAULT_GATES });
  const quick = preempt(placement, { now: NOW });
  expect(quick).toEqual(preempt(placement, { now: NOW, extensionsFor: reevaluatingExtensionsOf }));
  if (quick.outcome === 'unschedulable') return quick.message;
  return quick.candidates
    .map(({ node: at, victims, pdbViolations }) => {
      const names = victims.map((victim) => state.pods.name(victim)).join();
      return `${state.nodes.name(at)}: ${names} (${pdbViolations})`;
    })
    .join('; ');
}

const BEYOND = '9007199254740993';
const EDGE = '9007199254740992';

const started = (order: number): string => new Date(Date.UTC(2026, 0, 1) + order * 60_000).toISOString();

describe('selectVictims', () => {
  it.each<[string, readonly KubernetesObject[], Amounts, string]>([
    [
      'counts amounts exactly that no double holds',
      [
        node('n', { memory: BEYOND }),
        pod('high', 'n', { memory: '1' }, { priority: 200 }),
        pod('low', 'n', { memory: '5' }),
      ],
      { memory: EDGE },
      'n: low (0)',
    ],
    [
      'refuses for one byte too few among them',
      [
        node('n', { memory: BEYOND }),
        pod('high', 'n', { memory: '2' }, { priority: 200 }),
        pod('low', 'n', { memory: '5' }),
      ],
      { memory: EDGE },
      'preemption: 0/1 nodes are available: 1 Insufficient memory.',
    ],
    [
      'brings back only as many as may run there, the preemptor included',
      [node('n', { pods: '2' }), pod('one', 'n', {}, { priority: 1 }), pod('two', 'n', {})],
      {},
      'n: two (0)',
    ],
    [
      'passes over a pod that is too large for one resource, and brings back a smaller one after it',
      [
        node('n', { cpu: '4', memory: '8' }),
        pod('wide', 'n', { cpu: '1', memory: '6' }, { priority: 3 }),
        pod('tall', 'n', { cpu: '3', memory: '1' }, { priority: 2 }),
        pod('small', 'n', { memory: '1' }, { priority: 1 }),
      ],
      { cpu: '2', memory: '1' },
      'n: tall (0)',
    ],
    [
      'counts budgets anew for each node, and brings the pods back first that they protect',
      [
        node('a', { cpu: '3' }),
        node('b', { cpu: '1' }),
        pod('a-other', 'a', { cpu: '1' }, { priority: 3 }),
        pod('a-first', 'a', { cpu: '1' }, { priority: 2, app: 'web' }),
        pod('a-second', 'a', { cpu: '1' }, { priority: 1, app: 'web' }),
        pod('b-only', 'b', { cpu: '1' }, { app: 'web' }),
        {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'web', namespace: 'default' },
          spec: { selector: { matchLabels: { app: 'web' } } },
          status: { disruptionsAllowed: 1 },
        } as KubernetesObject,
      ],
      { cpu: '1' },
      'a: a-first (0); b: b-only (0)',
    ],
  ])('%s', (_, objects, requests, expected) => {
    expect(told(objects, requests)).toBe(expected);
  });

  it.each([[40], [300]])('evicts the youngest of %i pods, in whatever order the node lists them', (count) => {
    const pods = Array.from({ length: count }, (_, index) => {
      const order = (index * 17) % count;
      return pod(`p${order}`, 'n', { cpu: '10m' }, { startTime: started(order) });
    });
    const objects = [node('n', { cpu: `${count * 10}m` }), ...pods];
    expect(told(objects, { cpu: '20m' })).toBe(`n: p${count - 2},p${count - 1} (0)`);
  });
});
