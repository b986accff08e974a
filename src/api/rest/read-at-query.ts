import { defined } from '../../core/collections/defined.js';
import { AT, INTENTS, MAX_AGE, REVISION, SCENARIO_TEXT } from '../../contract/common/revision.js';
import type { Intents, ReadAt } from '../../app/reads/read-at.js';
import { maxAgeSeconds } from '../../app/reads/read-moment.js';
import { Given } from '../shapes/property.js';
import { scenarioOf } from '../../app/reads/given-scenario.js';
import type { ScenarioBody } from '../shapes/scenario-body.js';

export { AT, INTENTS, MAX_AGE, REVISION, SCENARIO_TEXT };

/** The query parameters of a question whose body may bring a scenario. */
export class StateQuery {
  @Given(REVISION)
  revision?: number;

  @Given(AT)
  at?: string;

  @Given(MAX_AGE)
  maxAge?: string;

  @Given(INTENTS)
  intents?: Intents;
}

/** The query parameters of every read of one object. */
export class ReadQuery extends StateQuery {
  @Given(SCENARIO_TEXT)
  scenario?: ScenarioBody;
}

/** A time is text in both transports: the `DateTime` of GraphQL is only checked. */
export interface GivenReadAt {
  readonly revision?: number;
  readonly at?: string;
  readonly maxAge?: string;
  readonly intents?: Intents;
  readonly scenario?: ScenarioBody;
}

/**
 * @param scenario where it stands in the body; else it is that of the query
 * @throws {InvalidRequestError} for a duration that is none
 */
export function readAtOf(given: GivenReadAt, scenario = given.scenario): ReadAt {
  const { revision, at, maxAge, intents } = given;
  return {
    ...defined({ revision }),
    ...(at === undefined ? {} : { at: new Date(at) }),
    ...maxAgeSeconds(maxAge),
    ...defined({ intents }),
    ...(scenario === undefined ? {} : { scenario: scenarioOf(scenario) }),
  };
}
