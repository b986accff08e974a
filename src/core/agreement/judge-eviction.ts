import type { ClusterState } from '../cluster/cluster-state.js';
import type { KnownMoment } from '../eviction/known-moment.js';
import { millisecondsOf } from '../kubernetes/moment.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { agreed, notKnown, type Judgement } from './judgement.js';

/** A pod that taints evicted, as two revisions show it. */
export interface TaintEviction {
  readonly pod: Pod;
  /** When its deletion was requested; times have whole seconds. */
  readonly happened: KnownMoment;
}

const SECOND = 1_000;
/** The controller works its queue off: so much later than its timers it may be. */
const LATE = 2 * SECOND;
/** If the predicted time is not known more closely, it says nothing. */
const CLOSE = 60 * SECOND;

/**
 * The eviction of a pod by taints between two states; undefined if there was none.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/tainteviction/taint_eviction.go, `addConditionAndDeletePod`.
 */
export function taintEviction(before: ClusterState, pod: Pod): TaintEviction | undefined {
  const { namespace = '', name } = pod.metadata;
  const index = before.pods.indexOf(namespace, name);
  return taintEvictionSince(index >= 0 ? before.pods.pod(index) : undefined, pod);
}

/** The same, of a pod as it was before; undefined if there was none of its name. */
export function taintEvictionSince(known: Pod | undefined, pod: Pod): TaintEviction | undefined {
  const { metadata, status } = pod;
  const marked = millisecondsOf(metadata.deletionTimestamp);
  if (marked === undefined) return undefined;
  const isSame = known !== undefined && (known.metadata.uid ?? '') === (metadata.uid ?? '');
  if (isSame && (known.metadata.deletionTimestamp ?? '') !== '') return undefined;
  const target = status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  if (target?.status !== 'True' || target.reason !== 'DeletionByTaintManager') return undefined;
  const requested = marked - Number(metadata.deletionGracePeriodSeconds ?? 0) * SECOND;
  return { pod, happened: { earliest: requested, latest: requested + SECOND } };
}

/**
 * Compares the moment of an eviction with the one that was predicted.
 *
 * @param predicted null if the pod was predicted to stay; undefined if its node has no NoExecute taint in the states before and after
 */
export function judgeEviction({ pod, happened }: TaintEviction, predicted: KnownMoment | null | undefined): Judgement {
  const node = pod.spec.nodeName ?? '';
  const real = timeText(happened.earliest);
  if (predicted === undefined) {
    const text = `no revision shows a NoExecute taint on ${node} that evicts the pod`;
    return notKnown('eviction', 'taintNotSeen', text, { node, happened: happened.earliest });
  }
  if (predicted === null) {
    const text = `the pod was evicted at ${real}, and was predicted to stay: it tolerates the taints of ${node}`;
    return { rule: 'eviction', outcome: 'disagreed', text, difference: { node, happened: happened.earliest } };
  }
  const { earliest, latest } = predicted;
  const from = Number.isFinite(earliest) ? earliest : null;
  const difference = { node, predicted: { from, to: latest }, happened: happened.earliest };
  const early = earliest - happened.latest;
  const late = happened.earliest - latest;
  if (early <= SECOND && late <= LATE) {
    if (latest - earliest <= CLOSE) return agreed('eviction');
    const between = from === null ? `before ${timeText(latest)}` : `between ${timeText(from)} and ${timeText(latest)}`;
    return notKnown('eviction', 'momentNotKnown', `predicted ${between}, and evicted at ${real}`, difference);
  }
  const by = Math.ceil(Math.max(early, late) / SECOND);
  const way = early > SECOND ? 'before' : 'after';
  const text = `the pod was evicted at ${real}, ${by} s ${way} the predicted ${timeText(way === 'before' ? earliest : latest)}`;
  return { rule: 'eviction', outcome: 'disagreed', text, difference };
}

const timeText = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');
