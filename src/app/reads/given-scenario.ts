import { createHash } from 'node:crypto';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { Scenario } from '../../core/scenario/scenario.js';

/** A scenario as a question brings it. */
export interface GivenScenario {
  readonly scenario: Scenario;
  /** The same for equal scenarios, however their members are ordered; 22 characters. */
  readonly hash: string;
}

export function givenScenario(scenario: Scenario): GivenScenario {
  const canonical = stringifyJson(scenario, { sortKeys: true });
  return { scenario, hash: createHash('sha256').update(canonical).digest('base64url').slice(0, 22) };
}
