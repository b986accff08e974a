import { SCENARIO } from '../scenarios/scenario-request.js';
import { enumType } from '../schema.js';

export const REVISION = {
  type: 'integer',
  optional: true,
  minimum: 1,
  description: 'The revision to read. Default: the head.',
} as const;

export const AT = {
  type: 'time',
  optional: true,
  description: 'Read the state at this time (RFC 3339), by capture time.',
} as const;

export const MAX_AGE = {
  type: 'string',
  optional: true,
  maximumLength: 40,
  syntax: 'duration',
  description: 'Refuse a state that was captured longer ago than this: `90` (seconds), `5m`, `1h`.',
} as const;

export const INTENTS = {
  type: enumType('Intents', 'Whether unconfirmed changes made through this service count.', ['include', 'exclude']),
  optional: true,
  defaultsTo: 'include',
  description:
    'Whether taint changes made through this service count before a snapshot or an audit event confirms them.',
} as const;

export const RULES_VERSION_MEMBER = {
  type: 'string',
  optional: true,
  maximumLength: 40,
  syntax: 'rulesVersion',
  description:
    'The version of Kubernetes whose rules apply: `1.31` to `1.36`, or a patch release such as `v1.34.1` or `v1.34.1-eks-1a2b3c`. Default: that of the cluster.',
} as const;

/** Which revision a question reads, and by which rules. */
export const REVISION_MEMBERS = {
  revision: REVISION,
  at: AT,
  maxAge: MAX_AGE,
  rulesVersion: RULES_VERSION_MEMBER,
  intents: INTENTS,
} as const;

/** In a URL query, a scenario is JSON text. */
export const SCENARIO_TEXT = { ...SCENARIO, maximumLength: 32 * 1024 } as const;
