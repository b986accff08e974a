import type { DryRunAnswer } from '../../admission/dry-run.js';
import type { UndecidedPlugin } from '../../admission/undecided-plugins.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { VolumeClaimTemplate, Workload } from '../../kubernetes/objects/workloads.js';
import type { LiveCluster } from '../live-cluster.js';
import type { LivePod, PodOwner } from '../live-pod.js';
import type { PodCreation, PodToCreate } from '../pod-creation.js';
import type { RolloutUnknown, WorkloadOutcome } from '../rollout.js';
import type { Clock } from '../clock.js';
import type { TolerationGates } from '../../kubernetes/toleration.js';
import type { KubernetesObject, Labels } from '../../kubernetes/objects/meta.js';

export type Refused = Extract<PodCreation, { readonly outcome: 'refused' }>;

/** What controllers do with the cluster. */
export interface World {
  readonly cluster: LiveCluster;
  readonly clock: Clock;
  readonly gates: TolerationGates;
  /** A name for the hash of a template, different for different templates. */
  readonly hashOf: (template: object) => string;
  /** Has a controller look at its pods soon. */
  readonly enqueue: (controller: Controller) => void;
  /** The same, once the cause of a refused creation may be gone. */
  readonly retry: (controller: Controller) => void;
  readonly createPod: (owner: Controller, request: PodToCreate, revision: string) => LivePod | Refused;
  /** Creates the claims of a pod that do not exist yet, up to the first that is refused. */
  readonly createClaims: (
    pod: Pod,
    templates: readonly VolumeClaimTemplate[],
    labels: Labels | undefined,
  ) => readonly RefusedClaim[];
  /**
   * Creates pods in batches of 1, 2, 4 and so on, and stops after a batch of which one was refused.
   *
   * @param create false if the creation is refused
   * @param done with false if one was refused
   */
  readonly slowStart: (
    controller: Controller,
    count: number,
    create: (index: number) => boolean,
    done: (isDone: boolean) => void,
    most?: number,
  ) => void;
  readonly deletePod: (pod: LivePod) => void;
  /** The object with a uid. */
  readonly identified: <T extends KubernetesObject>(object: T) => T;
  readonly createReplicaSet: (object: Workload) => Refused | undefined;
}

export interface RefusedClaim {
  readonly claim: string;
  readonly refusal: Refused;
}

/** A refused creation, as the events of a controller tell it. */
interface RefusedCreate {
  readonly text: string;
  readonly message: string;
  readonly refusal: Refused;
  readonly pod: Pod | undefined;
}

/** A controller for one workload. */
export abstract class Controller implements PodOwner {
  private readonly own = new Set<LivePod>();
  isQueued = false;
  /** Whether it waits for the answers to creations; it looks at its pods again only after these. */
  isBusy = false;
  isDue = false;
  /** Whether the request has its workload. */
  isAsked = false;
  /** What the API server answered to a pod of the template in the request. */
  dryRun: DryRunAnswer | undefined;
  /** Refused creations by text. */
  readonly refusedCreates = new Map<string, RefusedCreate>();
  /** Whether the last look ended with a refused creation. */
  refusedNow: string | undefined;
  readonly unknownBecause = new Map<string, RolloutUnknown>();

  constructor(
    protected readonly world: World,
    readonly kind: Workload['kind'] | 'Pod',
    readonly namespace: string,
    readonly name: string,
  ) {}

  abstract sync(): void;

  /** The number of pods that the workload wants. */
  abstract get desiredPods(): number;

  /** The counts of its `status`. */
  abstract get counts(): Readonly<Record<string, number>>;

  /** What its kind has besides. */
  get details(): Partial<WorkloadOutcome> {
    return {};
  }

  podChanged(pod: LivePod): void {
    this.changed?.(pod);
    this.world.enqueue(this);
  }

  /** With `HASH` and `RAND` for the parts that nobody can know. */
  shownName({ name }: LivePod): string {
    return name;
  }

  /** Its pods, in the order in which they came. */
  get pods(): ReadonlySet<LivePod> {
    return this.own;
  }

  addPod(pod: LivePod): void {
    if (this.own.has(pod)) return;
    this.own.add(pod);
    this.changed?.(pod);
  }

  removePod(pod: LivePod): void {
    if (this.own.delete(pod)) this.changed?.(pod);
  }

  get activePods(): readonly LivePod[] {
    return [...this.own].filter(({ isActive }) => isActive);
  }

  /** Called when a pod came, changed or left; most controllers look at all their pods. */
  protected changed?(pod: LivePod): void;

  noteUndecided(undecided: readonly UndecidedPlugin[]): void {
    for (const { plugin, missingKind, why } of undecided) {
      const key = `admission ${plugin} ${why}`;
      const missingKinds = missingKind === null ? [] : [missingKind];
      if (!this.unknownBecause.has(key)) {
        this.unknownBecause.set(key, { code: 'admission', message: why, plugin, missingKinds });
      }
    }
  }

  /** @param before what the event says before the message */
  protected noteRefusal(before: string, refusal: Refused, message: string, pod: Pod | undefined): void {
    const text = `${before}${message}`;
    this.refusedNow = text;
    if (!this.refusedCreates.has(text)) this.refusedCreates.set(text, { text, message, refusal, pod });
    this.noteUndecided(refusal.undecided);
  }
}

/** At most so many pods are created or deleted at once (`BurstReplicas`, pkg/controller/replicaset/replica_set.go). */
export const BURST = 500;
