import { LIST_ERRORS, READ_ERRORS, SETTING_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import {
  changedExpectations,
  EXAMPLE_FILE,
  EXPECTATIONS_BODY,
  expectationCheck,
  expectationStanding,
  expectationTurn,
  storedExpectations,
} from './expectation.js';

const PATH = 'clusters/{cluster}/expectations';
const HEADERS = { 'If-Match': 'Refuse with 412 unless the cluster is at this revision (`"7"`).' } as const;
const DRY_RUN = {
  dryRun: {
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Dry run: check the file without storing it.',
  },
} as const;

export const checkExpectations = question({
  id: 'expectations.check',
  summary: 'Check expectations',
  description:
    'Evaluates a file of expectations, as YAML or JSON, on any revision or scenario of a cluster. Nothing is stored. A file with errors is refused with all of them.',
  method: 'POST',
  path: 'clusters/{cluster}/expectation-checks',
  permission: 'evaluate',
  readsRevision: true,
  body: EXPECTATIONS_BODY,
  response: expectationCheck,
  statuses: { 200: 'The verdicts.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example' }, body: EXAMPLE_FILE },
  graphql: {
    on: 'Cluster',
    name: 'expectationCheck',
    description: 'The verdicts on a file of expectations. Nothing is stored.',
  },
});

export const readExpectations = question({
  id: 'expectations.read',
  summary: 'Read the expectations',
  description: 'The stored expectations. They are part of the stored state, so each revision has its own.',
  method: 'GET',
  path: PATH,
  permission: 'read',
  readsRevision: true,
  response: storedExpectations,
  statuses: { 200: 'The expectations.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example' } },
  graphql: { on: 'Cluster', name: 'expectations', description: 'The stored expectations.' },
});

export const putExpectations = question({
  id: 'expectations.put',
  summary: 'Store the expectations',
  description:
    'Replaces the expectations of a cluster by a file, as YAML or JSON. They are evaluated with every new revision, and each turn is recorded with the change that caused it. Creates a revision of kind `settings`.',
  method: 'PUT',
  path: PATH,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  query: DRY_RUN,
  body: EXPECTATIONS_BODY,
  response: changedExpectations,
  statuses: { 200: 'The stored expectations.' },
  errors: SETTING_ERRORS,
  examples: { parameters: { cluster: 'example', dryRun: true }, body: EXAMPLE_FILE },
  graphql: {
    on: 'Mutation',
    name: 'putExpectations',
    description: 'Replaces the expectations of a cluster, or checks the file.',
    input: { type: 'PutExpectationsInput', description: 'The cluster and the file.' },
  },
});

export const deleteExpectations = question({
  id: 'expectations.delete',
  summary: 'Delete the expectations',
  description: 'Deletes the expectations of a cluster. Recorded turns remain. Creates a revision.',
  method: 'DELETE',
  path: PATH,
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  query: DRY_RUN,
  response: changedExpectations,
  statuses: { 200: 'Nothing is stored any longer.' },
  errors: SETTING_ERRORS,
  examples: { parameters: { cluster: 'example', dryRun: true }, response: { stored: false, file: null } },
  graphql: {
    on: 'Mutation',
    name: 'deleteExpectations',
    description: 'Deletes the expectations of a cluster.',
    input: { type: 'DeleteExpectationsInput', description: 'The cluster.' },
  },
});

export const readStanding = question({
  id: 'expectations.results',
  summary: 'Read the results of the expectations',
  description:
    'Evaluates the stored expectations on a revision or scenario; by default on the newest revision. `turns` says since when the verdicts stand.',
  method: 'GET',
  path: 'clusters/{cluster}/expectation-results',
  permission: 'read',
  readsRevision: true,
  beyondRevision: true,
  response: expectationStanding,
  statuses: { 200: 'The verdicts.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example' } },
  graphql: { on: 'Cluster', name: 'expectationResults', description: 'The verdicts on the stored expectations.' },
});

export const listTurns = question({
  id: 'expectations.turns',
  summary: 'List turns of expectations',
  description:
    'When which stored expectation got another verdict, and the change that caused it, newest first. If revisions arrive faster than they can be evaluated, verdicts that did not last may be missing.',
  method: 'GET',
  path: 'clusters/{cluster}/expectation-turns',
  permission: 'read',
  query: {
    name: {
      type: 'string',
      optional: true,
      maximumLength: 200,
      description: 'Only turns of this expectation.',
    },
  },
  response: list({
    name: 'ExpectationTurnList',
    item: expectationTurn,
    itemsDescription: 'The turns, newest first.',
    head: {},
    counted: false,
    connection: { name: 'ExpectationTurn', description: 'Turns of expectations, newest first, not counted.' },
  }),
  statuses: { 200: 'A page of turns.' },
  errors: LIST_ERRORS.filter((code) => code === 'cluster-not-found' || code === 'invalid-continue-token'),
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: { on: 'Cluster', name: 'expectationTurns', description: 'Turns of the stored expectations, newest first.' },
});
