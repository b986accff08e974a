import { RankPlacedPod } from '../../app/pods/rank-placed-pod.js';
import { rankPlacedPod } from '../../contract/pods/pod-ranking-questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

/** Why running pods are where they are. */
export const POD_RANKING_QUESTIONS: readonly AnyAnswered[] = [answeredBy(rankPlacedPod, RankPlacedPod)];
