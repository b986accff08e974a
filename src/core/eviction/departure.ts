import { hasEnded } from '../kubernetes/has-ended.js';
import { microsecondsOf } from '../kubernetes/moment.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { exactly, type KnownMoment, shifted } from './known-moment.js';

/** What a pod's node does with a pod that is marked for deletion. */
export interface NodeReach {
  /** Whether a kubelet is available to stop the pod. */
  readonly reachable: boolean;
  /** When it is available again, in milliseconds since the epoch; null if that is not known. */
  readonly reachableAgainAt: number | null;
  /** Whether the node has the taint node.kubernetes.io/out-of-service. */
  readonly outOfService: boolean;
}

/** The time from the mark to the deletion of a pod's object. */
export interface Departure {
  readonly markedAt: KnownMoment;
  /** In seconds. */
  readonly gracePeriodSeconds: number;
  /** The latest time at which the object is gone, as far as it is known; null if nobody removes it. */
  readonly goneAt: KnownMoment | null;
  /** `kubelet`: after it has stopped the containers; `apiServer`: immediately; `podGarbageCollector`: by force. */
  readonly by: 'kubelet' | 'apiServer' | 'podGarbageCollector' | null;
}

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';
/** The interval of the pod garbage collector. */
export const GARBAGE_COLLECTION_MS = 20_000;
const DEFAULT_GRACE_SECONDS = 30;

/**
 * The grace period with which a pod is deleted, in seconds: the requested one, else its own; zero for a pod that has
 * ended.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/registry/core/pod/strategy.go, `CheckGracefulDelete`.
 */
export function gracePeriodOf(pod: Pick<Pod, 'spec' | 'status'>, asked?: number): number {
  if (hasEnded(pod)) return 0;
  const seconds = asked ?? Number(pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
  // A negative period means one second (`ValidatePodSpec` refuses it; old objects may have one).
  return seconds < 0 ? 1 : seconds;
}

/**
 * When a pod that is marked at a given time is gone.
 *
 * The kubelet ends it within the grace period. A pod that has ended, or whose grace period is zero, is deleted
 * immediately. On an unreachable node the object remains Terminating until the node comes back; with the out-of-service
 * taint on the node the pod garbage collector force-deletes it on its next pass.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/registry/core/pod/strategy.go, `CheckGracefulDelete`;
 * pkg/controller/podgc/gc_controller.go, `gcTerminating`.
 */
export function departureOf(pod: Pick<Pod, 'spec' | 'status'>, markedAt: KnownMoment, node: NodeReach): Departure {
  const gracePeriodSeconds = gracePeriodOf(pod);
  if (gracePeriodSeconds === 0) return { markedAt, gracePeriodSeconds, goneAt: markedAt, by: 'apiServer' };
  return { markedAt, gracePeriodSeconds, ...endOf(markedAt, gracePeriodSeconds, node) };
}

/** The same for a pod that is already being deleted; undefined if its `deletionTimestamp` is invalid. */
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

/** The state of a stored node: its Ready condition is Unknown if its kubelet is unreachable. */
export function storedReach({ spec, status }: Node): NodeReach {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    reachable: ready?.status !== 'Unknown',
    reachableAgainAt: null,
    outOfService: (spec?.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE),
  };
}
