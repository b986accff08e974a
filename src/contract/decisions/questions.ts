import type { ErrorCode } from '../error-code.js';
import { READ_ERRORS, SETTING_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { decision, decisionDetails, DECISION_TYPE, DECISION_VERDICT, ID } from './decision.js';
import { decisionReplay } from './replay.js';
import { declaredDecisionRetention, decisionRetention, decisionRetentionFields } from './retention.js';

const VARIABLES = { id: { in: 'id', type: 'id', description: ID.description } } as const;
const PARAMETERS = { id: ID.example } as const;

const WHO_SEES =
  'The question itself is shown only to the caller who asked it, and to callers with the permission `audit`, who may see taint values.';

/** Filters for decisions. */
const FILTERS = {
  workloadKind: {
    type: 'identifier',
    optional: true,
    description: 'Only decisions about a workload of this kind.',
    example: 'Deployment',
  },
  namespace: {
    type: 'identifier',
    optional: true,
    description: 'Only decisions about a workload in this namespace.',
    example: 'shop',
  },
  workload: {
    type: 'identifier',
    optional: true,
    description: 'Only decisions about a workload with this name.',
    example: 'web',
  },
  verdict: { type: DECISION_VERDICT, optional: true, description: 'Only decisions with this verdict.' },
  type: { type: DECISION_TYPE, optional: true, description: 'Only answers to this question.' },
  caller: {
    type: 'identifier',
    optional: true,
    description: 'Only decisions that this caller asked for.',
    example: 'ci',
  },
  since: { type: 'time', optional: true, description: 'Only decisions from this time on.' },
  until: { type: 'time', optional: true, description: 'Only decisions before this time.' },
} as const;

const decisionList = list({
  name: 'DecisionList',
  item: decision,
  itemsDescription: 'The decisions, newest first.',
  head: {},
  counted: false,
  connection: { name: 'Decision', description: 'Decisions, newest first, not counted.' },
});

const NDJSON =
  'As NDJSON, each line is a whole decision with its reasons, question and answer, in the order in which they were recorded; `limit` and `continue` do not apply.';

export const getDecision = question({
  id: 'decisions.get',
  summary: 'Get a decision',
  description: `Returns a recorded answer with its question, and what the cluster then did with the workloads, as far as stored revisions show. ${WHO_SEES}`,
  method: 'GET',
  path: 'decisions/{id}',
  variables: VARIABLES,
  permission: 'read',
  clusters: 'each',
  beyondRevision: true,
  response: decisionDetails,
  statuses: { 200: 'The decision.' },
  errors: ['decision-not-found', 'forbidden'],
  examples: { parameters: PARAMETERS },
  graphql: { on: 'Query', name: 'decision', description: 'A recorded answer, beside what the cluster then did.' },
});

export const listDecisionsAcross = question({
  id: 'decisions.listAcross',
  summary: 'List decisions of all clusters',
  description: `Returns the decisions about every cluster that the caller may read, including deleted ones, newest first. ${NDJSON}`,
  method: 'GET',
  path: 'decisions',
  permission: 'read',
  clusters: 'each',
  query: FILTERS,
  response: decisionList,
  statuses: { 200: 'A page of decisions.' },
  errors: ['invalid-continue-token'],
  examples: { parameters: { verdict: 'no', limit: 10 } },
  graphql: { on: 'Query', name: 'decisions', description: 'Decisions about all clusters, newest first.' },
});

export const listDecisions = question({
  id: 'decisions.list',
  summary: 'List decisions',
  description: `Returns the recorded decisions about a cluster, newest first; it may be deleted. ${NDJSON}`,
  method: 'GET',
  path: 'clusters/{cluster}/decisions',
  permission: 'read',
  query: FILTERS,
  response: decisionList,
  statuses: { 200: 'A page of decisions.' },
  errors: ['cluster-not-found', 'invalid-continue-token'],
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: { on: 'Cluster', name: 'decisions', description: 'Recorded decisions about the cluster, newest first.' },
});

export const replayDecision = question({
  id: 'decisions.replay',
  summary: 'Replay a decision',
  description:
    'Answers the question again. On the same revision, the answer must have the same bytes. On the head, it says what ' +
    'has changed since, and if the verdict turned, which revision and which changed objects turned it. Nothing is ' +
    'recorded. What cannot be determined is null, with the reason: the revision is no longer stored, other rules apply, ' +
    'or secrets were withheld from the stored question. 409 if the question was not kept.',
  method: 'POST',
  path: 'decisions/{id}/replay',
  variables: VARIABLES,
  permission: 'evaluate',
  clusters: 'each',
  beyondRevision: true,
  query: {
    head: {
      type: 'boolean',
      optional: true,
      defaultsTo: true,
      description: 'Answer on the head, too.',
    },
  },
  response: decisionReplay,
  statuses: { 200: 'The replay.' },
  errors: [
    'decision-not-found',
    'forbidden',
    'decision-not-replayable',
    'cluster-not-found',
    'no-snapshot',
    'budget-exceeded',
  ],
  examples: { parameters: PARAMETERS },
  graphql: { on: 'Query', name: 'decisionReplay', description: 'A recorded question, answered again.' },
});

const PATH = 'clusters/{cluster}/decision-retention';
const HEADERS = { 'If-Match': 'Refuse with 412 unless the cluster is at this revision (`"7"`).' } as const;
const DECLARE_ERRORS: readonly ErrorCode[] = SETTING_ERRORS;

export const readDecisionRetention = question({
  id: 'decisionRetention.read',
  summary: 'Read the retention of decisions',
  description: 'Returns how long decisions about the cluster are kept: its own setting, or that of the service.',
  method: 'GET',
  path: PATH,
  permission: 'read',
  // The limit of the service is not part of a revision.
  beyondRevision: true,
  readsRevision: true,
  response: decisionRetention,
  statuses: { 200: 'The setting.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example' } },
  graphql: { on: 'Cluster', name: 'decisionRetention', description: 'How long decisions are kept.' },
});

export const declareDecisionRetention = question({
  id: 'decisionRetention.declare',
  summary: 'Declare the retention of decisions',
  description:
    'Sets how long decisions about the cluster are kept, instead of `DECISION_RETENTION_MAX_AGE`. Creates a revision of ' +
    'kind `settings`. Removal is final, so it requires the permission `admin`.',
  method: 'PUT',
  path: PATH,
  permission: 'admin',
  headers: HEADERS,
  body: { type: decisionRetentionFields, description: 'How long to keep decisions.' },
  response: declaredDecisionRetention,
  statuses: { 200: 'The new setting.' },
  errors: DECLARE_ERRORS,
  examples: { parameters: { cluster: 'example' }, body: { maxAge: '365d', dryRun: true } },
  graphql: {
    on: 'Mutation',
    name: 'declareDecisionRetention',
    description: 'Sets how long decisions about a cluster are kept.',
    input: { type: 'DecisionRetentionInput', description: 'The cluster, and how long.' },
  },
});

export const resetDecisionRetention = question({
  id: 'decisionRetention.reset',
  summary: 'Reset the retention of decisions',
  description: 'Removes the setting of the cluster: `DECISION_RETENTION_MAX_AGE` applies again. Creates a revision.',
  method: 'DELETE',
  path: PATH,
  permission: 'admin',
  headers: HEADERS,
  query: { dryRun: decisionRetentionFields.members.dryRun },
  response: declaredDecisionRetention,
  statuses: { 200: 'The new setting.' },
  errors: DECLARE_ERRORS,
  examples: { parameters: { cluster: 'example', dryRun: true }, response: { source: 'service' } },
  graphql: {
    on: 'Mutation',
    name: 'resetDecisionRetention',
    description: 'Removes the retention of decisions that a cluster has of its own.',
    input: { type: 'ResetDecisionRetentionInput', description: 'The cluster.' },
  },
});
