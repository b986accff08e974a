import { list, question } from '../question.js';
import { agreement, AGREEMENT_RULE, agreementCase, CASE_OUTCOME, downloadedCase } from './agreement.js';

const PATH = 'clusters/{cluster}/agreement';
const FILTERS = {
  rule: { type: AGREEMENT_RULE, optional: true, description: 'Only this rule.' },
  scheduler: {
    type: 'identifier',
    optional: true,
    maximumLength: 253,
    description: 'Only decisions of this scheduler.',
    example: 'default-scheduler',
  },
  since: { type: 'time', optional: true, description: 'From this time on; counts are by whole days.' },
  until: { type: 'time', optional: true, description: 'Before this time.' },
} as const;

export const readAgreement = question({
  id: 'agreement.read',
  summary: 'Read how often predictions agree',
  description:
    'How often what the cluster did agrees with what this service predicts on the state just before: where pods were bound, what pods were told that fit nowhere, when taints evicted pods. Compared are revisions that were captured at most 60 s apart. Counts of 400 days are kept.',
  method: 'GET',
  path: PATH,
  permission: 'read',
  query: FILTERS,
  response: agreement,
  statuses: { 200: 'The counts.' },
  errors: ['cluster-not-found'],
  examples: { parameters: { cluster: 'example' } },
  graphql: { on: 'Cluster', name: 'agreement', description: 'How often predictions agree with what the cluster did.' },
});

export const listDisagreements = question({
  id: 'agreement.list',
  summary: 'List disagreements',
  description:
    'Predictions that do not agree with what the cluster did, newest first; with `outcome=unknown`, those of which it is not known. Of each rule, the last 200 disagreements and the last 50 others are kept.',
  method: 'GET',
  path: `${PATH}/disagreements`,
  permission: 'read',
  query: {
    outcome: { type: CASE_OUTCOME, optional: true, defaultsTo: 'disagreed', description: CASE_OUTCOME.description },
    ...FILTERS,
  },
  response: list({
    name: 'AgreementCaseList',
    item: agreementCase,
    itemsDescription: 'The cases, newest first.',
    head: {},
    counted: false,
    connection: { name: 'AgreementCase', description: 'Cases, newest first, not counted.' },
  }),
  statuses: { 200: 'A page of cases.' },
  errors: ['cluster-not-found', 'invalid-continue-token'],
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: { on: 'Cluster', name: 'disagreements', description: 'Predictions that do not agree, newest first.' },
});

export const downloadCase = question({
  id: 'agreement.case',
  summary: 'Download a disagreement as a case',
  description:
    'The state, the pod and the decision, without what does not matter, in the form of the recorded cases that `npm run conformance` takes. With `masked`, every name, label, value and image is replaced by another word, the same everywhere; callers who may not see taint values always get it so. 409 if no case was stored, or if it does not disagree any longer once it is masked.',
  method: 'GET',
  path: `${PATH}/disagreements/{number}/case`,
  variables: { number: { in: 'number', type: 'int64', description: 'Number of the case.' } },
  permission: 'read',
  query: {
    masked: { type: 'boolean', optional: true, defaultsTo: false, description: 'Replace names, labels and values.' },
  },
  response: downloadedCase,
  statuses: { 200: 'The case.' },
  errors: ['cluster-not-found', 'case-not-found', 'case-not-available'],
  examples: { parameters: { cluster: 'example', number: 1 } },
  graphql: {
    on: 'Cluster',
    name: 'disagreementCase',
    description: 'A disagreement as a case for the conformance runner.',
  },
});
