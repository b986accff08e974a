import { defined } from '../../collections/defined.js';
import type { OwnerReference } from '../../kubernetes/objects/meta.js';
import type { CronJob, Job, JobSpec } from '../../kubernetes/objects/workloads.js';
import type { LivePod } from '../live-pod.js';
import type { WorkloadOutcome } from '../rollout.js';
import { BURST, Controller, type World } from './controller.js';

/** Another value of `managedBy` leaves the Job to another controller. */
const JOB_CONTROLLER = 'kubernetes.io/job-controller';
const INDEX = 'batch.kubernetes.io/job-completion-index';

/**
 * A Job, or one run of a CronJob.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/job/job_controller.go, `syncJob` and `manageJob`.
 */
export class JobController extends Controller {
  /** Ended pods leave with the object only, so they are still counted. */
  private succeeded = 0;
  private failed = 0;
  private readonly doneIndexes = new Set<number>();
  private readonly counted = new Set<LivePod>();
  private object: Job;

  constructor(
    world: World,
    object: Job,
    private readonly isWhole: boolean,
    private readonly cronJob: CronJob | undefined,
  ) {
    super(
      world,
      cronJob === undefined ? 'Job' : 'CronJob',
      object.metadata.namespace ?? '',
      (cronJob ?? object).metadata.name,
    );
    this.object = object;
    this.succeeded = object.status?.succeeded ?? 0;
    this.failed = object.status?.failed ?? 0;
  }

  update(object: Job): void {
    this.object = object;
    this.world.enqueue(this);
  }

  private get spec(): JobSpec {
    return this.object.spec ?? {};
  }

  /** No more pods are active at a time than completions are wanted: pkg/controller/job/job_controller.go, `manageJob`. */
  get desiredPods(): number {
    const { suspend = false, parallelism = 1, completions = parallelism } = this.spec;
    return suspend ? 0 : Math.min(parallelism, completions);
  }

  get counts(): Readonly<Record<string, number>> {
    const { activePods, succeeded, failed } = this;
    return { active: activePods.length, ready: activePods.filter(({ ready }) => ready).length, succeeded, failed };
  }

  override get details(): Partial<WorkloadOutcome> {
    return { complete: this.isComplete };
  }

  private get completions(): number | undefined {
    // Completions are 1 where neither they nor the parallelism are given.
    const { completions, parallelism } = this.spec;
    return completions ?? (parallelism === undefined ? 1 : undefined);
  }

  private get isComplete(): boolean {
    if (this.object.status?.completionTime !== undefined) return true;
    const { completions } = this;
    if (completions === undefined) return this.succeeded > 0 && this.activePods.length === 0;
    return this.succeeded >= completions;
  }

  sync(): void {
    for (const pod of this.pods) {
      if (pod.isActive || pod.isGone || this.counted.has(pod)) continue;
      this.counted.add(pod);
      if (!pod.isNew) continue;
      if (pod.phase === 'Succeeded') {
        this.succeeded++;
        const index = indexOf(pod);
        if (index !== undefined) this.doneIndexes.add(index);
      } else this.failed++;
    }
    const { managedBy = JOB_CONTROLLER } = this.spec;
    if (managedBy !== JOB_CONTROLLER) {
      const message = `${managedBy} is no controller of Kubernetes' own: which pods it creates is not known`;
      this.unknownBecause.set('controller', { code: 'controller', message, missingKinds: [] });
      return;
    }
    if (this.isComplete) this.finish(true);
    else this.manage();
  }

  private finish(isDone: boolean): void {
    const { active = 0, ready = 0, succeeded = 0, failed = 0 } = this.counts;
    this.object = { ...this.object, status: { ...this.object.status, active, ready, succeeded, failed } };
    this.world.cluster.keep(this.object);
    if (isDone) this.refusedNow = undefined;
    else this.world.retry(this);
  }

  private manage(): void {
    const { activePods: active, completions } = this;
    const { suspend = false, parallelism = 1 } = this.spec;
    if (suspend) {
      for (const pod of active) this.world.deletePod(pod);
      this.finish(true);
      return;
    }
    const wanted =
      completions === undefined
        ? this.succeeded > 0
          ? active.length
          : parallelism
        : Math.min(parallelism, completions - this.succeeded);
    const surplus = active.length - wanted;
    if (surplus > 0) {
      const ranked = [...active].sort((a, b) => Number(a.ready) - Number(b.ready) || b.createdAt - a.createdAt);
      for (const pod of ranked.slice(0, Math.min(surplus, BURST))) this.world.deletePod(pod);
      this.finish(true);
      return;
    }
    const indexes = this.freeIndexes(Math.min(-surplus, BURST));
    this.world.slowStart(
      this,
      Math.min(-surplus, indexes?.length ?? BURST, BURST),
      (at) => this.create(indexes?.[at]),
      (isDone) => this.finish(isDone),
    );
  }

  /** The first completion indexes that no pod has; undefined for a Job without indexes. */
  private freeIndexes(count: number): readonly number[] | undefined {
    if (this.spec.completionMode !== 'Indexed') return undefined;
    const taken = new Set(this.activePods.map(indexOf));
    const free: number[] = [];
    for (let index = 0; index < (this.completions ?? 0) && free.length < count; index++) {
      if (!taken.has(index) && !this.doneIndexes.has(index)) free.push(index);
    }
    return free;
  }

  override shownName(pod: LivePod): string {
    return `${this.shownPrefix(indexOf(pod))}RAND`;
  }

  private prefixOf(index: number | undefined, jobName = this.object.metadata.name): string {
    return index === undefined ? `${jobName}-` : `${jobName}-${index}-`;
  }

  private shownPrefix(index: number | undefined): string {
    return this.cronJob === undefined ? this.prefixOf(index) : this.prefixOf(index, `${this.name}-TIME`);
  }

  private create(index: number | undefined): boolean {
    const { template } = this.spec;
    if (template === undefined) return true;
    const { apiVersion, kind, metadata } = this.object;
    const owner: OwnerReference = {
      apiVersion,
      kind,
      name: metadata.name,
      ...defined({ uid: metadata.uid }),
      controller: true,
    };
    const jobName = metadata.name;
    const prefix = this.prefixOf(index);
    const uid = defined({ 'batch.kubernetes.io/controller-uid': metadata.uid, 'controller-uid': metadata.uid });
    const indexed = index === undefined ? {} : { [INDEX]: String(index) };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: '',
        generateName: prefix,
        namespace: this.namespace,
        labels: {
          ...template.metadata?.labels,
          ...uid,
          'batch.kubernetes.io/job-name': jobName,
          'job-name': jobName,
          ...indexed,
        },
        annotations: { ...template.metadata?.annotations, ...indexed },
        ownerReferences: [owner],
      },
      spec: template.spec,
    } as const;
    const request = {
      pod,
      isWhole: this.isWhole,
      controller: 'Job' as const,
      ...(index === undefined && { template }),
      dryRun: this.dryRun,
    };
    const created = this.world.createPod(this, request, '');
    if (!('outcome' in created)) return true;
    const shown = this.shownPrefix(index);
    const message = created.message
      .replaceAll(`${prefix.slice(0, 58)}xxxxx`, `${shown}RAND`)
      .replaceAll(`"${prefix}"`, `"${shown}"`);
    this.noteRefusal('Error creating: ', created, message, pod);
    return false;
  }
}

function indexOf({ stored }: LivePod): number | undefined {
  const text = stored.metadata.annotations?.[INDEX] ?? stored.metadata.labels?.[INDEX];
  return text === undefined ? undefined : Number(text);
}

/**
 * The Job that a CronJob makes at a time, whatever its schedule says.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/cronjob/utils.go, `getJobFromTemplate2`.
 */
export function jobOf(cronJob: CronJob, now: number): Job {
  const { apiVersion, kind, metadata, spec } = cronJob;
  const { jobTemplate = {} } = spec ?? {};
  const { labels, annotations } = jobTemplate.metadata ?? {};
  const owner: OwnerReference = {
    apiVersion,
    kind,
    name: metadata.name,
    ...defined({ uid: metadata.uid }),
    controller: true,
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${metadata.name}-${Math.floor(now / 60_000)}`,
      ...defined({ namespace: metadata.namespace, labels, annotations }),
      ownerReferences: [owner],
    },
    spec: jobTemplate.spec ?? {},
  };
}
