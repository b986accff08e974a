import type { ClusterState } from '../cluster/cluster-state.js';
import { controllerOf } from '../kubernetes/controller-of.js';
import type { OwnerReference } from '../kubernetes/objects/meta.js';
import type { ReplicaSet } from '../kubernetes/objects/workloads.js';
import { namesPodGroup } from '../placement/pod-groups.js';

const partsOf = new WeakMap<ClusterState, StoredParts>();

/** What rollouts look up in the state that they begin with; each is found once for a state. Pods are their indexes. */
export class StoredParts {
  private byOwner: Map<string, number[]> | undefined;
  private byDeployment: Map<string, ReplicaSet[]> | undefined;
  private waitingPods: readonly number[] | undefined;
  private groupPods: readonly number[] | undefined;
  private least: number | undefined;

  private constructor(private readonly state: ClusterState) {}

  static of(state: ClusterState): StoredParts {
    let parts = partsOf.get(state);
    if (parts === undefined) partsOf.set(state, (parts = new StoredParts(state)));
    return parts;
  }

  /** The pods whose controller has a kind and name. */
  podsOwnedBy(kind: string, namespace: string, name: string): readonly number[] {
    this.byOwner ??= this.findByOwner();
    return this.byOwner.get(`${kind} ${name} ${namespace}`) ?? [];
  }

  /** The ReplicaSets that a Deployment controls, the oldest first. */
  replicaSetsOf(namespace: string, name: string): readonly ReplicaSet[] {
    this.byDeployment ??= this.findByDeployment();
    return this.byDeployment.get(`${name} ${namespace}`) ?? [];
  }

  /** The pods that wait for a node. */
  get waiting(): readonly number[] {
    if (this.waitingPods === undefined) {
      const { pods } = this.state;
      const found: number[] = [];
      for (let pod = 0; pod < pods.count; pod++) {
        if (pods.nodeName(pod) === '' && pods.active(pod) && !pods.terminating(pod)) found.push(pod);
      }
      this.waitingPods = found;
    }
    return this.waitingPods;
  }

  /** Those of them that name a PodGroup. */
  get waitingInGroups(): readonly number[] {
    const { pods } = this.state;
    return (this.groupPods ??= this.waiting.filter((pod) => namesPodGroup(pods.pod(pod))));
  }

  /** The lowest priority of a pod on a node; infinite without any pod. */
  get leastPriority(): number {
    if (this.least === undefined) {
      const { pods } = this.state;
      this.least = Number.POSITIVE_INFINITY;
      for (let pod = 0; pod < pods.count; pod++) {
        if (pods.nodeIndex(pod) >= 0 && pods.active(pod)) this.least = Math.min(this.least, pods.priority(pod));
      }
    }
    return this.least;
  }

  private findByOwner(): Map<string, number[]> {
    const { pods } = this.state;
    const keys = new Map<readonly OwnerReference[], string>();
    const found = new Map<string, number[]>();
    for (let pod = 0; pod < pods.count; pod++) {
      const references = pods.ownerReferences(pod);
      let owner = keys.get(references);
      if (owner === undefined) {
        const controller = controllerOf(references);
        keys.set(references, (owner = controller === undefined ? '' : `${controller.kind} ${controller.name}`));
      }
      if (owner !== '') append(found, `${owner} ${pods.namespace(pod)}`, pod);
    }
    return found;
  }

  private findByDeployment(): Map<string, ReplicaSet[]> {
    const found = new Map<string, ReplicaSet[]>();
    for (const replicaSet of this.state.objects('ReplicaSet') as readonly ReplicaSet[]) {
      const { namespace = '', ownerReferences } = replicaSet.metadata;
      const owner = controllerOf(ownerReferences);
      if (owner?.kind === 'Deployment') append(found, `${owner.name} ${namespace}`, replicaSet);
    }
    const madeAt = ({ metadata }: ReplicaSet): string => metadata.creationTimestamp ?? '';
    for (const list of found.values()) {
      list.sort((a, b) => (madeAt(a) < madeAt(b) ? -1 : madeAt(a) > madeAt(b) ? 1 : 0));
    }
    return found;
  }
}

function append<T>(lists: Map<string, T[]>, key: string, one: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [one]);
  else list.push(one);
}
