import { object, enumType } from '../schema.js';

export const HASH = '3d2f1c0b9a8f7e6d5c4b3a2f1e0d9c8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e2d';

export const trail = object(
  'Trail',
  "The chain of records of one cluster. It outlives its cluster, and the name of that may be another one's since.",
  {
    cluster: { type: 'string', description: 'The name of the cluster.', example: 'example' },
    clusterId: { type: 'int64', description: 'What tells apart clusters of one name.', example: 1 },
    recordCount: { type: 'int64', description: 'How many records there are: the number of the last.', example: 3 },
    firstAt: {
      type: 'time',
      optional: true,
      description: 'When the first one was written; null for none.',
      example: '2026-05-04T03:02:01.000Z',
    },
    lastAt: {
      type: 'time',
      optional: true,
      description: 'When the last one was written; null for none.',
      example: '2026-05-04T03:12:01.000Z',
    },
    closedAt: {
      type: 'time',
      optional: true,
      description: 'When the cluster was deleted here; null while it is there.',
    },
    hash: { type: 'string', optional: true, description: 'The hash of the last record; null for none.', example: HASH },
  },
);

export const trailHead = object(
  'TrailHead',
  'The last record of a trail, to be kept where whoever can write to the database cannot.',
  {
    cluster: { type: 'string', description: 'The name of the cluster.', example: 'example' },
    clusterId: { type: 'int64', description: 'Its id.', example: 1 },
    sequence: { type: 'int64', description: 'The number of the last record; 0 before the first.', example: 3 },
    hash: { type: 'string', description: 'Its hash; 64 zeros before the first.', example: HASH },
    at: { type: 'string', description: 'When this was asked for.', example: '2026-05-04T03:02:01.000Z' },
    signature: {
      type: 'string',
      optional: true,
      description:
        'Ed25519, in base64, over the canonical JSON (RFC 8785) of the five members before; null where the service has no key.',
      example: null,
    },
    publicKey: { type: 'string', optional: true, description: 'The key to check it with: SPKI, PEM.', example: null },
  },
);

export const FAULT = enumType('TrailFaultCode', 'What does not hold.', [
  'sequence',
  'previousHash',
  'hash',
  'checkpoint',
  'tailCut',
  'column',
  'superseded',
  'change',
]);

export const trailFault = object('TrailFault', 'The first record of a trail that does not hold.', {
  code: { type: FAULT, description: 'What is wrong, for programs.', example: 'hash' },
  sequence: { type: 'int64', description: 'The record; of a cut end the first that is missing.', example: 2 },
  column: {
    type: 'string',
    optional: true,
    description: 'For `column` the column; for `change` what is stored of the change otherwise than in its record.',
    example: null,
  },
  expected: { type: 'string', description: 'What ought to be there.', example: HASH },
  found: { type: 'string', optional: true, description: 'What is; null for nothing.', example: '0' },
  message: { type: 'string', description: 'In words.' },
});

export const trailCheckpoint = object('TrailCheckpoint', 'A record by its number and its hash.', {
  sequence: { type: 'int64', description: 'Its number; 0 for none.', example: 3 },
  hash: { type: 'string', description: 'Its hash.', example: HASH },
});

export const trailVerification = object('TrailVerification', 'Whether a trail is as it was written.', {
  trail: { type: trail, description: 'The trail.' },
  holds: { type: 'boolean', description: 'Whether every record holds, and the checkpoint if one was given.' },
  verified: { type: 'int64', description: 'How many records hold, from the first one on.', example: 3 },
  head: { type: trailCheckpoint, description: 'The last one that holds.' },
  fault: { type: trailFault, optional: true, description: 'The first that does not; null where all hold.' },
  checkpoint: { type: trailCheckpoint, optional: true, description: 'The checkpoint that was given.' },
});
