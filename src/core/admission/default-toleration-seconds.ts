import { NOT_READY, UNREACHABLE } from '../kubernetes/condition-taints.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Toleration } from '../kubernetes/objects/taints.js';

/** What admission gives a pod that says nothing, in seconds (flags --default-not-ready-toleration-seconds and its sister). */
export const DEFAULT_TOLERATION_SECONDS = 300;

/** The two flags of the API server, in seconds; an int64 of either sign. */
export interface DefaultTolerations {
  readonly notReadySeconds: number;
  readonly unreachableSeconds: number;
}

const STOCK: DefaultTolerations = {
  notReadySeconds: DEFAULT_TOLERATION_SECONDS,
  unreachableSeconds: DEFAULT_TOLERATION_SECONDS,
};

/**
 * Whether admission leaves a taint's default toleration out, because of a toleration that a pod brings: one with that key
 * or without a key, with NoExecute or without an effect. Operator and value are not looked at.
 *
 * Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/defaulttolerationseconds/admission.go.
 */
export function holdsDefaultBack({ key = '', effect = '' }: Toleration, taintKey: string): boolean {
  return (key === '' || key === taintKey) && (effect === '' || effect === 'NoExecute');
}

/**
 * The pod with the tolerations of nodes that are not ready or do not answer which admission gives it, behind its own. The
 * plugin runs on updates too: a pod whose tolerations are replaced by ones without these gets them again.
 */
export function withDefaultTolerations(pod: Pod, { notReadySeconds, unreachableSeconds } = STOCK): Pod {
  const own = pod.spec.tolerations ?? [];
  const defaults: readonly (readonly [string, number])[] = [
    [NOT_READY, notReadySeconds],
    [UNREACHABLE, unreachableSeconds],
  ];
  const added = defaults
    .filter(([key]) => !own.some((toleration) => holdsDefaultBack(toleration, key)))
    .map(([key, tolerationSeconds]) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }));
  return added.length === 0 ? pod : { ...pod, spec: { ...pod.spec, tolerations: [...own, ...added] } };
}
