import { object, enumType } from '../schema.js';

export const HASH = '3d2f1c0b9a8f7e6d5c4b3a2f1e0d9c8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e2d';

export const trail = object(
  'Trail',
  'The hash-chained records of one cluster. A trail outlives its cluster, whose name another cluster may use ' +
    'afterwards.',
  {
    cluster: { type: 'identifier', description: 'Cluster name.', example: 'example' },
    clusterId: {
      type: 'int64',
      description: 'Cluster id, unique across clusters with the same name.',
      example: 1,
    },
    recordCount: {
      type: 'int64',
      description: 'Number of records, equal to the sequence number of the last one.',
      example: 3,
    },
    firstAt: {
      type: 'time',
      optional: true,
      description: 'Time of the first record; null for an empty trail.',
      example: '2026-05-04T03:02:01.000Z',
    },
    lastAt: {
      type: 'time',
      optional: true,
      description: 'Time of the last record; null for an empty trail.',
      example: '2026-05-04T03:12:01.000Z',
    },
    closedAt: {
      type: 'time',
      optional: true,
      description: 'When the cluster was deleted from this service; null while it exists.',
    },
    hash: {
      type: 'identifier',
      optional: true,
      description: 'Hash of the last record; null for an empty trail.',
      example: HASH,
    },
  },
);

export const trailHead = object(
  'TrailHead',
  'The last record of a trail. Store it where nobody who can write to the database can change it.',
  {
    cluster: { type: 'identifier', description: 'Cluster name.', example: 'example' },
    clusterId: { type: 'int64', description: 'Cluster id.', example: 1 },
    sequence: { type: 'int64', description: 'Sequence number of the last record; 0 for an empty trail.', example: 3 },
    hash: { type: 'identifier', description: 'Its hash; 64 zeros for an empty trail.', example: HASH },
    at: { type: 'identifier', description: 'Time of the request.', example: '2026-05-04T03:02:01.000Z' },
    signature: {
      type: 'identifier',
      optional: true,
      description:
        'Ed25519 signature in base64 of the canonical JSON (RFC 8785) of `cluster`, `clusterId`, `sequence`, `hash` and `at`; null if the service has no key.',
      example: null,
    },
    publicKey: {
      type: 'identifier',
      optional: true,
      description: 'Public key for `signature`: SPKI in PEM.',
      example: null,
    },
  },
);

export const FAULT = enumType('TrailFaultCode', 'The check that failed.', [
  'sequence',
  'previousHash',
  'hash',
  'checkpoint',
  'tailCut',
  'column',
  'superseded',
  'change',
]);

export const trailFault = object('TrailFault', 'The first record of a trail that fails verification.', {
  code: { type: FAULT, description: 'The check that failed.', example: 'hash' },
  sequence: {
    type: 'int64',
    description: 'Sequence number of the record; for a truncated end, of the first missing one.',
    example: 2,
  },
  column: {
    type: 'identifier',
    optional: true,
    description: 'For `column`: the column. For `change`: what the stored change and its record disagree on.',
    example: null,
  },
  expected: { type: 'string', description: 'Expected value.', example: HASH },
  found: { type: 'string', optional: true, description: 'Actual value; null if missing.', example: '0' },
  message: { type: 'string', description: 'The fault as text.' },
});

export const trailCheckpoint = object('TrailCheckpoint', 'Sequence number and hash of a record.', {
  sequence: { type: 'int64', description: 'Sequence number; 0 for none.', example: 3 },
  hash: { type: 'identifier', description: 'Hash of the record.', example: HASH },
});

export const trailVerification = object('TrailVerification', 'Result of the verification of a trail.', {
  trail: { type: trail, description: 'The trail.' },
  holds: {
    type: 'boolean',
    description: 'Whether all records are intact and match the checkpoint in the request, if any.',
  },
  verified: { type: 'int64', description: 'Number of intact records from the first one on.', example: 3 },
  head: { type: trailCheckpoint, description: 'The last intact record.' },
  fault: { type: trailFault, optional: true, description: 'The first fault; null if there is none.' },
  checkpoint: { type: trailCheckpoint, optional: true, description: 'The checkpoint in the request.' },
});
