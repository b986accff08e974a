import { EFFECTS_VIEW } from '../taint-changes/taint-effects.js';
import { TRAIL, TRAIL_CLUSTERS } from '../common/filter-options.js';
import type { ErrorCode } from '../error-code.js';
import { list, question } from '../question.js';
import { nodeHistory } from './node-history.js';
import { taintFights } from './taint-fight.js';
import {
  checkpointArgumentsRequest,
  fightFiltersRequest,
  historyFiltersRequest,
  orderedRecordFiltersRequest,
} from './trail-request.js';
import { trailRecord, trailRecordDetailsResponse } from './trail-record.js';
import { trail, trailHead, trailVerification } from './trail.js';

const TRAIL_ERRORS: readonly ErrorCode[] = ['cluster-not-found', 'trail-not-found'];
const WHICH = { trail: TRAIL } as const;

export const listTrails = question({
  id: 'taintTrails.trails',
  summary: 'List the trails',
  description:
    'The trail of every cluster that the caller may audit. That of a deleted cluster is closed and stays; `trail=` selects it, ' +
    'since its name may have been used again.',
  method: 'GET',
  path: 'taint-trails',
  permission: 'audit',
  clusters: 'each',
  response: list({
    name: 'TrailList',
    item: trail,
    itemsDescription: 'By cluster; the oldest of a name first.',
    head: {},
    connection: { name: 'Trail', description: 'Trails by cluster; the oldest of a name first.' },
  }),
  statuses: { 200: 'A page of trails.' },
  errors: ['invalid-continue-token'],
  examples: { parameters: { limit: 10 } },
  graphql: {
    on: 'Query',
    name: 'taintTrails',
    description: 'Every trail that the caller may audit, those of deleted clusters too.',
  },
});

export const listRecordsAcross = question({
  id: 'taintTrails.records',
  summary: 'List the records of several trails',
  description:
    'The records of every trail that the caller may audit, by when things happened, newest first; with a selector those of ' +
    'clusters that are there and have these labels.',
  method: 'GET',
  path: 'taint-trail/records',
  permission: 'audit',
  clusters: 'each',
  query: { clusterSelector: TRAIL_CLUSTERS, ...orderedRecordFiltersRequest.members },
  response: list({
    name: 'RecordsAcross',
    item: trailRecord,
    itemsDescription: 'The records of all of them, by when they happened.',
    head: {},
    counted: false,
  }),
  statuses: { 200: 'A page of records.' },
  errors: ['invalid-continue-token'],
  examples: { parameters: { clusterSelector: 'env=prod', limit: 10 } },
});

export const listRecords = question({
  id: 'taintTrail.records',
  summary: 'List the records of a trail',
  description:
    'Every change of taints and cordons that was made here, seen in snapshots or told by audit events, newest first, by ' +
    'node, key, effect, author, channel, kind, change and time. Records that later evidence has replaced are left out unless ' +
    '`current=false`.',
  method: 'GET',
  path: 'clusters/{cluster}/taint-trail/records',
  permission: 'audit',
  restQuery: WHICH,
  query: orderedRecordFiltersRequest.members,
  response: list({
    name: 'TrailRecordList',
    item: trailRecord,
    itemsDescription: 'The records.',
    head: { trail: { type: trail, description: 'The trail.' } },
    counted: false,
  }),
  statuses: { 200: 'A page of records.' },
  errors: [...TRAIL_ERRORS, 'invalid-continue-token'],
  examples: { parameters: { cluster: 'example', limit: 10 } },
});

export const getRecord = question({
  id: 'taintTrail.record',
  summary: 'Read a record of a trail',
  description: 'One record with what it proves, what it does not, and on request what the change did at its time.',
  method: 'GET',
  path: 'clusters/{cluster}/taint-trail/records/{sequence}',
  variables: { sequence: { in: 'sequence', type: 'int64', description: 'The number of the record.' } },
  permission: 'audit',
  restQuery: { ...WHICH, ...EFFECTS_VIEW },
  query: {
    effects: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description:
        'Say what the change did to pods and workloads at its time. For a change that was learnt of it is worked out from the ' +
        'snapshot before it, if that is still stored.',
    },
  },
  response: trailRecordDetailsResponse,
  statuses: { 200: 'The record.' },
  errors: [...TRAIL_ERRORS, 'record-not-found', 'budget-exceeded'],
  examples: { parameters: { cluster: 'example', sequence: 1 } },
  graphql: { on: 'Trail', name: 'record', description: 'One of its records.' },
});

export const readNodeHistory = question({
  id: 'taintTrail.history',
  summary: 'Read the history of a node',
  description:
    'The taints and cordons of a node as intervals: from when, set by whom and why, until when, removed by whom, and how each ' +
    'is known; with `at` those that stood at a moment.',
  method: 'GET',
  path: 'clusters/{cluster}/taint-trail/nodes/{node}/history',
  variables: { node: { in: 'node', description: 'The node.' } },
  permission: 'audit',
  restQuery: WHICH,
  query: historyFiltersRequest.members,
  response: nodeHistory,
  statuses: { 200: 'The history.' },
  errors: TRAIL_ERRORS,
  examples: { parameters: { cluster: 'example', node: 'node-1' } },
  graphql: { on: 'Trail', name: 'history', description: 'The taints and cordons of a node as intervals.' },
});

export const findFights = question({
  id: 'taintTrail.fights',
  summary: 'Find writers who fight over a taint',
  description:
    'The same taint of one node, or its cordon, added and removed or changed in turns by at least two writers, at least `min` ' +
    'times within `window`.',
  method: 'GET',
  path: 'clusters/{cluster}/taint-trail/fights',
  permission: 'audit',
  restQuery: WHICH,
  query: fightFiltersRequest.members,
  response: taintFights,
  statuses: { 200: 'The fights.' },
  errors: [...TRAIL_ERRORS, 'budget-exceeded'],
  examples: { parameters: { cluster: 'example', min: 3, window: '1h' } },
  graphql: { on: 'Trail', name: 'fights', description: "Writers who undo one another's changes." },
});

export const verifyTrail = question({
  id: 'trailEvidence.verify',
  summary: 'Verify a trail',
  description:
    'Walks the chain from its first record to its last and names the first that does not hold: its place, its hash, what it is ' +
    'searched by, and whether it is kept as superseded; then whether the changes made here are stored as their records say. With a ' +
    'checkpoint (see `head`) a rewritten chain, an end that was cut off, and a trail that was removed altogether (with 0 for ' +
    '`clusterId` unless `trail` names it) are found, too.',
  method: 'GET',
  path: 'clusters/{cluster}/taint-trail/verify',
  permission: 'audit',
  restQuery: WHICH,
  query: checkpointArgumentsRequest.members,
  response: trailVerification,
  statuses: { 200: 'What holds.' },
  errors: TRAIL_ERRORS,
  examples: { parameters: { cluster: 'example' } },
  graphql: { on: 'Trail', name: 'verification', description: 'Whether it is as it was written.' },
});

export const readTrailHead = question({
  id: 'trailEvidence.head',
  summary: 'Read the head of a trail',
  description:
    'The last record by number and hash, a checkpoint to keep elsewhere; signed where the service has a key for it.',
  method: 'GET',
  path: 'clusters/{cluster}/taint-trail/head',
  permission: 'audit',
  restQuery: WHICH,
  response: trailHead,
  statuses: { 200: 'The checkpoint.' },
  errors: TRAIL_ERRORS,
  examples: { parameters: { cluster: 'example' } },
  graphql: { on: 'Trail', name: 'head', description: 'Its last record, as a checkpoint to keep elsewhere.' },
});
