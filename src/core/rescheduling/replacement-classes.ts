import type { ClusterState } from '../cluster/cluster-state.js';
import { podRequestOf } from '../cluster/pod-request.js';
import { int64 } from '../cluster/resource-table.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { QuantityError } from '../kubernetes/quantity.js';
import { schedulerRequest, type ResourceVector } from '../resources/request-vector.js';
import { DEFAULT_SCHEDULER } from '../scheduling/queue/queued-work.js';
import type { Held } from '../scheduling/run/node-board.js';
import { controllerKey, readPod } from '../scheduling/run/pod-classes.js';
import { PodKinds } from '../scheduling/run/pod-kinds.js';
import type { Room } from './rescheduling.js';
import { replacementPod } from '../kubernetes/replacement-pod.js';
import { withoutPin } from './without-pin.js';

/** Pods that no filter and no score can distinguish, except for a node that they are pinned to. */
export interface ReplacementClass {
  readonly priority: number;
  readonly schedulerName: string;
  /** One of the pods, without its pin. */
  readonly pod: Pod;
  /** The resources that each pod uses. */
  readonly held: Held;
  readonly requested: Room;
  /** Whether their claims are created with them, from templates. */
  readonly hasOwnClaims: boolean;
}

/** A class, and the node that a pod of it is pinned to; -1 without a pin, -2 if that node is not stored. */
export interface Classified {
  readonly replacementClass: ReplacementClass;
  readonly pin: number;
}

export const NO_PIN = -1;
const PIN_NOT_STORED = -2;

/** Assigns replacement pods to classes, so that each distinct pod is read once. */
export class ReplacementClasses {
  private readonly byRow = new Map<string, ReplacementClass | undefined>();
  private readonly byKey = new Map<string, ReplacementClass>();
  /** A state without pods; it numbers equal values. */
  private readonly kinds;

  /** @param isPinning whether a scheduler of a name keeps to the node that a pod's required affinity names */
  constructor(
    private readonly state: ClusterState,
    private readonly isPinning: (schedulerName: string) => boolean,
  ) {
    this.kinds = PodKinds.empty(state.rules);
  }

  /** The number of pods that were read. */
  get count(): number {
    return this.byRow.size;
  }

  /** The class of a stored pod's replacement; undefined if a request cannot be read. */
  of(pod: number, isDaemon: boolean): Classified | undefined {
    const { pods } = this.state;
    const pin = this.pinOf(pod, isDaemon);
    const from = controllerKey(pods.ownerReferences(pod));
    const by = pin === NO_PIN ? '' : isDaemon ? 'd' : 'p';
    const row = `${pods.specId(pod)} ${pods.labelSetId(pod)} ${by} ${pods.namespace(pod)} ${from}`;
    let found = this.byRow.get(row);
    if (found === undefined && !this.byRow.has(row)) {
      found = this.make(pod, isDaemon, pin !== NO_PIN);
      this.byRow.set(row, found);
    }
    return found === undefined ? undefined : { replacementClass: found, pin };
  }

  private pinOf(pod: number, isDaemon: boolean): number {
    const { pods, nodes } = this.state;
    const { affinity, schedulerName = DEFAULT_SCHEDULER } = pods.specOf(pods.specId(pod));
    if (!this.isPinning(schedulerName)) return NO_PIN;
    if (isDaemon) return pods.nodeIndex(pod);
    if (affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution === undefined) return NO_PIN;
    const pinned = withoutPin(pods.pod(pod));
    if (pinned === undefined) return NO_PIN;
    const pin = nodes.indexOf(pinned.pin);
    return pin < 0 ? PIN_NOT_STORED : pin;
  }

  private make(index: number, isDaemon: boolean, isPinned: boolean): ReplacementClass | undefined {
    const { pods, nodes } = this.state;
    const replacement = replacementPod(pods.pod(index), isDaemon ? nodes.name(pods.nodeIndex(index)) : undefined);
    const pod = (isPinned ? withoutPin(replacement)?.pod : undefined) ?? replacement;
    let request: ResourceVector;
    try {
      request = schedulerRequest(pod, this.state.rules);
    } catch (error) {
      if (error instanceof QuantityError) return undefined;
      throw error;
    }
    const { schedulerName = DEFAULT_SCHEDULER, priority = 0 } = pod.spec;
    const key = `${schedulerName} ${priority} ${readPod(this.state, this.kinds, pod).key}`;
    let known = this.byKey.get(key);
    if (known === undefined) {
      known = {
        priority,
        schedulerName,
        pod,
        held: podRequestOf({ spec: pod.spec }, this.state.rules),
        requested: { milliCPU: int64(request.milliCPU), memory: int64(request.memory) },
        hasOwnClaims: hasOwnClaims(pod.spec),
      };
      this.byKey.set(key, known);
    }
    return known;
  }
}

const hasOwnClaims = ({ volumes = [] }: PodSpec): boolean =>
  volumes.some(
    ({ ephemeral, persistentVolumeClaim }) => ephemeral !== undefined && persistentVolumeClaim === undefined,
  );
