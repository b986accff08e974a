import { AdmissionRefusal, podForbidden, spokenName } from '../../kubernetes/admission-refusal.js';
import { quoteGo } from '../../kubernetes/go-text.js';
import type { Labels } from '../../kubernetes/objects/meta.js';
import type { Namespace } from '../../kubernetes/objects/namespace.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { SecuredPod } from './check.js';
import { levelText } from './level.js';
import { namespacePolicy } from './namespace-policy.js';
import { STOCK_POD_SECURITY, type PodSecurityConfiguration } from './pod-security-configuration.js';
import { reviewPod } from './review-pod.js';
import { violations } from './standards.js';

export const NAME = 'PodSecurity';

/** What PodSecurity looks up, and how it is configured. */
export interface PodSecurityContext {
  /** Undefined where it does not exist. */
  readonly namespace: Namespace | undefined;
  readonly configuration: PodSecurityConfiguration | undefined;
  /** The pod that is replaced. */
  readonly stored?: SecuredPod;
}

/**
 * Refuses a pod that violates the standard which its namespace enforces.
 *
 * Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/security/podsecurity/admission.go.
 *
 * @param whole all of the pod
 * @throws {AdmissionRefusal} with status 403; 500 for a namespace that does not exist
 */
export function enforcePodSecurity(
  pod: Pod,
  whole: SecuredPod,
  { namespace, configuration = STOCK_POD_SECURITY, stored }: PodSecurityContext,
): void {
  const name = pod.metadata.namespace ?? '';
  if (namespace === undefined && !configuration.exemptions.namespaces.includes(name)) {
    const reason = `failed to lookup namespace ${quoteGo(name)}`;
    throw new AdmissionRefusal(NAME, 500, reason, `Internal error occurred: ${reason}`);
  }
  const labels = namespace?.metadata.labels ?? {};
  const { refusal } = reviewPod({ pod: whole, namespace: { name, labels } }, configuration, stored);
  if (refusal !== undefined) throw podForbidden(NAME, spokenName(pod), refusal);
}

/** What is asked of PodSecurity, as far as it is known. */
export interface AskedOfPodSecurity {
  readonly namespace: string;
  /** Of the namespace; undefined where they are not known. */
  readonly labels: Labels | undefined;
  /** Undefined where not everything is known of the pod that is read. */
  readonly whole: SecuredPod | undefined;
}

/** Why it is not known whether PodSecurity refuses a pod; undefined where it is. */
export function podSecurityDoubt(
  { namespace, labels, whole }: AskedOfPodSecurity,
  { defaults, exemptions }: PodSecurityConfiguration = STOCK_POD_SECURITY,
): string | undefined {
  if (exemptions.namespaces.includes(namespace)) return undefined;
  if (labels === undefined)
    return 'Namespace was never loaded: which pod security standard the namespace enforces is not known';
  const { enforce } = namespacePolicy(labels, defaults).policy;
  if (enforce.level === 'privileged') return undefined;
  const standard = quoteGo(levelText(enforce));
  if (whole === undefined) {
    return `the namespace enforces the pod security standard ${standard}, and fields of the pod that it restricts are not stored`;
  }
  if (exemptions.usernames.length === 0 || violations(enforce, whole).length === 0) return undefined;
  return `the pod violates the pod security standard ${standard}, but some users are exempt, and who creates the pod is not known`;
}
