import { CompareScenario } from '../../app/scenarios/compare-scenario.js';
import { ReadScenarioOutcome } from '../../app/scenarios/read-scenario-outcome.js';
import { compareScenario, readScenarioOutcome } from '../../contract/scenarios/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

/** What hypothetical changes do, and what they make worse. */
export const SCENARIO_IMPACT_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(compareScenario, CompareScenario),
  answeredBy(readScenarioOutcome, ReadScenarioOutcome),
];
