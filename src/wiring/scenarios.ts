import { ScheduleReader } from '../app/evictions/schedule-reader.js';
import { ReadState } from '../app/reads/read-state.js';
import { CompareScenario } from '../app/scenarios/compare-scenario.js';
import { ReadScenarioOutcome } from '../app/scenarios/read-scenario-outcome.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { ScenarioStates } from '../app/states/scenario-states.js';
import { made } from './made.js';

export const SCENARIOS = [
  made(CompareScenario, ReadState, ScenarioStates, DerivedStateCache),
  made(ReadScenarioOutcome, ReadState, ScheduleReader, DerivedStateCache),
];
