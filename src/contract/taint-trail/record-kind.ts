import { enumType } from '../schema.js';

export const RECORD_KIND = enumType(
  'TrailRecordKind',
  'request: a change asked for here; change: a change of one node, made here or learnt of; found: what stood when the node ' +
    'was first seen; intent: what became of a change made here; attempt: a request that changed nothing; write: one of which it ' +
    'is not known what it wrote; withdrawn: a record that later evidence does not bear out; closed: the cluster was deleted here.',
  ['request', 'change', 'found', 'intent', 'attempt', 'write', 'withdrawn', 'closed'],
);

export const CHANNEL = enumType(
  'TrailChannel',
  'What a record was learnt from: this API, a snapshot, or an audit event of an API server.',
  ['api', 'snapshot', 'auditEvent'],
);
