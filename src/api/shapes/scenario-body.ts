import {
  scenarioChangeInput,
  scenarioInput,
  SCENARIO,
  DIFF_SCENARIO,
} from '../../contract/scenarios/scenario-request.js';
import { requestClass } from '../contract/object-classes.js';
import type { Request } from '../../contract/schema.js';
import { givenScenario, type GivenScenario } from '../../app/reads/given-scenario.js';
import { CHANGE_TYPES, type ScenarioChange } from '../../core/scenario/scenario.js';

export const ScenarioChangeBody = requestClass(scenarioChangeInput);
export type ScenarioChangeBody = Request<typeof scenarioChangeInput>;

export const ScenarioBody = requestClass(scenarioInput);
export type ScenarioBody = Request<typeof scenarioInput>;

export { SCENARIO };

export { DIFF_SCENARIO };

const read = new WeakMap<ScenarioBody, GivenScenario>();

/** The scenario of a request. */
export function scenarioOf(body: ScenarioBody): GivenScenario {
  let scenario = read.get(body);
  if (scenario === undefined) read.set(body, (scenario = givenScenario({ changes: body.changes.map(changeOf) })));
  return scenario;
}

function changeOf(body: ScenarioChangeBody): ScenarioChange {
  const given = CHANGE_TYPES.filter((type) => body[type] !== undefined);
  const [type] = given;
  if (type === undefined || given.length > 1) return { type: 'unclear', given };
  return { type, ...(body[type] as object) } as ScenarioChange;
}
