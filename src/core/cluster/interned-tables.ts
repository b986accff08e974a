import type { PodRequest } from './pod-request.js';
import type { Labels, OwnerReference } from '../kubernetes/objects/meta.js';
import type { PodAffinityTerm, PodSpec } from '../kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import type { HostPort } from './host-ports.js';
import { InternTable } from './intern-table.js';
import type { MetaShape, StatusShape } from './pod-parts.js';

/** A pod spec that pods share, with what the scheduler asks of it worked out once. */
export interface SpecShape {
  readonly spec: PodSpec;
  readonly tolerationSetId: number;
  /** The ports that a pod with this spec takes of its node. */
  readonly hostPorts: readonly HostPort[];
  /** `podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution`. */
  readonly requiredAntiAffinity: readonly PodAffinityTerm[];
  /** `spec.priority`, 0 where there is none (`corev1helpers.PodPriority`). */
  readonly priority: number;
}

/** Everything that states of one lineage intern. Append only, and shared by them. */
export class InternedTables {
  readonly strings = new InternTable<string>();
  readonly taintSets = new InternTable<readonly Taint[]>();
  readonly tolerationSets = new InternTable<readonly Toleration[]>();
  readonly labelSets = new InternTable<Labels | undefined>();
  readonly owners = new InternTable<readonly OwnerReference[] | undefined>();
  readonly metas = new InternTable<MetaShape>();
  readonly specs = new InternTable<SpecShape>();
  readonly statuses = new InternTable<StatusShape>();
  readonly requests = new InternTable<PodRequest>();
  /** Spec id to request id, for pods whose status says nothing of resources; `spec/status` for the others. */
  readonly requestIds = new Map<number | string, number>();

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
    const text = JSON.stringify(
      set.map(({ key, operator, value, effect, tolerationSeconds }) => [
        key ?? '',
        operator ?? '',
        value ?? '',
        effect ?? '',
        tolerationSeconds === undefined ? null : String(tolerationSeconds),
      ]),
    );
    return this.tolerationSets.idOf(text, () => set);
  }

  get approximateBytes(): number {
    const { strings, taintSets, tolerationSets, labelSets, owners, metas, specs, statuses, requests } = this;
    return [strings, taintSets, tolerationSets, labelSets, owners, metas, specs, statuses, requests].reduce(
      (sum, table) => sum + table.approximateBytes,
      60 * this.requestIds.size,
    );
  }
}
