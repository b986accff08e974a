import { aggregateText } from '../../kubernetes/error-aggregate.js';
import type { FieldError } from '../../kubernetes/field-error.js';
import { quoteGo } from '../../kubernetes/go-text.js';
import type { Labels } from '../../kubernetes/objects/meta.js';
import { isSame, isStricter, levelText, type LevelVersion } from './level.js';
import {
  areEquivalent,
  isFullyPrivileged,
  levelLabel,
  MODES,
  namespacePolicy,
  versionLabel,
  type PodSecurityPolicy,
} from './namespace-policy.js';
import type { PodSecurityConfiguration } from './pod-security-configuration.js';
import type { SecuredPod } from './check.js';
import type { SecuredNamespace } from './review-pod.js';
import { reasonsText, violations } from './standards.js';
import { compareTexts } from './text.js';

/** A stored pod of the namespace, whole. */
export interface ExistingPod extends SecuredPod {
  readonly metadata: SecuredPod['metadata'] & {
    readonly name: string;
    readonly ownerReferences?: readonly { readonly uid?: string; readonly controller?: boolean }[];
  };
}

/** What PodSecurity says to a namespace that is created or changed. */
export type NamespaceReview =
  | { readonly outcome: 'allowed'; readonly warnings: readonly string[] }
  | {
      readonly outcome: 'refused';
      /** The API server answers 422. */
      readonly message: string;
      readonly causes: readonly FieldError[];
    };

const SILENT: NamespaceReview = { outcome: 'allowed', warnings: [] };

/**
 * Reviews a namespace that is created: its labels have to be valid.
 *
 * Source: k8s.io/pod-security-admission v0.36.2, admission/admission.go, `ValidateNamespace`.
 */
export function reviewNewNamespace(
  namespace: SecuredNamespace,
  configuration: PodSecurityConfiguration,
): NamespaceReview {
  const { policy, errors } = namespacePolicy(namespace.labels, configuration.defaults);
  if (errors.length > 0) return refused(namespace.name, errors);
  return configuration.exemptions.namespaces.includes(namespace.name)
    ? allowed(exemptWarning(namespace, policy, configuration))
    : SILENT;
}

/**
 * Reviews a change of a namespace's labels: invalid ones are refused where they have changed, and the pods that are there are named
 * where they violate a standard to enforce that has become stricter, or another version.
 *
 * Upstream stops looking at pods after one second, which is not imitated; and it takes them in the order of a cache, which makes no
 * difference up to 3000 pods.
 *
 * Source: k8s.io/pod-security-admission v0.36.2, admission/admission.go, `ValidateNamespace` and `EvaluatePodsInNamespace`.
 *
 * @param pods all of the namespace
 */
export function reviewNamespaceLabels(
  namespace: SecuredNamespace,
  before: Labels,
  pods: readonly ExistingPod[],
  configuration: PodSecurityConfiguration,
): NamespaceReview {
  const { defaults, exemptions } = configuration;
  const { policy, errors } = namespacePolicy(namespace.labels, defaults);
  const { policy: old, errors: oldErrors } = namespacePolicy(before, defaults);
  if (errors.length > 0 && aggregateText(errors) !== aggregateText(oldErrors)) return refused(namespace.name, errors);
  const { enforce } = policy;
  const isNoStricter = enforce.version === old.enforce.version && !isStricter(enforce.level, old.enforce.level);
  if (isSame(enforce, old.enforce) || enforce.level === 'privileged' || isNoStricter) return SILENT;
  if (exemptions.namespaces.includes(namespace.name)) return allowed(exemptWarning(namespace, policy, configuration));
  const judged = pods.filter(
    ({ spec: { runtimeClassName = '' } }) => !exemptions.runtimeClasses.includes(runtimeClassName),
  );
  return { outcome: 'allowed', warnings: podWarnings(namespace.name, enforce, judged) };
}

const MAX_PODS = 3000;

function podWarnings(namespace: string, enforce: LevelVersion, pods: readonly ExistingPod[]): readonly string[] {
  const named = new Map<string, string[]>();
  for (const pod of prioritized(pods).slice(0, MAX_PODS)) {
    const found = violations(enforce, pod);
    if (found.length === 0) continue;
    const reasons = reasonsText(found);
    const names = named.get(reasons);
    if (names === undefined) named.set(reasons, [pod.metadata.name]);
    else names.push(pod.metadata.name);
  }
  const counted = `new PodSecurity enforce level only checked against the first ${MAX_PODS} of ${pods.length} existing pods`;
  const head = `existing pods in namespace ${quoteGo(namespace)} violate the new PodSecurity enforce level ${quoteGo(levelText(enforce))}`;
  const lines = [...named].map(([reasons, names]) => `${namesText(names)}: ${reasons}`).sort(compareTexts);
  return [...(pods.length > MAX_PODS ? [counted] : []), ...(lines.length > 0 ? [head] : []), ...lines];
}

function namesText(names: readonly string[]): string {
  const [first = ''] = [...names].sort(compareTexts);
  const others = names.length - 1;
  if (others === 0) return first;
  return `${first} (and ${others} other ${others === 1 ? 'pod' : 'pods'})`;
}

/** One pod of each controller before their other pods. */
function prioritized(pods: readonly ExistingPod[]): readonly ExistingPod[] {
  const seen = new Set<string>();
  const others: ExistingPod[] = [];
  const first = pods.filter((pod) => {
    const controller = pod.metadata.ownerReferences?.find((owner) => owner.controller === true);
    if (controller === undefined) return true;
    const { uid = '' } = controller;
    const isFirst = !seen.has(uid);
    seen.add(uid);
    if (!isFirst) others.push(pod);
    return isFirst;
  });
  return [...first, ...others];
}

/** `exemptNamespaceWarning`. */
function exemptWarning(
  { name, labels }: SecuredNamespace,
  policy: PodSecurityPolicy,
  { defaults }: PodSecurityConfiguration,
): string | undefined {
  if (isFullyPrivileged(policy) || areEquivalent(policy, defaults)) return undefined;
  const isSet = (label: string): boolean => Object.hasOwn(labels, label);
  const modes = MODES.filter(
    (mode) => policy[mode].level !== 'privileged' && (isSet(levelLabel(mode)) || isSet(versionLabel(mode))),
  );
  const text = modes.map((mode) => `${mode}=${levelText(policy[mode])}`).join(', ');
  return `namespace ${quoteGo(name)} is exempt from Pod Security, and the policy (${text}) will be ignored`;
}

const allowed = (warning: string | undefined): NamespaceReview =>
  warning === undefined ? SILENT : { outcome: 'allowed', warnings: [warning] };

/** `errors.NewInvalid`, k8s.io/apimachinery v0.36.2, pkg/api/errors/errors.go. */
const refused = (name: string, causes: readonly FieldError[]): NamespaceReview => ({
  outcome: 'refused',
  message: `Namespace ${quoteGo(name)} is invalid: ${aggregateText(causes)}`,
  causes,
});
