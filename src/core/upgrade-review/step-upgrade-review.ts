import { admitPod } from '../admission/admission-chain.js';
import { admissionIn } from '../admission/admission-in.js';
import { podOfManifest } from '../admission/pod-of-template.js';
import { declaredVersionIn } from '../cluster/declared-version.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import { profileFor } from '../expectations/subject.js';
import { jsonDifferences } from '../json/json-differences.js';
import { compare } from '../json/compare.js';
import { faultOfGate } from '../kubernetes/cluster-version.js';
import { controllerOf } from '../kubernetes/controller-of.js';
import { featureGateIn } from '../kubernetes/feature-gates.js';
import { RULE_GATES, type RuleGate } from '../kubernetes/kubernetes-rules.js';
import { withUnmergedKeys } from '../kubernetes/merge-label-keys.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import { WORKLOAD_KINDS } from '../kubernetes/pod-template.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { newPod } from '../kubernetes/validation/pod/validate-pod.js';
import { stepEvaluatePlacement } from '../placement/evaluate-placement.js';
import { FEASIBLE, NOT_KNOWN, type Placement } from '../placement/placement.js';
import { stepPreempt, type Preemption } from '../preemption/preempt.js';
import { unscheduledMessage } from '../preemption/unscheduled-message.js';
import { knownUsage } from '../quota/quota-standing.js';
import type { QuotaUsages } from '../quota/step-quota-usage.js';
import { unbound } from '../scenario/pod-place.js';
import { stepRankPlacement } from '../scheduling/node-ranking.js';

/**
 * What differs under the rules of another version, in this order:
 *
 * - `refused`, `admitted`: the API server refuses or admits another pod like those of a workload;
 * - `field`: fields that begin or cease to count;
 * - `nodes`: other nodes can take such a pod;
 * - `score`: other nodes are the best for it;
 * - `message`: the scheduler says something else of it;
 * - `quota`: a quota counts another amount;
 * - `eviction`: pods leave at another time;
 * - `gate`: a feature gate comes, goes, or changes its default.
 */
export const UPGRADE_EFFECT_KINDS = [
  'refused',
  'admitted',
  'field',
  'nodes',
  'score',
  'message',
  'quota',
  'eviction',
  'gate',
] as const;

export type UpgradeEffectKind = (typeof UPGRADE_EFFECT_KINDS)[number];

/** Something that differs under the rules of another version. */
/** The kinds that are compared; what they are compared by is besides. */
export const COMPARED_KINDS: readonly KeptKind[] = ['Pod', ...WORKLOAD_KINDS, 'ResourceQuota'];

export interface UpgradeEffect {
  readonly kind: UpgradeEffectKind;
  /** The workload, pod, quota or gate; the kind of a gate is `FeatureGate`. */
  readonly subject: { readonly kind: string; readonly namespace: string; readonly name: string };
  /** Number of stored pods that it concerns; 0 for a gate, and for a workload without pods. */
  readonly pods: number;
  /** Undefined for something that is not there. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly message: string;
}

/** A state under the rules of two versions. */
export interface VersionedStates {
  readonly before: ClusterState;
  readonly after: ClusterState;
  readonly usagesBefore: QuotaUsages;
  readonly usagesAfter: QuotaUsages;
}

export interface UpgradeReview {
  /** In order of kind, namespace, name and kind of the subject. */
  readonly effects: readonly UpgradeEffect[];
  /** Groups of equal pods of one workload, and workloads without pods, and how many of them were evaluated. */
  readonly groups: number;
  readonly evaluated: number;
}

/**
 * Compares what two versions say of a cluster: for each group of equal pods of a workload, of another pod like them; for each workload
 * without pods, of a pod of its template; for each quota, and each feature gate. Evictions are compared by `evictionEffects`. Yields after each evaluation.
 *
 * @param now milliseconds since the epoch
 * @param isOverdue asked before each group; the groups that are left are not evaluated
 */
export function* stepUpgradeReview(
  states: VersionedStates,
  now: number,
  isOverdue: () => boolean,
): Generator<undefined, UpgradeReview> {
  const groups = yield* stepGroups(states.before);
  const effects: UpgradeEffect[] = [];
  let evaluated = 0;
  for (const group of groups) {
    yield undefined;
    if (isOverdue()) break;
    effects.push(...(yield* stepEffects(states, group, now)));
    evaluated += 1;
  }
  effects.push(...quotaEffects(states), ...gateEffects(states));
  return { effects: effects.sort(inOrder), groups: groups.length, evaluated };
}

interface Group {
  readonly subject: UpgradeEffect['subject'];
  /** A pod as it is created, before the API server and its controller add to it. */
  readonly pod: () => Pod;
  /** Of a group without pods: the workload that creates them. */
  readonly workload?: Workload;
  readonly pods: number;
}

/** The active pods by workload and spec, each group with its first pod by name; then the workloads that have none. */
function* stepGroups(state: ClusterState): Generator<undefined, readonly Group[]> {
  const { pods } = state;
  const groups = new Map<string, { readonly key: string; first: number; count: number }>();
  const having = new Map<string, UpgradeEffect['subject']>();
  for (let pod = 0; pod < pods.count; pod++) {
    if (pod % 2048 === 2047) yield undefined;
    if (!pods.active(pod)) continue;
    const { kind, namespace, name } = pods.workload(pod);
    const subject = { kind, namespace, name };
    const key = keyOf(subject);
    having.set(key, subject);
    const group = groups.get(`${key} ${pods.specId(pod)}`);
    if (group === undefined) groups.set(`${key} ${pods.specId(pod)}`, { key, first: pod, count: 1 });
    else {
      group.count += 1;
      if (compare(pods.name(pod), pods.name(group.first)) < 0) group.first = pod;
    }
  }
  const inOrder = [...groups.values()]
    .sort((a, b) => compare(a.key, b.key) || compare(pods.name(a.first), pods.name(b.first)))
    .map(({ key, first, count }): Group => ({
      subject: having.get(key)!,
      pod: () => withUnmergedKeys(unbound(pods.pod(first))),
      pods: count,
    }));
  const without: Group[] = [];
  for (const kind of WORKLOAD_KINDS) {
    for (const workload of state.objects(kind) as readonly Workload[]) {
      without.push(...groupWithoutPods(kind, workload, having));
      yield undefined;
    }
  }
  return [...inOrder, ...without];
}

/** Workloads that another one owns, such as ReplicaSets of former templates, and finished Jobs create no more pods. */
function groupWithoutPods(
  kind: (typeof WORKLOAD_KINDS)[number],
  workload: Workload,
  having: ReadonlyMap<string, unknown>,
): readonly Group[] {
  const { name, namespace = '', ownerReferences } = workload.metadata;
  const subject = { kind, namespace, name };
  if (having.has(keyOf(subject)) || controllerOf(ownerReferences) !== undefined) return [];
  if (workload.kind === 'Job' && workload.status?.completionTime !== undefined) return [];
  const pod = podOfManifest(workload);
  return pod === undefined ? [] : [{ subject, pod: () => pod, workload, pods: 0 }];
}

const keyOf = ({ kind, namespace, name }: UpgradeEffect['subject']): string => `${kind} ${namespace} ${name}`;

/** What one version says of another pod like a stored one. */
interface Said {
  readonly refusal: string | undefined;
  readonly placement: Placement | undefined;
  /** What the scheduler tries if no node can take the pod. */
  readonly preemption: Preemption | undefined;
  /** The best nodes by name; undefined if no node is certain. */
  readonly best: readonly string[] | undefined;
}

function* stepEffects(
  { before, after }: VersionedStates,
  group: Group,
  time: number,
): Generator<undefined, readonly UpgradeEffect[]> {
  const { subject, workload, pods } = group;
  const pod = group.pod();
  const another = workload === undefined ? 'Another pod like these' : 'A pod of its template';
  const effects: UpgradeEffect[] = [];
  const add = (kind: UpgradeEffectKind, said: Pick<UpgradeEffect, 'before' | 'after' | 'message'>): void => {
    effects.push({ kind, subject, pods, ...said });
  };
  for (const { pointer, before: former, after: value } of jsonDifferences(specIn(before, pod), specIn(after, pod))) {
    const message = value === undefined ? `${pointer} is not read any more.` : `${pointer} begins to count.`;
    add('field', { before: textOf(former), after: textOf(value), message });
  }
  const was = yield* stepSaid(before, pod, workload, time);
  const is = yield* stepSaid(after, pod, workload, time);
  if (was.refusal !== is.refusal) {
    const kind = is.refusal === undefined ? 'admitted' : was.refusal === undefined ? 'refused' : 'message';
    const what = { admitted: 'is admitted', refused: 'is refused', message: 'is refused in other words' }[kind];
    add(kind, { before: was.refusal, after: is.refusal, message: `${another} ${what}.` });
  }
  if (was.placement === undefined || is.placement === undefined) return effects;
  const lowered = `${another.charAt(0).toLowerCase()}${another.slice(1)}`;
  const { lost, won, known, knownNow } = nodeDifferences(was.placement, is.placement);
  const doubtful = known.length + knownNow.length;
  if (lost.length + won.length + doubtful > 0) {
    const messages = [
      ...(lost.length + won.length > 0 ? [`${another} fits ${moreAndFewer(won.length, lost.length)}.`] : []),
      ...(doubtful > 0 ? [`Whether ${lowered} fits ${doubtful} nodes is known by the rules of one version only.`] : []),
    ];
    add('nodes', {
      before: listed([...lost, ...known].sort()),
      after: listed([...won, ...knownNow].sort()),
      message: messages.join(' '),
    });
  } else if (was.best !== undefined && is.best !== undefined && was.best.join() !== is.best.join()) {
    add('score', {
      before: listed(was.best),
      after: listed(is.best),
      message: `Other nodes have the highest score for ${lowered}.`,
    });
  }
  const [formerly, now] = messagesOf(was, is);
  if (formerly !== now && formerly !== undefined && now !== undefined) {
    add('message', { before: formerly, after: now, message: 'The message of the scheduler has other words.' });
  }
  return effects;
}

/** The spec as the API server of a version reads it, with its defaults. */
const specIn = ({ rules }: ClusterState, pod: Pod): WholePod['spec'] => newPod(pod, rules).spec;

function* stepSaid(
  state: ClusterState,
  pod: Pod,
  workload: Workload | undefined,
  now: number,
): Generator<undefined, Said> {
  const admission = admitPod(
    { operation: 'create', pod, known: 'kept', allowMissingRuntimeClass: true, ...defined({ workload }) },
    admissionIn(state, pod.metadata.namespace ?? 'default'),
  );
  const nothing: Said = { refusal: undefined, placement: undefined, preemption: undefined, best: undefined };
  if (admission.outcome === 'refused') return { ...nothing, refusal: admission.refusal.message };
  const found = profileFor(state, pod.spec.schedulerName ?? 'default-scheduler');
  if (!('profile' in found)) return nothing;
  const { profile } = found;
  yield undefined;
  const placement = yield* stepEvaluatePlacement(state, {
    pod: admission.pod,
    gates: gatesOf(state.rules),
    filters: profile.filters,
  });
  if (placement.counts.feasible === 0) {
    return { ...nothing, placement, preemption: yield* stepPreempt(placement, { now }) };
  }
  const ranking = yield* stepRankPlacement(placement, profile);
  const best = ranking.indexes(0, ranking.tied).map((node) => state.nodes.name(node));
  return { ...nothing, placement, best: ranking.uncertain.length > 0 ? undefined : best.sort() };
}

/** What the scheduler says, with its words about preemption if they are known by the rules of both versions. */
function messagesOf(was: Said, is: Said): readonly (string | undefined)[] {
  const sides = [was, is];
  const isKnown = sides.every(({ preemption }) => preemption?.outcome !== 'unknown');
  return sides.map(({ placement, preemption }) =>
    placement !== undefined && preemption !== undefined && isKnown
      ? unscheduledMessage(placement, preemption).text
      : placement?.message().text,
  );
}

interface NodeDifferences {
  /** The nodes that are no longer feasible, and those that are now. */
  readonly lost: readonly string[];
  readonly won: readonly string[];
  /** Those of which it is known only by the former rules, and only by the new ones, whether they are. */
  readonly known: readonly string[];
  readonly knownNow: readonly string[];
}

function nodeDifferences(before: Placement, after: Placement): NodeDifferences {
  const { nodes } = before.state;
  const found = { lost: [] as string[], won: [] as string[], known: [] as string[], knownNow: [] as string[] };
  for (let node = 0; node < nodes.count; node++) {
    const [was, is] = [before.verdicts[node]!, after.verdicts[node]!];
    if (was === is) continue;
    const into = is === NOT_KNOWN ? 'known' : was === NOT_KNOWN ? 'knownNow' : was === FEASIBLE ? 'lost' : 'won';
    found[into].push(nodes.name(node));
  }
  return found;
}

function quotaEffects({ before, after, usagesBefore, usagesAfter }: VersionedStates): readonly UpgradeEffect[] {
  return usagesBefore.usages.flatMap((usage, row): readonly UpgradeEffect[] => {
    const { name, namespace = '' } = usage.quota.metadata;
    const later = new Map(
      usagesAfter.usages[row]!.resources().map((one) => [one.resource, knownUsage(one, after).used]),
    );
    return usage.resources().flatMap((one): readonly UpgradeEffect[] => {
      const [was, is] = [knownUsage(one, before).used?.toString(), later.get(one.resource)?.toString()];
      if (was === is) return [];
      const subject = { kind: 'ResourceQuota', namespace, name };
      const message = `${one.resource} of ${one.hard.toString()} is counted otherwise.`;
      return [{ kind: 'quota', subject, pods: usage.pods, before: was, after: is, message }];
    });
  });
}

/** The gates that rules depend on, and those that were declared. */
function gateEffects({ before, after }: VersionedStates): readonly UpgradeEffect[] {
  const declared = declaredVersionIn(before)?.featureGates ?? {};
  return [...new Set<string>([...RULE_GATES, ...Object.keys(declared)])].flatMap((name): readonly UpgradeEffect[] => {
    const value = declared[name];
    const [was, is] = [before, after].map(({ rules }) => gateIn(name, value, rules));
    const [former, fault] = [before, after].map(({ rules }) =>
      value === undefined ? undefined : faultOfGate(name, value, rules.minor, declared),
    );
    if (was === is && (fault === undefined || fault === former)) return [];
    const message =
      fault === undefined
        ? `The feature gate is ${was ?? 'absent'} before and ${is ?? 'absent'} after.`
        : `The declared value ${value} no longer applies: ${fault}.`;
    const subject = { kind: 'FeatureGate', namespace: '', name };
    return [{ kind: 'gate', subject, pods: 0, before: was, after: is, message }];
  });
}

/** `Beta, on`; undefined if the version does not have the gate. */
function gateIn(
  name: string,
  declared: boolean | undefined,
  { minor, featureGates }: ClusterState['rules'],
): string | undefined {
  const gate = featureGateIn(name, minor);
  if (gate === undefined) return undefined;
  const { stage, enabledByDefault, locked } = gate;
  const isRule = (RULE_GATES as readonly string[]).includes(name);
  const value = isRule ? featureGates[name as RuleGate] : locked ? enabledByDefault : (declared ?? enabledByDefault);
  return `${stage}, ${value ? 'on' : 'off'}`;
}

/**
 * The pods that leave at another time.
 *
 * @param before when each pod that leaves does so, as text, by `namespace/name`
 */
export function evictionEffects(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly UpgradeEffect[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key): readonly UpgradeEffect[] => {
    const [was, is] = [before.get(key), after.get(key)];
    if (was === is) return [];
    const [namespace = '', name = ''] = key.split('/');
    const subject = { kind: 'Pod', namespace, name };
    const how = was === undefined ? 'be evicted' : is === undefined ? 'not be evicted' : 'be evicted at another time';
    return [{ kind: 'eviction', subject, pods: 1, before: was, after: is, message: `The pod would ${how}.` }];
  });
}

function moreAndFewer(more: number, fewer: number): string {
  if (fewer === 0) return `${more} more ${more === 1 ? 'node' : 'nodes'}`;
  if (more === 0) return `${fewer} ${fewer === 1 ? 'node' : 'nodes'} fewer`;
  return `${more} more ${more === 1 ? 'node' : 'nodes'} and ${fewer} fewer`;
}

/** The order of effects. */
export function inOrder(a: UpgradeEffect, b: UpgradeEffect): number {
  return (
    UPGRADE_EFFECT_KINDS.indexOf(a.kind) - UPGRADE_EFFECT_KINDS.indexOf(b.kind) ||
    compare(a.subject.namespace, b.subject.namespace) ||
    compare(a.subject.name, b.subject.name) ||
    compare(a.subject.kind, b.subject.kind) ||
    compare(a.message, b.message)
  );
}

const MOST_NAMES = 5;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
