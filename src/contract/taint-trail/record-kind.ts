import { enumType } from '../schema.js';

export const RECORD_KIND = enumType(
  'TrailRecordKind',
  'request: a change requested through this service; change: a change of one node, requested or observed; found: ' +
    'the state of a node when first seen; intent: the outcome of a requested change; application: a change is to be written to the cluster by this service, or that ended; applied: what became of one node; attempt: a request that ' +
    'changed nothing; write: a write with unknown effect; withdrawn: a record that later evidence does not ' +
    'support; closed: the cluster was deleted from this service; approval: a step of a change that needs approval.',
  [
    'request',
    'change',
    'found',
    'intent',
    'application',
    'applied',
    'attempt',
    'write',
    'withdrawn',
    'closed',
    'approval',
  ],
);

export const CHANNEL = enumType(
  'TrailChannel',
  'Source of a record: this API, a snapshot, or an audit event of an API server.',
  ['api', 'snapshot', 'auditEvent'],
);
