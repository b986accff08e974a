import { pinOf } from '../cluster/pod-parts.js';
import type { NodeAffinity, Pod } from '../kubernetes/objects/pod.js';

/** If every term of required node affinity names the same node: that node, and the pod without the name. */
export function withoutPin(pod: Pod): { readonly pin: string; readonly pod: Pod } | undefined {
  const pin = pinOf(pod.spec);
  if (pin === undefined) return undefined;
  const { affinity } = pod.spec;
  const nodeAffinity: { -readonly [Field in keyof NodeAffinity]: NodeAffinity[Field] } = { ...affinity?.nodeAffinity };
  const terms = (nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).map(
    ({ matchExpressions = [] }) => ({ matchExpressions }),
  );
  // A term that requires only the name matches the node of that name.
  if (terms.some(({ matchExpressions }) => matchExpressions.length === 0)) {
    delete nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  } else nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms: terms };
  return { pin, pod: { ...pod, spec: { ...pod.spec, affinity: { ...affinity, nodeAffinity } } } };
}
