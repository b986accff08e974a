import { ListDisruptionBudgets } from '../../app/disruptions/list-disruption-budgets.js';
import { PlanDrain } from '../../app/disruptions/plan-drain.js';
import { ReadDisruptionKinds } from '../../app/disruptions/read-disruption-kinds.js';
import { RankEvictions, readUsage } from '../../app/disruptions/rank-evictions.js';
import * as disruptions from '../../contract/disruptions/questions.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { readDrain } from '../../app/disruptions/drain-request.js';
import { errorsOfCheck } from './check-errors.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

interface GivenUsage {
  readonly usage?: JsonValue;
}

export const DISRUPTION_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(disruptions.planDrain, PlanDrain, { crossFieldErrors: errorsOfCheck(readDrain) }),
  answeredBy(disruptions.listDisruptionBudgets, ListDisruptionBudgets),
  answeredBy(disruptions.rankEvictions, RankEvictions, {
    crossFieldErrors: errorsOfCheck(({ usage = {} }: GivenUsage) => readUsage(usage)),
  }),
  answeredBy(disruptions.readDisruptionKinds, ReadDisruptionKinds),
];
