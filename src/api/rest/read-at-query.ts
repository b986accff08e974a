import type { PageRequest } from '../../app/paging/page.js';
import type { Intents, ReadAt } from '../../app/reads/read-at.js';
import { maxAgeSeconds } from '../moment.js';
import { wordsType } from '../shapes/property-type.js';
import { Given } from '../shapes/property.js';
import { SCENARIO, scenarioOf, type ScenarioBody } from '../shapes/scenario-body.js';
import { PageQuery, pageRequest } from './page-query.js';

export const REVISION = {
  type: 'integer',
  optional: true,
  minimum: 1,
  description: 'Answer from this revision; the head unless told.',
} as const;

export const AT = {
  type: 'time',
  optional: true,
  description: 'Answer from the state as of this moment, an RFC 3339 time, by when states were captured.',
} as const;

export const MAX_AGE = {
  type: 'string',
  optional: true,
  maximumLength: 40,
  description: 'Refuse to answer from a state that was captured longer ago than this: `90` (seconds), `5m`, `1h`.',
} as const;

const INTENTS_WORDS = wordsType('Intents', 'Whether changes made here count before the cluster confirms them.', [
  'include',
  'exclude',
]);

export const INTENTS = {
  type: INTENTS_WORDS,
  optional: true,
  defaultsTo: 'include',
  description: 'Whether changes of taints that were made here count before a snapshot or an audit event confirms them.',
} as const;

/** In the query of an address a scenario is JSON text. */
export const SCENARIO_TEXT = { ...SCENARIO, maximumLength: 32 * 1024 } as const;

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

/** The query parameters of a list whose body may bring a scenario. */
export class StatePageQuery extends PageQuery {
  @Given(REVISION)
  revision?: number;

  @Given(AT)
  at?: string;

  @Given(MAX_AGE)
  maxAge?: string;

  @Given(INTENTS)
  intents?: Intents;
}

/** The query parameters of every list that rests on a revision; a list's own ones extend it. */
export class ReadPageQuery extends StatePageQuery {
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
    ...(revision === undefined ? {} : { revision }),
    ...(at === undefined ? {} : { at: new Date(at) }),
    ...maxAgeSeconds(maxAge),
    ...(intents === undefined ? {} : { intents }),
    ...(scenario === undefined ? {} : { scenario: scenarioOf(scenario) }),
  };
}

/** What all lists of one cluster take. */
export function listRequest(
  cluster: string,
  query: StatePageQuery & GivenReadAt,
  scenario?: ScenarioBody,
): { readonly cluster: string; readonly readAt: ReadAt; readonly page: PageRequest } {
  return { cluster, readAt: readAtOf(query, scenario), page: pageRequest(query) };
}
