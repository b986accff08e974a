import { pinOf } from '../../cluster/pod-parts.js';
import {
  daemonPod,
  daemonPodAffinity,
  nodeShouldRunDaemonPod,
  type DaemonPodDecision,
} from '../../kubernetes/daemon-pod.js';
import type { Pod, PodTemplateSpec } from '../../kubernetes/objects/pod.js';
import type { DaemonSet } from '../../kubernetes/objects/workloads.js';
import type { LivePod } from '../live-cluster.js';
import { Controller, type World } from './controller.js';
import { scaled } from './deployment.js';

/** pkg/controller/daemon/daemon_controller.go, `BurstReplicas`. */
const BURST = 250;

interface Counts {
  readonly current: number;
  readonly desired: number;
  readonly misscheduled: number;
  readonly ready: number;
  readonly updated: number;
}

/**
 * A DaemonSet: one pod for each node that its template allows, pinned to it.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/daemon/daemon_controller.go, `podsShouldBeOnNode`, `manage`, `syncNodes` and
 * `updateDaemonSetStatus`; update.go, `rollingUpdate`.
 */
export class DaemonSetController extends Controller {
  status: Counts = { current: 0, desired: 0, misscheduled: 0, ready: 0, updated: 0 };
  private revision: string;
  private decisions: readonly DaemonPodDecision[] | undefined;
  /** Pods of one template are admitted once. */
  private made: object = {};

  constructor(
    world: World,
    private object: DaemonSet,
    private isWhole: boolean,
    /** The name of the stored revision, as the pods have it; undefined for a new DaemonSet. */
    storedRevision: string | undefined,
  ) {
    super(world, 'DaemonSet', object.metadata.namespace ?? '', object.metadata.name);
    this.revision = storedRevision ?? this.hash();
  }

  /** @param isSame whether the pods of both have the same template */
  update(object: DaemonSet, isWhole: boolean, isSame: boolean): void {
    this.object = object;
    this.isWhole = isWhole;
    if (!isSame) {
      this.revision = this.hash();
      this.decisions = undefined;
      this.made = {};
    }
    this.world.enqueue(this);
  }

  get template(): PodTemplateSpec {
    return this.object.spec?.template ?? { spec: { containers: [] } };
  }

  private hash(): string {
    return this.world.hashOf(this.template);
  }

  get desiredPods(): number {
    return this.status.desired;
  }

  get counts(): Readonly<Record<string, number>> {
    const { current, desired, misscheduled, ready } = this.status;
    return {
      currentNumberScheduled: current,
      desiredNumberScheduled: desired,
      numberMisscheduled: misscheduled,
      numberReady: ready,
      numberUnavailable: desired - ready,
    };
  }

  sync(): void {
    const wanted = this.manage();
    this.world.slowStart(
      this,
      Math.min(wanted.length, BURST),
      (index) => this.create(wanted[index]!),
      (isDone) => this.finish(isDone),
    );
  }

  private finish(isDone: boolean): void {
    if (isDone) {
      this.refusedNow = undefined;
      this.replaceOutdated();
    }
    this.count();
    if (!isDone) this.world.retry(this);
  }

  private decisionsByNode(): readonly DaemonPodDecision[] {
    const { nodes } = this.world.cluster.base;
    this.decisions ??= Array.from({ length: nodes.count }, (_, node) =>
      nodeShouldRunDaemonPod(this.object, nodes.node(node), this.world.gates),
    );
    return this.decisions;
  }

  /** Its pods by the node that they are for; -1 for a node that is gone. */
  private byNode(): Map<number, LivePod[]> {
    const found = new Map<number, LivePod[]>();
    for (const pod of this.pods) {
      const node = this.nodeOf(pod);
      const list = found.get(node);
      if (list === undefined) found.set(node, [pod]);
      else list.push(pod);
    }
    return found;
  }

  private nodeOf({ node, stored }: LivePod): number {
    if (node >= 0) return node;
    const pin = pinOf(stored.spec);
    return pin === undefined ? -1 : this.world.cluster.base.nodes.indexOf(pin);
  }

  /** The nodes that lack a pod, once surplus pods are deleted. */
  private manage(): readonly number[] {
    const byNode = this.byNode();
    const wanted: number[] = [];
    this.decisionsByNode().forEach(({ shouldRun, shouldContinueRunning }, node) => {
      const pods = byNode.get(node) ?? [];
      if (shouldRun && pods.length === 0) wanted.push(node);
      else if (!shouldContinueRunning) for (const pod of pods) this.world.deletePod(pod);
      else {
        for (const pod of pods) if (!pod.isActive) this.world.deletePod(pod);
        for (const pod of this.surplus(pods)) this.world.deletePod(pod);
      }
    });
    return wanted;
  }

  /** Of several pods on a node the one that has a node, and was created first, stays. */
  private surplus(pods: readonly LivePod[]): readonly LivePod[] {
    const active = pods.filter(({ isActive }) => isActive);
    if (active.length < 2 || this.bounds.maxSurge > 0) return [];
    return [...active].sort((a, b) => Number(b.node >= 0) - Number(a.node >= 0) || a.createdAt - b.createdAt).slice(1);
  }

  private get bounds(): { readonly isRolling: boolean; readonly maxSurge: number; readonly maxUnavailable: number } {
    const { type = 'RollingUpdate', rollingUpdate = {} } = this.object.spec?.updateStrategy ?? {};
    const { maxUnavailable = 1, maxSurge = 0 } = rollingUpdate;
    const { desired } = this.status;
    const surge = scaled(maxSurge, desired, Math.ceil);
    const unavailable = scaled(maxUnavailable, desired, Math.ceil);
    // Of two zeros, one pod may be unavailable all the same.
    return {
      isRolling: type === 'RollingUpdate',
      maxSurge: surge,
      maxUnavailable: desired > 0 && surge === 0 && unavailable === 0 ? 1 : unavailable,
    };
  }

  private replaceOutdated(): void {
    this.count();
    const { isRolling, maxSurge, maxUnavailable } = this.bounds;
    if (!isRolling) return;
    if (maxSurge > 0) {
      this.surge(maxSurge);
      return;
    }
    let unavailable = 0;
    const atOnce: LivePod[] = [];
    const candidates: LivePod[] = [];
    const byNode = this.byNode();
    this.decisionsByNode().forEach(({ shouldRun }, node) => {
      if (!shouldRun) return;
      const pods = byNode.get(node) ?? [];
      const old = pods.filter(({ revision }) => revision !== this.revision);
      const [outdated] = old;
      if (pods.length !== 1) unavailable++;
      else if (outdated === undefined) unavailable += Number(!pods[0]!.ready);
      else if (!outdated.ready) {
        atOnce.push(outdated);
        unavailable++;
      } else candidates.push(outdated);
    });
    const left = Math.max(0, maxUnavailable - unavailable);
    for (const pod of [...atOnce, ...candidates.slice(0, left)]) this.world.deletePod(pod);
  }

  /** New pods come beside old ones, which leave once the new ones are available. */
  private surge(most: number): void {
    let surging = 0;
    const atOnce: number[] = [];
    const candidates: number[] = [];
    const byNode = this.byNode();
    this.decisionsByNode().forEach(({ shouldRun }, node) => {
      if (!shouldRun) return;
      const pods = byNode.get(node) ?? [];
      const current = pods.find(({ revision }) => revision === this.revision);
      const old = pods.find(({ revision }) => revision !== this.revision);
      if (old !== undefined && current !== undefined) {
        if (current.ready) this.world.deletePod(old);
        else surging++;
      } else if (old !== undefined) {
        if (old.ready) candidates.push(node);
        else {
          atOnce.push(node);
          surging++;
        }
      }
    });
    const nodes = [...atOnce, ...candidates.slice(0, Math.max(0, most - surging))];
    this.world.slowStart(
      this,
      nodes.length,
      (index) => this.create(nodes[index]!),
      (isDone) => {
        if (!isDone) this.world.retry(this);
      },
    );
  }

  private create(node: number): boolean {
    const name = this.world.cluster.nodeName(node);
    const base = daemonPod(this.object, name);
    const labels = { ...base.metadata.labels, 'controller-revision-hash': this.revision };
    const pod = { ...base, metadata: { ...base.metadata, namespace: this.namespace, labels } };
    const personalize = (admitted: Pod): Pod => ({
      ...admitted,
      spec: { ...admitted.spec, affinity: daemonPodAffinity(admitted.spec.affinity, name) },
    });
    const { isWhole, made: template } = this;
    const request = { pod, isWhole, controller: 'DaemonSet', template, personalize } as const;
    const created = this.world.createPod(this, request, this.revision);
    if (!('outcome' in created)) return true;
    const message = created.message.replaceAll(`${`${this.name}-`.slice(0, 58)}xxxxx`, `${this.name}-RAND`);
    this.noteRefusal('Error creating: ', created, message, pod);
    return false;
  }

  private count(): void {
    let [current, desired, misscheduled, ready, updated] = [0, 0, 0, 0, 0];
    const byNode = this.byNode();
    this.decisionsByNode().forEach(({ shouldRun }, node) => {
      const pods = (byNode.get(node) ?? []).filter(({ isGone }) => !isGone);
      if (!shouldRun) {
        if (pods.length > 0) misscheduled++;
        return;
      }
      desired++;
      if (pods.length === 0) return;
      current++;
      const oldest = [...pods].sort((a, b) => a.createdAt - b.createdAt)[0]!;
      if (oldest.ready) ready++;
      if (oldest.revision === this.revision) updated++;
    });
    this.status = { current, desired, misscheduled, ready, updated };
    const status = { ...this.counts, updatedNumberScheduled: updated, numberAvailable: ready };
    this.object = { ...this.object, status: { ...this.object.status, ...status } };
    this.world.cluster.keep(this.object);
  }
}
