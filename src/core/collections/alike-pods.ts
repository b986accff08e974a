import { defined } from './defined.js';
import { type AlikeColumn, type AlikeGroup, AlikeGroups, type AlikeOptions, stepParts } from './alike-groups.js';

interface WorkloadName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A pod with its workload, which is in the same namespace. */
interface NamedPod {
  readonly namespace: string;
  readonly name: string;
  readonly workload: WorkloadName;
}

interface PodsOfWorkload {
  readonly workload: WorkloadName;
  readonly count: number;
  /** The names of the pods. */
  readonly pods: readonly string[];
  /** The values, by path, that these pods share and that differ elsewhere in the group. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Pods that are equal except for the values in columns, by workload; the columns' values are in the same order. */
export interface AlikePodGroup {
  readonly count: number;
  readonly shared: AlikeGroup['shared'];
  readonly workloads: readonly PodsOfWorkload[];
  readonly columns: readonly AlikeColumn[];
}

export interface AlikePodOptions extends Omit<AlikeOptions, 'identity'> {
  /**
   * Paths of values that depend on a workload's template: if the pods of a group differ in them, each workload has its own.
   */
  readonly ofWorkload?: readonly string[];
}

/** Groups pods one by one. Keeps the name, the workload and the varying values of each pod. */
export class AlikePods {
  private readonly alike: AlikeGroups;
  private readonly ofWorkload: RegExp;
  private readonly names: string[] = [];
  private readonly weights: number[] = [];
  private readonly workloads = new Map<string, WorkloadName>();
  private readonly workloadOf: WorkloadName[] = [];

  constructor({ varying, splitting, ofWorkload = [] }: AlikePodOptions) {
    const identity = ['namespace', 'name', 'workload'];
    this.alike = new AlikeGroups({ identity, varying: [...varying, ...ofWorkload], ...defined({ splitting }) });
    this.ofWorkload = new RegExp(`^(?:${ofWorkload.map(patternOf).join('|')})$`);
  }

  /** @param count the number of identical pods; `pod` has the name of the first */
  add(pod: NamedPod, count = 1): void {
    const { kind, namespace, name } = pod.workload;
    const key = JSON.stringify([kind, namespace, name]);
    let workload = this.workloads.get(key);
    if (workload === undefined) this.workloads.set(key, (workload = pod.workload));
    this.alike.add(pod);
    this.names.push(pod.name);
    this.weights.push(count);
    this.workloadOf.push(workload);
  }

  /** In the order of their first pods. */
  stepGroups(): Generator<undefined, readonly AlikeGroup[]> {
    return this.alike.stepGroups();
  }

  countOf({ members }: AlikeGroup): number {
    return members.reduce((sum, member) => sum + this.weights[member]!, 0);
  }

  /** Yields while many pods are listed. */
  *stepByWorkload(group: AlikeGroup): Generator<undefined, AlikePodGroup> {
    const ofWorkload = group.columns.filter(({ name }) => this.ofWorkload.test(name));
    const columns = group.columns.filter((column) => !ofWorkload.includes(column));
    const ids = new Map<WorkloadName, number>();
    const ordered = yield* stepParts({ ...group, columns }, (member, place) => {
      const workload = this.workloadOf[member]!;
      let id = ids.get(workload);
      if (id === undefined) ids.set(workload, (id = ids.size));
      return ofWorkload.length === 0 ? id : JSON.stringify([id, ...ofWorkload.map(({ values }) => values[place])]);
    });
    const workloads: PodsOfWorkload[] = [];
    for (const places of ordered.parts) {
      yield;
      const members = places.map((place) => group.members[place]!);
      workloads.push({
        workload: this.workloadOf[members[0]!]!,
        count: members.reduce((sum, member) => sum + this.weights[member]!, 0),
        pods: members.map((member) => this.names[member]!),
        values: Object.fromEntries(ofWorkload.map(({ name, values }) => [name, values[places[0]!]])),
      });
    }
    return { count: this.countOf(group), shared: group.shared, workloads, columns: ordered.columns };
  }
}

/** A regular expression for the names of columns that match a path. */
const patternOf = (path: string): string => path.replaceAll('.', '\\.').replaceAll('*', '\\d+');
