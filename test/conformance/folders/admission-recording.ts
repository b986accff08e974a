import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { RuntimeClass } from '../../../src/core/kubernetes/objects/scheduling.js';
import type { Taint, Toleration } from '../../../src/core/kubernetes/objects/taints.js';

/** What the API server answered; `response` is a Status of a refusal. */
export interface RecordedResponse {
  readonly code: number;
  readonly response?: {
    readonly message?: string;
    readonly details?: { readonly causes?: readonly RecordedCause[] };
  } | null;
}

export interface RecordedCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** Pods and changes of their specs, one after the other, in one namespace. */
export interface PodsRecording {
  readonly input: {
    readonly namespaceAnnotations: Readonly<Record<string, string>> | null;
    readonly pods: readonly JsonObject[];
    readonly updates: readonly { readonly pod: string; readonly patch: JsonObject }[];
    readonly runtimeClasses: readonly RuntimeClass[];
  };
  readonly observed: {
    readonly pods: readonly (RecordedResponse & { readonly pod: string; readonly stored?: Pod | null })[];
    readonly updates?: readonly (RecordedResponse & { readonly storedTolerations: readonly Toleration[] | null })[];
  };
}

/** One toleration in a pod, decoded leniently and, where that says something else, strictly. */
export interface TolerationRecording {
  readonly input: { readonly pod: JsonObject };
  readonly observed: RecordedResponse & {
    readonly stored: Pod | null;
    readonly strictFieldValidation: RecordedResponse | null;
  };
}

export interface RecordedTaints extends RecordedResponse {
  readonly storedTaints: readonly Taint[] | null;
}

/** Taints in a new node, and in patches of an old one. */
export interface TaintRecording {
  readonly input: { readonly taints: readonly JsonValue[]; readonly create: JsonObject };
  readonly observed: {
    readonly create: RecordedTaints;
    readonly mergePatch: RecordedTaints;
    readonly strategicPatch: RecordedTaints;
  };
}
