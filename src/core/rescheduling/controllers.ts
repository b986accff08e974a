import { NOTHING } from '../collections/nothing.js';
import { controllerOf } from '../kubernetes/controller-of.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { OwnerReference } from '../kubernetes/objects/meta.js';
import type { Job, Workload } from '../kubernetes/objects/workloads.js';
import type { NeverReplaced } from './rescheduling.js';
import type { Pace } from './pace.js';

type ControllerKind = 'ReplicaSet' | 'ReplicationController' | 'StatefulSet' | 'DaemonSet' | 'Job';

/** A controller that replaces pods, as far as it is known. */
export interface PodController {
  readonly kind: ControllerKind | 'other';
  readonly name: string;
  /** `onMark`: as soon as the pod is being deleted; `whenGone`: when the pod has been deleted. */
  readonly making: 'onMark' | 'whenGone' | 'never' | 'unknown';
  /** Why the controller creates no replacement. */
  readonly never?: NeverReplaced;
  /** The stored object; undefined if its kind was never loaded. */
  readonly object?: Workload;
  /** The number of pods that it wants; undefined if this is not known, or is not a number. */
  readonly wanted?: number;
  /**
   * The number of its pods that count: not ended and not being deleted. A Job that waits until pods are gone also
   * counts those being deleted.
   */
  live: number;
  /** For a StatefulSet: ordinals of pods that are being deleted, are gone, or are replaced but without a node. */
  readonly absent: Set<number>;
  /** For a StatefulSet: pods that are gone and wait for their turn, by ordinal. */
  readonly waiting: Map<number, number>;
}

/** The API groups of Kubernetes' own controllers: a StatefulSet of another group is not one of them. */
const GROUPS: Readonly<Record<ControllerKind, RegExp>> = {
  ReplicaSet: /^(apps|extensions)\//,
  ReplicationController: /^v1$/,
  StatefulSet: /^apps\//,
  DaemonSet: /^(apps|extensions)\//,
  Job: /^batch\//,
};
/**
 * The Job controller itself (`batch.JobControllerName`); with any other `managedBy`, another controller creates the
 * pods.
 */
const JOB_CONTROLLER = 'kubernetes.io/job-controller';

const isControllerKind = (kind: string): kind is ControllerKind => Object.hasOwn(GROUPS, kind);

/** The controllers of the pods of a state, and how they react when a pod leaves. */
export class Controllers {
  private readonly byReferences = new Map<readonly OwnerReference[], Map<string, PodController>>();
  private readonly byIdentity = new Map<string, PodController>();
  private readonly notLoaded = new Set<KeptKind>();

  constructor(private readonly state: ClusterState) {}

  /** Kinds of controllers that occur but were never loaded. */
  get missingKinds(): readonly KeptKind[] {
    return [...this.notLoaded].sort();
  }

  /** Counts the pods of each controller. Must run first. */
  *count(pace: Pace): Generator<undefined, void> {
    const { pods } = this.state;
    for (let pod = 0; pod < pods.count; pod++) {
      if (pace.isDue(2)) yield undefined;
      if (!pods.active(pod)) continue;
      const controller = this.of(pod);
      if (controller.making === 'never' || controller.making === 'unknown') continue;
      const isDeleting = pods.deletionTimestamp(pod) !== '';
      if (controller.kind === 'StatefulSet') {
        if (isDeleting) controller.absent.add(ordinalOf(controller, pods.name(pod)));
      } else if (!isDeleting || controller.making === 'whenGone') controller.live++;
    }
  }

  of(pod: number): PodController {
    const { pods } = this.state;
    const references = pods.ownerReferences(pod);
    const namespace = pods.namespace(pod);
    let byNamespace = this.byReferences.get(references);
    if (byNamespace === undefined) {
      byNamespace = new Map<string, PodController>();
      this.byReferences.set(references, byNamespace);
    }
    let controller = byNamespace.get(namespace);
    if (controller === undefined) byNamespace.set(namespace, (controller = this.find(references, namespace)));
    return controller;
  }

  private find(references: readonly OwnerReference[], namespace: string): PodController {
    const reference = controllerOf(references);
    if (reference === undefined) return noneMade('', 'barePod');
    const { kind, name, apiVersion, uid } = reference;
    if (kind === 'Node' && apiVersion === 'v1') return noneMade(name, 'mirrorPod');
    if (!isControllerKind(kind) || !GROUPS[kind].test(apiVersion)) return notKnown(name);
    const identity = `${kind}/${namespace}/${name}/${uid ?? ''}`;
    let controller = this.byIdentity.get(identity);
    if (controller === undefined) this.byIdentity.set(identity, (controller = this.read(kind, namespace, name, uid)));
    return controller;
  }

  private read(kind: ControllerKind, namespace: string, name: string, uid: string | undefined): PodController {
    const making = kind === 'StatefulSet' || kind === 'DaemonSet' ? 'whenGone' : 'onMark';
    const fresh = {
      kind,
      name,
      making,
      live: 0,
      absent: new Set<number>(),
      waiting: new Map<number, number>(),
    } as const;
    const object = this.state.find(kind, namespace, name) as Workload | undefined;
    if (object === undefined) {
      if (this.state.loadedKinds.has(kind)) return noneMade(name, 'controllerGone');
      this.notLoaded.add(kind);
      return fresh;
    }
    const { metadata } = object;
    if (uid !== undefined && metadata.uid !== undefined && uid !== metadata.uid)
      return noneMade(name, 'controllerGone');
    if (metadata.deletionTimestamp !== undefined) return noneMade(name, 'controllerDeleting');
    if (object.kind === 'Job') return ofJob({ ...NOTHING, ...fresh, object }, object);
    if (object.kind === 'DaemonSet' || object.kind === 'CronJob') return { ...NOTHING, ...fresh, object };
    return { ...NOTHING, ...fresh, object, wanted: object.spec?.replicas ?? 1 };
  }
}

/**
 * A Job replaces a pod as soon as it is being deleted, unless its `podReplacementPolicy` is to wait until the pod has
 * Failed, which a pod that is being deleted has at about the time it is gone. It wants as many pods as may run in
 * parallel, but no more than are missing.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/job/job_controller.go, `manageJob`, `onlyReplaceFailedPods`.
 */
function ofJob(fresh: PodController, { spec = {}, status = {} }: Job): PodController {
  const { managedBy = JOB_CONTROLLER, podReplacementPolicy, parallelism = 1, completions, suspend = false } = spec;
  if (managedBy !== JOB_CONTROLLER) return notKnown(fresh.name);
  if (status.completionTime !== undefined) return noneMade(fresh.name, 'jobComplete');
  if (suspend) return noneMade(fresh.name, 'jobSuspended');
  const { succeeded = 0 } = status;
  // Without a number of completions, no more pods are started after one success.
  const missing = completions === undefined ? (succeeded > 0 ? 0 : parallelism) : completions - succeeded;
  return {
    ...fresh,
    making: podReplacementPolicy === 'Failed' ? 'whenGone' : 'onMark',
    wanted: Math.max(0, Math.min(parallelism, missing)),
  };
}

const noneMade = (name: string, never: NeverReplaced): PodController => ({
  kind: 'other',
  name,
  making: 'never',
  never,
  live: 0,
  absent: new Set(),
  waiting: new Map(),
});

const notKnown = (name: string): PodController => ({
  kind: 'other',
  name,
  making: 'unknown',
  live: 0,
  absent: new Set(),
  waiting: new Map(),
});

/** The ordinal in the name of a StatefulSet's pod; -1 for other pods (`getOrdinal`). */
export function ordinalOf({ name }: PodController, podName: string): number {
  const text = podName.startsWith(`${name}-`) ? podName.slice(name.length + 1) : '';
  return /^\d{1,9}$/.test(text) ? Number(text) : -1;
}
