import { compare } from '../json/compare.js';
import { FieldPath } from '../kubernetes/field-path.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import type { Workload as WorkloadObject } from '../kubernetes/objects/workloads.js';
import { templateOf, templatePath } from '../kubernetes/pod-template.js';
import type { ClusterState } from './cluster-state.js';
import type { Change } from './object-change.js';
import type { Workload } from './pod-table.js';

/** How the tolerations of a workload's pods, or of its template, differ. */
export interface TolerationDifference extends Workload, Change<readonly Toleration[]> {
  /** The field in Kubernetes' notation: `spec.tolerations` for pods, `spec.template.spec.tolerations`. */
  readonly field: string;
  /** How many pods differ in this way; null for a template. */
  readonly pods: number | null;
}

/**
 * The differing tolerations of a workload's template in two states; undefined if the lists tolerate the same. The order
 * of tolerations, repeated ones, and whether `Equal` is spelled out are not compared.
 */
export function templateTolerationDifference(
  before: WorkloadObject,
  after: WorkloadObject,
): TolerationDifference | undefined {
  if (before === after) return undefined;
  const [former, present] = [before, after].map((workload) => templateOf(workload)?.spec?.tolerations ?? []);
  if (meaningOf(former!) === meaningOf(present!)) return undefined;
  const { kind, metadata } = after;
  const [first, ...rest] = templatePath(after);
  return {
    kind,
    namespace: metadata.namespace ?? 'default',
    name: metadata.name,
    field: FieldPath.of(first!, ...rest, 'spec', 'tolerations').toString(),
    pods: null,
    before: former!,
    after: present!,
  };
}

/** A state's toleration lists by what they tolerate, each read once. */
export class TolerationMeanings {
  private readonly known: string[] = [];

  constructor(private readonly state: ClusterState) {}

  /** A text that is the same for pods whose lists tolerate the same. */
  of(pod: number): string {
    const id = this.state.pods.tolerationSetId(pod);
    return (this.known[id] ??= meaningOf(this.state.tolerationSets[id]!));
  }

  list(pod: number): readonly Toleration[] {
    return this.state.tolerationSets[this.state.pods.tolerationSetId(pod)]!;
  }
}

/** The pods of a workload that have a list in one of the states. */
interface Carriers {
  readonly list: readonly Toleration[];
  /** Those whose name the other state lacks. */
  replaced: number;
}

/** A change of toleration lists, and how many pods it concerns. */
interface Counted extends Change<readonly Toleration[]> {
  readonly pods: number;
}

type MutableCount = Omit<Counted, 'pods'> & { pods: number };

/** The toleration lists of one workload's pods in two states. */
export class WorkloadTolerations {
  private readonly former = new Map<string, Carriers>();
  private readonly present = new Map<string, Carriers>();
  private readonly changes = new Map<
    string,
    { readonly difference: MutableCount; readonly meanings: readonly string[] }
  >();

  /** Adds a pod of the state before; `replaced` if the state after has no pod of its name. */
  addFormer(meaning: string, list: readonly Toleration[], replaced: boolean): void {
    addCarrier(this.former, meaning, list, replaced);
  }

  /** Adds a pod of the state after; `replaced` if the state before had no pod of its name. */
  addPresent(meaning: string, list: readonly Toleration[], replaced: boolean): void {
    addCarrier(this.present, meaning, list, replaced);
  }

  /** Adds a pod that has the same name in both states and tolerates something else. */
  addChanged(
    [meaningBefore, before]: readonly [string, readonly Toleration[]],
    [meaningAfter, after]: readonly [string, readonly Toleration[]],
  ): void {
    const key = `${meaningBefore}\0${meaningAfter}`;
    const same = this.changes.get(key);
    if (same !== undefined) same.difference.pods++;
    else this.changes.set(key, { difference: { before, after, pods: 1 }, meanings: [meaningBefore, meaningAfter] });
  }

  /**
   * Pods that changed under their name; then, of replaced pods, the list that the workload's pods no longer have and the
   * list that they have instead. If there are several of either, they cannot be paired: each is a difference of its own,
   * with null for the other side. A workload without pods in one of the states has no differences.
   */
  differences(workload: Workload): readonly TolerationDifference[] {
    const changes = [...this.changes].sort(([a], [b]) => compare(a, b)).map(([, found]) => found);
    const told = new Set(changes.flatMap(({ meanings }) => meanings));
    const counted = [...changes.map(({ difference }) => difference), ...this.replacements(told)];
    return counted.map((difference) => ({ ...workload, field: 'spec.tolerations', ...difference }));
  }

  private replacements(told: ReadonlySet<string>): readonly Counted[] {
    if (this.former.size === 0 || this.present.size === 0) return [];
    const gone = only(this.former, this.present, told);
    const come = only(this.present, this.former, told);
    if (gone.length === 1 && come.length === 1) {
      return [{ pods: come[0]!.replaced, before: gone[0]!.list, after: come[0]!.list }];
    }
    return [
      ...gone.map(({ list, replaced }) => ({ pods: replaced, before: list, after: null })),
      ...come.map(({ list, replaced }) => ({ pods: replaced, before: null, after: list })),
    ];
  }
}

function addCarrier(
  carriers: Map<string, Carriers>,
  meaning: string,
  list: readonly Toleration[],
  replaced: boolean,
): void {
  const known = carriers.get(meaning);
  if (known === undefined) carriers.set(meaning, { list, replaced: replaced ? 1 : 0 });
  else if (replaced) known.replaced++;
}

/** The lists that only one of the states has, in a fixed order. */
function only(
  some: ReadonlyMap<string, Carriers>,
  others: ReadonlyMap<string, Carriers>,
  told: ReadonlySet<string>,
): Carriers[] {
  return [...some]
    .filter(([meaning, { replaced }]) => replaced > 0 && !others.has(meaning) && !told.has(meaning))
    .sort(([a], [b]) => compare(a, b))
    .map(([, carriers]) => carriers);
}

function meaningOf(tolerations: readonly Toleration[]): string {
  const texts = tolerations.map(({ key = '', operator = '', value = '', effect = '', tolerationSeconds }) =>
    JSON.stringify([key, operator || 'Equal', value, effect, tolerationSeconds?.toString() ?? null]),
  );
  return [...new Set(texts)].sort().join();
}
