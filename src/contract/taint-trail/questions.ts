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
  summary: 'List audit trails',
  description:
    'Returns the trail of every cluster that the caller may audit. The trail of a deleted cluster is closed but ' +
    'kept; select it with `trail=`, since another cluster may use its name.',
  method: 'GET',
  path: 'taint-trails',
  permission: 'audit',
  clusters: 'each',
  response: list({
    name: 'TrailList',
    item: trail,
    itemsDescription: 'The trails, by cluster name, then oldest first.',
    head: {},
    connection: { name: 'Trail', description: 'Trails by cluster name, then oldest first.' },
  }),
  statuses: { 200: 'A page of trails.' },
  errors: ['invalid-continue-token'],
  examples: { parameters: { limit: 10 } },
  graphql: {
    on: 'Query',
    name: 'taintTrails',
    description: 'All trails that the caller may audit, including those of deleted clusters.',
  },
});

export const listRecordsAcross = question({
  id: 'taintTrails.records',
  summary: 'List records of several trails',
  description:
    'Returns the records of every trail that the caller may audit, newest event first. With a selector: only ' +
    'existing clusters with matching labels.',
  method: 'GET',
  path: 'taint-trail/records',
  permission: 'audit',
  clusters: 'each',
  query: { clusterSelector: TRAIL_CLUSTERS, ...orderedRecordFiltersRequest.members },
  response: list({
    name: 'RecordsAcross',
    item: trailRecord,
    itemsDescription: 'The records of all trails, by time of the event.',
    head: {},
    counted: false,
  }),
  statuses: { 200: 'A page of records.' },
  errors: ['invalid-continue-token'],
  examples: { parameters: { clusterSelector: 'env=prod', limit: 10 } },
});

export const listRecords = question({
  id: 'taintTrail.records',
  summary: 'List records of a trail',
  description:
    'Returns every change of taints and cordons made through this service, observed in snapshots or reported by ' +
    'audit events, newest first. Superseded records are left out unless `current=false`.',
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
  summary: 'Get a record of a trail',
  description: 'Returns one record with what it proves and does not prove, and on request the effects of the change.',
  method: 'GET',
  path: 'clusters/{cluster}/taint-trail/records/{sequence}',
  variables: { sequence: { in: 'sequence', type: 'int64', description: 'Sequence number of the record.' } },
  permission: 'audit',
  restQuery: { ...WHICH, ...EFFECTS_VIEW },
  query: {
    effects: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description:
        'Include the effects of the change on pods and workloads at its time. For an observed change, they are ' +
        'computed from the snapshot before it, if that is still stored.',
    },
  },
  response: trailRecordDetailsResponse,
  statuses: { 200: 'The record.' },
  errors: [...TRAIL_ERRORS, 'record-not-found', 'budget-exceeded'],
  examples: { parameters: { cluster: 'example', sequence: 1 } },
  graphql: { on: 'Trail', name: 'record', description: 'A record of the trail, by sequence number.' },
});

export const readNodeHistory = question({
  id: 'taintTrail.history',
  summary: 'Get the history of a node',
  description:
    'Returns the taints and cordons of a node as intervals: when and why each was set and removed, by whom, and ' +
    'how this is known. With `at`: only those present at that time.',
  method: 'GET',
  path: 'clusters/{cluster}/taint-trail/nodes/{node}/history',
  variables: { node: { in: 'node', description: 'Node name.' } },
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
  summary: 'Find fights over taints',
  description:
    'Finds taints or cordons of one node that at least two writers alternately add and remove, or change, at least ' +
    '`min` times within `window`.',
  method: 'GET',
  path: 'clusters/{cluster}/taint-trail/fights',
  permission: 'audit',
  restQuery: WHICH,
  query: fightFiltersRequest.members,
  response: taintFights,
  statuses: { 200: 'The fights.' },
  errors: [...TRAIL_ERRORS, 'budget-exceeded'],
  examples: { parameters: { cluster: 'example', min: 3, window: '1h' } },
  graphql: { on: 'Trail', name: 'fights', description: "Writers that undo each other's changes." },
});

export const verifyTrail = question({
  id: 'trailEvidence.verify',
  summary: 'Verify a trail',
  description:
    'Checks every record from the first to the last and returns the first fault: sequence number, hash, search ' +
    'columns, superseded marks, and whether the stored changes made through this service match their records. With ' +
    'a checkpoint (see `head`), it also detects a rewritten chain, a truncated end, and a removed trail ' +
    '(`clusterId` is then 0 unless `trail` is set).',
  method: 'GET',
  path: 'clusters/{cluster}/taint-trail/verify',
  permission: 'audit',
  restQuery: WHICH,
  query: checkpointArgumentsRequest.members,
  response: trailVerification,
  statuses: { 200: 'The result.' },
  errors: TRAIL_ERRORS,
  examples: { parameters: { cluster: 'example' } },
  graphql: { on: 'Trail', name: 'verification', description: 'Verifies that the trail is intact.' },
});

export const readTrailHead = question({
  id: 'trailEvidence.head',
  summary: 'Get the head of a trail',
  description:
    "Returns the last record's number and hash: a checkpoint to store elsewhere, signed if the service has a key.",
  method: 'GET',
  path: 'clusters/{cluster}/taint-trail/head',
  permission: 'audit',
  restQuery: WHICH,
  response: trailHead,
  statuses: { 200: 'The checkpoint.' },
  errors: TRAIL_ERRORS,
  examples: { parameters: { cluster: 'example' } },
  graphql: {
    on: 'Trail',
    name: 'head',
    description: 'Sequence number and hash of the last record: a checkpoint to store elsewhere.',
  },
});
