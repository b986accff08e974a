import type { KnownMoment } from '../eviction/known-moment.js';
import type { Taint } from '../kubernetes/objects/taints.js';

/**
 * How it is known when the taints of a node became what they are:
 * `auditEvent`: the API server's audit log has the write; `recordedChange`: made through this service, and not before;
 * `timeAdded`: the node controller owns the key and wrote the time, and no snapshot contradicts it;
 * `snapshots`: between two snapshots, one without and one with; `firstSeen`: before the first snapshot that shows the node;
 * `question`: the question itself says when (a scenario, a change, an event); `nodeLifecycle`: the node lifecycle controller would
 * do it then.
 */
export type SituationKnown =
  'auditEvent' | 'recordedChange' | 'timeAdded' | 'snapshots' | 'firstSeen' | 'question' | 'nodeLifecycle';

/** The NoExecute taints of a node from a moment on. */
export interface Situation {
  readonly moment: KnownMoment;
  readonly known: SituationKnown;
  /** Those with effect NoExecute alone, in the node's order. */
  readonly taints: readonly Taint[];
  /** The node is deleted: the timers of its pods run on, and the controller looks at none of them. */
  readonly nodeGone?: boolean;
  /** Whether it comes about at all is not known: what rests on it alone is not sure. */
  readonly perhaps?: boolean;
}

/** Oldest first, the moments in order by `latest`. Before the first one the node has no NoExecute taint. */
export type NodeTimeline = readonly Situation[];
