import { finish } from '../../core/collections/finish.js';
import { CHANGE_TYPES, type Scenario, type ScenarioChange } from '../../core/scenario/scenario.js';
import type { scenarioChangeInput, scenarioInput } from '../../contract/scenarios/scenario-request.js';
import type { Request } from '../../contract/schema.js';
import { Slices } from '../../event-loop/slices.js';
import { stepCanonicalHash } from '../canonical-hash.js';

/** The scenario of a request. */
export interface GivenScenario {
  readonly scenario: Scenario;
  /** A hash of 22 characters that is the same for equal scenarios, whatever the order of their members. */
  readonly hash: string;
}

export function givenScenario(scenario: Scenario): GivenScenario {
  return finish(stepGiven(scenario));
}

function* stepGiven(scenario: Scenario): Generator<undefined, GivenScenario> {
  return { scenario, hash: yield* stepCanonicalHash(scenario) };
}

export type ScenarioRequest = Request<typeof scenarioInput>;
type ScenarioChangeRequest = Request<typeof scenarioChangeInput>;

const read = new WeakMap<ScenarioRequest, GivenScenario>();

/** Reads the scenario from a request in time slices, if it has one: `scenarioOf` then finds it. */
export async function prepareScenario(body: ScenarioRequest | undefined): Promise<void> {
  if (body === undefined || read.has(body)) return;
  read.set(body, await new Slices().run(stepGiven(scenarioIn(body))));
}

/** Reads the scenario from a request. */
export function scenarioOf(body: ScenarioRequest): GivenScenario {
  let scenario = read.get(body);
  if (scenario === undefined) read.set(body, (scenario = givenScenario(scenarioIn(body))));
  return scenario;
}

const scenarioIn = ({ changes }: ScenarioRequest): Scenario => ({ changes: changes.map(changeOf) });

/** The scenario in the form of a request; `scenarioOf` reads it back. */
export function givenOf({ changes }: Scenario): object {
  return { changes: changes.map(({ type, ...change }) => ({ [type]: change })) };
}

function changeOf(body: ScenarioChangeRequest): ScenarioChange {
  const given = CHANGE_TYPES.filter((type) => body[type] !== undefined);
  const [type] = given;
  if (type === undefined || given.length > 1) return { type: 'unclear', given };
  return { type, ...(body[type] as object) } as ScenarioChange;
}
