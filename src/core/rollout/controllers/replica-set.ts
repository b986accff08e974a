import { NOTHING } from '../../collections/nothing.js';
import type { DryRunAnswer } from '../../admission/dry-run.js';
import { withControllerAdditions } from '../../admission/pod-of-template.js';
import { defined } from '../../collections/defined.js';
import type { OwnerReference } from '../../kubernetes/objects/meta.js';
import type { PodTemplateSpec } from '../../kubernetes/objects/pod.js';
import type { ReplicaSet, ReplicationController } from '../../kubernetes/objects/workloads.js';
import type { LivePod } from '../live-pod.js';
import { BURST, Controller, type World } from './controller.js';
import { podsToDelete } from './pods-to-delete.js';

interface Counts {
  readonly replicas: number;
  readonly ready: number;
  readonly available: number;
}

/**
 * A ReplicaSet or ReplicationController.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/replicaset/replica_set.go, `syncReplicaSet` and `manageReplicas`.
 */
export class ReplicaSetController extends Controller {
  replicas: number;
  status: Counts;
  /** The message of the condition ReplicaFailure: of the first refusal since the last success. */
  failure: string | undefined;
  /** Its Deployment is told of each change of its status. */
  deployment:
    | (Controller & {
        readonly related: () => Iterable<ReplicaSetController>;
        /** What is known of pods of its current template; undefined for a ReplicaSet of another one. */
        readonly dryRunOf: (replicaSet: ReplicaSetController) => DryRunAnswer | undefined;
      })
    | undefined;
  /** What its Deployment wanted when it last scaled it: the annotations `desired-replicas` and `max-replicas`. */
  desired: number | undefined;
  most: number | undefined;
  revision = 0;
  readonly template: PodTemplateSpec;
  private readonly owner: readonly OwnerReference[];

  constructor(
    world: World,
    readonly object: ReplicaSet | ReplicationController,
    readonly order: number,
    readonly isWhole: boolean,
  ) {
    super(world, object.kind, object.metadata.namespace ?? '', object.metadata.name);
    this.replicas = object.spec?.replicas ?? 1;
    this.template = object.spec?.template ?? { spec: { containers: [] } };
    const { replicas = 0, readyReplicas: ready = 0, availableReplicas: available = 0 } = object.status ?? {};
    this.status = { replicas, ready, available };
    const { apiVersion, kind, metadata } = object;
    this.owner = [{ apiVersion, kind, name: metadata.name, ...defined({ uid: metadata.uid }), controller: true }];
  }

  scale(replicas: number): void {
    if (this.replicas === replicas) return;
    this.replicas = replicas;
    this.world.enqueue(this);
  }

  get desiredPods(): number {
    return this.replicas;
  }

  get counts(): Readonly<Record<string, number>> {
    const { replicas, ready: readyReplicas, available: availableReplicas } = this.status;
    return { replicas, readyReplicas, availableReplicas };
  }

  /** It was created by its Deployment. */
  created(): void {
    this.world.slowStart(
      this,
      1,
      () => true,
      () => this.world.enqueue(this),
    );
  }

  sync(): void {
    const pods = this.activePods;
    const missing = this.replicas - pods.length;
    if (missing <= 0) {
      this.deleteSurplus(pods, -missing);
      this.finish(pods, true);
      return;
    }
    const count = Math.min(missing, BURST);
    this.world.slowStart(
      this,
      count,
      () => this.create(),
      (isDone) => this.finish(pods, isDone),
    );
  }

  /** @param pods those that it had before it created or deleted any */
  private finish(pods: readonly LivePod[], isManaged: boolean): void {
    if (isManaged && this.failure !== undefined) this.failure = undefined;
    if (isManaged) this.refusedNow = undefined;
    else this.failure ??= this.refusedNow?.replace(CREATING, '');
    const after = {
      replicas: pods.length,
      ready: pods.filter(({ ready }) => ready).length,
      available: pods.filter((pod) => this.isAvailable(pod)).length,
    };
    const isSame =
      after.replicas === this.status.replicas &&
      after.ready === this.status.ready &&
      after.available === this.status.available;
    this.status = after;
    if (!isSame || !isManaged) this.write();
    if (this.deployment !== undefined && (!isSame || !isManaged)) this.world.enqueue(this.deployment);
    if (!isManaged) this.world.retry(this);
  }

  private isAvailable({ ready }: LivePod): boolean {
    return ready;
  }

  private write(): void {
    const { replicas, ready: readyReplicas, available: availableReplicas } = this.status;
    const { spec, status } = this.object;
    this.world.cluster.keep({
      ...this.object,
      spec: { ...spec, replicas: this.replicas },
      status: { ...NOTHING, ...status, replicas, readyReplicas, availableReplicas },
    } as ReplicaSet);
  }

  private deleteSurplus(pods: readonly LivePod[], count: number): void {
    if (count === 0) return;
    const related = [...(this.deployment?.related() ?? [this])].flatMap((one) => one.activePods);
    for (const pod of podsToDelete(pods, related, Math.min(count, BURST), this.world.clock.now)) {
      this.world.deletePod(pod);
    }
  }

  private create(): boolean {
    const { template, namespace, name } = this;
    const { labels, annotations } = template.metadata ?? {};
    const pod = withControllerAdditions(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: '',
          generateName: `${name}-`,
          namespace,
          ...defined({ labels, annotations }),
          ownerReferences: this.owner,
        },
        spec: template.spec,
      },
      this.object,
    );
    const dryRun = this.deployment === undefined ? this.dryRun : this.deployment.dryRunOf(this);
    const request = { pod, isWhole: this.isWhole, controller: this.object.kind, template, dryRun };
    const created = this.world.createPod(this, request, name);
    if (!('outcome' in created)) return true;
    this.noteRefusal('Error creating: ', created, this.told(created.message), pod);
    return false;
  }

  override shownName(): string {
    return `${this.shown}-RAND`;
  }

  private get shown(): string {
    return this.deployment === undefined ? this.name : `${this.deployment.name}-HASH`;
  }

  /** The message with `HASH` and `RAND` for the parts of names that nobody can know. */
  private told(message: string): string {
    const { name, shown } = this;
    const prefix = `${name}-`.slice(0, 58);
    return message.replaceAll(`${prefix}xxxxx`, `${shown}-RAND`).replaceAll(`"${name}-"`, `"${shown}-"`);
  }
}

const CREATING = 'Error creating: ';
