import { AdmissionRefusal, podForbidden, spokenName } from '../../kubernetes/admission-refusal.js';
import { quoteGo } from '../../kubernetes/go-text.js';
import type { Namespace } from '../../kubernetes/objects/namespace.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { WholePod } from '../../kubernetes/objects/whole-pod.js';
import { namespacePolicy } from './namespace-policy.js';
import { STOCK_POD_SECURITY, type PodSecurityConfiguration } from './pod-security-configuration.js';
import { reviewPod, type PodSecurityReview } from './review-pod.js';

export const NAME = 'PodSecurity';

/** What PodSecurity looks up and is configured with; `namespace` is undefined where it does not exist. */
export interface PodSecurityContext {
  readonly namespace: Namespace | undefined;
  readonly configuration: PodSecurityConfiguration | undefined;
  readonly stored?: WholePod;
}

/**
 * Reviews a pod, all of which is known, and refuses it where it violates the standard that its namespace enforces.
 *
 * Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/security/podsecurity/admission.go.
 *
 * @throws {AdmissionRefusal} with status 403; 500 for a namespace that does not exist
 */
export function enforcePodSecurity(
  pod: WholePod,
  { namespace, configuration = STOCK_POD_SECURITY, stored }: PodSecurityContext,
): PodSecurityReview {
  const name = pod.metadata.namespace ?? '';
  if (namespace === undefined && !configuration.exemptions.namespaces.includes(name)) {
    const reason = `failed to lookup namespace ${quoteGo(name)}`;
    throw new AdmissionRefusal(NAME, 500, reason, `Internal error occurred: ${reason}`);
  }
  const labels = namespace?.metadata.labels ?? {};
  const review = reviewPod({ pod, namespace: { name, labels } }, configuration, stored);
  if (review.refusal === undefined) return review;
  throw podForbidden(NAME, spokenName(pod as unknown as Pod), review.refusal);
}

/**
 * Whether PodSecurity can refuse no pod of a namespace, whatever is in it: the namespace is exempt, or enforces `privileged`.
 *
 * @param labels of the namespace; undefined where they are not known
 */
export function refusesNobody(
  name: string,
  labels: Readonly<Record<string, string>> | undefined,
  { defaults, exemptions }: PodSecurityConfiguration = STOCK_POD_SECURITY,
): boolean {
  if (exemptions.namespaces.includes(name)) return true;
  return labels !== undefined && namespacePolicy(labels, defaults).policy.enforce.level === 'privileged';
}
