import { admitPod } from '../admission/admission-chain.js';
import { admissionIn } from '../admission/admission-in.js';
import { podOfManifest } from '../admission/pod-of-template.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { ReplicaSet } from '../kubernetes/objects/workloads.js';
import { agreed, notKnown, textDifference, type Judgement } from './judgement.js';

/** A pod of a ReplicaSet that the API server refused, as the ReplicaSet's condition tells. */
export interface RefusedPodOf {
  readonly replicaSet: ReplicaSet;
  readonly message: string;
}

/** A pod that was refused between two states; undefined if none was. Only refusals by admission are kept. */
export function refusedPod(before: ClusterState, replicaSet: ReplicaSet): RefusedPodOf | undefined {
  const { namespace, name } = replicaSet.metadata;
  return refusedPodSince(before.find('ReplicaSet', namespace, name) as ReplicaSet | undefined, replicaSet);
}

/** The same, of a ReplicaSet as it was before; undefined if there was none of its name. */
export function refusedPodSince(former: ReplicaSet | undefined, replicaSet: ReplicaSet): RefusedPodOf | undefined {
  const message = failureOf(replicaSet);
  if (message === undefined) return undefined;
  const { uid } = replicaSet.metadata;
  if (former !== undefined && former.metadata.uid === uid && failureOf(former) === message) return undefined;
  return { replicaSet, message };
}

const failureOf = ({ status }: ReplicaSet): string | undefined =>
  status?.conditions?.find((one) => one.type === 'ReplicaFailure' && one.status === 'True')?.message;

/** A name that the API server draws: the start, and five letters. */
const DRAWN = /^pods "[^"]*"/;

/**
 * Compares the words with which admission refused a pod with ours. What the quotas had used by then is in between two states.
 *
 * @param states the ones before and after
 */
export function judgeAdmission(
  states: readonly ClusterState[],
  { replicaSet, message: theirs }: RefusedPodOf,
): Judgement {
  const { namespace = '' } = replicaSet.metadata;
  const pod = podOfManifest(replicaSet);
  if (pod === undefined) return notKnown('admission', 'admissionNotKnown', 'the ReplicaSet has no pod template');
  let first: Judgement | undefined;
  for (const state of states) {
    const admission = admitPod(
      { operation: 'create', pod, known: 'kept', workload: replicaSet },
      admissionIn(state, namespace),
    );
    const refusal = admission.outcome === 'refused' ? admission.refusal.message : undefined;
    if (refusal !== undefined && unnamed(refusal) === unnamed(theirs)) return agreed('admission');
    if (refusal === undefined) {
      const doubt = admission.undecided.map(({ plugin, why }) => `${plugin}: ${why}`).join('; ');
      first ??= admission.certain
        ? disagreed(`the API server would create the pod, and refused it: ${theirs}`, { theirs })
        : notKnown('admission', 'admissionNotKnown', `${doubt}: the API server refused the pod: ${theirs}`, { theirs });
      continue;
    }
    const difference = textDifference(unnamed(refusal), unnamed(theirs));
    const text = `ours is ${JSON.stringify(refusal)}, and the API server said ${JSON.stringify(theirs)}`;
    if (!admission.certain) first ??= notKnown('admission', 'admissionNotKnown', text, difference);
    else if (withoutNumbers(refusal) === withoutNumbers(theirs)) {
      first = notKnown('admission', 'order', `of the pods in between, not every count was tried: ${text}`, difference);
    } else first ??= disagreed(text, difference);
  }
  // A quota that is full in between may have room before and after.
  if (first?.outcome === 'disagreed' && theirs.includes(QUOTA) && first.difference.ours === undefined) {
    return notKnown('admission', 'order', `before and after, the quota has room: ${first.text}`, { theirs });
  }
  return first ?? notKnown('admission', 'kindsNotLoaded', 'no state is known');
}

const QUOTA = 'exceeded quota: ';

const disagreed = (
  text: string,
  difference: { readonly ours?: string; readonly theirs: string },
): Judgement & {
  readonly outcome: 'disagreed';
} => ({ rule: 'admission', outcome: 'disagreed', text, difference });

/** The words after the pod's name, which is drawn. */
const unnamed = (message: string): string => message.replace(DRAWN, 'pods');

const withoutNumbers = (message: string): string => unnamed(message).replace(/=[^,\s]+/g, '=');
