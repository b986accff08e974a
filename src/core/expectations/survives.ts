import { counted } from '../collections/counted.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { preempt } from '../preemption/preempt.js';
import { unbound } from '../scenario/pod-place.js';
import { isLostWithNode, isReplaced } from '../scenario/remove-nodes.js';
import { schedulingGate } from '../placement/plugins/scheduling-gates/scheduling-gates.js';
import { DEFAULT_SCHEDULER } from '../scheduling/queue/queued-work.js';
import { SchedulingRun } from '../scheduling/run/scheduling-run.js';
import type { SchedulingProfile } from '../scheduling/schedule-pod.js';
import type { Evaluate } from './evaluation.js';
import { finding, unknown, workloadText, type Survives, type Verdict } from './expectation.js';
import type { Loss } from './lost-nodes.js';
import { haveRoom, rivalsIn, type Rivals } from './rivals.js';
import { profileFor } from './subject.js';

/**
 * Whether all replicas run after the nodes with any one value of a label are lost: those that lose their node, and those that
 * wait already, take their turn in the scheduling queue, and find a node, with preemption if need be.
 *
 * Nothing orders the pods of one priority, since controllers create them anew. So the replicas have to find a node both before and
 * after the others; if the two differ, or if there are too many others to tell, the verdict is unknown.
 */
export const evaluateSurvives: Evaluate<'survives'> = function* ({ spec }, { state, pods: byWorkload, lost, now }) {
  const { namespaces = [], workloads = [], lossOf } = spec;
  const what = subjectText(spec);
  const own = yield* byWorkload.of(namespaces, workloads);
  if (own.length === 0) return unknown(`There is no running or waiting pod of ${what}.`);
  const column = state.nodes.labelColumn(lossOf.label);
  if (column === undefined) return unknown(`No node has the label ${lossOf.label}.`);
  const missing = lossOf.values?.find((value) => !isUsed(state, lossOf.label, value));
  if (missing !== undefined) return unknown(`No node has the label ${lossOf.label}=${missing}.`);

  const waiting: number[] = [];
  const byValue = new Map<string, number[]>();
  for (const pod of own) {
    if (state.pods.nodeName(pod) === '') waiting.push(pod);
    const node = state.pods.nodeIndex(pod);
    const id = node < 0 ? -1 : column.valueIds[node]!;
    if (id < 0) continue;
    const value = column.values[id]!;
    if (lossOf.values !== undefined && !lossOf.values.includes(value)) continue;
    const list = byValue.get(value);
    if (list === undefined) byValue.set(value, [pod]);
    else list.push(pod);
  }
  const schedulers = new Set(
    own.map((pod) => state.pods.specOf(state.pods.specId(pod)).schedulerName ?? DEFAULT_SCHEDULER),
  );
  const [schedulerName = DEFAULT_SCHEDULER, ...others] = schedulers;
  if (others.length > 0) {
    return unknown(`${what} has pods of several schedulers (${[...schedulers].join(', ')}), whose order is not known.`);
  }
  const found = profileFor(state, schedulerName);
  if ('why' in found) return unknown(`Where the pods go is not known: ${found.why}.`);

  const failures: Failure[] = [];
  const details: string[] = [];
  for (const [value, displaced] of [...byValue].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const loss = yield* lost.of(lossOf.label, value);
    const question = { state, loss, own: displaced, waiting, schedulerName, profile: found.profile, now };
    const failure = yield* afterLoss(question, spec.competing ?? 'all');
    if (failure.verdict !== 'holds') failures.push({ ...failure, value });
    details.push(...failure.notes.map((note) => `${lossOf.label}=${value}: ${note}`));
  }
  const count = byValue.size;
  const broken = failures.filter(({ verdict }) => verdict === 'broken');
  if (failures.length === 0) {
    const runs =
      count === 0 ? 'No replica runs on such a node' : `All replicas find a node after the loss of any of ${count}`;
    return finding('holds', `${runs}: ${what}, ${lossOf.label}.`, { count: own.length, details });
  }
  const decisive = broken.length > 0 ? broken : failures;
  const list = decisive.map(({ value }) => value).join(', ');
  const unplaced = Math.max(...decisive.map(({ pods }) => pods.length));
  const reason =
    broken.length > 0
      ? `After the loss of ${lossOf.label}=${list}, ${counted(unplaced, 'replica')} of ${what} ${unplaced === 1 ? 'finds' : 'find'} no node.`
      : `Whether ${what} survives the loss of ${lossOf.label}=${list} is not known.`;
  return finding(broken.length > 0 ? 'broken' : 'unknown', reason, {
    count: unplaced,
    pods: decisive.flatMap(({ pods }) => pods),
    details: [
      ...decisive.flatMap(({ value, texts }) => texts.map((text) => `${lossOf.label}=${value}: ${text}`)),
      ...details,
    ],
  });
};

interface LossQuestion {
  readonly state: ClusterState;
  readonly loss: Loss;
  /** The replicas on lost nodes, and those without a node before. */
  readonly own: readonly number[];
  readonly waiting: readonly number[];
  readonly schedulerName: string;
  readonly profile: SchedulingProfile;
  readonly now: number;
}

interface Outcome {
  readonly verdict: Verdict;
  /** The replicas without a node, and why, one line for each reason. */
  readonly pods: readonly string[];
  readonly texts: readonly string[];
  /** What else happens. */
  readonly notes: readonly string[];
}

type Failure = Outcome & { readonly value: string };

function* afterLoss(question: LossQuestion, competing: 'all' | 'none'): Generator<undefined, Outcome> {
  const { state, loss, own, waiting, schedulerName, profile } = question;
  const pods = own.map((pod) => state.pods.pod(pod));
  const alone = pods.filter(isLostWithNode);
  if (alone.length > 0) {
    return {
      verdict: 'broken',
      pods: alone.map(keyOf),
      texts: ['nothing replaces pods without a controller'],
      notes: [],
    };
  }
  const displaced = pods.filter(isReplaced);
  const mine = [...displaced.map(unbound), ...waiting.map((index) => state.pods.pod(index))];
  if (mine.length === 0) return { verdict: 'holds', pods: [], texts: [], notes: [] };
  if (competing === 'none') return yield* place(question, inOrder(mine, [], 'first'));

  const rivals = yield* rivalsIn(state, loss, schedulerName);
  const indexes = [...own, ...waiting].filter((index) => rivals.among.has(index));
  // Preemption can only make room for replicas that find none.
  if (haveRoom(state, loss, rivals, indexes, profile)) return { verdict: 'holds', pods: [], texts: [], notes: [] };
  const least = Math.min(...mine.map(({ spec }) => spec.priority ?? 0));
  const before = othersWhere(rivals, indexes, state, (priority) => priority > least);
  const equal = othersWhere(rivals, indexes, state, (priority) => priority === least);
  const podsOf = ({ list }: Others): readonly Pod[] => list().map((index) => unbound(state.pods.pod(index)));
  const tooMany = before.count > MOST_SIMULATED;
  if (!tooMany) {
    const first = yield* place(question, inOrder(mine, podsOf(before), 'first'));
    if (first.verdict !== 'holds' || equal.count === 0) return first;
  }
  if (before.count + equal.count > MOST_SIMULATED) {
    const text = tooMany
      ? `${before.count} pods of a higher priority look for a node, too, and there is no room for all of them for certain`
      : `all replicas find a node before the ${counted(equal.count, 'other pod')} of the same priority, whose order is not known; after them there is no room for certain`;
    return { verdict: 'unknown', pods: mine.map(keyOf), texts: [text], notes: [] };
  }
  const last = yield* place(question, inOrder(mine, [...podsOf(before), ...podsOf(equal)], 'last'));
  if (last.verdict !== 'broken') return last;
  const text = `${counted(last.pods.length, 'replica')} ${last.pods.length === 1 ? 'finds' : 'find'} a node only before other pods of the same priority, and their order is not known`;
  return { ...last, verdict: 'unknown', texts: [text, ...last.texts] };
}

/** Rivals of some priorities. */
interface Others {
  readonly count: number;
  readonly list: () => readonly number[];
}

function othersWhere(
  { byPriority }: Rivals,
  own: readonly number[],
  { pods }: ClusterState,
  fits: (priority: number) => boolean,
): Others {
  const lists = [...byPriority].filter(([priority]) => fits(priority)).map(([, list]) => list);
  const mine = own.filter((index) => fits(pods.priority(index)));
  const count = lists.reduce((sum, { length }) => sum + length, 0) - mine.length;
  const isMine = new Set(mine);
  return { count, list: () => lists.flat().filter((index) => !isMine.has(index)) };
}

/** A pod in the queue. */
interface Waiter {
  readonly pod: Pod;
  readonly isOwn: boolean;
}

/** The most rivals that are placed one by one. */
const MOST_SIMULATED = 2000;

/**
 * The order of the scheduling queue, by priority. Among pods of one priority, the replicas come first or last. Pods after the last
 * replica are left out.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/queuesort/priority_sort.go, `Less`.
 */
function inOrder(own: readonly Pod[], rivals: readonly Pod[], place: 'first' | 'last'): readonly Waiter[] {
  const rank = (isOwn: boolean): number => (isOwn === (place === 'first') ? 0 : 1);
  const sorted = [
    ...own.map((pod) => ({ pod, isOwn: true })),
    ...rivals.filter((pod) => schedulingGate(pod) === undefined).map((pod) => ({ pod, isOwn: false })),
  ]
    .map((one) => ({ one, priority: one.pod.spec.priority ?? 0, name: keyOf(one.pod) }))
    .sort((a, b) => b.priority - a.priority || rank(a.one.isOwn) - rank(b.one.isOwn) || (a.name < b.name ? -1 : 1))
    .map(({ one }) => one);
  return sorted.slice(0, sorted.findLastIndex(({ isOwn }) => isOwn) + 1);
}

/** Places pods one after another, in the state without the lost nodes. */
function* place({ loss, profile, now }: LossQuestion, queue: readonly Waiter[]): Generator<undefined, Outcome> {
  const unplaced: string[] = [];
  const texts = new Set<string>();
  const notes = new Set<string>();
  let isUnknown = false;
  const back = loss.kinds.mark();
  let run = new SchedulingRun(loss.state, profile, {}, loss.kinds);
  const work = [...queue];
  try {
    for (let turn = 0; turn < work.length; turn++) {
      const { pod, isOwn } = work[turn]!;
      yield undefined;
      const gate = schedulingGate(pod);
      if (gate !== undefined) {
        unplaced.push(keyOf(pod));
        texts.add(gate.message);
        continue;
      }
      const decision = run.schedule(pod);
      if (decision.outcome === 'placed' || !isOwn) continue;
      if (decision.outcome === 'error') {
        isUnknown = true;
        unplaced.push(keyOf(pod));
        texts.add(decision.message);
        continue;
      }
      if (decision.needsState()) yield* run.stepState();
      const placement = decision.placement();
      if (placement.counts.unknown > 0) {
        isUnknown = true;
        unplaced.push(keyOf(pod));
        texts.add(`${counted(placement.counts.unknown, 'node')} may or may not take it`);
        continue;
      }
      const preemption = preempt(placement, { now });
      if (preemption.outcome === 'unknown') isUnknown = true;
      if (preemption.outcome !== 'nominated') {
        unplaced.push(keyOf(pod));
        texts.add(placement.message().text ?? 'no node takes it');
        continue;
      }
      const state = yield* run.stepState();
      const { node, victims } = preemption.chosen;
      const evicted = victims.map((victim) => state.pods.pod(victim));
      const isMine = new Set(queue.filter((one) => one.isOwn).map((one) => keyOf(one.pod)));
      work.push(...evicted.filter((one) => isMine.has(keyOf(one))).map((one) => ({ pod: unbound(one), isOwn: true })));
      notes.add(
        `${keyOf(pod)} evicts ${evicted.map(keyOf).slice(0, 3).join(', ')}${evicted.length > 3 ? ` and ${evicted.length - 3} more` : ''}`,
      );
      const bound = { ...pod, spec: { ...pod.spec, nodeName: state.nodes.name(node) } };
      const deletes = evicted.map(({ metadata }) => ({
        kind: 'Pod',
        namespace: metadata.namespace ?? '',
        name: metadata.name,
      }));
      run = yield* SchedulingRun.stepOpen(state.apply({ deletes, upserts: [bound] }), profile);
    }
  } finally {
    back();
  }
  const verdict = unplaced.length === 0 ? 'holds' : isUnknown ? 'unknown' : 'broken';
  return { verdict, pods: unplaced, texts: [...texts], notes: [...notes].slice(0, 3) };
}

const keyOf = ({ metadata }: Pod): string => `${metadata.namespace ?? ''}/${metadata.name}`;

function subjectText({ namespaces = [], workloads = [] }: Survives): string {
  return [...namespaces.map((name) => `namespace ${name}`), ...workloads.map(workloadText)].join(', ');
}

function isUsed({ nodes }: ClusterState, label: string, value: string): boolean {
  const column = nodes.labelColumn(label);
  const id = column?.values.indexOf(value) ?? -1;
  return id >= 0 && column!.valueIds.includes(id);
}
