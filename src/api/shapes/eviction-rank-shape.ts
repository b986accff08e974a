import { evictionRankInput, rankedPod, evictionRankHead } from '../../contract/disruptions/eviction-rank.js';
import { responseClass, requestClass } from '../contract/object-classes.js';
import type { Response, Request } from '../../contract/schema.js';

export const EvictionRankQuestionBody = requestClass(evictionRankInput);
export type EvictionRankQuestionBody = Request<typeof evictionRankInput>;

export const RankedPodShape = responseClass(rankedPod);
export type RankedPodShape = Response<typeof rankedPod>;

export const EvictionRankHeadShape = responseClass(evictionRankHead);
export type EvictionRankHeadShape = Response<typeof evictionRankHead>;
