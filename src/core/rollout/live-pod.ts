import type { ClaimAllocation } from '../devices/device-allocator.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { millisecondsOf } from '../kubernetes/moment.js';
import type { Condition, Pod, PodStatus } from '../kubernetes/objects/pod.js';

/** A claim for devices that cannot be made for a pod. */
export interface RefusedPodClaim {
  /** Of the event. */
  readonly text: string;
  /** The admission plugin that refuses it. */
  readonly by: string;
}

/** A controller that has pods, as far as a pod knows it. */
export interface PodOwner {
  /** A pod of the controller was bound, became ready, ended or left. */
  podChanged(pod: LivePod): void;
  /** The name of a pod, without the parts that nobody can know. */
  shownName(pod: LivePod): string;
}

/** A pod while the rollout goes on. */
export abstract class LivePod {
  /** Index of the node in the state; -1 until it is bound. */
  node = -1;
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' = 'Pending';
  ready = false;
  /** Whether the scheduler has chosen the node and waits for a volume before it binds the pod. */
  isAssumed = false;
  isGone = false;
  /** Milliseconds since the start of the rollout. */
  readySince = Number.NaN;
  nominatedNode = '';
  /** The condition PodScheduled while the pod waits. */
  unscheduled: Pick<Condition, 'reason' | 'message'> | undefined;
  /** Whether it would have a node, and waits because too few others of its group do. */
  isHeldByGroup = false;
  isOwnerKnown = false;
  /** The claims for devices that were made for the pod. */
  claims: Pick<PodStatus, 'resourceClaimStatuses' | 'extendedResourceClaimStatus'> | undefined;
  /** Why the controller of claims cannot make one of them: the scheduler does not try the pod before. */
  refusedClaim: RefusedPodClaim | undefined;
  /** What its claims for devices get, once it has a node. */
  devices: readonly ClaimAllocation[] = [];
  /** Whether the request has the pod itself. */
  isAsked = false;

  constructor(
    readonly namespace: string,
    readonly name: string,
    readonly priority: number,
    public owner: PodOwner | undefined,
    /** Position in the order of creation. */
    readonly order: number,
    /** The revision or the template that it was made from. */
    readonly revision: string,
  ) {}

  /** Whether the rollout made it; otherwise the cluster had it. */
  abstract readonly isNew: boolean;

  /** Without its node; its status is that of its creation. */
  abstract get stored(): Pod;

  /** Milliseconds since the start of the rollout; negative for pods that the cluster had. */
  abstract get createdAt(): number;

  get isActive(): boolean {
    return !this.isGone && this.phase !== 'Succeeded' && this.phase !== 'Failed';
  }
}

/** A pod that the rollout made. */
export class NewPod extends LivePod {
  readonly isNew = true;

  constructor(
    readonly stored: Pod,
    owner: PodOwner,
    readonly createdAt: number,
    order: number,
    revision: string,
  ) {
    const { namespace = '', name } = stored.metadata;
    super(namespace, name, stored.spec.priority ?? 0, owner, order, revision);
  }
}

/** A pod that the cluster had. It is assembled when somebody asks for more than its columns. */
export class StoredPod extends LivePod {
  readonly isNew = false;
  private assembled: Pod | undefined;

  /**
   * @param index of the pod in the state
   * @param startsAt when the rollout starts, in milliseconds since the epoch
   */
  constructor(
    private readonly base: ClusterState,
    private readonly index: number,
    owner: PodOwner | undefined,
    private readonly startsAt: number,
  ) {
    const { pods } = base;
    super(pods.namespace(index), pods.name(index), pods.priority(index), owner, -1, revisionOf(pods.labels(index)));
    this.node = pods.nodeIndex(index);
    this.phase = phaseOf(pods.phase(index));
    this.ready = pods.ready(index);
    this.nominatedNode = pods.nominatedNodeName(index);
    const startedAt = pods.startedAt(index);
    this.readySince = Number.isNaN(startedAt) ? this.createdAt : startedAt - startsAt;
    if (pods.nodeName(index) === '') this.unscheduled = unscheduledOf(this.stored);
  }

  get stored(): Pod {
    return (this.assembled ??= withoutNode(this.base.pods.pod(this.index)));
  }

  change(pod: Pod): void {
    this.assembled = withoutNode(pod);
  }

  get createdAt(): number {
    return (millisecondsOf(this.stored.metadata.creationTimestamp) ?? this.startsAt) - this.startsAt;
  }
}

function withoutNode(pod: Pod): Pod {
  const spec = { ...pod.spec };
  delete (spec as { nodeName?: string }).nodeName;
  return { ...pod, spec };
}

const unscheduledOf = ({ status }: Pod): Condition | undefined =>
  status?.conditions?.find(({ type, status: value }) => type === 'PodScheduled' && value === 'False');

const phaseOf = (phase: string): LivePod['phase'] =>
  phase === 'Running' || phase === 'Succeeded' || phase === 'Failed' ? phase : 'Pending';

const revisionOf = (labels: Readonly<Record<string, string>>): string =>
  labels['controller-revision-hash'] ?? labels['pod-template-hash'] ?? '';
