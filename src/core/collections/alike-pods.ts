import { type AlikeColumn, type AlikeGroup, AlikeGroups, type AlikeOptions } from './alike-groups.js';

interface WorkloadName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A pod as it is listed by itself; it is in the namespace of its workload. */
interface NamedPod {
  readonly namespace: string;
  readonly name: string;
  readonly workload: WorkloadName;
}

interface PodsOfWorkload {
  readonly workload: WorkloadName;
  readonly count: number;
  /** Names. */
  readonly pods: readonly string[];
}

/** Pods that are the same but for what stands in columns, by workload; columns have their values in the same order. */
export interface AlikePodGroup {
  readonly count: number;
  readonly shared: AlikeGroup['shared'];
  readonly workloads: readonly PodsOfWorkload[];
  readonly columns: readonly AlikeColumn[];
}

/** Groups pods one by one: of each it keeps its name, its workload, and what may be in a column. */
export class AlikePods {
  private readonly alike: AlikeGroups;
  private readonly names: string[] = [];
  private readonly weights: number[] = [];
  private readonly workloads = new Map<string, WorkloadName>();
  private readonly workloadOf: WorkloadName[] = [];

  constructor(options: Omit<AlikeOptions, 'identity'>) {
    this.alike = new AlikeGroups({ ...options, identity: ['namespace', 'name', 'workload'] });
  }

  /** @param count number of identical pods; the name is that of the first */
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
  groups(): readonly AlikeGroup[] {
    return this.alike.groups();
  }

  countOf({ members }: AlikeGroup): number {
    return members.reduce((sum, member) => sum + this.weights[member]!, 0);
  }

  byWorkload(group: AlikeGroup): AlikePodGroup {
    const places = new Map<WorkloadName, number[]>();
    group.members.forEach((member, place) => {
      const workload = this.workloadOf[member]!;
      const ofWorkload = places.get(workload);
      if (ofWorkload === undefined) places.set(workload, [place]);
      else ofWorkload.push(place);
    });
    const order = [...places.values()].flat();
    return {
      count: this.countOf(group),
      shared: group.shared,
      workloads: [...places].map(([workload, ofWorkload]) => {
        const members = ofWorkload.map((place) => group.members[place]!);
        return {
          workload,
          count: members.reduce((sum, member) => sum + this.weights[member]!, 0),
          pods: members.map((member) => this.names[member]!),
        };
      }),
      columns: group.columns.map(({ name, values }) => ({ name, values: order.map((place) => values[place]) })),
    };
  }
}
