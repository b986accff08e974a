export const DECISION_TYPES = ['gate', 'placement'] as const;
export const DECISION_VERDICTS = ['yes', 'no', 'unknown'] as const;

/** The question that a decision answers. */
export type DecisionType = (typeof DECISION_TYPES)[number];
export type DecisionVerdict = (typeof DECISION_VERDICTS)[number];

/** A workload that a decision is about; a pod without a controller is of kind `Pod`. */
export interface DecisionWorkload {
  readonly kind: string;
  readonly namespace: string;
  /** Empty if the API server is to generate it. */
  readonly name: string;
}

/** Why a verdict is not `yes`. */
export interface DecisionReason {
  readonly code: string;
  readonly verdict: 'no' | 'unknown';
  /** Kubernetes' words where it has them. */
  readonly message: string;
  /** The object that it is about; null if it is about several. */
  readonly object: DecisionWorkload | null;
  /** Number of pods, or of nodes if the answer counts nodes; null if it counts neither. */
  readonly count: number | null;
}

/** Who asked. */
export interface DecisionCaller {
  readonly name: string;
  readonly kind: 'anonymous' | 'token' | 'oidc';
  /** The identity provider that vouches for the name; null for other kinds. */
  readonly issuer: string | null;
}

/** A decision without its question and answer. */
export interface DecisionHead {
  readonly id: string;
  readonly clusterId: number;
  readonly clusterName: string;
  readonly revision: number;
  /** The Kubernetes release whose rules were applied. */
  readonly rulesVersion: string;
  readonly askedAt: Date;
  readonly caller: DecisionCaller;
  readonly type: DecisionType;
  readonly verdict: DecisionVerdict;
  readonly summary: string;
  readonly workloads: readonly DecisionWorkload[];
  /** SHA-256 of the canonical JSON of the question as it was asked, in hexadecimal. */
  readonly questionHash: string;
  /** SHA-256 of the canonical JSON of the answer, in hexadecimal. */
  readonly answerHash: string;
  /** Values of taints and tolerations that the texts may quote, to mask them for callers who may not see them. */
  readonly taintValues: readonly { readonly key: string; readonly value: string }[];
}

/** A decision as it is stored; it is never changed. */
export interface Decision extends DecisionHead {
  readonly reasons: readonly DecisionReason[];
  /** Canonical JSON; null if it was not to be kept, or is too large. */
  readonly question: string | null;
  /** Number of values in the question that were replaced, because they may be secrets. */
  readonly withheldValues: number;
  /** Canonical JSON; null if it is too large. */
  readonly answer: string | null;
}
