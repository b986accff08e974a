import { object } from '../schema.js';
import { applyOptionsInput } from './application.js';
import { editNodesInput } from '../scenarios/scenario-request.js';

export const DRY_RUN = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Dry run: report what would happen without storing it.',
} as const;

export const PER_NODE = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Skip nodes that refuse the change, instead of all or nothing.',
} as const;

export const REASON = {
  type: 'string',
  optional: true,
  description: 'Reason for the audit trail. Required except for a dry run.',
  example: 'The ML team moves in, see OPS-17',
} as const;

export const LINK = {
  type: 'string',
  optional: true,
  description: 'URL with more information (http or https), such as a ticket.',
  example: 'https://tickets.example.com/OPS-17',
} as const;

export const ON_BEHALF_OF = {
  type: 'string',
  optional: true,
  description:
    "On whose behalf the change is made, if not the caller's; requires the permission `onBehalfOf`. The author is " +
    'always the caller.',
} as const;

/** Members of a change that is written to the cluster. */
export const APPLY = {
  apply: {
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description:
      'Have the service write the change to the cluster. Needs the permission `apply`, a connection with `writes`, and a user who may patch nodes, or write DeviceTaintRules.',
  },
  applyOptions: { type: applyOptionsInput, optional: true, description: 'How it is written, with `apply`.' },
} as const;

export const EXPIRES_AT = {
  type: 'time',
  optional: true,
  description: 'When to revert the change automatically, on the record.',
} as const;

export const APPROVE_BY = {
  type: 'time',
  optional: true,
  description:
    'If a guardrail asks for approval: until when the change may be approved, within 30 days. The setting APPROVAL_MAX_AGE by default, and never beyond `expiresAt`.',
} as const;

export const decisionFields = object(
  'DecisionFields',
  '',
  { reason: { type: 'string', description: 'Reason for the audit trail.', example: 'Checked with the ML team' } },
  { openApiName: 'Decision' },
);

export const taintChangeFields = object(
  'TaintChangeFields',
  '',
  {
    ...editNodesInput.members,
    perNode: PER_NODE,
    dryRun: DRY_RUN,
    reason: REASON,
    link: LINK,
    expiresAt: EXPIRES_AT,
    approveBy: APPROVE_BY,
    onBehalfOf: ON_BEHALF_OF,
    ...APPLY,
  },
  { openApiName: 'TaintChange' },
);

export const revertFields = object(
  'RevertFields',
  '',
  {
    force: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Revert even if the same taints, labels or cordons have changed since.',
    },
    perNode: PER_NODE,
    dryRun: DRY_RUN,
    reason: REASON,
    link: LINK,
    approveBy: APPROVE_BY,
    onBehalfOf: ON_BEHALF_OF,
    ...APPLY,
  },
  { openApiName: 'Revert' },
);
