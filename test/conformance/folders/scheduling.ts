import type { ClusterState } from '../../../src/core/cluster/cluster-state.js';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { Placement } from '../../../src/core/placement/placement.js';
import type { Ranking } from '../../../src/core/placement/rank-nodes.js';
import { schedulingCycle, type CycleOutcome } from '../../../src/core/preemption/scheduling-cycle.js';
import type { SchedulingProfile } from '../../../src/core/scheduling/schedule-pod.js';
import { wakesAfterNodeChange } from '../../../src/core/rollout/scheduler/node-wakes.js';
import { refusedBy, wakesOf } from '../../../src/core/rollout/scheduler/wakes.js';
import { NOW, RecordedCluster, type Happening } from './recorded-cluster.js';
import { profilesIn } from './scheduler-profiles.js';
import type { RecordedOutcome, SchedulingRecording } from './scheduling-recording.js';

/** Compares the decisions about pods, one after another, with those of a real scheduler. */
export function judgeScheduling(file: JsonObject): readonly string[] {
  const recording = file as unknown as SchedulingRecording;
  const { input, observed } = recording;
  const cluster = new RecordedCluster(recording);
  const profiles = profilesIn(file['input'] as JsonObject, cluster.server.gates);
  const scheduler = new RecordedScheduler(cluster, profiles);
  const found: string[] = [];
  for (const [index, decision] of observed.decisions.entries()) {
    const what = `pod ${decision.pod}`;
    const sent = input.pending[index];
    if (sent?.metadata.name !== decision.pod) return [...found, `${what}: it is not the pod ${index + 1} of the list`];
    if (decision.rejected !== undefined) {
      const admission = cluster.server.createPod(sent as unknown as JsonObject);
      const { code, status } = decision.rejected;
      const [ours, words] =
        admission.outcome === 'refused' ? [admission.refusal.status, admission.refusal.message] : [201, undefined];
      if (ours !== code || words !== status?.message) {
        found.push(`${what}: ${ours} ${words ?? ''}, and the answer was ${code} ${status?.message ?? ''}`);
      }
      continue;
    }
    cluster.store(sent, decision);
    found.push(...scheduler.decide(decision, what));
  }
  if (observed.decisions.length !== input.pending.length) found.push('not every pod has a decision');

  for (const [index, { step, responseCode = 200, pods = [] }] of (observed.steps ?? []).entries()) {
    const what = `step ${index + 1}, ${step.do}`;
    if (responseCode < 300 && !cluster.step(step)) return [...found, `${what}: this step is not known`];
    const outcomes = new Map(pods.map((outcome) => [outcome.pod, outcome]));
    for (const pod of cluster.waiting(input.pending.map(({ metadata }) => metadata.name))) {
      const outcome = outcomes.get(pod.metadata.name);
      if (outcome === undefined) continue;
      found.push(...scheduler.reconsider(outcome, `${what}: pod ${outcome.pod}`, step.after ?? 0));
    }
    for (const { pod, nodeName } of pods) {
      const ours = cluster.pod(pod)?.spec.nodeName ?? '';
      if (ours !== (nodeName ?? '')) found.push(`${what}: pod ${pod} is on ${ours}, and was on ${nodeName ?? 'none'}`);
    }
    scheduler.seconds += step.after ?? 0;
  }
  return [
    ...found,
    ...(cluster.isStored ? [] : goneDifferences(recording, cluster)),
    ...scoreDifferences(recording, scheduler),
    ...taintDifferences(recording, scheduler),
  ];
}

/** In seconds. */
const MOST_BACKOFF = 10;
const BACKOFF_PERIOD = 1;

/** A turn of a pod, and the state in which it was taken. */
interface Turn {
  readonly pod: string;
  readonly state: ClusterState;
  readonly cycle: CycleOutcome;
}

/** What is known of a pod since its last turn. */
interface Attempt {
  readonly refusedBy: ReadonlySet<string>;
  readonly message: string | undefined;
  /** So many things had happened by then. */
  readonly happenings: number;
  /** The number of the pod's attempts so far. */
  readonly count: number;
  /** The latest time at which it can have been, in seconds since the steps began. */
  readonly at: number;
}

class RecordedScheduler {
  readonly turns: Turn[] = [];
  /** When the step began after which pods are looked at, in seconds since the first one. */
  seconds = 0;
  private readonly attempts = new Map<string, Attempt>();

  constructor(
    private readonly cluster: RecordedCluster,
    private readonly profiles: ReadonlyMap<string, SchedulingProfile>,
  ) {}

  /** Decides again about a pod that waits, if anything that has happened wakes it; if not, it must be as it was. */
  reconsider(recorded: RecordedOutcome, what: string, after: number): string[] {
    const { cluster } = this;
    const attempt = this.attempts.get(recorded.pod);
    const pod = cluster.pod(recorded.pod);
    if (pod === undefined || attempt === undefined) return this.decide(recorded, what);
    const { happenings } = cluster;
    const asItWas = this.waitingDifferences(recorded, attempt.message, what);
    if (asItWas.length === 0 && this.mayBackOff(attempt, this.seconds + after)) return [];
    for (let index = attempt.happenings; index < happenings.length; index++) {
      if (this.wakes(pod, attempt, happenings[index]!)) return this.decide(recorded, what);
    }
    return asItWas;
  }

  /**
   * Whether a pod may still wait out its backoff, from which the queue takes pods every second; where the gate is on, it does not wait when
   * no other pod does.
   */
  private mayBackOff({ count, at }: Attempt, now: number): boolean {
    if (this.cluster.server.rules.featureGates.SchedulerPopFromBackoffQ) return false;
    return now <= at + Math.min(2 ** (count - 1), MOST_BACKOFF) + BACKOFF_PERIOD;
  }

  private wakes(pod: Pod, { refusedBy: names }: Attempt, happening: Happening): boolean {
    if (happening.kind === 'podChanged') return happening.name === pod.metadata.name;
    if (happening.kind === 'nodeChanged') {
      const profile = this.profiles.get(pod.spec.schedulerName ?? 'default-scheduler')!;
      return wakesAfterNodeChange(names, { ...happening, pod, profile, state: this.cluster.now() });
    }
    if (names.size === 0) return true;
    const { always, spreadsWith } = wakesOf(pod, names);
    return always.includes(happening.kind) || spreadsWith(happening.pod);
  }

  /** Decides about a stored pod until it is placed or must wait, and does it; the differences to what was recorded. */
  decide(recorded: RecordedOutcome, what: string): string[] {
    const { cluster } = this;
    const name = recorded.pod;
    const pod = cluster.pod(name);
    const profile = this.profiles.get(pod?.spec.schedulerName ?? 'default-scheduler');
    if (pod === undefined) return [`${what}: it is not there`];
    if (profile === undefined) {
      return recorded.podScheduled === null ? [] : [`${what}: no profile is for it, and it was decided about`];
    }
    if ((pod.spec.nodeName ?? '') !== '') return differs(`${what}: node`, pod.spec.nodeName, recorded.nodeName);
    if (recorded.podScheduled === null) return [`${what}: it was decided about, and nobody did`];
    let cycle = this.turn(pod, profile);
    // If the victims end immediately, the pod is tried again immediately.
    if (this.makeRoom(name, cycle, recorded)) cycle = this.turn(cluster.pod(name)!, profile);
    const state = cluster.now();
    if (cycle.outcome === 'placed') {
      const names = cycle.best.map((node) => state.nodes.name(node));
      const { nodeName } = recorded;
      if (nodeName === undefined || nodeName === null) return [`${what}: it goes to ${names.join()}, and went nowhere`];
      cluster.bind(name, nodeName);
      const nominated = cluster.pod(name)?.status?.nominatedNodeName ?? null;
      return [
        ...(names.includes(nodeName) ? [] : [`${what}: it goes to ${names.join()}, and went to ${nodeName}`]),
        ...differs(`${what}: nomination`, nominated, recorded.nominatedNodeName ?? null),
      ];
    }
    const message = cycle.outcome === 'error' ? cycle.message : cycle.message.text;
    this.attempts.set(name, {
      refusedBy: cycle.outcome === 'error' ? new Set() : refusedBy(cycle.placement),
      message,
      happenings: cluster.happenings.length,
      count: (this.attempts.get(name)?.count ?? 0) + 1,
      at: this.seconds,
    });
    return this.waitingDifferences(recorded, message, what);
  }

  private waitingDifferences(recorded: RecordedOutcome, message: string | undefined, what: string): string[] {
    const nominated = this.cluster.pod(recorded.pod)?.status?.nominatedNodeName ?? null;
    return [
      ...differs(`${what}: node`, null, recorded.nodeName ?? null),
      ...differs(`${what}: message`, message, recorded.podScheduled?.message),
      ...differs(`${what}: nomination`, nominated, recorded.nominatedNodeName ?? null),
    ];
  }

  private turn(pod: Pod, profile: SchedulingProfile): CycleOutcome {
    const state = this.cluster.now();
    const cycle = schedulingCycle(state, pod, profile, NOW);
    this.turns.push({ pod: pod.metadata.name, state, cycle });
    return cycle;
  }

  /** Executes the preemption; true if all victims are gone afterwards. */
  private makeRoom(name: string, cycle: CycleOutcome, recorded: RecordedOutcome): boolean {
    if (cycle.outcome !== 'unplaced') return false;
    const { preemption, placement } = cycle;
    const { nodes, pods } = placement.state;
    if (preemption.outcome === 'unschedulable' && preemption.clearsNomination) {
      this.cluster.nominate(name, undefined);
    }
    if (preemption.outcome !== 'nominated') return false;
    // Among equal candidates the real choice is random.
    const taken = preemption.tied.find(({ node }) => nodes.name(node) === recorded.nominatedNodeName);
    const { node, victims } = taken ?? preemption.chosen;
    const whole = victims.map((victim) => pods.pod(victim));
    this.cluster.preempt(name, nodes.name(node), whole);
    return whole.every(({ metadata }) => this.cluster.pod(metadata.name) === undefined);
  }
}

/** The pods that were asked to end: the victims and those of steps, and no others except those that the node's taints evict. */
function goneDifferences({ observed }: SchedulingRecording, cluster: RecordedCluster): string[] {
  const marked = observed.podsAfter.filter(({ deletionTimestamp }) => (deletionTimestamp ?? null) !== null);
  const gone = new Set([...observed.deletedPods, ...marked.map(({ name }) => name)]);
  return [
    ...[...cluster.gone].filter((name) => !gone.has(name)).map((name) => `pod ${name} should have gone, and stayed`),
    ...[...gone]
      .filter((name) => !cluster.gone.has(name) && !cluster.isEvicted(name))
      .map((name) => `pod ${name} should have stayed, and went`),
  ];
}

/** Plugins that are skipped here where upstream's give every node 0: without volumes, and without claims that have alternatives. */
const WITHOUT_SCORE: ReadonlySet<string> = new Set(['DynamicResources', 'VolumeBinding']);

function scoreDifferences({ observed }: SchedulingRecording, { turns }: RecordedScheduler): string[] {
  const { schedulerLogScores: scores, schedulerLogFinalScores: finals } = observed;
  const found: string[] = [];
  const rankings = new Map<string, { readonly state: ClusterState; readonly ranking: Ranking }>();
  for (const { pod, state, cycle } of turns) {
    if (cycle.outcome === 'placed' && cycle.ranking !== undefined) {
      rankings.set(pod, { state, ranking: cycle.ranking });
    }
  }
  const seen = new Set<string>();
  for (const { pod, plugin, node, weightedScore } of scores ?? []) {
    const one = rankings.get(pod);
    const part = one?.ranking.plugins.find(({ name }) => name === plugin);
    const position = one === undefined ? -1 : one.ranking.nodes.indexOf(one.state.nodes.indexOf(node));
    const normalized = part?.scores?.normalized[position];
    seen.add(`${pod} ${plugin} ${node}`);
    const ours = normalized === undefined ? (WITHOUT_SCORE.has(plugin) ? 0 : undefined) : normalized * part!.weight;
    found.push(...differs(`pod ${pod}: score of ${node} by ${plugin}`, ours, weightedScore));
  }
  const logged = new Set((scores ?? []).map(({ pod }) => pod));
  for (const [pod, { state, ranking }] of rankings) {
    if (!logged.has(pod)) continue;
    for (const { name: plugin, scores: given } of ranking.plugins) {
      if (given === undefined) continue;
      for (const node of ranking.nodes) {
        const name = state.nodes.name(node);
        if (!seen.has(`${pod} ${plugin} ${name}`)) found.push(`pod ${pod}: ${plugin} scores ${name}, and did not`);
      }
    }
  }
  for (const { pod, node, score } of finals ?? []) {
    const one = rankings.get(pod);
    const position = one === undefined ? -1 : one.ranking.nodes.indexOf(one.state.nodes.indexOf(node));
    found.push(...differs(`pod ${pod}: total of ${node}`, one?.ranking.totals[position], score));
  }
  return found;
}

/** Of some turn of the pod, the first taint of the node that it does not tolerate. */
function taintDifferences({ observed }: SchedulingRecording, { turns }: RecordedScheduler): string[] {
  const ours = new Set<string>();
  for (const { pod, state, cycle } of turns) {
    if (cycle.outcome === 'error') continue;
    for (let node = 0; node < state.nodes.count; node++) {
      const taint = firstUntolerated(cycle.placement, node);
      if (taint !== undefined) ours.add(`${pod} ${state.nodes.name(node)} ${taint}`);
    }
  }
  return (observed.schedulerLogFirstUntoleratedTaint ?? []).flatMap(({ pod, node, taint }) => {
    const text = taintText(taint);
    return ours.has(`${pod} ${node} ${text}`)
      ? []
      : [`pod ${pod}: ${text} is not the first that ${node} refuses it by`];
  });
}

function firstUntolerated(placement: Placement, node: number): string | undefined {
  const { reasons } = placement.explainNode(node);
  const reason = reasons.find(({ code }) => code === 'UntoleratedTaint');
  return reason?.code === 'UntoleratedTaint' ? taintText(reason.facts.taint) : undefined;
}

const taintText = ({ key, value = '', effect }: { key: string; value?: string; effect: string }): string =>
  `${key}=${value}:${effect}`;

const differs = (what: string, ours: unknown, recorded: unknown): string[] =>
  ours === recorded ? [] : [`${what} is ${String(ours)}, and was ${String(recorded)}`];
