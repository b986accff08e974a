import { IMPACT_KINDS_FILTER, scenarioImpact, scenarioImpactCounts } from '../../contract/scenarios/scenario-impact.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export { IMPACT_KINDS_FILTER };

export const ScenarioImpactShape = responseClass(scenarioImpact);
export type ScenarioImpactShape = Response<typeof scenarioImpact>;

export const ScenarioImpactCountsShape = responseClass(scenarioImpactCounts);
export type ScenarioImpactCountsShape = Response<typeof scenarioImpactCounts>;
