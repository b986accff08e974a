import type { ReplacementClass } from './replacement-classes.js';
import type { NeverReplaced, NodesFound, Refusal, ReschedulingUnknown, Room } from './rescheduling.js';

/**
 * Learns from a `Rescheduler` what becomes of leaving pods and their replacements, in the order in which it happens.
 * A replacement is identified by the pod that it replaces. Times are milliseconds since the epoch.
 */
export interface ReplacementSink {
  /** Whether any replacement was `unknown`. */
  readonly hasUnknown: boolean;
  /** Whether more nodes than the chosen one are wanted for a pod. */
  wantsNodes(pod: number): boolean;
  /** Whether it is wanted why a pod has no node. */
  wantsRefusal(pod: number): boolean;
  /** The pod starts being deleted. */
  marked(pod: number, at: number): void;
  /** The pod no longer exists. */
  gone(pod: number, at: number): void;
  neverReplaced(pod: number, why: NeverReplaced): void;
  /** The controller creates the replacement. */
  replaced(pod: number, at: number): void;
  /** Whether the pod is replaced, or whether there is a node for its replacement, is not known. */
  unknown(pod: number, because: readonly ReschedulingUnknown[], at: number, found?: NodesFound): void;
  /** The replacement gets a node: the first of the best ones. */
  landed(
    pod: number,
    at: number,
    found: NodesFound,
    replacementClass: Pick<ReplacementClass, 'requested'>,
    waited: boolean,
  ): void;
  /** There is no node when the replacement is created; it waits. */
  refused(pod: number, refusal: Refusal | undefined): void;
  /** The replacement has no node at the end. */
  leftWithout(pod: number): void;
  /** A moment is settled. */
  endMoment(at: number, waiting: number, free: Room): void;
}
