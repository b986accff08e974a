import type {
  MatchCondition,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  Webhook,
  WebhookRule,
} from '../objects/webhooks.js';
import { described, list, object } from './containers.js';
import { labelSelector, objectMeta } from './metadata.js';
import { constant, int32, string } from './scalars.js';
import { required } from './schema.js';

/** `v1.RuleWithOperations`. */
const rule = object<WebhookRule>({
  apiGroups: list(string),
  apiVersions: list(string),
  operations: list(string),
  resources: list(string),
  scope: string,
});

/** `v1.MatchCondition`. */
export const matchCondition = object<MatchCondition>({
  expression: required(string),
  name: required(string),
});

/** `v1.ServiceReference`. */
const service = described({
  name: string,
  namespace: string,
  path: string,
  port: int32,
});

/** `v1.WebhookClientConfig`. */
const clientConfig = described({
  caBundle: string,
  service,
  url: string,
});

const DECIDES = {
  failurePolicy: string,
  matchConditions: list(matchCondition),
  name: required(string),
  namespaceSelector: labelSelector,
  objectSelector: labelSelector,
  rules: list(rule),
};

const SAYS_HOW = {
  admissionReviewVersions: list(string),
  clientConfig,
  matchPolicy: string,
  sideEffects: string,
  timeoutSeconds: int32,
};

/** `v1.MutatingWebhookConfiguration`. */
export const mutatingWebhookConfiguration = object<MutatingWebhookConfiguration>({
  apiVersion: required(string),
  kind: required(constant('MutatingWebhookConfiguration')),
  metadata: required(objectMeta),
  webhooks: list(object<Webhook>(DECIDES, { ...SAYS_HOW, reinvocationPolicy: string })),
});

/** `v1.ValidatingWebhookConfiguration`. */
export const validatingWebhookConfiguration = object<ValidatingWebhookConfiguration>({
  apiVersion: required(string),
  kind: required(constant('ValidatingWebhookConfiguration')),
  metadata: required(objectMeta),
  webhooks: list(object<Webhook>(DECIDES, SAYS_HOW)),
});
