import { enumType, object } from '../schema.js';

export const RULES_SOURCE = enumType('RulesSource', 'Why the rules of this Kubernetes version were applied.', [
  'question',
  'setting',
  'apiServer',
  'nodes',
  'default',
]);

export const scenarioCounts = object('ScenarioCounts', 'Number of objects that differ from the stored state.', {
  added: { type: 'integer', description: 'Objects that exist only in the scenario.', example: 3 },
  removed: { type: 'integer', description: 'Objects that the scenario removes.', example: 0 },
  changed: { type: 'integer', description: 'Objects that the scenario changes.', example: 0 },
});

export const scenarioBasis = object('ScenarioBasis', 'The hypothetical changes that a response is based on.', {
  changes: { type: 'integer', description: 'Number of changes.', example: 1 },
  hash: {
    type: 'identifier',
    description: 'Hash of the scenario; equal scenarios have equal hashes.',
    example: 'h2Xz0mT9cT5c1Qm2m0mGzA',
  },
  nodes: { type: scenarioCounts, description: 'Node counts.' },
  pods: { type: scenarioCounts, description: 'Pod counts.' },
  notes: {
    type: 'string',
    list: true,
    description: 'Effects that the counts do not show, such as what happens to the pods of removed nodes.',
    example: [],
  },
});

export const intentsBasis = object(
  'IntentsBasis',
  'Taint changes made through this service that no snapshot or audit event has confirmed or contradicted yet.',
  {
    unconfirmedNodes: {
      type: 'integer',
      description: 'Number of nodes of the revision with such changes.',
      example: 0,
    },
    included: {
      type: 'boolean',
      description:
        'Whether the response includes these changes; if false, it uses the last observed state of these nodes.',
      example: true,
    },
  },
);

export const answerBasis = object(
  'AnswerBasis',
  'The revision and settings that this response is based on.',
  {
    cluster: { type: 'identifier', description: 'Cluster name.', example: 'eks-prod' },
    revision: { type: 'integer', description: 'Revision number.', example: 7 },
    capturedAt: {
      type: 'time',
      description: 'When the state was captured in the cluster.',
      example: '2026-05-04T03:02:01.000Z',
    },
    ageSeconds: {
      type: 'integer',
      description:
        'Age of the state at the time of the request, in whole seconds: since its capture or, for the head of a cluster that is ' +
        'followed, since it was last known to be current.',
      example: 42,
    },
    kubernetesVersion: {
      type: 'identifier',
      optional: true,
      description:
        'Kubernetes version of the cluster: that of its API server or, if it is not known, the newest of its nodes; null if neither is known.',
      example: 'v1.36.2',
    },
    rulesVersion: {
      type: 'identifier',
      description: 'The Kubernetes release whose rules were applied.',
      example: 'v1.36.2',
    },
    rulesSource: {
      type: RULES_SOURCE,
      description: RULES_SOURCE.description,
      example: 'apiServer',
    },
    featureGates: {
      type: 'identifier',
      list: true,
      description:
        'Feature gates that change a rule and differ from the defaults of that version, as they are declared for the cluster.',
      example: [],
    },
    intents: { type: intentsBasis, description: 'Unconfirmed taint changes made through this service.' },
    scenario: {
      type: scenarioBasis,
      optional: true,
      description: 'Hypothetical changes applied to the stored state; null if there are none.',
    },
    harmlessWebhooks: {
      type: 'identifier',
      list: true,
      description:
        'Webhooks of the cluster that its admission configuration declares harmless: responses about pods assume that they neither refuse pods nor change what decides where these can run.',
      example: [],
    },
    decisionId: {
      type: 'identifier',
      description: 'Unique id of this response.',
      example: '1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11',
    },
  },
  { openApiName: 'Basis' },
);
