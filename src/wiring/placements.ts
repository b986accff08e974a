import { AcrossClusters } from '../app/across-clusters.js';
import { DecisionRecorder } from '../app/decisions/decision-recorder.js';
import { EvaluatePlacement } from '../app/placements/evaluate-placement.js';
import { EvaluatedPlacements } from '../app/placements/evaluated-placements.js';
import { KeptAnswers } from '../app/placements/kept-answers.js';
import { PlacePodAcrossClusters } from '../app/placements/place-pod-across-clusters.js';
import { PlacePod } from '../app/placements/place-pod.js';
import { PlacePods } from '../app/placements/place-pods.js';
import { ReadState } from '../app/reads/read-state.js';
import { ServiceMetrics } from '../app/service-metrics.js';
import { made } from './made.js';

export const PLACEMENTS = [
  made(EvaluatedPlacements),
  made(EvaluatePlacement, ReadState, EvaluatedPlacements, ServiceMetrics),
  made(KeptAnswers, EvaluatedPlacements),
  made(PlacePod, EvaluatePlacement, ReadState, DecisionRecorder, KeptAnswers),
  made(PlacePods, ReadState, EvaluatePlacement),
  made(PlacePodAcrossClusters, AcrossClusters, EvaluatePlacement),
];
