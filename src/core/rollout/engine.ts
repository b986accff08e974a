import { PolicyWork } from '../admission/policies/policy-work.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { controllerOf } from '../kubernetes/controller-of.js';
import { kindInfo, type KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject, Labels, OwnerReference } from '../kubernetes/objects/meta.js';
import type { Pod, PodTemplateSpec } from '../kubernetes/objects/pod.js';
import type { PersistentVolumeClaim } from '../kubernetes/objects/storage.js';
import type {
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
  VolumeClaimTemplate,
  Workload,
} from '../kubernetes/objects/workloads.js';
import type { Placement } from '../placement/placement.js';
import { UNKNOWN } from '../placement/plugin.js';
import { groupKey, isOfGroup, type GroupOfPod } from '../placement/pod-groups.js';
import type { Reason } from '../placement/reason.js';
import { DEFAULT_PROFILE } from '../scheduler-configuration/default-profile.js';
import { profilePlugins } from '../scheduling/profile-plugins.js';
import { profileNamed, schedulerConfigurationIn } from '../scheduling/profiles-in.js';
import type { SchedulingProfile } from '../scheduling/schedule-pod.js';
import { NAME as NAMESPACE_LIFECYCLE } from '../admission/namespace-lifecycle.js';
import { AdmissionRefusal, namespaceNotFound } from '../kubernetes/admission-refusal.js';
import { aggregateText } from '../kubernetes/error-aggregate.js';
import type { FieldError } from '../kubernetes/field-error.js';
import { quoteGo } from '../kubernetes/go-text.js';
import { Clock } from './clock.js';
import type { Controller, Refused, RefusedClaim, World } from './controllers/controller.js';
import { DaemonSetController } from './controllers/daemon-set.js';
import { DeploymentController } from './controllers/deployment.js';
import { ReplicaSetController } from './controllers/replica-set.js';
import { JobController } from './controllers/job.js';
import { StatefulSetController } from './controllers/stateful-set.js';
import { LiveBudgets } from './live-budgets.js';
import { LiveDevices } from './live-devices.js';
import { LiveVolumes } from './live-volumes.js';
import { validateClaimLimits } from '../admission/limit-ranger.js';
import type { LimitRange } from '../kubernetes/objects/quota.js';
import { LiveCluster } from './live-cluster.js';
import { NewPod, StoredPod, type LivePod } from './live-pod.js';
import { LiveQuotas } from './live-quotas.js';
import { resourceOf } from '../quota/object-admission.js';
import { PodCreations, type PodToCreate } from './pod-creation.js';
import type { PreemptedPod, RolloutOptions } from './rollout.js';
import { Scheduler, type SchedulingUnknown } from './scheduler/scheduler.js';
import { StoredParts } from './stored-parts.js';
import { isWhole as isKnownWhole, markWhole, sameTemplate, templateHash } from './templates.js';

/** How long parts of the cluster take to react, in milliseconds; only their order matters. */
const CONTROLLER = 1;
const REQUEST = 8;
const SCHEDULER = 1;
const KUBELET = 20;
const QUOTA_CONTROLLER = 50;
const RETRY = 5;
const VOLUME_CONTROLLER = 2;

/** So many things may happen before a rollout counts as never becoming quiet. */
const MOST_STEPS = 400_000;
const MOST_PODS = 10_000;
/** Things that happen between two steps of the generator. */
const STRIDE = 32;

/** The cluster with its controllers, scheduler and kubelets, in simulated time. */
export class Engine implements World {
  readonly clock = new Clock();
  readonly cluster: LiveCluster;
  readonly quotas: LiveQuotas;
  readonly creations: PodCreations;
  readonly volumes: LiveVolumes;
  private readonly devices: LiveDevices;
  readonly budgets: LiveBudgets;
  readonly scheduler: Scheduler;
  readonly preempted: PreemptedPod[] = [];
  readonly gates;
  /** Controllers whose pods came, moved or left. */
  readonly affected = new Set<Controller>();
  /** By kind, namespace and name. */
  readonly controllers = new Map<string, Controller>();
  private readonly pods = new Map<string, LivePod>();
  private readonly stuck = new Set<Controller>();
  /** Pods for which a claim for devices cannot be made. */
  private readonly claimless = new Set<LivePod>();
  private readonly retried = new Set<LivePod>();
  private readonly releasing = new Map<string, LivePod[]>();
  private readonly profiles = new Map<string, SchedulingProfile | undefined>();
  private readonly base: ClusterState;
  private readonly parts: StoredParts;
  private isWaitingAdopted = false;
  private readonly adoptedGroups = new Set<string>();
  /** Pods of the state that the rollout has deleted, by namespace and name: another one may have the name since. */
  private readonly deletedStored = new Set<string>();
  private isStorageQueued = false;
  private isAttemptDue = false;
  private isAttemptPlanned = false;
  private made = 0;
  private replicaSets = 0;
  private identities = 0;
  /** Whether `templatesDiffer` made a difference. */
  assumesTemplates = false;
  /** Why the rollout was stopped before the cluster was quiet. */
  stopped: string | undefined;

  constructor(
    /** The cluster before the rollout, as its owner keeps it. */
    private readonly state: ClusterState,
    readonly options: RolloutOptions,
    /** Whether templates are taken to differ that may differ in fields that are not stored. */
    private readonly templatesDiffer: boolean,
  ) {
    const { now, gates } = options;
    this.gates = gates;
    this.base = state.fork();
    this.parts = StoredParts.of(state);
    this.cluster = new LiveCluster(this.base, now);
    this.quotas = new LiveQuotas(this.cluster, now);
    this.volumes = new LiveVolumes(this.cluster, options.provisions);
    this.devices = new LiveDevices(this.cluster, this.quotas, (object) => this.identified(object));
    this.budgets = new LiveBudgets(this.cluster, now);
    this.creations = new PodCreations(this.cluster, this.quotas, {
      now,
      gates,
      work: options.work ?? new PolicyWork(),
    });
    this.scheduler = new Scheduler(this.cluster, this.clock, (name) => this.profileOf(name), now, {
      leastPriority: () => this.parts.leastPriority,
      isReported: (pod) => isReported(pod),
      bind: (pod, node) => this.bind(pod, node),
      evict: (victim, preemptor) => this.evict(victim, preemptor),
      beforePreemption: () => this.budgets.refresh(),
      podNamed: (namespace, name) => this.podNamed(namespace, name),
      adoptGroup: (group) => this.adoptGroup(group),
      unknown: (pod, because) => this.noteUnknown(pod, because),
    });
  }

  /** Runs until nothing happens any more. */
  *run(): Generator<undefined, void> {
    yield* this.scheduler.open(this.state);
    for (let step = 1; ; step++) {
      if (step % STRIDE === 0) yield;
      if (this.isAttemptDue) {
        this.isAttemptDue = false;
        yield* this.scheduler.attemptNext();
        // A pod unlike all before takes some milliseconds.
        yield;
        this.planAttempt();
        continue;
      }
      if (!this.clock.step()) {
        if (!this.retryUnschedulable()) return;
        continue;
      }
      if (step < MOST_STEPS) continue;
      this.stopped = `the cluster was not quiet after ${MOST_STEPS} steps`;
      return;
    }
  }

  /**
   * Tries pods again that the cluster had, that still wait, and that matter: as the scheduler does with each after five minutes.
   *
   * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/backend/queue/scheduling_queue.go, `flushUnschedulablePodsLeftover`.
   *
   * @returns false if there are none, or no others
   */
  private retryUnschedulable(): boolean {
    let isAny = false;
    for (const pod of this.pods.values()) {
      if (pod.isNew || pod.node >= 0 || !pod.isActive || this.retried.has(pod) || !isReported(pod)) continue;
      this.retried.add(pod);
      if (this.scheduler.waitingOf(pod)?.placement !== undefined) continue;
      this.scheduler.add(pod);
      isAny = true;
    }
    this.planAttempt();
    return isAny;
  }

  /** Has a stored pod in another form from now on; for others, its tolerations and gates make no difference. */
  changePod(pod: LivePod, changed: Pod): void {
    if (!(pod instanceof StoredPod)) return;
    pod.change(changed);
    this.cluster.note(pod);
  }

  hashOf(template: object): string {
    return templateHash(template);
  }

  enqueue(controller: Controller): void {
    if (controller.isQueued) return;
    if (controller.isBusy) {
      controller.isDue = true;
      return;
    }
    controller.isQueued = true;
    controller.isDue = false;
    this.clock.after(CONTROLLER, () => {
      controller.isQueued = false;
      if (controller.isBusy) {
        controller.isDue = true;
        return;
      }
      controller.sync();
    });
  }

  /** Source: k8s.io/kubernetes v1.36.2, pkg/controller/replicaset/replica_set.go, `slowStartBatch`. */
  slowStart(
    controller: Controller,
    count: number,
    create: (index: number) => boolean,
    done: (isDone: boolean) => void,
    most = Number.POSITIVE_INFINITY,
  ): void {
    if (count === 0) {
      done(true);
      return;
    }
    let next = 0;
    const sendBatch = (batch: number): void => {
      let isRefused = false;
      for (const end = next + batch; next < end; next++) if (!create(next)) isRefused = true;
      const following = isRefused ? 0 : Math.min(2 * batch, count - next, most);
      if (following > 0) {
        this.clock.after(REQUEST, () => sendBatch(following));
        return;
      }
      controller.isBusy = false;
      done(!isRefused);
      if (controller.isDue) this.enqueue(controller);
    };
    controller.isBusy = true;
    this.clock.after(REQUEST, () => sendBatch(1));
  }

  retry(controller: Controller): void {
    this.stuck.add(controller);
  }

  /** Something changed that may let refused creations succeed. */
  unstick(): void {
    for (const controller of this.stuck) this.clock.after(RETRY, () => this.enqueue(controller));
    this.stuck.clear();
    for (const pod of this.claimless) {
      this.clock.after(RETRY, () => {
        if (!pod.isGone) this.awaitClaims(pod);
      });
    }
    this.claimless.clear();
  }

  createPod(owner: Controller, request: PodToCreate, revision: string): LivePod | Refused {
    const most = this.options.mostPods ?? MOST_PODS;
    const creation = this.creations.create(request);
    if (creation.outcome === 'refused') return creation;
    if (this.made >= most) {
      this.stopped ??= `more than ${most} pods would be created`;
      return notMade(request, this.stopped);
    }
    owner.noteUndecided(creation.undecided);
    const pod = new NewPod(creation.pod, owner, this.clock.now, this.made++, revision);
    this.pods.set(keyOf(pod.namespace, pod.name), pod);
    owner.addPod(pod);
    this.noteAffected(pod);
    this.cluster.note(pod);
    this.createClaims(pod.stored, [], undefined);
    if (pod.stored.spec.nodeName !== undefined && pod.stored.spec.nodeName !== '') this.bindDirectly(pod);
    else this.awaitClaims(pod);
    owner.podChanged(pod);
    return pod;
  }

  /** The scheduler tries a pod once its claims for devices are there. */
  private awaitClaims(pod: LivePod): void {
    pod.refusedClaim = this.devices.make(pod);
    this.cluster.note(pod);
    if (pod.refusedClaim !== undefined) {
      this.claimless.add(pod);
      return;
    }
    this.scheduler.add(pod);
    this.planAttempt();
  }

  createClaims(
    pod: Pod,
    templates: readonly VolumeClaimTemplate[],
    labels: Labels | undefined,
  ): readonly RefusedClaim[] {
    for (const claim of this.volumes.claimsFor(pod, templates, labels)) {
      const refusal = this.createObject(this.identified(claim));
      if (refusal !== undefined) return [{ claim: claim.metadata.name, refusal }];
    }
    return [];
  }

  createReplicaSet(object: Workload): Refused | undefined {
    return this.createObject(object);
  }

  /** The object as the API server stores it. */
  identified<T extends KubernetesObject>(object: T): T {
    if (object.metadata.uid !== undefined) return object;
    const uid = `00000000-0000-4000-8000-${String(this.identities++).padStart(12, '0')}`;
    return { ...object, metadata: { ...object.metadata, uid } };
  }

  private createObject(object: PersistentVolumeClaim | Workload): Refused | undefined {
    const refusal = this.admitObject(object);
    if (refusal !== undefined) return refusal;
    this.cluster.put(object);
    if (object.kind === 'PersistentVolumeClaim') this.storageChanged();
    else this.scheduler.forget();
    return undefined;
  }

  /**
   * Why the API server does not create an object other than a pod.
   *
   * @param validate its faults, for which it is asked where no plugin refuses before
   */
  admitObject(object: KubernetesObject, validate: () => readonly FieldError[] = () => []): Refused | undefined {
    try {
      const { namespace = '' } = object.metadata;
      if (kindInfo(object.kind as KeptKind).namespaced) this.requireNamespace(object);
      const faults = validate();
      if (faults.length > 0) return invalidObject(object, 'validation', faults);
      if (object.kind === 'PersistentVolumeClaim') {
        const limitRanges = this.cluster.objects('LimitRange') as readonly LimitRange[];
        const within = limitRanges.filter(({ metadata }) => metadata.namespace === namespace);
        validateClaimLimits(object as PersistentVolumeClaim, within);
      }
      this.quotas.chargeObject(object);
      return undefined;
    } catch (error) {
      if (!(error instanceof AdmissionRefusal)) throw error;
      const { plugin: by, status: code, message, causes } = error;
      return { outcome: 'refused', by, code, message, causes, certain: true, undecided: [] };
    }
  }

  /**
   * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/namespace/lifecycle/admission.go.
   *
   * @throws {AdmissionRefusal}
   */
  private requireNamespace({ kind, metadata }: KubernetesObject): void {
    const { name, namespace = '' } = metadata;
    const { namespace: found } = this.creations.surroundingsOf(namespace);
    if (found === undefined) throw namespaceNotFound(NAMESPACE_LIFECYCLE, namespace);
    if (found.status?.phase !== 'Terminating') return;
    const reason = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const message = `${resourceOf(kind)} ${quoteGo(name)} is forbidden: ${reason}`;
    throw new AdmissionRefusal(NAMESPACE_LIFECYCLE, 403, reason, message);
  }

  deletePod(pod: LivePod): void {
    if (pod.isGone) return;
    pod.isGone = true;
    this.noteAffected(pod);
    const wasOnNode = pod.node >= 0 && pod.phase !== 'Succeeded' && pod.phase !== 'Failed';
    if (wasOnNode) this.scheduler.leave(pod);
    else this.scheduler.remove(pod);
    this.cluster.touch(pod);
    this.pods.delete(keyOf(pod.namespace, pod.name));
    if (!pod.isNew) this.deletedStored.add(keyOf(pod.namespace, pod.name));
    if (wasOnNode) this.tell(pod, 'podDeleted');
    this.release(pod);
    const owner = this.ownerOf(pod);
    owner?.removePod(pod);
    owner?.podChanged(pod);
    if (owner instanceof ReplicaSetController) (owner.deployment as DeploymentController | undefined)?.podLeft();
  }

  /** A pod by its name; one that the cluster had is looked up. */
  podNamed(namespace: string, name: string): LivePod {
    const known = this.pods.get(keyOf(namespace, name));
    if (known !== undefined) return known;
    const index = this.base.pods.indexOf(namespace, name);
    const owner = controllerOf(this.base.pods.ownerReferences(index));
    if (owner !== undefined) this.controllerFor(owner, namespace);
    return this.pods.get(keyOf(namespace, name)) ?? this.adoptPod(index, undefined);
  }

  /** Takes a pod of the state into the rollout. */
  adoptPod(index: number, owner: Controller | undefined): LivePod {
    const { pods } = this.base;
    const key = keyOf(pods.namespace(index), pods.name(index));
    let pod = this.pods.get(key);
    if (pod === undefined) {
      pod = new StoredPod(this.base, index, owner, this.options.now);
      this.pods.set(key, pod);
    }
    pod.owner ??= owner;
    owner?.addPod(pod);
    return pod;
  }

  /** The pods of the state that are nominated to a node: the scheduler keeps their place. */
  adoptNominated(): void {
    for (const { pod } of this.base.pods.nominated()) this.scheduler.addWaiting(this.adoptPod(pod, undefined));
  }

  /** The pods of the state that wait for a node, in the scheduler's queue as it left them; not before something frees a place. */
  private adoptWaiting(): void {
    if (this.isWaitingAdopted) return;
    this.isWaitingAdopted = true;
    for (const index of this.parts.waiting) this.adoptWaitingPod(index);
  }

  private adoptWaitingPod(index: number): void {
    const { pods } = this.base;
    if (this.deletedStored.has(keyOf(pods.namespace(index), pods.name(index)))) return;
    const pod = this.adoptPod(index, undefined);
    if (pod.node < 0) this.scheduler.addWaiting(pod);
  }

  /** The pods of the state that wait for a node in a group: the scheduler tries them with the others of the group. */
  private adoptGroup(group: GroupOfPod): void {
    const key = groupKey(group);
    if (this.isWaitingAdopted || this.adoptedGroups.has(key)) return;
    this.adoptedGroups.add(key);
    const { pods } = this.base;
    for (const index of this.parts.waitingInGroups) {
      if (isOfGroup(pods.pod(index), group)) this.adoptWaitingPod(index);
    }
  }

  /** The controller for a workload of the cluster; undefined for a kind that is no controller of Kubernetes' own. */
  controllerFor({ kind, name }: OwnerReference, namespace: string): Controller | undefined {
    const known = this.controllers.get(controllerKey(kind, namespace, name));
    if (known !== undefined) return known;
    const object = this.base.find(kind as KeptKind, namespace, name) as Workload | undefined;
    return object === undefined ? undefined : this.load(object);
  }

  /** Takes a workload of the state into the rollout, with its pods. */
  load(object: Workload): Controller | undefined {
    const { namespace = '', name } = object.metadata;
    switch (object.kind) {
      case 'Deployment':
        return this.loadDeployment(object);
      case 'ReplicaSet': {
        const owner = controllerOf(object.metadata.ownerReferences);
        if (owner?.kind === 'Deployment') this.controllerFor(owner, namespace);
        return (
          this.controllers.get(controllerKey(object.kind, namespace, name)) ?? this.addReplicaSet(object, undefined)
        );
      }
      case 'ReplicationController':
        return this.addReplicaSet(object, undefined);
      case 'StatefulSet':
        return this.addStatefulSet(object, isKnownWhole(object.spec?.template), true);
      case 'DaemonSet':
        return this.addDaemonSet(object, isKnownWhole(object.spec?.template), true);
      case 'Job':
        return this.addJob(object, isKnownWhole(object.spec?.template), undefined);
      case 'CronJob':
        return undefined;
    }
  }

  /**
   * Whether pods of one template need not be replaced by those of another. Of a stored template, some fields are not known: if only these
   * could differ, it is as the rollout assumes.
   */
  isSameTemplate(stored: PodTemplateSpec, sent: PodTemplateSpec): boolean {
    if (!sameTemplate(stored, sent)) return false;
    if (isKnownWhole(stored) === isKnownWhole(sent)) return true;
    this.assumesTemplates = true;
    return !this.templatesDiffer;
  }

  addStatefulSet(object: StatefulSet, isWhole: boolean, isStored: boolean): StatefulSetController {
    if (isWhole) markWhole(object.spec?.template);
    const controller = new StatefulSetController(
      this,
      object,
      isWhole,
      isStored ? this.revisionOfPods(object) : undefined,
    );
    this.register(controller);
    return controller;
  }

  addDaemonSet(object: DaemonSet, isWhole: boolean, isStored: boolean): DaemonSetController {
    if (isWhole) markWhole(object.spec?.template);
    const controller = new DaemonSetController(
      this,
      object,
      isWhole,
      isStored ? this.revisionOfPods(object) : undefined,
    );
    this.register(controller);
    return controller;
  }

  addJob(object: Job, isWhole: boolean, cronJob: CronJob | undefined): JobController {
    if (isWhole) markWhole(object.spec?.template);
    const controller = new JobController(this, object, isWhole, cronJob);
    this.register(controller);
    return controller;
  }

  /** The revision that most pods of a stored workload have; undefined without any pod. */
  private revisionOfPods({ kind, metadata: { namespace = '', name } }: Workload): string | undefined {
    const counts = new Map<string, number>();
    for (const index of this.podsOwnedBy(kind, namespace, name)) {
      const revision = this.base.pods.labels(index)['controller-revision-hash'] ?? '';
      counts.set(revision, (counts.get(revision) ?? 0) + 1);
    }
    return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
  }

  addDeployment(object: Deployment, isWhole: boolean): DeploymentController {
    if (isWhole) markWhole(object.spec?.template);
    const controller = new DeploymentController(
      this,
      object,
      isWhole,
      (replicaSet, template) => this.isSameTemplate(replicaSet.template, template),
      (replicaSet, whole, owner) => this.addReplicaSet(replicaSet, owner, whole),
    );
    this.controllers.set(controllerKey('Deployment', controller.namespace, controller.name), controller);
    return controller;
  }

  private loadDeployment(object: Deployment): DeploymentController {
    const controller = this.addDeployment(object, isKnownWhole(object.spec?.template));
    const { namespace = '', name } = object.metadata;
    this.parts.replicaSetsOf(namespace, name).forEach((replicaSet, index) => {
      const one = this.addReplicaSet(replicaSet, controller);
      one.revision = index + 1;
      one.desired = controller.replicas;
      controller.replicaSets.push(one);
    });
    return controller;
  }

  addReplicaSet(
    object: ReplicaSet | ReplicationController,
    deployment: DeploymentController | undefined,
    isWhole = isKnownWhole(object.spec?.template),
  ): ReplicaSetController {
    if (isWhole) markWhole(object.spec?.template);
    const controller = new ReplicaSetController(this, object, this.replicaSets++, isWhole);
    controller.deployment = deployment;
    this.register(controller);
    return controller;
  }

  register(controller: Controller): void {
    const { kind, namespace, name } = controller;
    this.controllers.set(controllerKey(kind, namespace, name), controller);
    for (const index of this.podsOwnedBy(kind, namespace, name)) this.adoptPod(index, controller);
  }

  private podsOwnedBy(kind: string, namespace: string, name: string): readonly number[] {
    if (this.base.find(kind as KeptKind, namespace, name) === undefined) return [];
    return this.parts.podsOwnedBy(kind, namespace, name);
  }

  private noteAffected(pod: LivePod): void {
    this.budgets.note(pod);
    const owner = this.ownerOf(pod);
    if (owner === undefined) return;
    this.affected.add(owner instanceof ReplicaSetController ? (owner.deployment ?? owner) : owner);
  }

  private bind(pod: LivePod, node: number): void {
    const storage = this.volumes.assume(pod.stored, node);
    const profile = this.profileOf(pod.stored.spec.schedulerName ?? 'default-scheduler');
    const refusal = profile && this.devices.assume(pod, node, profile.filters);
    if (refusal !== undefined)
      this.noteUnknown(pod, {
        code: 'scheduler',
        message: `a ResourceClaim of its pods cannot be created: ${refusal}`,
      });
    pod.node = node;
    pod.isAssumed = storage === 'waits';
    this.noteAffected(pod);
    this.cluster.touch(pod);
    this.tell(pod, 'podAdded');
    if (!pod.isAssumed) this.clock.after(KUBELET, () => this.start(pod));
  }

  /** A pod that names its node passes the scheduler by. */
  private bindDirectly(pod: LivePod): void {
    const node = this.base.nodes.indexOf(pod.stored.spec.nodeName ?? '');
    if (node < 0) return;
    pod.node = node;
    this.cluster.touch(pod);
    this.scheduler.arrive(pod);
    this.clock.after(KUBELET, () => this.start(pod));
  }

  private start(pod: LivePod): void {
    if (pod.isGone) return;
    const outcome = this.options.kubelet?.(pod.stored) ?? 'ready';
    if (outcome === 'succeeded') {
      pod.phase = 'Succeeded';
      this.scheduler.leave(pod);
      this.cluster.touch(pod);
      this.tell(pod, 'podDeleted');
      this.release(pod);
    } else {
      pod.phase = 'Running';
      pod.ready = outcome === 'ready';
      pod.readySince = this.clock.now;
      this.budgets.note(pod);
      this.cluster.note(pod);
    }
    (pod.owner as Controller | undefined)?.podChanged(pod);
  }

  private evict(victim: LivePod, preemptor: LivePod): void {
    const nameOf = (pod: LivePod) => workloadOf(pod, this.base);
    this.preempted.push({
      namespace: victim.namespace,
      name: victim.name,
      node: this.cluster.nodeName(victim.node),
      workload: nameOf(victim),
      preemptor: nameOf(preemptor),
    });
    this.deletePod(victim);
  }

  /** The controller of a pod; for one that the cluster had, it is looked up with its other pods. */
  private ownerOf(pod: LivePod): Controller | undefined {
    if (pod.owner === undefined && !pod.isNew && !pod.isOwnerKnown) {
      pod.isOwnerKnown = true;
      const reference = controllerOf(pod.stored.metadata.ownerReferences);
      if (reference !== undefined) pod.owner = this.controllerFor(reference, pod.namespace);
    }
    return pod.owner as Controller | undefined;
  }

  private tell(pod: LivePod, kind: 'podAdded' | 'podDeleted'): void {
    if (kind === 'podDeleted') this.adoptWaiting();
    this.scheduler.happened({ kind, pod: pod.stored });
    this.planAttempt();
  }

  /** A claim or a volume came or changed: claims are bound where they can be, and pods that wait for them are tried again. */
  storageChanged(): void {
    if (this.isStorageQueued) return;
    this.isStorageQueued = true;
    this.clock.after(VOLUME_CONTROLLER, () => {
      this.isStorageQueued = false;
      this.adoptWaiting();
      this.volumes.bindClaims();
      this.scheduler.happened({ kind: 'storage' });
      this.planAttempt();
    });
  }

  planAttempt(): void {
    if (this.isAttemptPlanned || !this.scheduler.hasWork) return;
    this.isAttemptPlanned = true;
    this.clock.after(SCHEDULER, () => {
      this.isAttemptPlanned = false;
      this.isAttemptDue = true;
    });
  }

  /** Devices are free once pods have left or ended; the quota controller counts again some time later. */
  private release(pod: LivePod): void {
    const { namespace } = pod;
    this.releaseDevices(pod);
    const others = this.releasing.get(namespace);
    if (others !== undefined) {
      others.push(pod);
      return;
    }
    this.releasing.set(namespace, [pod]);
    this.clock.after(QUOTA_CONTROLLER, () => {
      const left = this.releasing.get(namespace) ?? [];
      this.releasing.delete(namespace);
      for (const one of left) this.quotas.releasePod(one.stored, one.isGone);
      this.unstick();
    });
  }

  private releaseDevices(pod: LivePod): void {
    if (!this.devices.release(pod)) return;
    this.adoptWaiting();
    this.scheduler.happened({ kind: 'devices' });
    this.planAttempt();
  }

  private profileOf(schedulerName: string): SchedulingProfile | undefined {
    if (this.options.profileOf !== undefined) return this.options.profileOf(schedulerName);
    if (this.profiles.has(schedulerName)) return this.profiles.get(schedulerName);
    const isDeclared = this.base.setting('SchedulerConfiguration', 'default') !== undefined;
    const named = profileNamed(schedulerConfigurationIn(this.base), schedulerName);
    const found = named ?? (isDeclared || schedulerName !== 'default-scheduler' ? undefined : DEFAULT_PROFILE);
    const profile = found === undefined ? undefined : profilePlugins(found, this.gates);
    this.profiles.set(schedulerName, profile);
    return profile;
  }

  private noteUnknown(pod: LivePod, because: SchedulingUnknown): void {
    const owner = pod.owner as Controller | undefined;
    if (owner === undefined) return;
    const { unknownBecause } = owner;
    switch (because.code) {
      case 'filter':
        for (const { plugin, message, missingKinds } of unknownFilters(because.placement)) {
          unknownBecause.set(`filter ${plugin}`, { code: 'filter', plugin, message, missingKinds });
        }
        break;
      case 'score':
        unknownBecause.set(`score ${because.message}`, { code: 'score', message: because.message, missingKinds: [] });
        break;
      case 'scheduler':
        unknownBecause.set('scheduler', { code: 'scheduler', message: because.message, missingKinds: [] });
        break;
    }
  }
}

export const controllerKey = (kind: string, namespace: string, name: string): string => `${kind} ${namespace}/${name}`;
const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** `errors.NewInvalid`, k8s.io/apimachinery v0.36.2, pkg/api/errors/errors.go. */
export function invalidObject(
  { apiVersion, kind, metadata: { name } }: KubernetesObject,
  by: 'validation' | 'update',
  causes: readonly FieldError[],
): Refused {
  const group = apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
  const message = `${kind}${group} ${quoteGo(name)} is invalid: ${aggregateText(causes)}`;
  return { outcome: 'refused', by, code: 422, message, causes, certain: true, undecided: [] };
}

const notMade = (request: PodToCreate, message: string): Refused => ({
  outcome: 'refused',
  by: 'limit',
  code: 0,
  message,
  causes: [],
  certain: false,
  undecided: [],
  pod: request.pod,
});

/** Whether what becomes of a pod is of interest: whether the request has its workload, or the rollout made it. */
function isReported(pod: LivePod): boolean {
  const owner = pod.owner as Controller | undefined;
  if (pod.isNew || pod.isAsked) return true;
  if (owner === undefined) return false;
  return owner.isAsked || (owner instanceof ReplicaSetController && owner.deployment?.isAsked === true);
}

/** The workload of a pod, as users know it. */
export function workloadOf(
  pod: LivePod,
  base: ClusterState,
): { readonly kind: string; readonly namespace: string; readonly name: string } {
  const { owner, namespace, name } = pod;
  if (owner instanceof ReplicaSetController && owner.deployment !== undefined) {
    return { kind: 'Deployment', namespace, name: owner.deployment.name };
  }
  const controller = owner as Controller | undefined;
  if (controller !== undefined) return { kind: controller.kind, namespace, name: controller.name };
  const index = base.pods.indexOf(namespace, name);
  return index < 0 ? { kind: 'Pod', namespace, name } : base.pods.workload(index);
}

interface UnknownFilter {
  readonly plugin: string;
  readonly message: string;
  readonly missingKinds: readonly KeptKind[];
}

/** The filters that keep a verdict from being certain, each with a reason. */
function unknownFilters(placement: Placement): readonly UnknownFilter[] {
  const found: UnknownFilter[] = [];
  const add = ({ plugin, message, facts }: Reason): void => {
    const missingKinds = 'missingKinds' in facts ? facts.missingKinds : [];
    found.push({ plugin, message, missingKinds });
  };
  for (const reason of placement.podReasons) if (reason.status === 'Unknown') add(reason);
  for (const { statuses, filter } of placement.plugins) {
    const node = statuses?.indexOf(UNKNOWN) ?? -1;
    const [reason] = node < 0 ? [] : (filter?.explain(node) ?? []);
    if (reason !== undefined) add(reason);
  }
  return found;
}
