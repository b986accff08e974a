import { SCENARIO } from '../scenarios/scenario-request.js';
import { enumType } from '../schema.js';

export const REVISION = {
  type: 'integer',
  optional: true,
  minimum: 1,
  description: 'Answer from this revision; by default from the head.',
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

export const INTENTS = {
  type: enumType('Intents', 'Whether changes made here count before the cluster confirms them.', [
    'include',
    'exclude',
  ]),
  optional: true,
  defaultsTo: 'include',
  description: 'Whether changes of taints that were made here count before a snapshot or an audit event confirms them.',
} as const;

/** Which revision a question reads. */
export const REVISION_MEMBERS = { revision: REVISION, at: AT, maxAge: MAX_AGE, intents: INTENTS } as const;

/** In the query of an address a scenario is JSON text. */
export const SCENARIO_TEXT = { ...SCENARIO, maximumLength: 32 * 1024 } as const;
