import type { Cause } from '../kubernetes/admission-refusal.js';
import type { Pod, Volume } from '../kubernetes/objects/pod.js';
import type { AdmittedPod, RefusedPod } from './admission-chain.js';

/** What an API server answered to a pod that was created as a dry run: nothing was stored, and all plugins and webhooks were asked. */
export type DryRunAnswer =
  /** The pod as it would be stored: its kept fields. */
  | { readonly outcome: 'admitted'; readonly pod: Pod }
  | {
      readonly outcome: 'refused';
      /** HTTP. */
      readonly code: number;
      readonly message: string;
      readonly causes: readonly Cause[];
    };

/** What it answered to an object other than a pod. */
export type ObjectDryRun = { readonly outcome: 'admitted' } | Extract<DryRunAnswer, { readonly outcome: 'refused' }>;

/** Who refuses a pod by a dry run: the message says which plugin or webhook. */
export const API_SERVER = 'kube-apiserver';

/**
 * The admission of a pod by what the API server answered, which is certain. Of a pod that it admits, what its controller gives each pod
 * stays: its name, its hostname, and its claims.
 */
export function confirmedAdmission(ours: AdmittedPod | RefusedPod, answer: DryRunAnswer): AdmittedPod | RefusedPod {
  const { steps, webhooks, policyReport } = ours;
  const judged = { steps, webhooks, ...(policyReport && { policyReport }), undecided: [], certain: true };
  if (answer.outcome === 'refused') {
    const { code: status, message, causes } = answer;
    const refusal = { by: API_SERVER, status, message, causes };
    return { ...judged, outcome: 'refused', pod: ours.pod, refusal, reason: message, reasons: [message] };
  }
  const pod = likeAnswer(ours.pod, answer.pod);
  return { ...judged, outcome: 'admitted', pod, quotas: ours.outcome === 'admitted' ? ours.quotas : [] };
}

function likeAnswer(ours: Pod, answered: Pod): Pod {
  const { labels, annotations } = answered.metadata;
  const { volumes = [] } = ours.spec;
  const own = new Set(volumes.map(({ name }) => name));
  const all: readonly Volume[] = [...volumes, ...(answered.spec.volumes ?? []).filter(({ name }) => !own.has(name))];
  return {
    ...ours,
    metadata: {
      ...ours.metadata,
      ...(labels && { labels: { ...labels, ...ours.metadata.labels } }),
      ...(annotations && { annotations: { ...annotations, ...ours.metadata.annotations } }),
    },
    spec: { ...answered.spec, ...(all.length > 0 && { volumes: all }) },
  };
}
