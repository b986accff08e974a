import type { CelType } from '../cel/types.js';
import type { JsonObject } from '../json/json-value.js';
import { FIELDS, GUARDRAIL_ENVIRONMENT, SUBJECTS, UNKNOWN_MEMBERS, WARNING_CODES } from './facts.js';
import { GUARDRAIL_ACTIONS, GUARDRAIL_OUTCOMES, MAX_APPROVALS } from './guardrail.js';

export const MAX_GUARDRAILS = 50;
const MAX_TESTS = 50;
const MAX_ITEMS = 1000;
const MAX_TEXT = 4096;
const MAX_EXPRESSION = 5000;
const MAX_NUMBER = 1_000_000_000;

const text = (description: string, maxLength: number): JsonObject => ({
  type: 'string',
  description,
  minLength: 1,
  maxLength,
});

/** What a test may give for a value of a type. */
function given(type: CelType, description: string): JsonObject {
  switch (type.kind) {
    case 'list':
      return { type: 'array', description, items: given(type.element, 'One of them.'), maxItems: MAX_ITEMS };
    case 'map':
      return {
        type: 'object',
        description,
        additionalProperties: given(type.value, 'Value.'),
        maxProperties: MAX_ITEMS,
      };
    case 'object':
      return type.name === 'guardrails.Taint' || type.name === 'guardrails.Label'
        ? text(`${description} In kubectl's notation.`, MAX_TEXT)
        : members(type.name, description);
    default:
      return simple(type, description);
  }
}

function simple(type: CelType, description: string): JsonObject {
  switch (type.kind === 'simple' ? type.name : '') {
    case 'int':
      return { type: 'integer', description, minimum: 0, maximum: MAX_NUMBER };
    case 'bool':
      return { type: 'boolean', description };
    case 'timestamp':
      return text(`${description} RFC 3339.`, 100);
    default:
      return { type: 'string', description, maxLength: MAX_TEXT };
  }
}

function members(type: string, description: string): JsonObject {
  const properties = Object.fromEntries(
    Object.entries(FIELDS[type]!).map(([name, one]) => [name, given(one.type, one.description)]),
  );
  if (type === 'guardrails.Change') {
    const about = 'What changes; by default `nodes`, or `deviceTaintRule` if one is given.';
    properties['subject'] = { type: 'string', description: about, enum: [...SUBJECTS] };
  }
  if (type === 'guardrails.Preview') {
    properties['warnings'] = namesOf(WARNING_CODES, 'Codes of the warnings that the preview has.');
    properties['unknown'] = namesOf(UNKNOWN_MEMBERS, 'Members of the preview that are not known.');
  }
  return { type: 'object', description, properties, additionalProperties: false };
}

const namesOf = (names: readonly string[], description: string): JsonObject => ({
  type: 'array',
  description,
  items: { type: 'string', enum: [...names], description: 'One of them.' },
  maxItems: MAX_ITEMS,
});

const variable = (name: string, description: string): JsonObject =>
  given(GUARDRAIL_ENVIRONMENT.variables.get(name)!, description);

/**
 * The format of a document of guardrails, as JSON Schema (draft 2020-12). Documents are checked by `checkSchema` with this very schema,
 * then by `readGuardrails` for what a schema cannot say: unique names, and expressions.
 */
export const GUARDRAILS_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Guardrails of a cluster',
  description: 'Rules about changes of taints, cordons and labels of nodes, and of DeviceTaintRules.',
  type: 'object',
  properties: {
    apiVersion: { type: 'string', enum: ['kube-placement/v1'], description: 'Version of the format.' },
    kind: { type: 'string', enum: ['Guardrails'], description: 'Kind of the document.' },
    guardrails: {
      type: 'array',
      description: 'The rules, in the order in which they are reported.',
      items: { $ref: '#/$defs/guardrail' },
      minItems: 1,
      maxItems: MAX_GUARDRAILS,
    },
  },
  required: ['apiVersion', 'kind', 'guardrails'],
  additionalProperties: false,
  $defs: {
    guardrail: {
      type: 'object',
      description: 'A rule about changes.',
      properties: {
        name: text('Name of the rule; unique in the document.', 200),
        description: text('Why there is the rule, or whom to ask.', 2000),
        require: text('CEL expression of type bool: what must be true of a change.', MAX_EXPRESSION),
        action: {
          type: 'string',
          enum: [...GUARDRAIL_ACTIONS],
          description: 'What happens to a change for which it is not true.',
        },
        approvals: {
          type: 'integer',
          description:
            'With `action: requireApproval`: how many callers must approve the change; 1 by default. Not together with an expression that reads `change.approvals` or `change.approvers`.',
          minimum: 1,
          maximum: MAX_APPROVALS,
        },
        message: text('Why the change is refused, warned about or held.', 1000),
        messageExpression: text(
          'CEL expression of type string, instead of `message`, which is used if it cannot be evaluated.',
          MAX_EXPRESSION,
        ),
        tests: {
          type: 'array',
          description: 'Cases that are checked before the document is stored.',
          items: { $ref: '#/$defs/test' },
          maxItems: MAX_TESTS,
        },
      },
      required: ['name', 'require', 'action'],
      additionalProperties: false,
    },
    test: {
      type: 'object',
      description: 'A case.',
      properties: {
        name: text('Name of the case; unique in its rule.', 200),
        given: {
          type: 'object',
          description: 'The variables. What is not given is zero, false or empty.',
          properties: {
            change: variable('change', 'The change.'),
            preview: variable('preview', 'What the change would do.'),
            cluster: variable('cluster', 'The cluster.'),
            author: variable('author', 'The author of the change.'),
            now: variable('now', 'The time of the change.'),
          },
          additionalProperties: false,
        },
        expect: { type: 'string', enum: [...GUARDRAIL_OUTCOMES], description: 'The expected outcome.' },
        message: text('The expected message, to the letter.', MAX_TEXT),
      },
      required: ['name', 'expect'],
      additionalProperties: false,
    },
  },
};
