import type { KubernetesObject } from './meta.js';
import type { LabelSelector } from './selectors.js';

/** `admissionregistration.k8s.io/v1` RuleWithOperations; `*` stands for all, `pods/*` for subresources. */
export interface WebhookRule {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly operations?: readonly string[];
  readonly resources?: readonly string[];
  /** `Cluster`, `Namespaced` or `*`. */
  readonly scope?: string;
}

/** A CEL expression that must be true for the webhook or policy to be called. */
export interface MatchCondition {
  readonly expression: string;
  readonly name: string;
}

/** What decides whether a webhook is called; how it is called is not kept. */
export interface Webhook {
  readonly name: string;
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly rules?: readonly WebhookRule[];
}

/** `admissionregistration.k8s.io/v1` MutatingWebhookConfiguration. */
export interface MutatingWebhookConfiguration extends KubernetesObject {
  readonly kind: 'MutatingWebhookConfiguration';
  readonly webhooks?: readonly Webhook[];
}

/** `admissionregistration.k8s.io/v1` ValidatingWebhookConfiguration. */
export interface ValidatingWebhookConfiguration extends KubernetesObject {
  readonly kind: 'ValidatingWebhookConfiguration';
  readonly webhooks?: readonly Webhook[];
}
