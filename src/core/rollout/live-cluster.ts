import { NOTHING } from '../collections/nothing.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { Condition, Pod, PodStatus } from '../kubernetes/objects/pod.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { LivePod } from './live-pod.js';

/**
 * The cluster while a rollout goes on: a state, and the changes to it so far. The changes are applied to the state only when
 * somebody asks for it.
 */
export class LiveCluster {
  private current: ClusterState;
  private readonly changedPods = new Map<string, LivePod>();
  private readonly changedObjects = new Map<string, Changed>();
  /** The state with the changes of objects alone, and those that it lacks. */
  private withObjects: ClusterState;
  private readonly newObjects = new Map<string, Changed>();
  /** Counts the changes that can make a difference to where pods fit. */
  version = 0;

  constructor(
    readonly base: ClusterState,
    private readonly startsAt: number,
  ) {
    this.current = base;
    this.withObjects = base;
  }

  get rules(): KubernetesRules {
    return this.base.rules;
  }

  nodeName(node: number): string {
    return this.base.nodes.name(node);
  }

  find(kind: KeptKind, namespace: string, name: string): KubernetesObject | undefined {
    const changed = this.changedObjects.get(keyOf(kind, namespace, name));
    return changed === undefined ? this.current.find(kind, namespace, name) : changed.object;
  }

  /** Every object of a kind other than Pod and Node. */
  objects(kind: KeptKind): readonly KubernetesObject[] {
    return this.lookups().objects(kind);
  }

  /** Names of claims that came or changed, by namespace. */
  readonly touchedClaims = new Map<string, Set<string>>();

  put(object: KubernetesObject): void {
    const { kind, metadata } = object;
    if (kind === 'PersistentVolumeClaim') {
      const { namespace = '', name } = metadata;
      this.touchedClaims.set(namespace, (this.touchedClaims.get(namespace) ?? new Set()).add(name));
    }
    this.change({ kind, namespace: metadata.namespace ?? '', name: metadata.name, object });
  }

  /** The same for an object whose change makes no difference to where pods fit. */
  keep(object: KubernetesObject): void {
    this.put(object);
    this.version--;
  }

  remove(kind: KeptKind, namespace: string, name: string): void {
    this.change({ kind, namespace, name, object: undefined });
  }

  private change(changed: Changed): void {
    const key = keyOf(changed.kind, changed.namespace, changed.name);
    this.changedObjects.set(key, changed);
    this.newObjects.set(key, changed);
    this.version++;
  }

  /** A pod came to a node, left it, or was nominated to one. */
  touch(pod: LivePod): void {
    this.changedPods.set(`${pod.namespace}/${pod.name}`, pod);
    this.version++;
  }

  /** A pod changed in a way that makes no difference to where others fit. */
  note(pod: LivePod): void {
    this.changedPods.set(`${pod.namespace}/${pod.name}`, pod);
  }

  /** The pod as the API server would give it. */
  podOf(pod: LivePod): Pod {
    const { stored, node } = pod;
    const status = this.statusOf(pod);
    const spec = node < 0 ? stored.spec : { ...NOTHING, ...stored.spec, nodeName: this.nodeName(node) };
    return { ...stored, spec, status };
  }

  private statusOf(pod: LivePod): PodStatus {
    const { stored, node, phase, ready, nominatedNode, unscheduled } = pod;
    const { conditions: before = [], ...rest } = stored.status ?? {};
    delete (rest as { nominatedNodeName?: string }).nominatedNodeName;
    const others = before.filter(({ type }) => type !== 'Ready' && type !== 'PodScheduled');
    const conditions: Condition[] = [...others];
    if (node >= 0) conditions.push({ type: 'PodScheduled', status: 'True' });
    else if (unscheduled !== undefined) conditions.push({ type: 'PodScheduled', status: 'False', ...unscheduled });
    if (node >= 0) conditions.push({ type: 'Ready', status: ready ? 'True' : 'False' });
    const starts = node >= 0 && rest.startTime === undefined ? { startTime: this.timeOf(pod.readySince) } : {};
    return {
      ...NOTHING,
      ...rest,
      ...pod.claims,
      ...starts,
      phase,
      ...(nominatedNode === '' ? {} : { nominatedNodeName: nominatedNode }),
      ...(conditions.length === 0 ? {} : { conditions }),
    };
  }

  /** In milliseconds, where the API server would cut off the fraction: of pods that started in the same second, it decides at random. */
  private timeOf(since: number): string {
    return new Date(this.startsAt + (Number.isNaN(since) ? 0 : since)).toISOString();
  }

  /** The state with every change so far. */
  state(): ClusterState {
    return finish(this.stepState());
  }

  /** As `state`, with a pause after each object and each node. */
  *stepState(): Generator<undefined, ClusterState> {
    if (this.changedPods.size === 0 && this.changedObjects.size === 0) return this.current;
    const { upserts, deletes } = changesOf(this.changedObjects);
    for (const pod of this.changedPods.values()) {
      if (pod.isGone) deletes.push({ kind: 'Pod', namespace: pod.namespace, name: pod.name });
      else upserts.push(this.podOf(pod));
    }
    this.changedObjects.clear();
    this.changedPods.clear();
    this.current = yield* this.current.stepApply({ upserts, deletes });
    return this.current;
  }

  /** The state with every object as it is now, and the pods of the base: for what looks up objects, cheap after a change of a pod. */
  lookups(): ClusterState {
    if (this.newObjects.size === 0) return this.withObjects;
    this.withObjects = this.withObjects.apply(changesOf(this.newObjects));
    this.newObjects.clear();
    return this.withObjects;
  }
}

function changesOf(changed: ReadonlyMap<string, Changed>): {
  readonly upserts: KubernetesObject[];
  readonly deletes: Omit<Changed, 'object'>[];
} {
  const upserts: KubernetesObject[] = [];
  const deletes: Omit<Changed, 'object'>[] = [];
  for (const { kind, namespace, name, object } of changed.values()) {
    if (object === undefined) deletes.push({ kind, namespace, name });
    else upserts.push(object);
  }
  return { upserts, deletes };
}

interface Changed {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: KubernetesObject | undefined;
}

const keyOf = (kind: string, namespace: string, name: string): string => `${kind} ${namespace}/${name}`;
