import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';
import { quoteGo } from '../kubernetes/go-text.js';
import type { Pod } from '../kubernetes/objects/pod.js';

const HOSTNAME = 'kubernetes.io/hostname';

/**
 * Refuses required pod anti-affinity with any topology key but the hostname.
 *
 * Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/antiaffinity/admission.go.
 *
 * @throws {AdmissionRefusal}
 */
export function limitAntiAffinityTopology({ metadata: { name }, spec }: Pod): void {
  const terms = spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const other = terms.find(({ topologyKey }) => topologyKey !== HOSTNAME);
  if (other === undefined) return;
  const reason = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${other.topologyKey} but only key ${HOSTNAME} is allowed`;
  // `errors.NewForbidden`, which names only a pod that has its name already.
  const pods = name === '' ? 'pods' : `pods ${quoteGo(name)}`;
  throw new AdmissionRefusal('LimitPodHardAntiAffinityTopology', 403, reason, `${pods} is forbidden: ${reason}`);
}
