import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { json } from '../schema.js';

/*
 * Parts of requests that have several forms, or maps whose keys are free: GraphQL takes them as JSON. The use cases read them and say in
 * Kubernetes' words what is wrong.
 */

const STRING: JsonObject = { type: 'string' };
const TEXT_OR_NULL: JsonObject = { type: ['string', 'null'] };
const mapOf = (values: JsonObject): JsonObject => ({ type: 'object', additionalProperties: values });
const closed = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required: [...required] }),
  additionalProperties: false,
});

const TAINT: JsonObject = { key: STRING, value: TEXT_OR_NULL, effect: STRING, timeAdded: TEXT_OR_NULL };
const TOLERATION = closed({
  key: STRING,
  operator: STRING,
  value: STRING,
  effect: STRING,
  tolerationSeconds: { type: ['integer', 'null'], format: 'int64' },
});

export const GIVEN_TAINT = json<JsonValue>({
  name: 'GivenTaint',
  description: "A taint in kubectl's syntax (`key=value:Effect`), or as an object.",
  schema: { anyOf: [STRING, closed(TAINT, ['key', 'effect'])] },
});

export const TAINT_EDIT = json<JsonValue>({
  name: 'TaintEdit',
  description: 'An argument of `kubectl taint` (`key=value:Effect`, `key:Effect-`, `key-`), or an object.',
  schema: { anyOf: [STRING, closed({ ...TAINT, effect: TEXT_OR_NULL, remove: { type: 'boolean' } }, ['key'])] },
});

export const LABEL_EDITS = json<JsonValue>({
  name: 'LabelEdits',
  description: 'Arguments of `kubectl label` (`key=value`, `key-`), or values by key; null removes a label.',
  schema: { anyOf: [{ type: 'array', items: STRING }, mapOf(TEXT_OR_NULL)] },
});

export const LABEL_CHANGES = json<JsonValue>({
  name: 'LabelChanges',
  description: 'Values by key; null removes a key.',
  schema: mapOf(TEXT_OR_NULL),
});

export const GIVEN_AMOUNTS = json<JsonValue>({
  name: 'GivenAmounts',
  description: 'Kubernetes quantities by name.',
  schema: mapOf({ type: ['string', 'number'] }),
});

export const GIVEN_TOLERATION = json<JsonValue>({
  name: 'GivenToleration',
  description: 'A toleration as in the Pod object.',
  schema: TOLERATION,
});

const TYPE_META: JsonObject = { apiVersion: STRING, kind: STRING };

export const GIVEN_TOLERATION_RESTRICTION = json<JsonValue>({
  name: 'GivenTolerationRestriction',
  description: 'The configuration of the admission plugin PodTolerationRestriction.',
  schema: closed({
    ...TYPE_META,
    default: { type: 'array', items: TOLERATION },
    whitelist: { type: 'array', items: TOLERATION },
  }),
});

export const GIVEN_NODE_SELECTORS = json<JsonValue>({
  name: 'GivenNodeSelectors',
  description: 'The configuration of the admission plugin PodNodeSelector: selectors as `key=value,key=value`.',
  schema: mapOf(STRING),
});

export const GIVEN_LIMITED_RESOURCES = json<JsonValue>({
  name: 'GivenLimitedResources',
  description: 'Resources that pods may only consume if a quota covers them.',
  schema: {
    type: 'array',
    items: closed({
      apiGroup: STRING,
      resource: STRING,
      matchContains: { type: 'array', items: STRING },
      matchScopes: {
        type: 'array',
        items: closed({ scopeName: STRING, operator: STRING, values: { type: 'array', items: STRING } }, [
          'scopeName',
          'operator',
        ]),
      },
    }),
  },
});
