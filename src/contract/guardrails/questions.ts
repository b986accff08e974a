import { READ_ERRORS, SETTING_ERRORS } from '../errors.js';
import { question } from '../question.js';
import {
  changedGuardrails,
  EXAMPLE_DOCUMENT,
  GUARDRAIL_TESTS_BODY,
  GUARDRAILS_BODY,
  guardrailTestRun,
  storedGuardrails,
} from './guardrail.js';

const PATH = 'clusters/{cluster}/guardrails';
const HEADERS = { 'If-Match': 'Refuse with 412 unless the cluster is at this revision (`"7"`).' } as const;
const DRY_RUN = {
  dryRun: {
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Dry run: check the document and run its tests without storing it.',
  },
} as const;

export const readGuardrails = question({
  id: 'guardrails.read',
  summary: 'Read the guardrails',
  description: 'The stored guardrails. They are part of the stored state, so each revision has its own.',
  method: 'GET',
  path: PATH,
  permission: 'read',
  readsRevision: true,
  response: storedGuardrails,
  statuses: { 200: 'The guardrails.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example' } },
  graphql: { on: 'Cluster', name: 'guardrails', description: 'The stored guardrails.' },
});

export const putGuardrails = question({
  id: 'guardrails.put',
  summary: 'Store the guardrails',
  description:
    'Replaces the guardrails of a cluster by a document, as YAML or JSON: rules in CEL that every change of taints must satisfy. A document with errors, or with tests that fail, is refused with all of them. Needs `admin`, because guardrails limit callers with `change`. Creates a revision of kind `settings`.',
  method: 'PUT',
  path: PATH,
  permission: 'admin',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  query: DRY_RUN,
  body: GUARDRAILS_BODY,
  response: changedGuardrails,
  statuses: { 200: 'The stored guardrails.' },
  errors: SETTING_ERRORS,
  examples: { parameters: { cluster: 'example', dryRun: true }, body: EXAMPLE_DOCUMENT },
  graphql: {
    on: 'Mutation',
    name: 'putGuardrails',
    description: 'Replaces the guardrails of a cluster, or checks the document.',
    input: { type: 'PutGuardrailsInput', description: 'The cluster and the document.' },
  },
});

export const deleteGuardrails = question({
  id: 'guardrails.delete',
  summary: 'Delete the guardrails',
  description:
    'Deletes the guardrails of a cluster. Changes that wait for approval still need one. Creates a revision.',
  method: 'DELETE',
  path: PATH,
  permission: 'admin',
  dryRunPermission: 'evaluate',
  headers: HEADERS,
  query: DRY_RUN,
  response: changedGuardrails,
  statuses: { 200: 'Nothing is stored any longer.' },
  errors: SETTING_ERRORS,
  examples: { parameters: { cluster: 'example', dryRun: true }, response: { stored: false, document: null } },
  graphql: {
    on: 'Mutation',
    name: 'deleteGuardrails',
    description: 'Deletes the guardrails of a cluster.',
    input: { type: 'DeleteGuardrailsInput', description: 'The cluster.' },
  },
});

export const testGuardrails = question({
  id: 'guardrails.test',
  summary: 'Test guardrails',
  description:
    'Runs the tests of a document of guardrails, or of the stored one. Nothing is stored. A document with errors is refused with all of them.',
  method: 'POST',
  path: 'clusters/{cluster}/guardrail-tests',
  permission: 'evaluate',
  readsRevision: true,
  body: GUARDRAIL_TESTS_BODY,
  response: guardrailTestRun,
  statuses: { 200: 'How the tests went.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example' }, body: EXAMPLE_DOCUMENT },
  graphql: {
    on: 'Cluster',
    name: 'guardrailTests',
    description: 'How the tests of a document of guardrails, or of the stored one, go. Nothing is stored.',
    input: { optional: true },
  },
});
