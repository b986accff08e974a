import { defined } from '../../collections/defined.js';
import { pinOf } from '../../cluster/pod-parts.js';
import {
  daemonPod,
  daemonPodAffinity,
  nodeShouldRunDaemonPod,
  type DaemonPodDecision,
} from '../../kubernetes/daemon-pod.js';
import type { Pod, PodTemplateSpec } from '../../kubernetes/objects/pod.js';
import type { DaemonSet } from '../../kubernetes/objects/workloads.js';
import type { WorkloadOutcome } from '../rollout.js';
import type { LivePod } from '../live-pod.js';
import { Controller, type World } from './controller.js';
import { scaled } from './deployment.js';

/** pkg/controller/daemon/daemon_controller.go, `BurstReplicas`. */
const BURST = 250;

/** What is known of a node: whether a pod should run there, and may stay; */
const RUNS = 1;
const STAYS = 2;
/** whether it has no pod, or exactly one, or some that have ended or are too many; */
const EMPTY = 4;
const SINGLE = 8;
const SURPLUS = 16;
/** whether it has a pod of an old template, and of the current one, and whether the first of these is ready; */
const OLD = 32;
const OLD_READY = 64;
const CURRENT = 128;
const CURRENT_READY = 256;
/** whether its oldest pod is ready, and of the current template. */
const OLDEST_READY = 512;
const OLDEST_CURRENT = 1024;

const NO_PODS: readonly LivePod[] = [];

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
  private readonly byNode = new Map<number, readonly LivePod[]>();
  private flags: Uint16Array | undefined;
  /** Nodes whose flags are to be found again. */
  private readonly unread = new Set<number>();
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
      this.flags = undefined;
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

  protected override changed(pod: LivePod): void {
    const node = this.nodeOf(pod);
    if (node < 0) return;
    const pods = this.podsOn(node);
    if (!this.pods.has(pod))
      this.byNode.set(
        node,
        pods.filter((other) => other !== pod),
      );
    else if (!pods.includes(pod)) this.byNode.set(node, [...pods, pod]);
    this.unread.add(node);
  }

  /** Its pods that are for a node. */
  private podsOn(node: number): readonly LivePod[] {
    return this.byNode.get(node) ?? NO_PODS;
  }

  /** What is known of each node: a combination of flags. Only nodes whose pods have changed are looked at again. */
  private standings(): Uint16Array {
    const decisions = this.decisionsByNode();
    this.flags ??= Uint16Array.from(decisions, (_, node) => this.standingOf(node));
    for (const node of this.unread) this.flags[node] = this.standingOf(node);
    this.unread.clear();
    return this.flags;
  }

  private standingOf(node: number): number {
    const { shouldRun, shouldContinueRunning } = this.decisionsByNode()[node]!;
    const pods = this.podsOn(node);
    const old = pods.find(({ revision }) => revision !== this.revision);
    const current = pods.find(({ revision }) => revision === this.revision);
    const oldest = pods.length < 2 ? pods[0] : [...pods].sort((a, b) => a.createdAt - b.createdAt)[0];
    const active = pods.filter(({ isActive }) => isActive).length;
    return (
      (shouldRun ? RUNS : 0) |
      (shouldContinueRunning ? STAYS : 0) |
      (pods.length === 0 ? EMPTY : 0) |
      (pods.length === 1 ? SINGLE : 0) |
      (active !== pods.length || active > 1 ? SURPLUS : 0) |
      (old === undefined ? 0 : OLD) |
      (old?.ready === true ? OLD_READY : 0) |
      (current === undefined ? 0 : CURRENT) |
      (current?.ready === true ? CURRENT_READY : 0) |
      (oldest?.ready === true ? OLDEST_READY : 0) |
      (oldest?.revision === this.revision ? OLDEST_CURRENT : 0)
    );
  }

  private nodeOf({ node, stored }: LivePod): number {
    if (node >= 0) return node;
    const pin = pinOf(stored.spec);
    return pin === undefined ? -1 : this.world.cluster.base.nodes.indexOf(pin);
  }

  /** The nodes that lack a pod, once surplus pods are deleted. */
  private manage(): readonly number[] {
    const wanted: number[] = [];
    this.standings().forEach((flags, node) => {
      const runsNone = RUNS | EMPTY;
      if ((flags & runsNone) === runsNone) wanted.push(node);
      else if ((flags & STAYS) === 0) for (const pod of this.podsOn(node)) this.world.deletePod(pod);
      else if ((flags & SURPLUS) !== 0) {
        const pods = this.podsOn(node);
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

  override get details(): Partial<WorkloadOutcome> {
    const { type } = this.object.spec?.updateStrategy ?? {};
    return { updateStrategy: defined({ type }) };
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
    const atOnce: number[] = [];
    const flags = this.standings();
    flags.forEach((flag, node) => {
      if ((flag & RUNS) === 0) return;
      if ((flag & SINGLE) === 0) unavailable++;
      else if ((flag & OLD) === 0) unavailable += Number((flag & CURRENT_READY) === 0);
      else if ((flag & OLD_READY) === 0) {
        atOnce.push(node);
        unavailable++;
      }
    });
    const candidates = RUNS | SINGLE | OLD | OLD_READY;
    const nodes = [...atOnce, ...firstWith(flags, candidates, Math.max(0, maxUnavailable - unavailable))];
    for (const node of nodes) this.world.deletePod(this.podsOn(node)[0]!);
  }

  /** New pods come beside old ones, which leave once the new ones are available. */
  private surge(most: number): void {
    let surging = 0;
    const atOnce: number[] = [];
    const candidates: number[] = [];
    this.standings().forEach((flag, node) => {
      if ((flag & RUNS) === 0 || (flag & OLD) === 0) return;
      if ((flag & CURRENT) !== 0) {
        if ((flag & CURRENT_READY) === 0) surging++;
        else this.world.deletePod(this.podsOn(node).find(({ revision }) => revision !== this.revision)!);
      } else if ((flag & OLD_READY) !== 0) candidates.push(node);
      else {
        atOnce.push(node);
        surging++;
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

  override shownName(): string {
    return `${this.name}-RAND`;
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
    const { isWhole, made: template, dryRun } = this;
    const request = { pod, isWhole, controller: 'DaemonSet', template, personalize, dryRun } as const;
    const created = this.world.createPod(this, request, this.revision);
    if (!('outcome' in created)) return true;
    const message = created.message.replaceAll(`${`${this.name}-`.slice(0, 58)}xxxxx`, this.shownName());
    this.noteRefusal('Error creating: ', created, message, pod);
    return false;
  }

  private count(): void {
    let [current, desired, misscheduled, ready, updated] = [0, 0, 0, 0, 0];
    for (const flag of this.standings()) {
      const isEmpty = (flag & EMPTY) !== 0;
      if ((flag & RUNS) === 0) {
        if (!isEmpty) misscheduled++;
        continue;
      }
      desired++;
      if (!isEmpty) current++;
      if ((flag & OLDEST_READY) !== 0) ready++;
      if ((flag & OLDEST_CURRENT) !== 0) updated++;
    }
    this.status = { current, desired, misscheduled, ready, updated };
    const status = { ...this.counts, updatedNumberScheduled: updated, numberAvailable: ready };
    this.object = { ...this.object, status: { ...this.object.status, ...status } };
    this.world.cluster.keep(this.object);
  }
}

/** The first nodes that have all of some flags. */
function firstWith(flags: Uint16Array, wanted: number, most: number): readonly number[] {
  const found: number[] = [];
  for (let node = 0; node < flags.length && found.length < most; node++) {
    if ((flags[node]! & wanted) === wanted) found.push(node);
  }
  return found;
}
