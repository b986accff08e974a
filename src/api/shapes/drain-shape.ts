import { drainedPod, drainHead } from '../../contract/disruptions/drain.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const DrainedPodShape = responseClass(drainedPod);
export type DrainedPodShape = Response<typeof drainedPod>;

export const DrainHeadShape = responseClass(drainHead);
export type DrainHeadShape = Response<typeof drainHead>;
