import { hasEnded } from '../kubernetes/has-ended.js';
import { microsecondsOf } from '../kubernetes/moment.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { exactly, type KnownMoment, shifted } from './known-moment.js';

/** What a pod's node does about a pod that is marked for deletion. */
export interface NodeReach {
  /** Whether a kubelet is there to stop the pod. */
  readonly reachable: boolean;
  /** From when it is again, in milliseconds since the epoch; null where nobody knows of it. */
  readonly reachableAgainAt: number | null;
  /** Whether the node has the taint node.kubernetes.io/out-of-service. */
  readonly outOfService: boolean;
}

/** From the mark to the end of a pod's object. */
export interface Departure {
  readonly markedAt: KnownMoment;
  /** In seconds. */
  readonly gracePeriodSeconds: number;
  /** When the object is gone at the latest, as far as it is known; null where nobody removes it. */
  readonly goneAt: KnownMoment | null;
  /** `kubelet`: it stops the containers; `apiServer`: at once; `podGarbageCollector`: by force. */
  readonly by: 'kubelet' | 'apiServer' | 'podGarbageCollector' | null;
}

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';
/** The pod garbage collector looks so often. */
export const GARBAGE_COLLECTION_MS = 20_000;
const DEFAULT_GRACE_SECONDS = 30;

/**
 * The grace period with which a pod is deleted, in seconds: the one that is asked for, else its own. A pod that has ended goes at once.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/registry/core/pod/strategy.go, `CheckGracefulDelete`.
 */
export function gracePeriodOf(pod: Pick<Pod, 'spec' | 'status'>, asked?: number): number {
  if (hasEnded(pod)) return 0;
  const seconds = asked ?? Number(pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
  // A negative period is one second (`ValidatePodSpec` lets none in; old objects may have one).
  return seconds < 0 ? 1 : seconds;
}

/**
 * When a pod that is marked at a moment is gone.
 *
 * The kubelet ends it within the grace period. A pod that has ended, or whose grace period is zero, is deleted at once. On a node that
 * does not answer the object stays, Terminating, until the node comes back; with the out-of-service taint on the node the pod garbage
 * collector deletes it by force on its next pass.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/registry/core/pod/strategy.go, `CheckGracefulDelete`; pkg/controller/podgc/gc_controller.go,
 * `gcTerminating`.
 */
export function departureOf(pod: Pick<Pod, 'spec' | 'status'>, markedAt: KnownMoment, node: NodeReach): Departure {
  const gracePeriodSeconds = gracePeriodOf(pod);
  if (gracePeriodSeconds === 0) return { markedAt, gracePeriodSeconds, goneAt: markedAt, by: 'apiServer' };
  return { markedAt, gracePeriodSeconds, ...endOf(markedAt, gracePeriodSeconds, node) };
}

/** The same for a pod that is being deleted already; undefined where its `deletionTimestamp` cannot be read. */
export function departureUnderway({ metadata }: Pick<Pod, 'metadata'>, node: NodeReach): Departure | undefined {
  const until = microsecondsOf(metadata.deletionTimestamp ?? '');
  if (until === undefined) return undefined;
  const gracePeriodSeconds = Number(metadata.deletionGracePeriodSeconds ?? 0);
  const markedAt = exactly(until / 1000 - gracePeriodSeconds * 1000);
  return { markedAt, gracePeriodSeconds, ...endOf(markedAt, gracePeriodSeconds, node) };
}

function endOf(
  markedAt: KnownMoment,
  gracePeriodSeconds: number,
  { reachable, reachableAgainAt, outOfService }: NodeReach,
): Pick<Departure, 'goneAt' | 'by'> {
  const afterGrace = shifted(markedAt, gracePeriodSeconds * 1000);
  if (reachable) return { goneAt: afterGrace, by: 'kubelet' };
  if (outOfService) {
    const { earliest, latest } = markedAt;
    return { goneAt: { earliest, latest: latest + GARBAGE_COLLECTION_MS }, by: 'podGarbageCollector' };
  }
  if (reachableAgainAt === null) return { goneAt: null, by: null };
  const { earliest, latest } = afterGrace;
  const goneAt = { earliest: Math.max(earliest, reachableAgainAt), latest: Math.max(latest, reachableAgainAt) };
  return { goneAt, by: 'kubelet' };
}

/** What a stored node's own word is: its Ready condition is Unknown where its kubelet has fallen silent. */
export function storedReach({ spec, status }: Node): NodeReach {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    reachable: ready?.status !== 'Unknown',
    reachableAgainAt: null,
    outOfService: (spec?.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE),
  };
}
