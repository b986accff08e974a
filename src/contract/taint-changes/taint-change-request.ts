import { object } from '../schema.js';
import { editNodesInput } from '../scenarios/scenario-request.js';

export const DRY_RUN = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Only say what would happen: the same code runs, and nothing is stored.',
} as const;

export const PER_NODE = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Leave out nodes that refuse it and say why, instead of all nodes or none.',
} as const;

export const REASON = {
  type: 'string',
  optional: true,
  description: 'Why, for the record. Required unless it is a dry run.',
  example: 'The ML team moves in, see OPS-17',
} as const;

export const LINK = {
  type: 'string',
  optional: true,
  description: 'Where more is to be read: an http or https address, such as that of a ticket.',
  example: 'https://tickets.example.com/OPS-17',
} as const;

export const ON_BEHALF_OF = {
  type: 'string',
  optional: true,
  description:
    'For whom it is made, where that is another than the caller; needs the right to name somebody. The author is the ' +
    'caller in any case.',
} as const;

export const taintChangeFields = object(
  'TaintChangeFields',
  '',
  {
    ...editNodesInput.members,
    perNode: PER_NODE,
    dryRun: DRY_RUN,
    reason: REASON,
    link: LINK,
    expiresAt: {
      type: 'time',
      optional: true,
      description: 'When to take it back, by itself and on the record.',
    },
    onBehalfOf: ON_BEHALF_OF,
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
      description: 'Take it back even where somebody changed the same since.',
    },
    perNode: PER_NODE,
    dryRun: DRY_RUN,
    reason: REASON,
    link: LINK,
    onBehalfOf: ON_BEHALF_OF,
  },
  { openApiName: 'Revert' },
);
