import { question } from '../question.js';
import { deviceTaintChangeFields, deviceTaintChangeOutcome } from './device-taint-change.js';

export const changeDeviceTaints = question({
  id: 'deviceTaintChanges.change',
  summary: 'Change a DeviceTaintRule',
  description:
    'Records that a DeviceTaintRule is to be created, replaced or removed, with who asked for it and why; or previews that with ' +
    '`dryRun`: which devices the rule covers, which pods it evicts and when, and where their replacements go. The change is an ' +
    'intent, which is made with the commands in `kubectl`, or by the service with `apply`: the stored state has it once the cluster shows it, and then its ' +
    'status is `confirmed`. The guardrails of the cluster can refuse it, or make it wait for approval. Returns 200 if nothing was stored.',
  method: 'POST',
  path: 'clusters/{cluster}/device-taint-changes',
  permission: 'change',
  dryRunPermission: 'evaluate',
  headers: {
    'If-Match': 'Refuse with 412 and the differences unless the cluster is at this revision (`"7"`).',
    'Idempotency-Key': 'A repeated request with the same key is executed once and gets the original response.',
  },
  body: { type: deviceTaintChangeFields, description: 'The rule.' },
  response: deviceTaintChangeOutcome,
  statuses: { 201: 'Recorded.', 202: 'The change waits for approval.', 200: 'Nothing was stored.' },
  errors: [
    'cluster-not-found',
    'no-snapshot',
    'object-not-found',
    'guardrail-refused',
    'precondition-failed',
    'idempotency-key-reused',
    'too-many-changes',
    'budget-exceeded',
    'apply-not-allowed',
  ],
  examples: {
    parameters: { cluster: 'example' },
    body: {
      put: deviceTaintChangeFields.members.put.example,
      reason: 'ECC errors, see OPS-23',
    },
  },
  graphql: {
    on: 'Mutation',
    name: 'changeDeviceTaints',
    description: 'Records a change of a DeviceTaintRule, or previews it.',
    input: { type: 'DeviceTaintChangeInput', description: 'The rule.' },
  },
});
