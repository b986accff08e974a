import type { ClusterState } from '../cluster/cluster-state.js';
import { compileLabelSelector } from '../kubernetes/label-selector.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { LabelSelector } from '../kubernetes/objects/selectors.js';
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  Webhook,
  WebhookRule,
} from '../kubernetes/objects/webhooks.js';

const KIND_OF = {
  mutating: 'MutatingWebhookConfiguration',
  validating: 'ValidatingWebhookConfiguration',
} as const;

/** A webhook of the cluster that the API server would ask about a pod, and that nobody asks here. */
export interface CalledWebhook {
  readonly type: 'mutating' | 'validating';
  readonly configuration: string;
  readonly name: string;
  /** What follows where it does not answer: `Fail` or `Ignore`. */
  readonly failurePolicy: string;
  /** False where that hangs on what is not known: its match conditions, or the labels of the namespace. */
  readonly certain: boolean;
}

export interface AskedOfWebhooks {
  readonly operation: 'create' | 'update';
  /** Of the pod, and of the one that it replaces. */
  readonly labels: readonly Labels[];
  /** Of the pod; undefined where it does not exist. */
  readonly namespace: Namespace | undefined;
  /** Whether the labels of the namespace are known. */
  readonly namespaceKnown: boolean;
}

/**
 * The webhooks that would be called for a pod, in the order of their configurations' names: one of their rules names pods and the
 * operation, and their selectors fit.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/webhook/generic/webhook.go, `ShouldCallHook`, and predicates/.
 */
export function webhooksCalled(
  state: ClusterState,
  type: CalledWebhook['type'],
  asked: AskedOfWebhooks,
): readonly CalledWebhook[] {
  const configurations = state.objects(KIND_OF[type]) as readonly (
    MutatingWebhookConfiguration | ValidatingWebhookConfiguration
  )[];
  return configurations.flatMap(({ metadata, webhooks = [] }) =>
    webhooks.flatMap((webhook) => {
      const fit = fits(webhook, asked);
      if (fit === 'no') return [];
      const { name, failurePolicy = 'Fail' } = webhook;
      return [{ type, configuration: metadata.name, name, failurePolicy, certain: fit === 'yes' }];
    }),
  );
}

function fits(webhook: Webhook, asked: AskedOfWebhooks): 'yes' | 'no' | 'maybe' {
  const { rules = [], objectSelector, namespaceSelector, matchConditions = [] } = webhook;
  if (!rules.some((rule) => namesPods(rule, asked.operation))) return 'no';
  if (!asked.labels.some((labels) => selects(objectSelector, labels))) return 'no';
  const { namespace, namespaceKnown } = asked;
  if (!isEmpty(namespaceSelector)) {
    if (!namespaceKnown) return 'maybe';
    const name = namespace?.metadata.name;
    const labels = Object.fromEntries([
      ...Object.entries(namespace?.metadata.labels ?? {}),
      // Every namespace has it, whoever made it.
      ...(name === undefined ? [] : [['kubernetes.io/metadata.name', name] as const]),
    ]);
    if (!selects(namespaceSelector, labels)) return 'no';
  }
  return matchConditions.length > 0 ? 'maybe' : 'yes';
}

function namesPods({ apiGroups, apiVersions, operations, resources, scope }: WebhookRule, operation: string): boolean {
  const has = (list: readonly string[] | undefined, ...names: readonly string[]): boolean =>
    list?.some((item) => item === '*' || names.includes(item)) === true;
  return (
    has(apiGroups, '') &&
    has(apiVersions, 'v1') &&
    has(operations, operation.toUpperCase()) &&
    has(resources, 'pods', '*/*') &&
    scope !== 'Cluster'
  );
}

const isEmpty = (selector: LabelSelector | undefined): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0;

function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined || isEmpty(selector)) return true;
  const compiled = compileLabelSelector(selector);
  return 'selector' in compiled && compiled.selector.matches(labels);
}
