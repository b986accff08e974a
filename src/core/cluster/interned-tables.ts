import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { PodRequest } from './pod-request.js';
import type { Labels, OwnerReference } from '../kubernetes/objects/meta.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { InternTable } from './intern-table.js';
import type { MetaShape, StatusShape } from './pod-parts.js';
import type { SpecShape } from './spec-shape.js';

type TableName =
  'strings' | 'taintSets' | 'tolerationSets' | 'labelSets' | 'owners' | 'metas' | 'specs' | 'statuses' | 'requests';

/** What a spec takes in memory beside its text and its value. */
const BYTES_OF_SPEC = 100;

/** All values that the states derived from one another intern. Append-only, and shared by these states. */
export class InternedTables {
  readonly strings: InternTable<string>;
  readonly taintSets: InternTable<readonly Taint[]>;
  readonly tolerationSets: InternTable<readonly Toleration[]>;
  readonly labelSets: InternTable<Labels | undefined>;
  readonly owners: InternTable<readonly OwnerReference[] | undefined>;
  readonly metas: InternTable<MetaShape>;
  readonly specs: InternTable<SpecShape>;
  readonly statuses: InternTable<StatusShape>;
  readonly requests: InternTable<PodRequest>;
  /** From spec ID to request ID, for pods whose status has no resources; from `spec/status` for other pods. */
  private readonly requestIds = new Map<number | string, number>();

  private constructor(
    /** The rules by which interned values were made. */
    readonly rules: KubernetesRules,
    private readonly base: InternedTables | undefined,
  ) {
    const tableOf = <Key extends TableName>(name: Key): InternedTables[Key] =>
      (base === undefined ? new InternTable() : base[name].fork()) as InternedTables[Key];
    this.strings = tableOf('strings');
    this.taintSets = tableOf('taintSets');
    this.tolerationSets = tableOf('tolerationSets');
    this.labelSets = tableOf('labelSets');
    this.owners = tableOf('owners');
    this.metas = tableOf('metas');
    this.specs = tableOf('specs');
    this.statuses = tableOf('statuses');
    this.requests = tableOf('requests');
  }

  static empty(rules: KubernetesRules): InternedTables {
    return new InternedTables(rules, undefined);
  }

  /** Tables that start with the values of these, with the same IDs. Values added to either are not in the other. */
  fork(rules = this.rules): InternedTables {
    return new InternedTables(rules, this);
  }

  /** The cached request ID of a spec, or of a spec with a status; otherwise undefined. */
  requestIdOf(key: number | string): number | undefined {
    const own = this.requestIds.get(key);
    if (own !== undefined || this.base === undefined) return own;
    const id = this.base.requestIdOf(key);
    return id !== undefined && this.isShared(key) && id < this.requests.offset ? id : undefined;
  }

  rememberRequestId(key: number | string, id: number): void {
    this.requestIds.set(key, id);
  }

  /** Whether the IDs in a key had the same meaning in the base at the time of the fork. */
  private isShared(key: number | string): boolean {
    const [spec, status = 0] = typeof key === 'number' ? [key] : key.split('/').map(Number);
    return spec! < this.specs.offset && status < this.statuses.offset;
  }

  stringId(text: string): number {
    return this.strings.idOf(text, () => text);
  }

  taintSetId(taints: readonly Taint[] | undefined): number {
    const set = (taints ?? []).map(({ key, value, effect }) => ({
      key,
      ...(value === undefined || value === '' ? {} : { value }),
      effect,
    }));
    return this.taintSets.idOf(JSON.stringify(set.map(({ key, value, effect }) => [key, value, effect])), () => set);
  }

  tolerationSetId(tolerations: readonly Toleration[] | undefined): number {
    const set = tolerations ?? [];
    return this.tolerationSets.idOf(textOfTolerations(set), () => set);
  }

  /** Reads the texts by which values are looked up, with pauses. */
  *stepList(): Generator<undefined, void> {
    const { tolerationSets, labelSets, owners, metas, specs } = this;
    for (const table of [tolerationSets, labelSets, owners, metas, specs]) yield* table.stepList();
  }

  get approximateBytes(): number {
    const { strings, taintSets, tolerationSets, labelSets, owners, metas, specs, statuses, requests } = this;
    return [strings, taintSets, tolerationSets, labelSets, owners, metas, specs, statuses, requests].reduce(
      (sum, table) => sum + table.approximateBytes,
      60 * this.requestIds.size + BYTES_OF_SPEC * specs.size,
    );
  }
}

/** Equal for lists of tolerations that mean the same. */
export function textOfTolerations(set: readonly Toleration[]): string {
  return JSON.stringify(
    set.map(({ key, operator, value, effect, tolerationSeconds }) => [
      key ?? '',
      operator ?? '',
      value ?? '',
      effect ?? '',
      tolerationSeconds === undefined ? null : String(tolerationSeconds),
    ]),
  );
}
