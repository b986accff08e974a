import { object } from '../schema.js';

export const scenarioCounts = object('ScenarioCounts', 'How many objects differ from the state as it is stored.', {
  added: { type: 'integer', description: 'That are there only in the scenario.', example: 3 },
  removed: { type: 'integer', description: 'That are not there in the scenario.', example: 0 },
  changed: { type: 'integer', description: 'That are another in the scenario.', example: 0 },
});

export const scenarioBasis = object('ScenarioBasis', 'Hypothetical changes that an answer rests on.', {
  changes: { type: 'integer', description: 'How many changes.', example: 1 },
  hash: { type: 'string', description: 'The same for equal scenarios.', example: 'h2Xz0mT9cT5c1Qm2m0mGzA' },
  nodes: { type: scenarioCounts, description: 'Nodes.' },
  pods: { type: scenarioCounts, description: 'Pods.' },
  notes: {
    type: 'string',
    list: true,
    description: 'What the counts do not tell, such as what became of the pods of removed nodes.',
    example: [],
  },
});

export const intentsBasis = object(
  'IntentsBasis',
  'Changes of taints that were made here, and that no snapshot and no audit event has decided yet.',
  {
    unconfirmedNodes: { type: 'integer', description: 'Nodes of the revision that carry such changes.', example: 0 },
    included: {
      type: 'boolean',
      description: 'Whether the answer counts them; else it rests on those nodes as they were seen last.',
      example: true,
    },
  },
);

export const answerBasis = object(
  'AnswerBasis',
  'What the answer rests on.',
  {
    cluster: { type: 'string', description: 'The cluster.', example: 'eks-prod' },
    revision: { type: 'integer', description: 'The revision of its state.', example: 7 },
    capturedAt: {
      type: 'time',
      description: 'When the state was so in the cluster.',
      example: '2026-05-04T03:02:01.000Z',
    },
    ageSeconds: { type: 'integer', description: 'Whole seconds from then to the question.', example: 42 },
    kubernetesVersion: {
      type: 'string',
      optional: true,
      description: "The cluster's own version, from its nodes; null when they do not say.",
      example: 'v1.34.1',
    },
    rulesVersion: {
      type: 'string',
      description: 'The Kubernetes release whose rules were applied.',
      example: 'v1.36.2',
    },
    intents: { type: intentsBasis, description: 'Changes made here that nothing has confirmed yet.' },
    scenario: {
      type: scenarioBasis,
      optional: true,
      description: 'The hypothetical changes that it rests on besides; null for the state as it is stored.',
    },
    decisionId: { type: 'string', description: 'Names this answer.', example: '1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11' },
  },
  { openApiName: 'Basis' },
);
