import { CompareScenario } from '../../app/scenarios/compare-scenario.js';
import { compareScenario } from '../../contract/scenarios/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

/** What hypothetical changes make worse. */
export const SCENARIO_IMPACT_QUESTIONS: readonly AnyAnswered[] = [answeredBy(compareScenario, CompareScenario)];
