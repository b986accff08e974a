import { withControllerAdditions } from '../../admission/pod-of-template.js';
import { defined } from '../../collections/defined.js';
import type { OwnerReference } from '../../kubernetes/objects/meta.js';
import type { PodTemplateSpec } from '../../kubernetes/objects/pod.js';
import type { StatefulSet } from '../../kubernetes/objects/workloads.js';
import type { LivePod } from '../live-pod.js';
import type { WorkloadOutcome } from '../rollout.js';
import { BURST, Controller, type World } from './controller.js';
import { scaled } from './deployment.js';

interface Revision {
  readonly name: string;
  readonly template: PodTemplateSpec;
  readonly isWhole: boolean;
}

interface Counts {
  readonly replicas: number;
  readonly ready: number;
  readonly current: number;
  readonly updated: number;
}

/** More pods than a rollout creates. */
const MOST_SLOTS = 100_000;

const REVISION_LABEL = 'controller-revision-hash';

/**
 * A StatefulSet: pods with a number each, created in order and replaced from the last on; with `podManagementPolicy: Parallel` all at once.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/statefulset/stateful_set_control.go, `updateStatefulSet` and, with the feature gate
 * MaxUnavailableStatefulSet, `updateStatefulSetAfterInvariantEstablished`; stateful_pod_control.go, `CreateStatefulPod`. The gate was on by
 * default in 1.35.0 to 1.35.3 alone.
 */
export class StatefulSetController extends Controller {
  status: Counts = { replicas: 0, ready: 0, current: 0, updated: 0 };
  private current: Revision;
  private updated: Revision;

  constructor(
    world: World,
    private object: StatefulSet,
    isWhole: boolean,
    /** The name of the stored revision, as the pods have it; undefined for a new StatefulSet. */
    storedRevision: string | undefined,
  ) {
    super(world, 'StatefulSet', object.metadata.namespace ?? '', object.metadata.name);
    this.current = this.revisionOf(object, isWhole, storedRevision);
    this.updated = this.current;
  }

  /** @param isSame whether the pods of both have the same template */
  update(object: StatefulSet, isWhole: boolean, isSame: boolean): void {
    this.object = object;
    if (!isSame) this.updated = this.revisionOf(object, isWhole, undefined);
    this.world.enqueue(this);
  }

  get template(): PodTemplateSpec {
    return this.updated.template;
  }

  private revisionOf(object: StatefulSet, isWhole: boolean, stored: string | undefined): Revision {
    const template = object.spec?.template ?? { spec: { containers: [] } };
    return { name: stored ?? `${this.name}-${this.world.hashOf(template)}`, template, isWhole };
  }

  get desiredPods(): number {
    return this.object.spec?.replicas ?? 1;
  }

  get counts(): Readonly<Record<string, number>> {
    const { replicas, ready, current, updated } = this.status;
    return { replicas, readyReplicas: ready, currentReplicas: current, updatedReplicas: updated };
  }

  override get details(): Partial<WorkloadOutcome> {
    const named = [...this.activePods].sort((a, b) => this.ordinalOf(a) - this.ordinalOf(b));
    return { podNames: named.map(({ name }) => name), updateStrategy: this.strategy };
  }

  private get start(): number {
    return this.object.spec?.ordinals?.start ?? 0;
  }

  private get isOrdered(): boolean {
    return this.object.spec?.podManagementPolicy !== 'Parallel';
  }

  private get strategy(): NonNullable<NonNullable<StatefulSet['spec']>['updateStrategy']> {
    return this.object.spec?.updateStrategy ?? {};
  }

  sync(): void {
    this.refusedNow = undefined;
    const { slots } = this.sorted();
    if (this.isOrdered) this.processInOrder(slots);
    else {
      const create = (index: number): boolean => {
        const pod = slots[index];
        if (pod !== undefined) this.replaceEnded(pod);
        return pod !== undefined || this.create(index + this.start);
      };
      const areThere = slots.every((pod) => pod !== undefined);
      const count = areThere ? 0 : slots.length;
      if (areThere) slots.forEach((_, index) => create(index));
      this.world.slowStart(this, count, create, (isDone) => this.finish(isDone, isDone), BURST);
    }
  }

  /** The first pod that is missing or not ready keeps all after it waiting. */
  private processInOrder(slots: readonly (LivePod | undefined)[]): void {
    const first = slots.findIndex((pod) => pod?.ready !== true || !pod.isActive);
    const pod = slots[first];
    if (first >= 0 && pod === undefined) {
      this.world.slowStart(
        this,
        1,
        () => this.create(first + this.start),
        (isDone) => this.finish(isDone, false),
      );
      return;
    }
    if (pod !== undefined) this.replaceEnded(pod);
    this.finish(true, first < 0);
  }

  /** @param isDone no creation was refused @param isReady no pod keeps surplus or outdated ones from being deleted */
  private finish(isDone: boolean, isReady: boolean): void {
    if (isReady) this.deleteOthers();
    this.count();
    if (!isDone) this.world.retry(this);
  }

  private deleteOthers(): void {
    const { slots, condemned } = this.sorted();
    const unhealthy = slots.find((pod) => pod?.ready !== true) ?? [...condemned].reverse().find(({ ready }) => !ready);
    for (const pod of condemned) {
      if (this.isOrdered && !pod.ready && pod !== unhealthy) return;
      this.world.deletePod(pod);
      if (this.isOrdered) return;
    }
    this.replaceOutdated(slots);
  }

  private replaceEnded(pod: LivePod): boolean {
    if (pod.isActive) return false;
    this.world.deletePod(pod);
    return true;
  }

  private replaceOutdated(slots: readonly (LivePod | undefined)[]): void {
    const { type = 'RollingUpdate', rollingUpdate = {} } = this.strategy;
    if (type !== 'RollingUpdate') return;
    const { partition = 0, maxUnavailable = 1 } = rollingUpdate;
    const isOutdated = (pod: LivePod): boolean => pod.revision !== this.updated.name;
    const isUnavailable = (pod: LivePod | undefined): boolean => pod?.ready !== true;
    if (!this.world.cluster.rules.featureGates.MaxUnavailableStatefulSet) {
      for (let index = slots.length - 1; index >= partition; index--) {
        const pod = slots[index];
        if (pod !== undefined && isOutdated(pod)) {
          this.world.deletePod(pod);
          return;
        }
        if (isUnavailable(pod)) return;
      }
      return;
    }
    const most = Math.max(1, scaled(maxUnavailable, this.desiredPods, Math.floor));
    let left = most - slots.filter(isUnavailable).length;
    for (let index = slots.length - 1; index >= partition && left > 0; index--) {
      const pod = slots[index];
      if (pod === undefined || !isOutdated(pod)) continue;
      this.world.deletePod(pod);
      left--;
    }
  }

  private sorted(): { readonly slots: (LivePod | undefined)[]; readonly condemned: LivePod[] } {
    const slots = new Array<LivePod | undefined>(Math.min(this.desiredPods, MOST_SLOTS)).fill(undefined);
    const condemned: LivePod[] = [];
    for (const pod of this.pods) {
      const ordinal = this.ordinalOf(pod);
      if (ordinal < 0) continue;
      if (ordinal >= this.start && ordinal < this.start + slots.length) slots[ordinal - this.start] = pod;
      else condemned.push(pod);
    }
    condemned.sort((a, b) => this.ordinalOf(b) - this.ordinalOf(a));
    return { slots, condemned };
  }

  private ordinalOf({ name }: LivePod): number {
    const text = name.startsWith(`${this.name}-`) ? name.slice(this.name.length + 1) : '';
    return /^\d{1,9}$/.test(text) ? Number(text) : -1;
  }

  private create(ordinal: number): boolean {
    const { namespace } = this;
    const { type = 'RollingUpdate', rollingUpdate = {} } = this.strategy;
    const isBefore = type === 'RollingUpdate' && ordinal < this.start + (rollingUpdate.partition ?? 0);
    const { name: revision, template, isWhole } = isBefore ? this.current : this.updated;
    const name = `${this.name}-${ordinal}`;
    const { apiVersion, kind, metadata, spec } = this.object;
    const owner: OwnerReference = {
      apiVersion,
      kind,
      name: metadata.name,
      ...defined({ uid: metadata.uid }),
      controller: true,
    };
    const pod = withControllerAdditions(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name,
          generateName: `${this.name}-`,
          namespace,
          labels: {
            ...template.metadata?.labels,
            [REVISION_LABEL]: revision,
            'apps.kubernetes.io/pod-index': String(ordinal),
            'statefulset.kubernetes.io/pod-name': name,
          },
          ...defined({ annotations: template.metadata?.annotations }),
          ownerReferences: [owner],
        },
        spec: {
          ...template.spec,
          hostname: name,
          ...defined({ subdomain: spec?.serviceName }),
        } as PodTemplateSpec['spec'],
      },
      this.object,
    );
    const before = `Pod ${name} in StatefulSet ${this.name} failed error: `;
    const labels = spec?.selector?.matchLabels;
    for (const refused of this.world.createClaims(pod, spec?.volumeClaimTemplates ?? [], labels)) {
      const { refusal, claim } = refused;
      this.noteRefusal(`Create Claim ${claim} for ${before}`, refusal, refusal.message, undefined);
      const message = `failed to create PVC ${claim}: ${refusal.message}`;
      this.noteRefusal(`Create ${before}`, refusal, message, undefined);
      return false;
    }
    const created = this.world.createPod(
      this,
      { pod, isWhole, controller: 'StatefulSet', dryRun: isBefore ? undefined : this.dryRun },
      revision,
    );
    if (!('outcome' in created)) return true;
    this.noteRefusal(`Create ${before}`, created, created.message, pod);
    return false;
  }

  private count(): void {
    const pods = [...this.pods];
    const of = (revision: string): number => pods.filter((pod) => pod.revision === revision).length;
    const ready = pods.filter((pod) => pod.ready).length;
    const updated = of(this.updated.name);
    const isComplete =
      (this.strategy.type ?? 'RollingUpdate') === 'RollingUpdate' && updated === pods.length && ready === pods.length;
    if (isComplete) this.current = this.updated;
    this.status = { replicas: pods.length, ready, current: of(this.current.name), updated };
    const { replicas, current } = this.status;
    const status = {
      replicas,
      readyReplicas: ready,
      availableReplicas: ready,
      currentReplicas: current,
      updatedReplicas: updated,
    };
    this.object = { ...this.object, status: { ...this.object.status, ...status } };
    this.world.cluster.keep(this.object);
  }
}
