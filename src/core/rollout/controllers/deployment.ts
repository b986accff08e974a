import type { DryRunAnswer } from '../../admission/dry-run.js';
import { defined } from '../../collections/defined.js';
import type { IntOrString } from '../../kubernetes/objects/meta.js';
import type { PodTemplateSpec } from '../../kubernetes/objects/pod.js';
import type { Deployment, ReplicaSet } from '../../kubernetes/objects/workloads.js';
import type { LivePod } from '../live-pod.js';
import { Controller, type World } from './controller.js';
import { ReplicaSetController } from './replica-set.js';

/** How a Deployment replaces its pods, in numbers. */
interface Bounds {
  readonly isRolling: boolean;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

interface DeploymentCounts {
  readonly replicas: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
  readonly unavailable: number;
}

const NONE: DeploymentCounts = { replicas: 0, updated: 0, ready: 0, available: 0, unavailable: 0 };

/**
 * A Deployment: it makes a ReplicaSet for each template, and moves replicas from the old ones to the new one.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/deployment: deployment_controller.go (`syncDeployment`), sync.go, rolling.go,
 * recreate.go, progress.go; util/deployment_util.go.
 */
export class DeploymentController extends Controller {
  /** Oldest first. */
  readonly replicaSets: ReplicaSetController[] = [];
  status = NONE;
  progressing: string | undefined;
  replicaFailure: string | undefined;
  /** Why the ReplicaSet of the template could not be made. */
  createFailure: string | undefined;

  constructor(
    world: World,
    private object: Deployment,
    private isWhole: boolean,
    /** Whether a ReplicaSet was made from a template. */
    private readonly isOfTemplate: (replicaSet: ReplicaSetController, template: PodTemplateSpec) => boolean,
    private readonly adopt: (
      replicaSet: ReplicaSet,
      isWhole: boolean,
      owner: DeploymentController,
    ) => ReplicaSetController,
  ) {
    super(world, 'Deployment', object.metadata.namespace ?? '', object.metadata.name);
    const { status = {} } = object;
    this.status = {
      replicas: status.replicas ?? 0,
      updated: status.updatedReplicas ?? 0,
      ready: status.readyReplicas ?? 0,
      available: status.availableReplicas ?? 0,
      unavailable: status.unavailableReplicas ?? 0,
    };
    if (object.status !== undefined && this.isComplete(this.status)) this.progressing = 'NewReplicaSetAvailable';
    else if (object.status !== undefined) this.progressing = 'ReplicaSetUpdated';
  }

  get replicas(): number {
    return this.object.spec?.replicas ?? 1;
  }

  update(object: Deployment, isWhole: boolean): void {
    this.object = object;
    this.isWhole = isWhole;
    this.world.enqueue(this);
  }

  get available(): 'True' | 'False' {
    return this.status.available >= this.replicas - this.mostUnavailable ? 'True' : 'False';
  }

  dryRunOf(replicaSet: ReplicaSetController): DryRunAnswer | undefined {
    const template = this.object.spec?.template;
    if (this.dryRun === undefined || template === undefined) return undefined;
    return this.isOfTemplate(replicaSet, template) ? this.dryRun : undefined;
  }

  /** By whose pods a ReplicaSet of it ranks nodes. */
  related(): Iterable<ReplicaSetController> {
    return this.replicaSets;
  }

  /** A pod of one of its ReplicaSets has left. */
  podLeft(): void {
    if (!this.bounds.isRolling) this.world.enqueue(this);
  }

  get desiredPods(): number {
    return this.replicas;
  }

  get counts(): Readonly<Record<string, number>> {
    const { replicas, updated, ready, available, unavailable } = this.status;
    return {
      replicas,
      updatedReplicas: updated,
      readyReplicas: ready,
      availableReplicas: available,
      unavailableReplicas: unavailable,
    };
  }

  override get activePods(): readonly LivePod[] {
    return this.replicaSets.flatMap((one) => one.activePods);
  }

  sync(): void {
    const { paused = false } = this.object.spec ?? {};
    if (paused || this.isScaling()) {
      this.scaleProportionally();
      this.count();
      return;
    }
    if (this.bounds.isRolling) this.roll();
    else this.recreate();
    this.reportProgress();
  }

  private get bounds(): Bounds {
    const { type = 'RollingUpdate', rollingUpdate = {} } = this.object.spec?.strategy ?? {};
    const { replicas } = this;
    if (type !== 'RollingUpdate') return { isRolling: false, maxSurge: 0, maxUnavailable: 0 };
    const { maxSurge = '25%', maxUnavailable = '25%' } = rollingUpdate;
    const surge = scaled(maxSurge, replicas, Math.ceil);
    const unavailable = scaled(maxUnavailable, replicas, Math.floor);
    // Both 0, which only rounding can make them, would never replace a pod.
    return { isRolling: true, maxSurge: surge, maxUnavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
  }

  private get mostUnavailable(): number {
    return Math.min(this.bounds.maxUnavailable, this.replicas);
  }

  private get template(): PodTemplateSpec {
    return this.object.spec?.template ?? { spec: { containers: [] } };
  }

  /** Whether somebody else than the rollout changed the number of replicas. */
  private isScaling(): boolean {
    return this.replicaSets.some(
      ({ replicas, desired }) => replicas > 0 && desired !== undefined && desired !== this.replicas,
    );
  }

  private newest(): ReplicaSetController | undefined {
    const { template } = this;
    return this.replicaSets.find((one) => this.isOfTemplate(one, template));
  }

  private old(newest: ReplicaSetController | undefined): ReplicaSetController[] {
    return this.replicaSets.filter((one) => one !== newest);
  }

  private scaleTo(replicaSet: ReplicaSetController, replicas: number): void {
    replicaSet.desired = this.replicas;
    replicaSet.most = this.replicas + this.bounds.maxSurge;
    replicaSet.scale(replicas);
  }

  /** The ReplicaSet of the template, made if there is none; undefined if its creation is refused. */
  private makeNewest(): ReplicaSetController | undefined {
    const known = this.newest();
    const last = Math.max(0, ...this.old(known).map(({ revision }) => revision));
    if (known !== undefined) {
      if (known.revision <= last) known.revision = last + 1;
      known.desired = this.replicas;
      known.most = this.replicas + this.bounds.maxSurge;
      this.progressing ??= 'FoundNewReplicaSet';
      return known;
    }
    const { metadata, spec } = this.object;
    const { namespace = '', name, uid } = metadata;
    const { template } = this;
    const hash = this.world.hashOf(template);
    const labels = { ...template.metadata?.labels, 'pod-template-hash': hash };
    const replicas = this.newReplicas(0);
    const matchLabels = { ...spec?.selector?.matchLabels, 'pod-template-hash': hash };
    const object = this.world.identified<ReplicaSet>({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: `${name}-${hash}`,
        namespace,
        labels,
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name, ...defined({ uid }), controller: true }],
      },
      spec: {
        replicas,
        selector: { ...spec?.selector, matchLabels },
        template: { ...template, metadata: { ...template.metadata, labels } },
      },
    });
    const refused = this.world.createReplicaSet(object);
    if (refused !== undefined) {
      this.progressing = 'ReplicaSetCreateError';
      this.createFailure = refused.message;
      const shown = `${name}-HASH`;
      const message = refused.message.replaceAll(object.metadata.name, shown);
      this.noteRefusal(`Failed to create new replica set "${shown}": `, refused, message, undefined);
      this.world.retry(this);
      return undefined;
    }
    this.createFailure = undefined;
    this.refusedNow = undefined;
    const made = this.adopt(object, this.isWhole, this);
    made.revision = last + 1;
    made.desired = this.replicas;
    made.most = this.replicas + this.bounds.maxSurge;
    this.replicaSets.push(made);
    this.progressing = 'NewReplicaSetCreated';
    made.created();
    return made;
  }

  /** `NewRSNewReplicas`. */
  private newReplicas(ofNewest: number): number {
    const { isRolling, maxSurge } = this.bounds;
    if (!isRolling) return this.replicas;
    const all = this.sumOf(this.replicaSets);
    const most = this.replicas + maxSurge;
    if (all >= most) return ofNewest;
    return ofNewest + Math.min(most - all, this.replicas - ofNewest);
  }

  private sumOf(replicaSets: readonly ReplicaSetController[]): number {
    return replicaSets.reduce((sum, { replicas }) => sum + replicas, 0);
  }

  /** `rolloutRolling`. */
  private roll(): void {
    const newest = this.makeNewest();
    if (newest === undefined) return;
    if (this.scaleNewest(newest)) return;
    this.scaleOldDown(newest);
  }

  /** `reconcileNewReplicaSet`. */
  private scaleNewest(newest: ReplicaSetController): boolean {
    const before = newest.replicas;
    if (before === this.replicas) return false;
    this.scaleTo(newest, before > this.replicas ? this.replicas : this.newReplicas(before));
    return newest.replicas !== before;
  }

  /** `reconcileOldReplicaSets`. */
  private scaleOldDown(newest: ReplicaSetController): void {
    const old = this.old(newest).filter(({ replicas }) => replicas > 0);
    if (old.length === 0) return;
    const least = this.replicas - this.mostUnavailable;
    const unavailable = newest.replicas - newest.status.available;
    const most = this.sumOf(this.replicaSets) - least - unavailable;
    if (most <= 0) return;
    let left = most;
    for (const one of old) {
      const unhealthy = Math.min(left, one.replicas - one.status.available);
      if (left <= 0) break;
      if (unhealthy <= 0) continue;
      left -= unhealthy;
      this.scaleTo(one, one.replicas - unhealthy);
    }
    const available = this.replicaSets.reduce((sum, { status }) => sum + status.available, 0);
    let spare = available - least;
    for (const one of old) {
      if (spare <= 0) break;
      const fewer = Math.min(one.replicas, spare);
      if (fewer === 0) continue;
      spare -= fewer;
      this.scaleTo(one, one.replicas - fewer);
    }
  }

  /** `rolloutRecreate`. */
  private recreate(): void {
    const known = this.newest();
    const old = this.old(known);
    const active = old.filter(({ replicas }) => replicas > 0);
    for (const one of active) this.scaleTo(one, 0);
    if (active.length > 0 || old.some((one) => one.activePods.length > 0)) return;
    const newest = this.makeNewest();
    if (newest !== undefined && newest.replicas !== this.replicas) this.scaleTo(newest, this.replicas);
  }

  /** `scale`, of sync.go. */
  private scaleProportionally(): void {
    const newest = this.newest();
    const old = this.old(newest);
    const only = this.activeOrLatest(newest, old);
    if (only !== undefined) {
      this.scaleTo(only, this.replicas);
      return;
    }
    if (newest !== undefined && this.isSaturated(newest)) {
      for (const one of old) if (one.replicas > 0) this.scaleTo(one, 0);
      return;
    }
    const { isRolling, maxSurge } = this.bounds;
    if (!isRolling) return;
    const all = this.replicaSets.filter(({ replicas }) => replicas > 0);
    const allowed = this.replicas > 0 ? this.replicas + maxSurge : 0;
    const toAdd = allowed - this.sumOf(all);
    // More replicas go to the larger and newer first, fewer come from the larger and older first.
    all.sort((a, b) => b.replicas - a.replicas || (toAdd > 0 ? b.order - a.order : a.order - b.order));
    let added = 0;
    const sizes = all.map((one) => {
      if (toAdd === 0) return one.replicas;
      const share = this.proportion(one, toAdd, added);
      added += share;
      return one.replicas + share;
    });
    if (toAdd !== 0 && sizes.length > 0) sizes[0] = Math.max(0, sizes[0]! + toAdd - added);
    all.forEach((one, index) => this.scaleTo(one, sizes[index]!));
  }

  /** `FindActiveOrLatest`. */
  private activeOrLatest(
    newest: ReplicaSetController | undefined,
    old: readonly ReplicaSetController[],
  ): ReplicaSetController | undefined {
    const active = this.replicaSets.filter(({ replicas }) => replicas > 0);
    if (active.length === 1) return active[0];
    return active.length === 0 ? (newest ?? old.at(-1)) : undefined;
  }

  private isSaturated({ replicas, desired, status }: ReplicaSetController): boolean {
    return replicas === this.replicas && desired === this.replicas && status.available === this.replicas;
  }

  /** `GetReplicaSetProportion`. */
  private proportion({ replicas, most }: ReplicaSetController, toAdd: number, added: number): number {
    if (replicas === 0 || toAdd === 0 || toAdd === added) return 0;
    const before = most === undefined || most === 0 ? this.status.replicas : most;
    const size = this.replicas === 0 ? 0 : rounded((replicas * (this.replicas + this.bounds.maxSurge)) / before);
    const fraction = this.replicas === 0 ? -replicas : size - replicas;
    const allowed = toAdd - added;
    return toAdd > 0 ? Math.min(fraction, allowed) : Math.max(fraction, allowed);
  }

  private counted(): DeploymentCounts {
    const newest = this.newest();
    const sum = (of: (one: ReplicaSetController) => number): number =>
      this.replicaSets.reduce((total, one) => total + of(one), 0);
    const available = sum(({ status }) => status.available);
    return {
      replicas: sum(({ status }) => status.replicas),
      updated: newest?.status.replicas ?? 0,
      ready: sum(({ status }) => status.ready),
      available,
      unavailable: Math.max(0, this.sumOf(this.replicaSets) - available),
    };
  }

  private count(): void {
    this.write(this.counted());
  }

  /** `syncRolloutStatus`. */
  private reportProgress(): void {
    const before = this.status;
    const after = this.counted();
    const isDone = after.replicas === after.updated && this.progressing === 'NewReplicaSetAvailable';
    if (!isDone) {
      if (this.isComplete(after)) this.progressing = 'NewReplicaSetAvailable';
      else if (
        after.updated > before.updated ||
        after.replicas - after.updated < before.replicas - before.updated ||
        after.ready > before.ready ||
        after.available > before.available
      ) {
        this.progressing = 'ReplicaSetUpdated';
      }
    }
    const newest = this.newest();
    const failing =
      newest?.failure === undefined ? this.replicaSets.find(({ failure }) => failure !== undefined) : newest;
    this.replicaFailure = failing === undefined ? undefined : 'FailedCreate';
    this.write(after);
  }

  private isComplete({ updated, replicas, available }: DeploymentCounts): boolean {
    return updated === this.replicas && replicas === this.replicas && available === this.replicas;
  }

  private write(status: DeploymentCounts): void {
    const isSame = (Object.keys(status) as (keyof DeploymentCounts)[]).every((key) => status[key] === this.status[key]);
    this.status = status;
    if (isSame && this.object.status !== undefined) return;
    const { replicas, updated, ready, available, unavailable } = status;
    this.object = {
      ...this.object,
      status: {
        ...this.object.status,
        replicas,
        updatedReplicas: updated,
        readyReplicas: ready,
        availableReplicas: available,
        unavailableReplicas: unavailable,
      },
    };
    this.world.cluster.keep(this.object);
    // A new status is an event of its own.
    this.world.enqueue(this);
  }
}

/** `GetScaledValueFromIntOrPercent`, k8s.io/apimachinery v0.36.2, pkg/util/intstr/intstr.go; what is no number counts as 0. */
export function scaled(value: IntOrString, total: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = /^([+-]?\d+)%$/.exec(value)?.[1];
  return percent === undefined ? 0 : round((Number(percent) * total) / 100);
}

/** Half away from zero, as Go rounds. */
const rounded = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));
