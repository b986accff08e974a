import { ReadState } from '../app/reads/read-state.js';
import { CompareScenario } from '../app/scenarios/compare-scenario.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { ScenarioStates } from '../app/states/scenario-states.js';
import { made } from './made.js';

export const SCENARIOS = [made(CompareScenario, ReadState, ScenarioStates, DerivedStateCache)];
