import { NOTHING } from '../collections/nothing.js';
import { defined } from '../collections/defined.js';
import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';
import { podOfTemplate, withControllerAdditions } from '../admission/pod-of-template.js';
import { admitRuntimeClass } from '../admission/runtime-class.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Workload as WorkloadName } from '../cluster/pod-table.js';
import { workloadKey } from '../inventory/pod-groups.js';
import { stringifyJson } from '../json/lossless-json.js';
import { compare } from '../json/compare.js';
import type { PodSpec } from '../kubernetes/objects/pod.js';
import type { RuntimeClass } from '../kubernetes/objects/scheduling.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import type { DaemonSet, Workload } from '../kubernetes/objects/workloads.js';
import { QuantityError } from '../kubernetes/quantity.js';
import { LabelSelections } from './label-selections.js';
import { ToleranceColumns } from './tolerance-columns.js';
import { templateOf } from '../kubernetes/pod-template.js';

/** A pod's requirements on the labels of its node. */
export type NodeDemand = Pick<PodSpec, 'nodeSelector' | 'affinity'>;

/** Pods of one workload that taints, cordons and labels of nodes cannot distinguish. */
export interface WorkloadShape {
  readonly workload: WorkloadName;
  /** Number of pods that have not ended; 0 if the workload's template is used. */
  readonly pods: number;
  /** Index into `tolerances.lists`. */
  readonly tolerance: number;
  /** Index into `demands`. */
  readonly demand: number;
  /** The stored DaemonSet, if the workload is one. */
  readonly daemonSet: DaemonSet | undefined;
  /** Its position in `WorkloadShapes.shapes`. */
  readonly rank: number;
}

/** Shapes of one demand with the same tolerations: the same nodes are feasible for all. By rank. */
export interface AlikeShapes {
  readonly tolerance: number;
  readonly shapes: readonly WorkloadShape[];
  /** Those of stored DaemonSets among them. */
  readonly ofDaemonSets: readonly WorkloadShape[];
}

type Unranked = Omit<WorkloadShape, 'rank' | 'daemonSet'> & { readonly daemonSet?: DaemonSet };

/**
 * The requirements of pods and workloads on a node's taints, cordon and labels, each distinct one once. They depend on
 * pods, workloads and RuntimeClasses alone: states that differ only in nodes share them.
 */
export interface WorkloadShapes {
  /** By namespace, kind and name of the workload, then by tolerance and demand. */
  readonly shapes: readonly WorkloadShape[];
  /** Distinct lists of tolerations, ignoring seconds, with the cached results; in the order of their texts, as `demands` are. */
  readonly tolerances: ToleranceColumns;
  /** The tolerances of DaemonSets, and those of other workloads; each once. */
  readonly tolerancesOf: { readonly ofDaemonSets: readonly number[]; readonly ofOthers: readonly number[] };
  readonly demands: readonly NodeDemand[];
  /** The shapes of each demand. */
  readonly byDemand: readonly (readonly AlikeShapes[])[];
  /** The nodes that those select, cached. */
  readonly selections: LabelSelections;
  /** Number of workloads without pods whose RuntimeClass is not known. */
  readonly unknownRuntimeClass: number;
}

/** Rows between two steps of the generator. */
const STRIDE = 1024;

/** The kinds whose templates are used if they have no pods; the template of a DaemonSet is always used. */
export const TEMPLATE_KINDS = [
  'Deployment',
  'StatefulSet',
  'ReplicaSet',
  'ReplicationController',
  'Job',
  'CronJob',
] as const;

/**
 * The requirements of the workloads of a state on nodes.
 *
 * They are those of a workload's pods, since admission may have changed them. Without a pod that has not ended, they
 * are those of its template, with the additions of its RuntimeClass; except for a complete Job, a template with a node
 * name, which bypasses the scheduler, and a template that the API server would refuse. A DaemonSet's template is always
 * used, because its controller does the same. A pod without a controller is its own workload: the question is whether
 * it could be scheduled again. Static pods are left out, because they are not scheduled.
 */
export function* stepWorkloadShapes(state: ClusterState): Generator<undefined, WorkloadShapes> {
  const demands = new Demands();
  const workloads = new Map<string, OfWorkload>();
  yield* addPods(state, demands, workloads);
  for (const object of state.objects('DaemonSet')) {
    yield undefined;
    const daemonSet = object as DaemonSet;
    const template = daemonSet.spec?.template;
    if (template === undefined || (template.spec.nodeName ?? '') !== '') continue;
    const { pod } = withControllerPod(daemonSet, template);
    const key = workloadKey(nameOf(daemonSet));
    const pods = [...(workloads.get(key)?.shapes.values() ?? [])].reduce((sum, shape) => sum + shape.pods, 0);
    const shape = { workload: nameOf(daemonSet), pods, ...demands.of(pod.spec), daemonSet };
    workloads.set(key, { workload: nameOf(daemonSet), shapes: new Map([['', shape]]) });
  }
  let unknownRuntimeClass = 0;
  for (const kind of TEMPLATE_KINDS) {
    for (const object of state.objects(kind)) {
      yield undefined;
      const workload = object as Workload;
      const key = workloadKey(nameOf(workload));
      if (workloads.has(key)) continue;
      const spec = specOfTemplate(state, workload);
      if (spec === 'unknown') unknownRuntimeClass++;
      if (spec === 'unknown' || spec === undefined) continue;
      const shape = { workload: nameOf(workload), pods: 0, ...demands.of(spec) };
      workloads.set(key, { workload: shape.workload, shapes: new Map([['', shape]]) });
    }
  }
  const { tolerances, demands: inOrder } = demands.inOrder();
  const shapes = [...workloads.entries()]
    .sort(([a], [b]) => compare(a, b))
    .flatMap(([, { shapes: ofWorkload }]) =>
      [...ofWorkload.values()]
        .map((shape) => ({
          ...shape,
          tolerance: tolerances.places[shape.tolerance]!,
          demand: inOrder.places[shape.demand]!,
        }))
        .sort((a, b) => a.tolerance - b.tolerance || a.demand - b.demand),
    )
    .map(({ workload, pods, tolerance, demand, daemonSet }, rank): WorkloadShape => {
      return { workload, pods, tolerance, demand, daemonSet, rank };
    });
  const byDemand = inOrder.items.map(() => new Map<number, WorkloadShape[]>());
  for (const shape of shapes) {
    const alike = byDemand[shape.demand]!.get(shape.tolerance);
    if (alike === undefined) byDemand[shape.demand]!.set(shape.tolerance, [shape]);
    else alike.push(shape);
  }
  const tolerancesWhere = (isDaemonSet: boolean): readonly number[] => {
    const some = shapes.filter(({ workload }) => (workload.kind === 'DaemonSet') === isDaemonSet);
    return [...new Set(some.map(({ tolerance }) => tolerance))];
  };
  return {
    shapes,
    tolerances: new ToleranceColumns(tolerances.items),
    tolerancesOf: { ofDaemonSets: tolerancesWhere(true), ofOthers: tolerancesWhere(false) },
    demands: inOrder.items,
    byDemand: byDemand.map((ofDemand) =>
      [...ofDemand].map(([tolerance, alike]): AlikeShapes => {
        return { tolerance, shapes: alike, ofDaemonSets: alike.filter(({ daemonSet }) => daemonSet !== undefined) };
      }),
    ),
    selections: new LabelSelections(),
    unknownRuntimeClass,
  };
}

interface OfWorkload {
  readonly workload: WorkloadName;
  readonly shapes: Map<string, Unranked & { pods: number }>;
}

function* addPods(
  { pods }: ClusterState,
  demands: Demands,
  workloads: Map<string, OfWorkload>,
): Generator<undefined, void> {
  const bySpec = new Map<number, { readonly tolerance: number; readonly demand: number; readonly key: string }>();
  const known = new Map<WorkloadName, OfWorkload>();
  for (let pod = 0; pod < pods.count; pod++) {
    if (pod % STRIDE === STRIDE - 1) yield undefined;
    if (!pods.active(pod)) continue;
    const workload = pods.workload(pod);
    if (workload.kind === 'Pod' && pods.ownerReferences(pod).some(({ kind }) => kind === 'Node')) continue;
    let entry = known.get(workload);
    if (entry === undefined) {
      const key = workloadKey(workload);
      entry = workloads.get(key);
      if (entry === undefined) workloads.set(key, (entry = { workload: plain(workload), shapes: new Map() }));
      // The workload of several pods is one shared object; that of a single pod is read only once.
      if (workload.kind !== 'Pod') known.set(workload, entry);
    }
    const specId = pods.specId(pod);
    let demand = bySpec.get(specId);
    if (demand === undefined) {
      const ids = demands.of(pods.specOf(specId));
      bySpec.set(specId, (demand = { ...NOTHING, ...ids, key: `${ids.tolerance} ${ids.demand}` }));
    }
    const shape = entry.shapes.get(demand.key);
    if (shape !== undefined) {
      shape.pods++;
      continue;
    }
    const { tolerance, demand: id } = demand;
    entry.shapes.set(demand.key, { workload: entry.workload, pods: 1, tolerance, demand: id });
  }
}

/**
 * The requirements of a template's pods; undefined if none will be scheduled, `unknown` if its RuntimeClass is not
 * stored.
 */
function specOfTemplate(state: ClusterState, workload: Workload): PodSpec | 'unknown' | undefined {
  const owned = (workload.metadata.ownerReferences ?? []).some(({ controller }) => controller === true);
  if (owned || isComplete(workload)) return undefined;
  const template = templateOf(workload);
  if (template === undefined || (template.spec.nodeName ?? '') !== '') return undefined;
  const { pod } = withControllerPod(workload, template);
  const { runtimeClassName } = pod.spec;
  if (runtimeClassName === undefined) return pod.spec;
  const find = (name: string): RuntimeClass | undefined =>
    state.find('RuntimeClass', undefined, name) as RuntimeClass | undefined;
  if (find(runtimeClassName) === undefined) return 'unknown';
  try {
    return admitRuntimeClass(pod, find).spec;
  } catch (error) {
    if (error instanceof AdmissionRefusal || error instanceof QuantityError) return undefined;
    throw error;
  }
}

const withControllerPod = (workload: Workload, template: NonNullable<ReturnType<typeof templateOf>>) => ({
  pod: withControllerAdditions(podOfTemplate(workload, template), workload),
});

const isComplete = (workload: Workload): boolean =>
  workload.kind === 'Job' && workload.status?.completionTime !== undefined;

const plain = ({ kind, namespace, name }: WorkloadName): WorkloadName => ({ kind, namespace, name });

const nameOf = ({ kind, metadata }: Workload): WorkloadName => ({
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

/** Items in the order of their texts, which depends on nothing else: pods come in one that depends on how the state was loaded. */
interface InOrder<Item> {
  readonly items: readonly Item[];
  /** The places of the items, by the numbers that they had. */
  readonly places: readonly number[];
}

function inOrderOf<Item>(numbered: readonly Item[], ids: ReadonlyMap<string, number>): InOrder<Item> {
  const places: number[] = [];
  const items = [...ids]
    .sort(([a], [b]) => compare(a, b))
    .map(([, id], place) => {
      places[id] = place;
      return numbered[id]!;
    });
  return { items, places };
}

/** Assigns equal requirements the same number. */
class Demands {
  private readonly tolerances: (readonly Toleration[])[] = [];
  private readonly demands: NodeDemand[] = [];
  private readonly toleranceIds = new Map<string, number>();
  private readonly demandIds = new Map<string, number>();

  of(spec: PodSpec): { readonly tolerance: number; readonly demand: number } {
    return { tolerance: this.toleranceOf(spec.tolerations ?? []), demand: this.demandOf(spec) };
  }

  inOrder(): { readonly tolerances: InOrder<readonly Toleration[]>; readonly demands: InOrder<NodeDemand> } {
    return {
      tolerances: inOrderOf(this.tolerances, this.toleranceIds),
      demands: inOrderOf(this.demands, this.demandIds),
    };
  }

  private toleranceOf(tolerations: readonly Toleration[]): number {
    const text = JSON.stringify(
      tolerations.map(({ key, operator, value, effect }) => [key ?? '', operator ?? '', value ?? '', effect ?? '']),
    );
    let id = this.toleranceIds.get(text);
    if (id === undefined) {
      this.toleranceIds.set(text, (id = this.tolerances.length));
      this.tolerances.push(tolerations);
    }
    return id;
  }

  private demandOf({ nodeSelector, affinity }: PodSpec): number {
    const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    const text = stringifyJson([nodeSelector ?? null, required ?? null]);
    let id = this.demandIds.get(text);
    if (id === undefined) {
      this.demandIds.set(text, (id = this.demands.length));
      this.demands.push({
        ...defined({ nodeSelector }),
        ...(required !== undefined && {
          affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
        }),
      });
    }
    return id;
  }
}
