import { aggregateText } from '../../kubernetes/error-aggregate.js';
import type { FieldError } from '../../kubernetes/field-error.js';
import type { Labels } from '../../kubernetes/objects/meta.js';
import { finishedVolume } from '../../kubernetes/whole-pod-defaults.js';
import type { SecuredPod } from './check.js';
import { levelText, type LevelVersion } from './level.js';
import { isFullyPrivileged, namespacePolicy, type PodSecurityPolicy } from './namespace-policy.js';
import type { PodSecurityConfiguration } from './pod-security-configuration.js';
import { detailsText, violations } from './standards.js';

/** A namespace, as far as PodSecurity looks. */
export interface SecuredNamespace {
  readonly name: string;
  readonly labels: Labels;
}

/** The values of audit annotations, by their keys without the prefix `pod-security.kubernetes.io/`. */
export type AuditAnnotations = Readonly<
  Partial<Record<'audit-violations' | 'enforce-policy' | 'error' | 'exempt', string>>
>;

/** What PodSecurity says to a request. */
export interface PodSecurityReview {
  /** Why a pod is refused, without the `pods "x" is forbidden: ` before it; absent for one that is allowed. */
  readonly refusal?: string;
  readonly warnings: readonly string[];
  readonly audit: AuditAnnotations;
}

/** What is to be reviewed, and where. */
export interface PodInNamespace {
  /** Decoded whole, with its defaults. */
  readonly pod: SecuredPod;
  readonly namespace: SecuredNamespace;
  /** Who sends the request; absent where no exemption can hang on it. */
  readonly username?: string;
}

const ALLOWED: PodSecurityReview = { warnings: [], audit: {} };

/**
 * Reviews a pod: one to be created, or `stored` and to be replaced. Replacing reviews the whole pod where an image changes or a
 * container is added.
 *
 * Source: k8s.io/pod-security-admission v0.36.2, admission/admission.go, `ValidatePod`.
 */
export function reviewPod(
  { pod, namespace, username }: PodInNamespace,
  configuration: PodSecurityConfiguration,
  stored?: SecuredPod,
): PodSecurityReview {
  const exemption = exemptionOf(namespace.name, username, configuration);
  if (exemption !== undefined) return exemption;
  const { policy, errors } = namespacePolicy(namespace.labels, configuration.defaults);
  if (errors.length === 0 && isFullyPrivileged(policy)) {
    return { warnings: [], audit: { 'enforce-policy': 'privileged:latest' } };
  }
  if (stored !== undefined && !isSignificant(pod, stored)) return ALLOWED;
  return evaluate(pod, policy, errors, configuration, true);
}

/**
 * Reviews the pod template of a workload that is created or replaced: such a request is never refused.
 *
 * Source: k8s.io/pod-security-admission v0.36.2, admission/admission.go, `ValidatePodController`.
 *
 * @param request `pod` is the template as it was sent; absent in a ReplicationController without one
 */
export function reviewTemplate(
  { pod, namespace, username }: Omit<PodInNamespace, 'pod'> & { readonly pod?: SecuredPod },
  configuration: PodSecurityConfiguration,
): PodSecurityReview {
  const exemption = exemptionOf(namespace.name, username, configuration);
  if (exemption !== undefined) return exemption;
  const { policy, errors } = namespacePolicy(namespace.labels, configuration.defaults);
  const isSilent = errors.length === 0 && policy.warn.level === 'privileged' && policy.audit.level === 'privileged';
  if (isSilent || pod === undefined) return ALLOWED;
  return evaluate(withVolumeDefaults(pod), policy, errors, configuration, false);
}

/** Of a template's defaults, only the one of a volume without a source makes a difference: an empty directory. */
function withVolumeDefaults({ metadata, spec }: SecuredPod): SecuredPod {
  const { volumes } = spec;
  return { ...(metadata && { metadata }), spec: { ...spec, ...(volumes && { volumes: volumes.map(finishedVolume) }) } };
}

/** `EvaluatePod`. */
function evaluate(
  pod: SecuredPod,
  policy: PodSecurityPolicy,
  errors: readonly FieldError[],
  { exemptions }: PodSecurityConfiguration,
  enforces: boolean,
): PodSecurityReview {
  const { runtimeClassName = '' } = pod.spec;
  if (runtimeClassName !== '' && exemptions.runtimeClasses.includes(runtimeClassName)) return exempt('runtimeClass');
  const violated = (prefix: string, standard: LevelVersion): string | undefined => {
    const found = violations(standard, pod);
    return found.length === 0 ? undefined : `${prefix} PodSecurity "${levelText(standard)}": ${detailsText(found)}`;
  };
  const refusal = enforces ? violated('violates', policy.enforce) : undefined;
  const audited = violated('would violate', policy.audit);
  const warning = refusal === undefined ? violated('would violate', policy.warn) : undefined;
  return {
    ...(refusal !== undefined && { refusal }),
    warnings: warning === undefined ? [] : [warning],
    audit: {
      ...(errors.length > 0 && { error: `Failed to parse policy: ${aggregateText(errors)}` }),
      ...(enforces && { 'enforce-policy': levelText(policy.enforce) }),
      ...(audited !== undefined && { 'audit-violations': audited }),
    },
  };
}

const exempt = (reason: 'namespace' | 'runtimeClass' | 'user'): PodSecurityReview => ({
  warnings: [],
  audit: { exempt: reason },
});

function exemptionOf(
  namespace: string,
  username: string | undefined,
  { exemptions }: PodSecurityConfiguration,
): PodSecurityReview | undefined {
  if (exemptions.namespaces.includes(namespace)) return exempt('namespace');
  return username !== undefined && exemptions.usernames.includes(username) ? exempt('user') : undefined;
}

/** `isSignificantPodUpdate`: nothing but images and ephemeral containers can change in a way that a check looks at. */
function isSignificant({ spec }: SecuredPod, { spec: stored }: SecuredPod): boolean {
  const differ = (now: readonly Imaged[] = [], before: readonly Imaged[] = []): boolean =>
    now.length !== before.length || now.some(({ image }, index) => imageOf({ image }) !== imageOf(before[index]));
  if (differ(spec.containers, stored.containers) || differ(spec.initContainers, stored.initContainers)) return true;
  return (spec.ephemeralContainers ?? []).some(({ name = '', image }) => {
    const before = stored.ephemeralContainers?.find((container) => (container.name ?? '') === name);
    return before === undefined || imageOf(before) !== imageOf({ image });
  });
}

interface Imaged {
  readonly image?: string | undefined;
}

const imageOf = (container: Imaged | undefined): string => container?.image ?? '';
