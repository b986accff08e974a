import { defined } from '../../core/collections/defined.js';
import { manifestChecksOf } from '../manifests/manifest-checks.js';
import { type ScenarioRequest, scenarioOf } from './given-scenario.js';
import type { Intents, ReadAt } from './read-at.js';
import { maxAgeSeconds } from './read-moment.js';
import { readRulesVersion } from './rules-of-revision.js';

/** The selection of a stored state as in the request, where times and durations are strings. */
export interface GivenReadAt {
  readonly revision?: number;
  readonly at?: string;
  readonly maxAge?: string;
  readonly rulesVersion?: string;
  readonly intents?: Intents;
  readonly scenario?: ScenarioRequest;
}

/**
 * @param scenario the scenario of the request's body, if it has one; by default that of the query
 * @throws {InvalidRequestError} if `maxAge` is not a duration, or the rules of `rulesVersion` are not known
 */
export function readAtOf(given: GivenReadAt, scenario = given.scenario): ReadAt {
  const { revision, at, maxAge, rulesVersion, intents } = given;
  return {
    ...defined({ revision }),
    ...(at === undefined ? {} : { at: new Date(at) }),
    ...maxAgeSeconds(maxAge),
    ...(rulesVersion === undefined ? {} : { rulesVersion: readRulesVersion(rulesVersion, 'rulesVersion') }),
    ...defined({ intents }),
    ...(scenario === undefined ? {} : { scenario: scenarioOf(scenario) }),
    ...defined({ manifests: manifestChecksOf(given) }),
  };
}
