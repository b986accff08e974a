import type { KnownMoment } from '../eviction/known-moment.js';
import type { Taint } from '../kubernetes/objects/taints.js';

/**
 * How the time of a change of a node's taints is known:
 * `auditEvent`: the API server's audit log has the write.
 * `recordedChange`: the change was made through this service, and not earlier.
 * `timeAdded`: the node lifecycle controller owns the key and wrote the time, and no snapshot contradicts it.
 * `snapshots`: between two snapshots, one without the taint and one with it.
 * `firstSeen`: before the first snapshot that shows the node.
 * `question`: the request says when (a scenario, a change, an event).
 * `nodeLifecycle`: the node lifecycle controller would make the change then.
 */
export type SituationKnown =
  'auditEvent' | 'recordedChange' | 'timeAdded' | 'snapshots' | 'firstSeen' | 'question' | 'nodeLifecycle';

/** The NoExecute taints of a node from a moment on. */
export interface Situation {
  readonly moment: KnownMoment;
  readonly known: SituationKnown;
  /** Only taints with the effect NoExecute, in the node's order. */
  readonly taints: readonly Taint[];
  /** The node is deleted: the timers of its pods keep running, and the controller checks none of the pods. */
  readonly nodeGone?: boolean;
  /** Whether the change may never happen: results that depend on it are uncertain. */
  readonly perhaps?: boolean;
}

/** Oldest first, in order by `moment.latest`. Before the first entry the node has no NoExecute taint. */
export type NodeTimeline = readonly Situation[];
