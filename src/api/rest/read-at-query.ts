import { AT, INTENTS, MAX_AGE, REVISION, SCENARIO_TEXT } from '../../contract/common/revision.js';
import type { ScenarioRequest } from '../../app/reads/given-scenario.js';
import type { Intents } from '../../app/reads/read-at.js';
import { Given } from '../contract/field-decorators.js';

/** The query parameters of a read of one object. */
export class ReadQuery {
  @Given(REVISION)
  revision?: number;

  @Given(AT)
  at?: string;

  @Given(MAX_AGE)
  maxAge?: string;

  @Given(INTENTS)
  intents?: Intents;

  @Given(SCENARIO_TEXT)
  scenario?: ScenarioRequest;
}
