import { trail, trailHead, trailVerification, TRAIL_EXAMPLE } from '../../contract/taint-trail/trail.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { TrailHead } from '../../app/taint-trail/read-trail-head.js';
import type { TrailVerdict } from '../../app/taint-trail/verify-trail.js';
import type { Plain } from './plain.js';

export const TrailShape = responseClass(trail);
export type TrailShape = Response<typeof trail>;

export const TrailHeadShape = responseClass(trailHead);
export type TrailHeadShape = Response<typeof trailHead>;

export function trailHeadShape({ checkpoint, signed }: TrailHead): Plain<TrailHeadShape> {
  return { ...checkpoint, signature: signed?.signature ?? null, publicKey: signed?.publicKey ?? null };
}

export const TrailVerificationShape = responseClass(trailVerification);
export type TrailVerificationShape = Response<typeof trailVerification>;

export function trailVerificationShape(verdict: TrailVerdict): Plain<TrailVerificationShape> {
  return { ...verdict, holds: verdict.fault === null };
}

export { TRAIL_EXAMPLE };
