import { ranking } from '../../contract/placements/ranking.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const RankingShape = responseClass(ranking);
export type RankingShape = Response<typeof ranking>;
