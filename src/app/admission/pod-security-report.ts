import { rulesOfGates } from '../../core/kubernetes/toleration.js';
import type { KubernetesRules } from '../../core/kubernetes/kubernetes-rules.js';
import type { podSecurityReport as reportObject } from '../../contract/admission/tried-admission.js';
import type { Response } from '../../contract/schema.js';
import type { Admission, PodToAdmit } from '../../core/admission/admission-chain.js';
import type { ClusterAdmission } from '../../core/admission/admission-in.js';
import { STOCK_POD_SECURITY } from '../../core/admission/pod-security/pod-security-configuration.js';
import type { SecuredPod } from '../../core/admission/pod-security/check.js';
import { securedKeptPod } from '../../core/admission/pod-security/secured-pod.js';
import { NAME } from '../../core/admission/pod-security/pod-security.js';
import { reviewPod } from '../../core/admission/pod-security/review-pod.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { WholePod } from '../../core/kubernetes/objects/whole-pod.js';
import { newPod } from '../../core/kubernetes/validation/pod/validate-pod.js';
import { defaultWholePod } from '../../core/kubernetes/whole-pod-defaults.js';

/** What PodSecurity reports about a pod that it was asked about. Nothing that plugins change of a pod makes a difference to it. */
export function podSecurityReport(
  sent: PodToAdmit,
  admission: Admission,
  { surroundings: { namespace }, configuration: { podSecurity = STOCK_POD_SECURITY }, gates }: ClusterAdmission,
): Response<typeof reportObject> | null {
  const wasAsked =
    admission.steps.some(({ by }) => by === NAME) || (admission.outcome === 'refused' && admission.refusal.by === NAME);
  if (!wasAsked || podSecurity.exemptions.usernames.length > 0) return null;
  const pod = securedOf(sent, rulesOfGates(gates));
  if (pod === undefined) return null;
  const { metadata } = sent.pod;
  const { name = '', labels = {} } = { name: metadata.namespace, ...namespace?.metadata };
  const { warnings, audit } = reviewPod(
    { pod, namespace: { name, labels } },
    podSecurity,
    sent.operation === 'create' ? undefined : sent.stored,
  );
  return {
    warnings,
    auditAnnotations: Object.fromEntries(
      Object.entries(audit).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
    ),
  };
}

/** The pod with its defaults; undefined where not everything is known of it that PodSecurity reads. */
function securedOf(sent: PodToAdmit, rules: KubernetesRules): SecuredPod | undefined {
  const whole = sent.pod as WholePod;
  if (sent.pruned !== true) return sent.operation === 'create' ? newPod(whole, rules) : defaultWholePod(whole);
  return sent.operation === 'create' ? securedKeptPod(sent.asStored ?? (sent.pod as Pod)) : undefined;
}
