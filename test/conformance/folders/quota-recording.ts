import type { ResourceList } from '../../../src/core/kubernetes/objects/meta.js';
import type { LimitRange, ResourceQuota } from '../../../src/core/kubernetes/objects/quota.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { KubernetesObject } from '../../../src/core/kubernetes/objects/meta.js';

/** The usage by name of the quota. */
export type UsedByQuota = Readonly<Record<string, ResourceList | null>>;

/** What the API server answered; `response` is given of a refusal. */
export interface RecordedAnswer {
  readonly code: number;
  readonly response?: { readonly message?: string } | null;
}

/** One thing that the driver did once quotas and pods were there. */
export interface QuotaStep {
  readonly do: string;
  readonly pod?: string | Pod;
  readonly phase?: string;
  readonly gracePeriodSeconds?: number;
  readonly patch?: { readonly spec?: Partial<Pod['spec']> };
  readonly node?: string;
  readonly allocatable?: ResourceList;
  readonly quota?: string;
  readonly hard?: Readonly<Record<string, string | null>>;
}

/** A file of the folder `quota`. */
export interface QuotaRecording {
  readonly input: {
    readonly quotas: readonly ResourceQuota[];
    readonly pods: readonly Pod[];
    readonly order: string;
    readonly extras: readonly KubernetesObject[];
    readonly limitrange: LimitRange | null;
  };
  readonly observed: {
    readonly quotaCreates: readonly (RecordedAnswer & { readonly quota: string })[];
    readonly podCreates: readonly (RecordedAnswer & {
      readonly pod: string;
      readonly quotaUsedRightAfter: UsedByQuota;
    })[];
    readonly statusAfterAdmission: Readonly<Record<string, ResourceQuota['status']>>;
    readonly statusComputedByController: Readonly<Record<string, ResourceQuota['status']>>;
    readonly steps?: readonly (RecordedAnswer & {
      readonly step: QuotaStep;
      readonly usedChanges: readonly { readonly used: UsedByQuota }[];
    })[];
  };
}
