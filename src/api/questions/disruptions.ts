import { ListDisruptionBudgets } from '../../app/disruptions/list-disruption-budgets.js';
import { PlanDrain } from '../../app/disruptions/plan-drain.js';
import { ReadDisruptionKinds } from '../../app/disruptions/read-disruption-kinds.js';
import { RankEvictions } from '../../app/disruptions/rank-evictions.js';
import * as disruptions from '../../contract/disruptions/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

export const DISRUPTION_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(disruptions.planDrain, PlanDrain),
  answeredBy(disruptions.listDisruptionBudgets, ListDisruptionBudgets),
  answeredBy(disruptions.rankEvictions, RankEvictions),
  answeredBy(disruptions.readDisruptionKinds, ReadDisruptionKinds),
];
