import type { ClusterState } from '../cluster/cluster-state.js';
import { allocatorFeatures } from '../devices/allocator-features.js';
import { withoutDisabledFields } from '../devices/disabled-claim-fields.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { ResourceClaim } from '../kubernetes/objects/dra.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { Pod, PodTemplateSpec } from '../kubernetes/objects/pod.js';
import type { DaemonSet, StatefulSet, Workload } from '../kubernetes/objects/workloads.js';
import { validateObject } from '../scenario/validate-object.js';
import { validateObjectUpdate } from './validate-object-update.js';
import type { FieldError } from '../kubernetes/field-error.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { validateWorkload } from './validate-workload.js';
import { validateWorkloadUpdate } from './validate-workload-update.js';
import { LOOKED_UP_FIRST, mergedOver, readManifest, WORKLOADS, type ReadManifest } from './api-objects.js';
import { BarePod } from './controllers/bare-pod.js';
import type { Controller, Refused } from './controllers/controller.js';
import type { DeploymentController } from './controllers/deployment.js';
import { DaemonSetController } from './controllers/daemon-set.js';
import { JobController, jobOf } from './controllers/job.js';
import { StatefulSetController } from './controllers/stateful-set.js';
import { markWhole } from './templates.js';
import { isUnchanged } from './unchanged.js';
import { updatedPod } from './updated-pod.js';
import { ReplicaSetController } from './controllers/replica-set.js';
import { controllerKey, Engine, invalidObject } from './engine.js';
import { claimOutcomes, isReported, quotaOutcomes, workloadOutcome } from './report.js';
import type {
  ManifestObject,
  ObjectOutcome,
  Rollout,
  RolloutOptions,
  RolloutUnknown,
  WorkloadOutcome,
} from './rollout.js';

/** Between two requests of kubectl, in milliseconds. */
const BETWEEN_REQUESTS = 5;

/**
 * What becomes of manifests in a cluster, once it is quiet: what the API server answers to each, which pods their controllers then create,
 * where the scheduler places these, whom it evicts for them, and what is still missing at the end.
 *
 * Objects are created in the order in which they are given, except that those which pods look up at their creation come first.
 *
 * @throws QuantityError for a stored object with an invalid quantity
 */
export function* stepRollout(
  state: ClusterState,
  objects: readonly ManifestObject[],
  options: RolloutOptions,
): Generator<undefined, Rollout> {
  const request = yield* stepRequest(state, objects, options, false);
  const report = yield* request.stepReport();
  if (!request.engine.assumesTemplates) return report;
  const other = yield* stepRequest(state, objects, options, true);
  return comparedWith(report, yield* other.stepReport());
}

function* stepRequest(
  state: ClusterState,
  objects: readonly ManifestObject[],
  options: RolloutOptions,
  templatesDiffer: boolean,
): Generator<undefined, Request> {
  const engine = new Engine(state, options, templatesDiffer);
  const read: ReadManifest[] = [];
  for (const object of objects) {
    read.push(readManifest(object, engine.cluster.rules.minor));
    yield;
  }
  const request = new Request(engine, objects, read);
  request.send();
  yield* request.engine.run();
  return request;
}

/** A rollout, if stored templates equal those of the request in what is not stored; a workload is unknown if it would end otherwise. */
function comparedWith(same: Rollout, differing: Rollout): Rollout {
  const keyOf = ({ kind, namespace, name }: WorkloadOutcome): string => `${kind} ${namespace}/${name}`;
  const countsOf = ({ desired, created, bound, pending, ready }: WorkloadOutcome): string =>
    [desired, created, bound, pending, ready].join(' ');
  const others = new Map(differing.workloads.map((one) => [keyOf(one), one]));
  const known = new Set(same.workloads.map(keyOf));
  const workloads = same.workloads.map((one) => {
    const other = others.get(keyOf(one));
    return other === undefined || countsOf(other) === countsOf(one) ? one : doubtful(one);
  });
  const more = differing.workloads.filter((one) => !known.has(keyOf(one)));
  return { ...same, workloads: [...workloads, ...more.map(doubtful)], work: same.work + differing.work };
}

const TEMPLATE_UNKNOWN: RolloutUnknown = {
  code: 'template',
  message:
    'not all fields of the stored pod template are kept: if one of those differs, all pods are replaced, and then the outcome is another',
  missingKinds: [],
};

const doubtful = (one: WorkloadOutcome): WorkloadOutcome => ({
  ...one,
  unknownBecause: [...one.unknownBecause, TEMPLATE_UNKNOWN],
});

/** The objects of a request on their way through the API server. */
class Request {
  private readonly outcomes: (ObjectOutcome | undefined)[];
  /** The controllers of the workloads of the request. */
  private readonly ofObject = new Map<number, Controller>();

  constructor(
    readonly engine: Engine,
    private readonly objects: readonly ManifestObject[],
    /** Of each object. */
    private readonly read: readonly ReadManifest[],
  ) {
    this.outcomes = objects.map(() => undefined);
  }

  /** Sends each object at its time. */
  send(): void {
    this.engine.adoptNominated();
    const first: number[] = [];
    const then: number[] = [];
    this.read.forEach((read, index) => {
      if (read.outcome === 'invalid') this.refuse(index, 400, 'validation', read.message, read);
      else if (read.outcome === 'notLookedAt') this.outcomes[index] = { outcome: 'notLookedAt', why: read.why };
      else if (LOOKED_UP_FIRST.has(read.kind)) first.push(index);
      else if (WORKLOADS.has(read.kind)) then.push(index);
      else this.outcomes[index] = { outcome: 'notLookedAt', why: `${read.kind} has no effect here on where pods run` };
    });
    const isNamespace = (index: number): boolean => this.objects[index]!.kind === 'Namespace';
    for (const index of [...first.filter(isNamespace), ...first.filter((one) => !isNamespace(one))]) {
      this.sendSupport(index);
      this.engine.creations.forget();
    }
    then.forEach((index, place) => {
      this.engine.clock.after(place * BETWEEN_REQUESTS, () => this.sendWorkload(index));
    });
  }

  private sendSupport(index: number): void {
    const read = this.read[index]!;
    if (read.outcome !== 'read') return;
    const { kind, object } = read;
    const { namespace = '', name } = object.metadata;
    const stored = this.engine.cluster.find(kind, namespace, name);
    const { engine } = this;
    const { cluster, gates } = engine;
    const context = {
      gates,
      rules: cluster.rules,
      namespace: cluster.find('Namespace', '', namespace) as Namespace | undefined,
    };
    if (stored !== undefined && isUnchanged(stored, object)) {
      this.outcomes[index] = unchanged(stored);
      return;
    }
    const put =
      stored === undefined ? this.engine.identified(created(object, cluster.rules)) : mergedOver(stored, object);
    const refusal =
      stored === undefined
        ? engine.admitObject(object, () => validateObject(object, context))
        : refusedBy(put, validateObjectUpdate(stored, put, context));
    if (refusal !== undefined) {
      this.refuse(index, refusal.code, refusal.by, refusal.message, refusal);
      return;
    }
    this.engine.cluster.put(withStatus(put));
    if (STORAGE.has(kind)) this.engine.storageChanged();
    if (kind === 'ResourceQuota') this.engine.quotas.refresh(namespace);
    this.outcomes[index] = accepted(stored);
  }

  private sendWorkload(index: number): void {
    const read = this.read[index]!;
    if (read.outcome !== 'read') return;
    const { kind, object } = read;
    if (kind === 'Pod') this.sendPod(index, object as Pod);
    else this.sendController(index, kind, this.named(object as Workload));
  }

  private sendPod(index: number, pod: Pod): void {
    const { namespace = '', name } = pod.metadata;
    const { engine } = this;
    const stored = engine.cluster.find('Pod', namespace, name);
    const owner = new BarePod(engine, 'Pod', namespace, name);
    this.ofObject.set(index, owner);
    owner.isAsked = true;
    if (stored !== undefined) {
      this.outcomes[index] = this.sendStoredPod(stored as Pod, pod, owner);
      return;
    }
    const created = engine.createPod(
      owner,
      { pod, isWhole: true, dryRun: engine.options.dryRuns?.get(this.objects[index]!.value) },
      '',
    );
    if ('outcome' in created) {
      const { code, by, message, causes, certain, undecided } = created;
      this.outcomes[index] = { outcome: 'refused', code, by, message, causes, certain, undecided };
    } else this.outcomes[index] = accepted(undefined);
  }

  /** Few of its fields may change, of which only tolerations and gates matter to the scheduler. */
  private sendStoredPod(stored: Pod, sent: Pod, owner: BarePod): ObjectOutcome {
    const { engine } = this;
    const live = engine.podNamed(owner.namespace, owner.name);
    live.isAsked = true;
    live.owner ??= owner;
    owner.addPod(live);
    const changed = updatedPod(stored, sent);
    if (changed === undefined) return unchanged(stored);
    const update = engine.creations.update(changed, stored);
    if (update.outcome === 'refused') return update;
    engine.changePod(live, update.pod);
    return { ...accepted(stored), undecided: update.undecided };
  }

  private sendController(index: number, kind: KeptKind, sent: Workload): void {
    const { engine } = this;
    const { namespace = '', name } = sent.metadata;
    const stored = engine.cluster.find(kind, namespace, name) as Workload | undefined;
    const isSame = stored !== undefined && isUnchanged(stored, sent);
    const refusal = isSame
      ? undefined
      : stored === undefined
        ? engine.admitObject(sent, () => validateWorkload(sent, engine.gates))
        : refusedUpdate(stored, sent, engine.gates);
    if (refusal !== undefined) {
      this.refuse(index, refusal.code, refusal.by, refusal.message, refusal);
      return;
    }
    const known = stored === undefined ? undefined : this.controllerOf(stored);
    const object = stored === undefined ? engine.identified(sent) : isSame ? stored : mergedOver(stored, sent);
    engine.cluster.put(object);
    engine.scheduler.forget();
    const controller = this.controlled(object, known);
    if (controller !== undefined) {
      this.ofObject.set(index, controller);
      controller.isAsked = true;
      controller.dryRun = engine.options.dryRuns?.get(this.objects[index]!.value);
      engine.enqueue(controller);
    }
    this.outcomes[index] = isSame ? unchanged(stored) : accepted(stored);
  }

  /** With only `generateName`, the API server draws the end of the name. */
  private named<T extends KubernetesObject>(object: T): T {
    const { name, generateName = '' } = object.metadata;
    if (name !== '' || generateName === '') return object;
    return { ...object, metadata: { ...object.metadata, name: this.engine.creations.draw(generateName) } };
  }

  private controllerOf(stored: Workload): Controller | undefined {
    const { kind, metadata } = stored;
    const key = controllerKey(kind, metadata.namespace ?? '', metadata.name);
    return this.engine.controllers.get(key) ?? this.engine.load(stored);
  }

  private controlled(object: Workload, known: Controller | undefined): Controller | undefined {
    const { engine } = this;
    switch (object.kind) {
      case 'Deployment': {
        const controller = (known as DeploymentController | undefined) ?? engine.addDeployment(object, true);
        markWhole(object.spec?.template);
        if (known !== undefined) controller.update(object, true);
        return controller;
      }
      case 'ReplicaSet':
      case 'ReplicationController': {
        if (known instanceof ReplicaSetController) {
          known.scale(object.spec?.replicas ?? 1);
          return known;
        }
        return engine.addReplicaSet(object, undefined, true);
      }
      case 'StatefulSet': {
        if (!(known instanceof StatefulSetController)) return engine.addStatefulSet(object, true, false);
        known.update(object, true, this.isSame(known.template, object));
        return known;
      }
      case 'DaemonSet': {
        if (!(known instanceof DaemonSetController)) return engine.addDaemonSet(object, true, false);
        known.update(object, true, this.isSame(known.template, object));
        return known;
      }
      case 'Job': {
        if (!(known instanceof JobController)) return engine.addJob(object, true, undefined);
        known.update(object);
        return known;
      }
      case 'CronJob': {
        const job = engine.identified(jobOf(object, engine.options.now));
        return engine.addJob(job, true, object);
      }
    }
  }

  private isSame(template: PodTemplateSpec, { spec }: StatefulSet | DaemonSet): boolean {
    if (spec?.template === undefined) return true;
    markWhole(spec.template);
    return this.engine.isSameTemplate(template, spec.template);
  }

  private refuse(
    index: number,
    code: number,
    by: string,
    message: string,
    { causes }: { readonly causes: Extract<ObjectOutcome, { outcome: 'refused' }>['causes'] },
  ): void {
    this.outcomes[index] = { outcome: 'refused', code, by, message, causes, certain: true, undecided: [] };
  }

  /** What has become of the objects, with a pause after each workload. */
  *stepReport(): Generator<undefined, Rollout> {
    const { engine, objects } = this;
    const workloads: WorkloadOutcome[] = [];
    for (const [index, controller] of this.ofObject) {
      workloads.push(workloadOutcome(engine, controller, index));
      yield;
    }
    const asked = new Set(this.ofObject.values());
    const affected = new Set<Controller>();
    for (const controller of engine.affected)
      if (!asked.has(controller) && isReported(controller)) affected.add(controller);
    for (const controller of affected) {
      workloads.push(workloadOutcome(engine, controller, undefined));
      yield;
    }
    const namespaces = new Set(objects.flatMap(({ namespace }) => (namespace === undefined ? [] : [namespace])));
    return {
      objects: this.outcomes.map((outcome) => outcome ?? { outcome: 'notLookedAt', why: 'not sent' }),
      workloads,
      claims: claimOutcomes(engine),
      quotas: quotaOutcomes(engine, namespaces),
      preempted: engine.preempted,
      work: engine.scheduler.work,
      state: () => engine.cluster.state(),
      stepState: () => engine.cluster.stepState(),
    };
  }
}

function refusedUpdate(stored: Workload, sent: Workload, gates: TolerationGates): Refused | undefined {
  return refusedBy(sent, validateWorkloadUpdate(stored, sent, mergedOver(stored, sent), gates));
}

const refusedBy = (object: KubernetesObject, faults: readonly FieldError[]): Refused | undefined =>
  faults.length === 0 ? undefined : invalidObject(object, 'update', faults);

const STORAGE: ReadonlySet<string> = new Set(['PersistentVolumeClaim', 'PersistentVolume', 'StorageClass']);

/** A new claim is Pending, a new volume Available. */
function withStatus(object: KubernetesObject): KubernetesObject {
  const status = (object as { readonly status?: object }).status;
  if (object.kind === 'PersistentVolumeClaim')
    return { ...object, status: { phase: 'Pending', ...status } } as KubernetesObject;
  if (object.kind === 'PersistentVolume')
    return { ...object, status: { phase: 'Available', ...status } } as KubernetesObject;
  return object;
}

const unchanged = (stored: KubernetesObject): ObjectOutcome => ({ ...accepted(stored), outcome: 'unchanged' });

const accepted = (
  stored: KubernetesObject | undefined,
): Extract<ObjectOutcome, { readonly undecided: object; readonly warnings: object }> =>
  stored === undefined
    ? { outcome: 'created', code: 201, warnings: [], undecided: [] }
    : { outcome: 'configured', code: 200, warnings: [], undecided: [] };

/** A new object as the API server stores it, without fields of claims whose feature gates are off. */
function created(object: KubernetesObject, rules: KubernetesRules): KubernetesObject {
  if (object.kind !== 'ResourceClaim') return object;
  const spec = withoutDisabledFields((object as ResourceClaim).spec, allocatorFeatures(rules));
  return spec === undefined ? object : ({ ...object, spec } as ResourceClaim);
}
