import { ObjectType } from '@nestjs/graphql';
import type { TrailHead } from '../../app/taint-trail/read-trail-head.js';
import type { TrailVerdict } from '../../app/taint-trail/verify-trail.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Shown } from './property.js';

const HASH = '3d2f1c0b9a8f7e6d5c4b3a2f1e0d9c8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e2d';

@ObjectType('Trail', {
  description:
    "The chain of records of one cluster. It outlives its cluster, and the name of that may be another one's since.",
})
export class TrailShape {
  @Shown({ type: 'string', description: 'The name of the cluster.', example: 'example' })
  cluster!: string;

  @Shown({ type: 'int64', description: 'What tells apart clusters of one name.', example: 1 })
  clusterId!: number;

  @Shown({ type: 'int64', description: 'How many records there are: the number of the last.', example: 3 })
  recordCount!: number;

  @Shown({ type: 'time', optional: true, description: 'When the first one was written; null for none.' })
  firstAt!: Date | null;

  @Shown({ type: 'time', optional: true, description: 'When the last one was written; null for none.' })
  lastAt!: Date | null;

  @Shown({ type: 'time', optional: true, description: 'When the cluster was deleted here; null while it is there.' })
  closedAt!: Date | null;

  @Shown({ type: 'string', optional: true, description: 'The hash of the last record; null for none.', example: HASH })
  hash!: string | null;
}

@ObjectType('TrailHead', {
  description: 'The last record of a trail, to be kept where whoever can write to the database cannot.',
})
export class TrailHeadShape {
  @Shown({ type: 'string', description: 'The name of the cluster.', example: 'example' })
  cluster!: string;

  @Shown({ type: 'int64', description: 'Its id.', example: 1 })
  clusterId!: number;

  @Shown({ type: 'int64', description: 'The number of the last record; 0 before the first.', example: 3 })
  sequence!: number;

  @Shown({ type: 'string', description: 'Its hash; 64 zeros before the first.', example: HASH })
  hash!: string;

  @Shown({ type: 'string', description: 'When this was asked for.', example: '2026-05-04T03:02:01.000Z' })
  at!: string;

  @Shown({
    type: 'string',
    optional: true,
    description:
      'Ed25519, in base64, over the canonical JSON (RFC 8785) of the five members before; null where the service has no key.',
    example: null,
  })
  signature!: string | null;

  @Shown({ type: 'string', optional: true, description: 'The key to check it with: SPKI, PEM.', example: null })
  publicKey!: string | null;
}

export function trailHeadShape({ checkpoint, signed }: TrailHead): Plain<TrailHeadShape> {
  return { ...checkpoint, signature: signed?.signature ?? null, publicKey: signed?.publicKey ?? null };
}

const FAULT = wordsType('TrailFaultCode', 'What does not hold.', [
  'sequence',
  'previousHash',
  'hash',
  'checkpoint',
  'tailCut',
  'column',
  'superseded',
  'change',
]);

@ObjectType('TrailFault', { description: 'The first record of a trail that does not hold.' })
export class TrailFaultShape {
  @Shown({ type: FAULT, description: 'What is wrong, for programs.', example: 'hash' })
  code!: string;

  @Shown({ type: 'int64', description: 'The record; of a cut end the first that is missing.', example: 2 })
  sequence!: number;

  @Shown({
    type: 'string',
    optional: true,
    description: 'For `column` the column; for `change` what is stored of the change otherwise than in its record.',
    example: null,
  })
  column!: string | null;

  @Shown({ type: 'string', description: 'What ought to be there.', example: HASH })
  expected!: string;

  @Shown({ type: 'string', optional: true, description: 'What is; null for nothing.', example: '0' })
  found!: string | null;

  @Shown({ type: 'string', description: 'In words.' })
  message!: string;
}

@ObjectType('TrailCheckpoint', { description: 'A record by its number and its hash.' })
export class TrailCheckpointShape {
  @Shown({ type: 'int64', description: 'Its number; 0 for none.', example: 3 })
  sequence!: number;

  @Shown({ type: 'string', description: 'Its hash.', example: HASH })
  hash!: string;
}

@ObjectType('TrailVerification', { description: 'Whether a trail is as it was written.' })
export class TrailVerificationShape {
  @Shown({ type: () => TrailShape, description: 'The trail.' })
  trail!: Plain<TrailShape>;

  @Shown({ type: 'boolean', description: 'Whether every record holds, and the checkpoint if one was given.' })
  holds!: boolean;

  @Shown({ type: 'int64', description: 'How many records hold, from the first one on.', example: 3 })
  verified!: number;

  @Shown({ type: () => TrailCheckpointShape, description: 'The last one that holds.' })
  head!: Plain<TrailCheckpointShape>;

  @Shown({ type: () => TrailFaultShape, optional: true, description: 'The first that does not; null where all hold.' })
  fault!: Plain<TrailFaultShape> | null;

  @Shown({ type: () => TrailCheckpointShape, optional: true, description: 'The checkpoint that was given.' })
  checkpoint!: Plain<TrailCheckpointShape> | null;
}

export function trailVerificationShape(verdict: TrailVerdict): Plain<TrailVerificationShape> {
  return { ...verdict, holds: verdict.fault === null };
}

export const TRAIL_EXAMPLE: Plain<TrailShape> = {
  cluster: 'example',
  clusterId: 1,
  recordCount: 3,
  firstAt: new Date('2026-05-04T03:02:01.000Z'),
  lastAt: new Date('2026-05-04T03:12:01.000Z'),
  closedAt: null,
  hash: HASH,
};
