import { enumType, object } from '../schema.js';
import { changeAuthor } from './change-author.js';

export const APPLICATION_STATE = enumType(
  'ApplicationState',
  'State of an application: `stopped` by failures or because the connection does not allow it, `cancelled` by a caller.',
  ['running', 'done', 'stopped', 'cancelled'],
);

export const APPLICATION_NODE_STATE = enumType('ApplicationNodeState', 'What became of a change on a node.', [
  'waiting',
  'writing',
  'written',
  'unchanged',
  'refused',
  'failed',
  'unknown',
  'admitted',
]);

export const APPLICATION_EVENT = enumType('ApplicationEvent', 'What happened to an application.', [
  'started',
  'done',
  'stopped',
  'cancelled',
]);

export const APPLIED_OUTCOME = enumType('AppliedOutcome', 'What became of a change on a node, on the record.', [
  'written',
  'unchanged',
  'refused',
  'failed',
  'unknown',
]);

export const APPLIED_SAID_BY = enumType(
  'AppliedSaidBy',
  'How the outcome is known: the API server answered, or the node was read.',
  ['answer', 'read'],
);

const NODES_PER_MINUTE = {
  type: 'integer',
  optional: true,
  description: 'At most so many nodes are written in a minute; by default as many as the API server takes.',
  minimum: 1,
  maximum: 6000,
  example: 30,
} as const;
const DELAY_SECONDS = {
  type: 'integer',
  optional: true,
  description: 'Pause after each node that was written, instead of `nodesPerMinute`.',
  minimum: 0,
  maximum: 86_400,
} as const;
const FORCE = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Touch taints that belong to others, too.',
  example: false,
} as const;

export const applyOptionsInput = object(
  'ApplyOptionsInput',
  'How a change is written to the cluster: node by node, in the given order.',
  {
    nodesPerMinute: NODES_PER_MINUTE,
    delaySeconds: DELAY_SECONDS,
    maxFailures: {
      type: 'integer',
      optional: true,
      description: 'Stop once so many nodes are refused, failed or unknown.',
      minimum: 1,
      maximum: 100_000,
      defaultsTo: 1,
      example: 1,
    },
    force: FORCE,
  },
  { openApiName: 'ApplyOptionsRequest' },
);

export const applyFields = object(
  'ApplyFields',
  '',
  {
    ...applyOptionsInput.members,
    dryRun: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Only ask the API server, with dry runs for at most 500 nodes. Nothing is written or recorded.',
    },
  },
  { openApiName: 'Apply' },
);

export const applyOptions = object('ApplyOptions', 'How a change is written to the cluster.', {
  nodesPerMinute: { type: 'integer', optional: true, description: 'Nodes written in a minute, at most.', example: 30 },
  delaySeconds: { type: 'integer', optional: true, description: 'Pause after each written node.', example: null },
  maxFailures: { type: 'integer', description: 'Failed nodes after which it stops.', example: 1 },
  force: { type: 'boolean', description: 'Whether taints of others may be touched.', example: false },
});

export const applicationCounts = object('ApplicationCounts', 'Nodes by state.', {
  waiting: { type: 'integer', description: 'Nothing was written yet.', example: 0 },
  writing: { type: 'integer', description: 'A write was sent, and its outcome is not known yet.', example: 0 },
  written: { type: 'integer', description: 'Written by this service.', example: 1 },
  unchanged: { type: 'integer', description: 'Had the change already.', example: 0 },
  refused: { type: 'integer', description: 'Refused, and would always be.', example: 0 },
  failed: { type: 'integer', description: 'Tried too often; nothing was written.', example: 0 },
  unknown: { type: 'integer', description: 'A write was sent, and its outcome could not be found out.', example: 0 },
});

export const taintChangeApplication = object(
  'TaintChangeApplication',
  'How this service writes a change to the cluster, and how far it is.',
  {
    state: { type: APPLICATION_STATE, description: APPLICATION_STATE.description, example: 'done' },
    askedAt: { type: 'time', description: 'When it was asked for, last.', example: '2026-05-04T03:02:01.000Z' },
    by: { type: changeAuthor, description: 'Who asked for it.' },
    options: { type: applyOptions, description: 'How it is written.' },
    counts: { type: applicationCounts, description: 'Nodes by state.' },
    message: {
      type: 'string',
      optional: true,
      description: 'Why it stopped, or what it waits for; null if neither.',
      example: null,
    },
    nextAt: { type: 'time', optional: true, description: 'When it goes on; null if it ended.', example: null },
    endedAt: { type: 'time', optional: true, description: 'When it ended.', example: '2026-05-04T03:02:03.000Z' },
  },
);

export const nodeApplication = object('NodeApplication', 'What became of a change on one node of the cluster.', {
  state: { type: APPLICATION_NODE_STATE, description: APPLICATION_NODE_STATE.description, example: 'written' },
  code: { type: 'integer', optional: true, description: 'HTTP status of the API server.', example: 200 },
  message: {
    type: 'string',
    optional: true,
    description: 'What the API server said, or why the node was left alone.',
    example: null,
  },
  warnings: { type: 'string', list: true, description: 'Warnings of the API server.', example: [] },
  attempts: { type: 'integer', description: 'Number of attempts.', example: 1 },
  testedVersion: {
    type: 'identifier',
    optional: true,
    description: 'resourceVersion that the last write tested.',
    example: '787',
  },
  resourceVersion: {
    type: 'identifier',
    optional: true,
    description: 'resourceVersion that was written or found.',
    example: '788',
  },
  at: { type: 'time', optional: true, description: 'When that was.', example: '2026-05-04T03:02:02.000Z' },
});
