import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import { parseSelector } from '../kubernetes/label-selector.js';
import type { KubernetesObject, OwnerReference } from '../kubernetes/objects/meta.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import { stepBudgetMatches } from '../disruption/budget-matches.js';
import type { ReschedulingEvent } from '../rescheduling/rescheduling.js';
import { stepRescheduling } from '../rescheduling/step-rescheduling.js';
import type { DrainOptions, DrainPlan, RollingOptions } from './drain-plan.js';
import { stepDrainPlan } from './step-drain-plan.js';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const KINDS: readonly KeptKind[] = [
  'Node',
  'Pod',
  'PodDisruptionBudget',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Deployment',
];

const owned = (kind: string, name: string, apiVersion = 'apps/v1'): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid: `${kind}-${name}`,
  controller: true,
});

interface PodWords {
  readonly node: string;
  readonly app?: string;
  readonly owner?: OwnerReference | null;
  readonly ready?: boolean;
  readonly meta?: Partial<Pod['metadata']>;
  readonly spec?: Partial<PodSpec>;
  readonly phase?: string;
}

const pod = (name: string, words: PodWords): Pod => {
  const { node, app = 'web', owner = owned('ReplicaSet', app), ready = true, meta, spec, phase = 'Running' } = words;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      labels: { app },
      ...(owner !== null && { ownerReferences: [owner] }),
      ...meta,
    },
    spec: { containers: [], nodeName: node, ...spec },
    status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
};
const workload = (kind: string, name: string, replicas: number): KubernetesObject =>
  ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'shop', uid: `${kind}-${name}` },
    spec: { replicas },
  }) as KubernetesObject;
const budget = (
  spec: NonNullable<PodDisruptionBudget['spec']>,
  name = 'web',
  app = 'web',
  status?: NonNullable<PodDisruptionBudget['status']>,
): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace: 'shop', generation: 1 },
  spec: { selector: { matchLabels: { app } }, ...spec },
  ...(status !== undefined && { status }),
});

/** A node with room for that many pods. */
const spare = (name: string, pods = 110, spec: object = {}): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    spec,
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: String(pods) } },
  }) as KubernetesObject;

function finished<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function plan(
  objects: readonly KubernetesObject[],
  options: Partial<Omit<DrainOptions, 'podSelector'>> & { readonly podSelector?: string } & Partial<RollingOptions> & {
      kinds?: readonly KeptKind[];
      node?: object;
      /** Nodes that are not drained. */
      others?: readonly KubernetesObject[];
    } = {},
): DrainPlan & { readonly state: ClusterState } {
  const {
    podSelector = '',
    maxParallel = 1,
    replacementReadySeconds = 60,
    kinds = KINDS,
    node = {},
    others = [spare('spare')],
    ...flags
  } = options;
  const names = [
    ...new Set(objects.flatMap((object) => (object.kind === 'Pod' ? [(object as Pod).spec.nodeName!] : []))),
  ].sort();
  const nodes = names.map((name) => {
    const { metadata, ...rest } = node as { metadata?: object };
    return { apiVersion: 'v1', kind: 'Node', metadata: { ...metadata, name }, ...rest };
  });
  const state = ClusterState.build([...nodes, ...others, ...objects], kinds);
  const question = {
    nodes: names.map((name) => state.nodes.indexOf(name)),
    options: {
      force: false,
      ignoreDaemonSets: false,
      deleteEmptyDirData: false,
      disableEviction: false,
      skipWaitForDeleteTimeoutSeconds: 0,
      gracePeriodSeconds: -1,
      timeoutSeconds: 0,
      ...flags,
      podSelector: parseSelector(podSelector),
    },
    taint: { key: 'drain', value: 'true', effect: 'NoExecute' },
    rolling: { maxParallel, replacementReadySeconds },
    now: NOW,
    gates: DEFAULT_GATES,
  };
  return { ...finished(stepDrainPlan(state, finished(stepBudgetMatches(state)), question)), state };
}

/** `node outcome start-end`, in seconds from now. */
const course = ({ nodes, state }: ReturnType<typeof plan>): string[] =>
  nodes.map(({ node, outcome, startsAt, endsAt }) =>
    [
      state.nodes.name(node),
      outcome,
      ...[startsAt, endsAt].map((at) => (at === undefined ? '?' : (at - NOW) / 1000)),
    ].join(' '),
  );
const fates = ({ pods, state }: ReturnType<typeof plan>): string[] =>
  pods.map(({ pod: index, rolling: fate }) =>
    [
      state.pods.name(index),
      fate?.outcome ?? 'stays',
      ...(fate?.evictedAt === undefined
        ? []
        : [(fate.evictedAt - NOW) / 1000, (fate.goneAt! - NOW) / 1000, `round ${fate.round}`]),
    ].join(' '),
  );

const THREE = [
  pod('web-0', { node: 'a' }),
  pod('web-1', { node: 'b' }),
  pod('web-2', { node: 'c' }),
  workload('ReplicaSet', 'web', 3),
];

describe('stepDrainPlan, one node after another', () => {
  it('waits for the replacement if the budget allows no disruption, and retries every 5 s from the start of the node', () => {
    const answer = plan([...THREE, budget({ minAvailable: 2 })], { replacementReadySeconds: 61 });
    // a: 0-30. b starts at 30; its pod can be evicted when the first replacement is ready at 61, and is evicted at the
    // retry at 65. c starts at 95.
    expect(course(answer)).toEqual(['a drained 0 30', 'b drained 30 95', 'c drained 95 160']);
    expect(answer.pods[1]!.rolling).toMatchObject({ outcome: 'evicted', tries: 8, round: 1 });
    expect((answer.endsAt! - NOW) / 1000).toBe(160);
  });

  it('waits longer for a StatefulSet, which replaces a pod only after it is gone', () => {
    const owner = owned('StatefulSet', 'web');
    const pods = ['a', 'b'].map((node, i) => pod(`web-${i}`, { node, owner }));
    const answer = plan([...pods, workload('StatefulSet', 'web', 2), budget({ maxUnavailable: 1 })]);
    expect(course(answer)).toEqual(['a drained 0 30', 'b drained 30 120']);
  });

  it('waits no longer for a Job than for a ReplicaSet: both replace a pod immediately', () => {
    const owner = owned('Job', 'web', 'batch/v1');
    const pods = ['a', 'b'].map((node, i) => pod(`web-${i}`, { node, owner }));
    expect(course(plan([...pods, budget({ minAvailable: 1 })]))).toEqual(['a drained 0 30', 'b drained 30 90']);
  });

  it('uses no disruption for a pod whose eviction was granted before', () => {
    const pods = [0, 1, 2, 3].map((i) => pod(`web-${i}`, { node: 'a' }));
    const granted = { disruptedPods: { 'web-0': '2026-01-15T11:59:50Z' } };
    const answer = plan([
      ...pods,
      workload('ReplicaSet', 'web', 4),
      budget({ minAvailable: 2 }, 'web', 'web', granted),
    ]);
    expect(fates(answer)).toEqual([
      'web-0 evicted 0 30 round 1',
      'web-1 evicted 0 30 round 1',
      'web-2 evicted 60 90 round 2',
      // The pod that was on its way is replaced as well.
      'web-3 evicted 60 90 round 2',
    ]);
  });

  it('lists the budget first that blocks the most pods', () => {
    const db = ['db-0', 'db-1'].map((name) => pod(name, { node: 'a', app: 'db' }));
    const sets = [workload('ReplicaSet', 'web', 1), workload('ReplicaSet', 'db', 2)];
    const budgets = [budget({ maxUnavailable: 0 }, 'a-web'), budget({ maxUnavailable: 0 }, 'b-db', 'db')];
    const answer = plan([pod('web-0', { node: 'a' }), ...db, ...sets, ...budgets]);
    expect(answer.blocking.map(({ budget: index, pods }) => [index, pods])).toEqual([
      [1, 2],
      [0, 1],
    ]);
  });

  it('drains several nodes in parallel, which compete for the budget', () => {
    const answer = plan([...THREE, budget({ minAvailable: 2 })], { maxParallel: 3 });
    expect(fates(answer)).toEqual([
      'web-0 evicted 0 30 round 1',
      'web-1 evicted 60 90 round 1',
      'web-2 evicted 120 150 round 1',
    ]);
  });

  it('evicts the pods of one node in rounds', () => {
    const pods = [0, 1, 2].map((i) => pod(`web-${i}`, { node: 'a', spec: { terminationGracePeriodSeconds: 10 } }));
    const answer = plan([...pods, workload('ReplicaSet', 'web', 3), budget({ maxUnavailable: '50%' })]);
    // 50% of 3 rounds up to 2.
    expect(fates(answer)).toEqual([
      'web-0 evicted 0 10 round 1',
      'web-1 evicted 0 10 round 1',
      'web-2 evicted 60 70 round 2',
    ]);
    expect(answer.nodes[0]!.rounds).toBe(2);
    expect(answer.nodes[0]!.counts.refusedNow).toBe(1);
  });

  it.each<[string, NonNullable<PodDisruptionBudget['spec']>, string]>([
    ['maxUnavailable 0', { maxUnavailable: 0 }, 'neverAllows'],
    ['minAvailable as many as there are', { minAvailable: '100%' }, 'neverAllows'],
    ['a sync that fails', { maxUnavailable: 'abc' }, 'syncFails'],
  ])('never ends under %s, and names the budget', (_, spec, why) => {
    const answer = plan([...THREE, budget(spec)]);
    expect(course(answer)).toEqual(['a blocked 0 ?', 'b notReached ? ?', 'c notReached ? ?']);
    expect(answer.endsAt).toBeUndefined();
    expect(answer.blocking).toMatchObject([{ why, pods: 1, nodes: 1 }]);
    expect(answer.pods[0]!.firstTry).toMatchObject({ review: { allowed: false, code: 429 } });
  });

  const silent = { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
  const outOfService = { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] };

  it.each<[string, Parameters<typeof plan>[1], string]>([
    ['waits without a limit for the pods of a silent node', { node: silent }, 'a stuck 0 ?'],
    [
      'does not wait beyond the limit of skipWaitForDeleteTimeoutSeconds',
      { node: silent, skipWaitForDeleteTimeoutSeconds: 60 },
      'a drained 0 91',
    ],
    [
      'does not wait if the node is marked out of service',
      { node: { ...silent, spec: outOfService } },
      'a drained 0 20',
    ],
    ['does not wait for pods that are deleted forcibly', { node: silent, gracePeriodSeconds: 0 }, 'a drained 0 0'],
    ['succeeds if the pods are gone exactly at the timeout', { timeoutSeconds: 30 }, 'a drained 0 30'],
    ['waits at most until the timeout', { node: silent, timeoutSeconds: 45 }, 'a timedOut 0 45'],
  ])('%s', (_, options, expected) => {
    expect(course(plan(THREE.slice(0, 1), options))).toEqual([expected]);
  });

  it('gives up on a node at the timeout, and continues', () => {
    const answer = plan([...THREE, budget({ maxUnavailable: 0 })], { timeoutSeconds: 20 });
    expect(course(answer)).toEqual(['a timedOut 0 20', 'b timedOut 20 40', 'c timedOut 40 60']);
  });

  it('does not wait for pods that no controller replaces', () => {
    const pods = ['a', 'b'].map((node, i) => pod(`web-${i}`, { node, owner: null }));
    const answer = plan([...pods, budget({ minAvailable: 1 })], { force: true });
    expect(course(answer)).toEqual(['a drained 0 30', 'b blocked 30 ?']);
    expect(answer.blocking).toMatchObject([{ why: 'notEnoughHealthy' }]);
  });

  it('refuses a node with a pod that kubectl does not delete, and continues with the next', () => {
    const answer = plan([pod('bare', { node: 'a', owner: null }), pod('web-1', { node: 'b' })]);
    expect(course(answer)).toEqual(['a refused 0 0', 'b drained 0 30']);
    expect(answer.nodes[0]!.errors).toEqual([
      'cannot delete Pods that declare no controller (use --force to override): shop/bare',
    ]);
  });

  it('bypasses budgets if pods are deleted', () => {
    const answer = plan([...THREE, budget({ maxUnavailable: 0 })], { disableEviction: true, gracePeriodSeconds: 5 });
    expect(course(answer)).toEqual(['a drained 0 5', 'b drained 5 10', 'c drained 10 15']);
  });

  it('fails for a pod with two budgets', () => {
    const answer = plan([...THREE, budget({ minAvailable: 0 }), budget({ minAvailable: 0 }, 'other')]);
    expect(course(answer)).toEqual(['a failed 0 0', 'b failed 0 0', 'c failed 0 0']);
    expect(answer.pods[0]!.firstTry).toMatchObject({ review: { code: 500 } });
  });

  it('is unknown if the controllers are not stored', () => {
    const answer = plan([...THREE, budget({ maxUnavailable: 1 })], { kinds: ['Node', 'Pod', 'PodDisruptionBudget'] });
    expect(course(answer)).toEqual(['a unknown 0 ?', 'b unknown ? ?', 'c unknown ? ?']);
    expect(answer.nodes.map(({ unknownBecause }) => unknownBecause)).toEqual([
      [expect.stringMatching(/^the status of PodDisruptionBudget shop\/web is not known: .*ReplicaSet/)],
      ['whether the drain of node a ends is not known'],
      ['whether the drain of node a ends is not known'],
    ]);
    expect(answer.pods[0]!.firstTry).toMatchObject({ unknown: expect.stringContaining('ReplicaSet') as unknown });
  });

  describe('without stored controllers', () => {
    const kinds: readonly KeptKind[] = ['Node', 'Pod', 'PodDisruptionBudget'];

    it('does not know when a node reaches the timeout, but continues', () => {
      const answer = plan([...THREE, budget({ maxUnavailable: 1 })], { kinds, timeoutSeconds: 20 });
      expect(course(answer)).toEqual(['a unknown 0 ?', 'b unknown 20 ?', 'c unknown 40 ?']);
    });

    it('does not know when the next node starts if this one may end before the timeout', () => {
      const answer = plan([...THREE, budget({ maxUnavailable: 1 })], { kinds, timeoutSeconds: 31 });
      expect(course(answer)).toEqual(['a unknown 0 ?', 'b unknown ? ?', 'c unknown ? ?']);
    });

    it('fails for a pod with two budgets, whatever is known about them', () => {
      const answer = plan([...THREE, budget({ maxUnavailable: 1 }), budget({ maxUnavailable: 1 }, 'other')], { kinds });
      expect(course(answer)).toEqual(['a failed 0 0', 'b failed 0 0', 'c failed 0 0']);
    });

    it('bases the first try on the stored status', () => {
      const status = { currentHealthy: 3, desiredHealthy: 2, disruptionsAllowed: 1, observedGeneration: 1 };
      const answer = plan([...THREE, budget({ maxUnavailable: 1 }, 'web', 'web', status)], { kinds });
      expect(answer.pods[0]!.firstTry).toMatchObject({ review: { allowed: true }, basedOn: 'stored' });
    });

    it('assumes that a DaemonSet exists', () => {
      const daemon = pod('agent-0', { node: 'a', app: 'agent', owner: owned('DaemonSet', 'agent') });
      const answer = plan([daemon], { kinds, ignoreDaemonSets: true });
      expect(answer.nodes[0]).toMatchObject({ errors: [], warnings: [expect.stringMatching('^ignoring DaemonSet')] });
    });
  });

  it('evicts unready and ended pods, and waits for a terminating one until it is due', () => {
    const answer = plan(
      [
        pod('done', { node: 'a', phase: 'Succeeded', ready: false }),
        pod('going', { node: 'a', meta: { deletionTimestamp: '2026-01-15T12:00:20Z' } }),
        pod('sick', { node: 'a', ready: false }),
        pod('web-1', { node: 'b' }),
        workload('ReplicaSet', 'web', 1),
        budget({ maxUnavailable: 0 }),
      ],
      { timeoutSeconds: 300 },
    );
    expect(fates(answer).slice(0, 3)).toEqual([
      'done evicted 0 0 round 1',
      'going evicted 0 20 round 1',
      'sick evicted 0 30 round 1',
    ]);
  });
});

describe('stepDrainPlan, with the replacements that the scheduler places', () => {
  /** `pod verdict node landedAt-readyAt`, in seconds from now. */
  const replacements = ({ pods, state }: ReturnType<typeof plan>): string[] =>
    pods.flatMap(({ pod: index, rolling }) => {
      if (rolling?.replacement === undefined) return [];
      const { verdict, never, node, landedAt, readyAt } = rolling.replacement;
      const times = [landedAt, readyAt].map((at) => (at === undefined ? '?' : (at - NOW) / 1000));
      const on = node === undefined ? 'nowhere' : state.nodes.name(node);
      return [[state.pods.name(index), verdict ?? never, on, ...times].join(' ')];
    });
  const withoutNode = ({ nodes, state }: ReturnType<typeof plan>): (readonly string[])[] =>
    nodes.map((node) => node.withoutNode.map(({ pod: index }) => state.pods.name(index)));

  it('replenishes no budget with a replacement that finds no node, and names the pod and why', () => {
    const answer = plan([...THREE, budget({ minAvailable: 2 })], { others: [] });
    expect(course(answer)).toEqual(['a podsPending 0 30', 'b blocked 30 ?', 'c notReached ? ?']);
    expect(withoutNode(answer)).toEqual([['web-0'], [], []]);
    expect(answer.pods[0]!.rolling!.replacement!.refusal!.message.text).toBe(
      '0/3 nodes are available: 3 node(s) were unschedulable. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    );
    expect(answer.blocking).toMatchObject([{ why: 'notEnoughHealthy', pods: 1, nodes: 1 }]);
    expect(answer.endsAt).toBeUndefined();
  });

  it('goes on where no budget asks, but calls no such node drained', () => {
    const answer = plan(THREE, { others: [] });
    expect(course(answer)).toEqual(['a podsPending 0 30', 'b podsPending 30 60', 'c podsPending 60 90']);
    expect((answer.endsAt! - NOW) / 1000).toBe(90);
  });

  it('places replacements one after another, until there is no room', () => {
    const answer = plan([...THREE, budget({ minAvailable: 2 })], { others: [spare('spare', 1)] });
    expect(course(answer)).toEqual(['a drained 0 30', 'b podsPending 30 90', 'c blocked 90 ?']);
    expect(replacements(answer)).toEqual(['web-0 feasible spare 0 60', 'web-1 none nowhere ? ?']);
  });

  it('waits until a replacement can be placed', () => {
    const apart: Partial<PodSpec> = {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'zone' },
          ],
        },
      },
    };
    const zoned = (name: string, zone: string) => {
      const node = spare(name);
      return { ...node, metadata: { ...node.metadata, labels: { zone } } };
    };
    const answer = plan([pod('web-0', { node: 'a', spec: apart }), workload('ReplicaSet', 'web', 1)], {
      others: [zoned('x', 'z')],
      node: { metadata: { labels: { zone: 'z' } } },
    });
    // The old pod keeps the zone until it is gone at 30.
    expect(course(answer)).toEqual(['a drained 0 30']);
    expect(replacements(answer)).toEqual(['web-0 feasible x 30 90']);
  });

  it('creates the pods of a StatefulSet in order, each when the one before is ready', () => {
    const owner = owned('StatefulSet', 'web');
    const pods = [0, 1].map((i) => pod(`web-${i}`, { node: 'a', owner }));
    const set = workload('StatefulSet', 'web', 2);
    expect(replacements(plan([...pods, set]))).toEqual(['web-0 feasible spare 30 90', 'web-1 feasible spare 90 150']);
    const full = plan([...pods, set], { others: [] });
    expect(replacements(full)).toEqual(['web-0 none nowhere ? ?', 'web-1 waitsForLowerOrdinal nowhere ? ?']);
    expect(withoutNode(full)).toEqual([['web-0', 'web-1']]);
  });

  it('does not replace pods that their controller no longer wants', () => {
    const answer = plan([...THREE.slice(0, 3), workload('ReplicaSet', 'web', 1)]);
    expect(course(answer)).toEqual(['a drained 0 30', 'b drained 30 60', 'c drained 60 90']);
    expect(replacements(answer)).toEqual([
      'web-0 notWanted nowhere ? ?',
      'web-1 notWanted nowhere ? ?',
      'web-2 feasible spare 60 120',
    ]);
  });

  it('takes the replacement of a pod that is not ready for one that is not, either', () => {
    const sick = pod('web-0', { node: 'a', ready: false });
    expect(replacements(plan([sick, ...THREE.slice(3)]))).toEqual(['web-0 feasible spare 0 ?']);
  });

  describe('of a controller that is not known', () => {
    const owner = owned('CloneSet', 'web', 'apps.kruise.io/v1alpha1');
    const pods = ['a', 'b', 'c'].map((node, i) => pod(`web-${i}`, { node, owner }));
    const unknown =
      "whether the replacement of pod shop/web-0 becomes ready is not known: CloneSet web is no controller of Kubernetes' own: whether and when it creates another pod is not known";

    it('decides no eviction that depends on it, and says so', () => {
      const answer = plan([...pods, budget({ minAvailable: 2 })]);
      expect(course(answer)).toEqual(['a unknown 0 30', 'b unknown 30 ?', 'c unknown ? ?']);
      expect(answer.nodes.map(({ unknownBecause }) => unknownBecause)).toEqual([
        [unknown],
        [unknown],
        ['whether the drain of node b ends is not known'],
      ]);
      expect(fates(answer)).toEqual(['web-0 evicted 0 30 round 1', 'web-1 unknown', 'web-2 unknown']);
      expect(answer.blocking).toMatchObject([{ why: 'unknown', pods: 1, nodes: 1 }]);
      expect(answer.endsAt).toBeUndefined();
    });

    it('decides those that every possibility allows, and those that none allows', () => {
      expect(course(plan([...pods, budget({ minAvailable: 1 })])).slice(0, 2)).toEqual([
        'a unknown 0 30',
        'b unknown 30 60',
      ]);
      const none = plan([...pods, budget({ minAvailable: 3 })]);
      expect(course(none)).toEqual(['a blocked 0 ?', 'b notReached ? ?', 'c notReached ? ?']);
    });

    it('does not know the health of a budget after an eviction that is not decided', () => {
      const more = pod('web-3', { node: 'b', owner });
      const answer = plan([...pods, more, budget({ minAvailable: 3 })]);
      expect(fates(answer).slice(1, 3)).toEqual(['web-1 unknown', 'web-3 unknown']);
    });

    it('knows that a node is given up at the timeout, where no pod can be gone before', () => {
      const answer = plan([...pods, budget({ minAvailable: 2 })], { timeoutSeconds: 70, replacementReadySeconds: 20 });
      expect(course(answer)).toEqual(['a unknown 0 30', 'b unknown 30 ?', 'c unknown ? ?']);
      const late = plan([...pods, budget({ minAvailable: 2 })], { timeoutSeconds: 29, replacementReadySeconds: 20 });
      expect(course(late)).toEqual(['a timedOut 0 29', 'b unknown 29 ?', 'c unknown 58 ?']);
    });
  });

  it('places them as a plan of the same evictions does', () => {
    const sized = (cpu: string, more: Partial<PodSpec> = {}): Partial<PodSpec> => ({
      containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }],
      ...more,
    });
    const pods = ['a', 'b', 'c', 'd'].flatMap((node, i) => [
      pod(`web-${i}`, { node, spec: sized('900m') }),
      pod(`api-${i}`, { node, app: 'api', spec: sized('600m', { terminationGracePeriodSeconds: 45 }) }),
      pod(`db-${i}`, { node, app: 'db', owner: owned('StatefulSet', 'db'), spec: sized('1100m', { priority: 5 }) }),
    ]);
    const sets = [workload('ReplicaSet', 'web', 4), workload('ReplicaSet', 'api', 3), workload('StatefulSet', 'db', 4)];
    const answer = plan([...pods, ...sets, budget({ maxUnavailable: 1 }, 'api', 'api')], {
      others: [spare('x'), spare('y', 2)],
      maxParallel: 2,
    });
    const { state } = answer;
    const taints = [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }];
    const events: ReschedulingEvent[] = answer.nodes.map(({ node }) => ({
      kind: 'taints',
      at: NOW,
      node,
      taints,
      unschedulable: true,
    }));
    for (const { pod: index, rolling } of answer.pods) {
      const { evictedAt, goneAt, replacement } = rolling ?? {};
      if (evictedAt !== undefined) events.push({ kind: 'marked', at: evictedAt, pod: index });
      if (goneAt !== undefined) events.push({ kind: 'gone', at: goneAt, pod: index });
      if (replacement?.readyAt !== undefined) events.push({ kind: 'ready', at: replacement.readyAt, pod: index });
    }
    const { pods: landings } = finished(
      stepRescheduling(
        state,
        events.sort((a, b) => a.at - b.at),
        { gates: DEFAULT_GATES, readiness: 'byEvent', mostListed: 100 },
      ),
    );
    const expected = landings.items.map(({ pod: index, verdict, never, chosen = 'nowhere', landedAt }) =>
      [state.pods.name(index), verdict ?? never, chosen, landedAt === undefined ? '?' : (landedAt - NOW) / 1000].join(
        ' ',
      ),
    );
    expect(
      replacements(answer)
        .map((line) => line.replace(/ \S+$/, ''))
        .sort(),
    ).toEqual(expected.sort());
    expect(new Set(expected.map((line) => line.split(' ')[1]))).toEqual(
      new Set(['feasible', 'none', 'notWanted', 'waitsForLowerOrdinal']),
    );
  });

  it('does not simulate that replacements are evicted again, where they tolerate the cordon', () => {
    const spec = { tolerations: [{ operator: 'Exists' }], containers: [{ name: 'c', image: 'i' }] };
    const pods = ['web-0', 'web-1'].map((name) => pod(name, { node: 'a', spec }));
    const answer = plan([...pods, pod('db-0', { node: 'b', app: 'db' }), ...THREE.slice(3)], {
      others: [],
      node: { status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } } },
    });
    expect(course(answer)).toEqual(['a drained 0 30', 'b unknown 30 ?']);
    expect(answer.nodes[1]!.unknownBecause).toEqual(
      ['web-0', 'web-1'].map(
        (name) =>
          `the replacement of pod shop/${name} tolerates the cordon and is placed on node b before its drain, which would evict it again; this is not simulated`,
      ),
    );
  });

  it('handles times that no timestamp can hold', () => {
    const spec = { terminationGracePeriodSeconds: 9e15 };
    const pods = ['a', 'b'].map((node, i) => pod(`web-${i}`, { node, spec }));
    const answer = plan([...pods, ...THREE.slice(3)], { others: [] });
    expect(course(answer).map((line) => line.split(' ')[1])).toEqual(['podsPending', 'podsPending']);
  });
});

describe('stepDrainPlan, beside a NoExecute taint', () => {
  const tolerating = (tolerationSeconds?: number): Partial<PodSpec> => ({
    tolerations: [
      { key: 'other', operator: 'Exists' },
      {
        key: 'drain',
        operator: 'Exists',
        effect: 'NoExecute',
        ...(tolerationSeconds !== undefined && { tolerationSeconds }),
      },
    ],
  });
  const daemon = owned('DaemonSet', 'agent');

  it.each<[string, PodWords, string | undefined, Record<string, unknown>]>([
    [
      'takes the pod of a DaemonSet',
      { node: 'a', owner: daemon },
      'daemonSetPodStays',
      { action: 'now', toleration: null },
    ],
    [
      'leaves that of a DaemonSet that tolerates it',
      { node: 'a', owner: daemon, spec: tolerating() },
      undefined,
      { action: 'never', toleration: 1 },
    ],
    ['takes what kubectl refuses to touch', { node: 'a', owner: null }, 'refusedByKubectl', { action: 'now' }],
    [
      'deletes the object of a mirror pod',
      { node: 'a', owner: owned('Node', 'a', 'v1'), meta: { annotations: { 'kubernetes.io/config.mirror': 'x' } } },
      'mirrorPod',
      { action: 'now' },
    ],
    [
      'leaves what tolerates it',
      { node: 'a', app: 'free', spec: tolerating() },
      'tolerated',
      { action: 'never', toleration: 1 },
    ],
    [
      'comes later to what tolerates it for a while',
      { node: 'a', app: 'free', spec: tolerating(90) },
      'later',
      { action: 'after', afterSeconds: 90, toleration: 1 },
    ],
    ['asks no budget', { node: 'a' }, 'budgetNotAsked', { action: 'now', taint: { key: 'drain' } }],
    ['takes pods that are not selected', { node: 'a', app: 'db' }, 'notSelected', { action: 'now' }],
    ['does the same to any other pod', { node: 'a', app: 'free' }, undefined, { action: 'now' }],
  ])('%s', (_, words, difference, noExecute) => {
    const set = workload('DaemonSet', 'agent', 0);
    const answer = plan([pod('p', words), set, workload('ReplicaSet', 'web', 1), budget({ maxUnavailable: 0 })], {
      ignoreDaemonSets: true,
      podSelector: 'app!=db',
    });
    expect(answer.pods[0]!.difference).toBe(difference);
    expect(answer.pods[0]!.noExecute).toMatchObject(noExecute);
    expect([...answer.differences]).toEqual(difference === undefined ? [] : [[difference, 1]]);
  });

  it('replaces a taint of the node with the same key and effect', () => {
    const tolerations = [{ key: 'drain', operator: 'Equal', value: 'true', effect: 'NoExecute' }];
    const taints = [{ key: 'drain', value: 'old', effect: 'NoExecute' }];
    const answer = plan([pod('p', { node: 'a', spec: { tolerations } })], { node: { spec: { taints } } });
    expect(answer.pods[0]!.noExecute).toMatchObject({ action: 'never', taint: { value: 'true' } });
  });
});
