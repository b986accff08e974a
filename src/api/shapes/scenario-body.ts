import { scenarioInput, SCENARIO } from '../../contract/scenarios/scenario-request.js';
import { requestClass } from '../contract/object-classes.js';
import type { Request } from '../../contract/schema.js';

export const ScenarioBody = requestClass(scenarioInput);
export type ScenarioBody = Request<typeof scenarioInput>;

export { SCENARIO };
