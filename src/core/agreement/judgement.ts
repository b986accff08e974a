/**
 * What a prediction is compared about. `filter`: the node of a pod that was bound is feasible. `score`: it is among the best.
 * `message`: what a pod was told that found no node. `preemption`: the node to which it was nominated. `eviction`: when taints evicted a
 * pod. `admission`: with which words the API server refused a pod.
 */
export const AGREEMENT_RULES = ['filter', 'score', 'message', 'preemption', 'eviction', 'admission'] as const;
export type AgreementRule = (typeof AGREEMENT_RULES)[number];

export const AGREEMENT_OUTCOMES = ['agreed', 'disagreed', 'unknown'] as const;
export type AgreementOutcome = (typeof AGREEMENT_OUTCOMES)[number];

/**
 * Why it is not known whether a prediction agrees.
 *
 * - `kindsNotLoaded`: objects that decide are of kinds that no snapshot contained.
 * - `schedulerNotKnown`: no profile of this scheduler is declared.
 * - `extenders`: the scheduler asks extenders, which decide besides.
 * - `pluginNotKnown`: a plugin decides whose rules are not known.
 * - `sampled`: of so many nodes the scheduler scores some, and does not say which.
 * - `order`: several changes came in one revision, and their order is not known.
 * - `cameBound`: the pod came with its node; nobody may have chosen it.
 * - `otherVersion`: the words are those of another version of Kubernetes.
 * - `schedulerFailed`: scheduling ended in an error.
 * - `taintNotSeen`: no revision shows the taint that evicted the pod.
 * - `momentNotKnown`: since when the pod and the taint were together is not known, or which pods started first.
 * - `admissionNotKnown`: a plugin or webhook decides whose rules are not known.
 */
export const UNKNOWN_CODES = [
  'kindsNotLoaded',
  'schedulerNotKnown',
  'extenders',
  'pluginNotKnown',
  'sampled',
  'order',
  'cameBound',
  'otherVersion',
  'schedulerFailed',
  'taintNotSeen',
  'momentNotKnown',
  'admissionNotKnown',
] as const;
export type UnknownCode = (typeof UNKNOWN_CODES)[number];

/** What was predicted beside what happened, as far as it belongs to the rule. */
export interface Difference {
  /** The node that was chosen, or to which the pod was nominated. */
  readonly node?: string;
  /** The best nodes by our scores, or those with the cheapest victims; the first of them. */
  readonly best?: readonly string[];
  /** What our filters say against the node that was chosen. */
  readonly refusals?: readonly { readonly plugin: string; readonly message: string }[];
  /** Our total of the node that was chosen, and the greatest one. */
  readonly total?: number;
  readonly bestTotal?: number;
  /** The scores of which both totals are made, where they differ. */
  readonly scores?: readonly { readonly plugin: string; readonly chosen: number; readonly best: number }[];
  /** Our words and those of the cluster, and the position of the first character that differs. */
  readonly ours?: string;
  readonly theirs?: string;
  readonly differsAt?: number;
  /** The time that was predicted, between two bounds, and the real one; milliseconds since the epoch. */
  readonly predicted?: { readonly from: number | null; readonly to: number };
  readonly happened?: number;
}

/** Whether one prediction agrees with what the cluster did. */
export type Judgement =
  | { readonly rule: AgreementRule; readonly outcome: 'agreed' }
  /** `text` spells the difference out. */
  | {
      readonly rule: AgreementRule;
      readonly outcome: 'disagreed';
      readonly text: string;
      readonly difference: Difference;
    }
  | {
      readonly rule: AgreementRule;
      readonly outcome: 'unknown';
      readonly because: UnknownCode;
      readonly text: string;
      readonly difference?: Difference;
    };

export const agreed = (rule: AgreementRule): Judgement => ({ rule, outcome: 'agreed' });

export const notKnown = (
  rule: AgreementRule,
  because: UnknownCode,
  text: string,
  difference?: Difference,
): Judgement => ({ rule, outcome: 'unknown', because, text, ...(difference && { difference }) });

/** The most nodes that a text or a difference lists. */
export const MOST_LISTED = 10;

/** Names as a text lists them. */
export function listed(names: readonly string[]): string {
  const rest = names.length - MOST_LISTED;
  return names.slice(0, MOST_LISTED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** Two texts that should be equal; undefined if they are. */
export function textDifference(
  ours: string,
  theirs: string,
): Required<Pick<Difference, 'ours' | 'theirs' | 'differsAt'>> {
  let differsAt = 0;
  while (differsAt < ours.length && ours[differsAt] === theirs[differsAt]) differsAt++;
  return { ours, theirs, differsAt };
}
