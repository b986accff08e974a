import { podRanking } from '../../contract/pods/pod-ranking.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const PodRankingShape = responseClass(podRanking);
export type PodRankingShape = Response<typeof podRanking>;
