import { AT, INTENTS, MAX_AGE, REVISION, SCENARIO_TEXT, RULES_VERSION_MEMBER } from '../../contract/common/revision.js';
import type { ScenarioRequest } from '../../app/reads/given-scenario.js';
import type { Intents } from '../../app/reads/read-at.js';
import { RequestField } from '../contract/field-decorators.js';

/** The query parameters for reading an object. */
export class ReadQuery {
  @RequestField(REVISION)
  revision?: number;

  @RequestField(AT)
  at?: string;

  @RequestField(MAX_AGE)
  maxAge?: string;

  @RequestField(RULES_VERSION_MEMBER)
  rulesVersion?: string;

  @RequestField(INTENTS)
  intents?: Intents;

  @RequestField(SCENARIO_TEXT)
  scenario?: ScenarioRequest;
}
