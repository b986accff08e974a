import { CelUnsupported } from '../../cel/errors.js';
import { BOOL } from '../../cel/types.js';
import { quoteGo } from '../../kubernetes/go-text.js';
import type { Labels } from '../../kubernetes/objects/meta.js';
import { defined } from '../../collections/defined.js';
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  Webhook,
} from '../../kubernetes/objects/webhooks.js';
import { compileExpression, type Compiled } from '../policies/compile-policy.js';
import { evaluateMatchConditions } from '../policies/match-conditions.js';
import { matchesRequest } from '../policies/match-request.js';
import type { PolicyWork } from '../policies/policy-work.js';
import type { PolicyRequest } from '../policies/policy-request.js';

export type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** Whether the API server calls a webhook. */
export type WebhookMatch =
  | { readonly outcome: 'called' }
  | { readonly outcome: 'skipped' }
  /** It refuses the request without calling the webhook, because a match condition results in an error. */
  | { readonly outcome: 'refused'; readonly error: string }
  /** `why` is what that depends on, as the end of a sentence. */
  | { readonly outcome: 'unknown'; readonly why: string };

/** A request for which webhooks may be called. */
export interface AskedOfWebhooks {
  /** With the fields that rules and selectors read. */
  readonly outline: PolicyRequest;
  /** Undefined where they are not known. */
  readonly namespaceLabels: Labels | undefined;
  readonly work?: PolicyWork | undefined;
  /** With all fields; or why those are not known, as the end of a sentence. Asked for only if match conditions are evaluated. */
  readonly whole: () => PolicyRequest | { readonly unknown: string };
}

const SKIPPED: WebhookMatch = { outcome: 'skipped' };
const CALLED: WebhookMatch = { outcome: 'called' };

/**
 * Whether a webhook is called for a request: its selectors fit, one of its rules names the request, and its match conditions hold. If
 * conditions err and none is false, `failurePolicy` decides: `Fail` refuses the request, `Ignore` skips the webhook.
 *
 * `matchPolicy: Equivalent` makes no difference to resources that are served in one version, as pods and the workloads of `apps` are.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/webhook/generic/webhook.go, `ShouldCallHook`.
 */
export function matchWebhook(webhook: Webhook, asked: AskedOfWebhooks): WebhookMatch {
  try {
    const named = matchesRules(webhook, asked);
    if (named === false) return SKIPPED;
    if (named === undefined) return { outcome: 'unknown', why: 'the labels of the namespace are not known' };
    return meetsConditions(webhook, asked);
  } catch (error) {
    if (!(error instanceof CelUnsupported)) throw error;
    return { outcome: 'unknown', why: `${error.what} is not known or not evaluated` };
  }
}

function matchesRules(
  { rules = [], namespaceSelector, objectSelector }: Webhook,
  { outline, namespaceLabels }: AskedOfWebhooks,
): boolean | undefined {
  if (rules.length === 0) return false;
  const resources = {
    resourceRules: rules,
    ...(namespaceSelector && { namespaceSelector }),
    ...(objectSelector && { objectSelector }),
  };
  return matchesRequest(resources, outline, namespaceLabels);
}

function meetsConditions(webhook: Webhook, { whole, work }: AskedOfWebhooks): WebhookMatch {
  const { matchConditions = [], failurePolicy } = webhook;
  if (matchConditions.length === 0) return CALLED;
  const request = whole();
  if ('unknown' in request) return { outcome: 'unknown', why: `it has match conditions, and ${request.unknown}` };
  const compiled = { matchConditions: compiledConditions(webhook), variables: [] };
  const matching = evaluateMatchConditions(matchConditions, compiled, {
    request,
    namespace: undefined,
    params: null,
    ...defined({ work }),
  });
  if ('matches' in matching) return matching.matches ? CALLED : SKIPPED;
  return failurePolicy === 'Ignore' ? SKIPPED : { outcome: 'refused', error: matching.error };
}

const COMPILED = new WeakMap<Webhook, readonly Compiled[]>();

/** Conditions are compiled once. */
function compiledConditions(webhook: Webhook): readonly Compiled[] {
  let compiled = COMPILED.get(webhook);
  if (compiled === undefined) {
    const scope = { hasParams: false, hasAuthorizer: true, variables: undefined };
    compiled = (webhook.matchConditions ?? []).map(({ expression }) => compileExpression(expression, scope, [BOOL]));
    COMPILED.set(webhook, compiled);
  }
  return compiled;
}

/** `webhook "w" of MutatingWebhookConfiguration "c"`. */
export const webhookText = (configuration: WebhookConfiguration, { name }: Webhook): string =>
  `webhook ${quoteGo(name)} of ${configuration.kind} ${quoteGo(configuration.metadata.name)}`;
