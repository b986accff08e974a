import { answerBasis } from '../common/basis.js';
import { POD_SUBJECT } from '../common/pod-subject.js';
import { landings } from '../evictions/landing.js';
import { object } from '../schema.js';
import { taintChange, taintChangeOutcome } from '../taint-changes/taint-change.js';
import {
  APPLY,
  APPROVE_BY,
  DRY_RUN,
  EXPIRES_AT,
  LINK,
  ON_BEHALF_OF,
  REASON,
} from '../taint-changes/taint-change-request.js';
import { deviceTaintRuleChange } from './device-taint-rule-change.js';

export const deviceTaintChangeFields = object(
  'DeviceTaintChangeFields',
  '',
  {
    put: {
      type: 'kubernetesObject',
      optional: true,
      description:
        'The DeviceTaintRule to create or to replace, as a manifest. Exactly one of `put` and `remove` is required.',
      example: {
        apiVersion: 'resource.k8s.io/v1beta2',
        kind: 'DeviceTaintRule',
        metadata: { name: 'broken-gpu' },
        spec: {
          deviceSelector: { driver: 'gpu.example.com', pool: 'node-1', device: 'gpu-0' },
          taint: { key: 'example.com/broken', value: 'true', effect: 'NoExecute' },
        },
      },
    },
    remove: { type: 'identifier', optional: true, description: 'Name of the DeviceTaintRule to remove.' },
    featureGates: POD_SUBJECT.featureGates,
    dryRun: DRY_RUN,
    reason: REASON,
    link: LINK,
    expiresAt: EXPIRES_AT,
    approveBy: APPROVE_BY,
    onBehalfOf: ON_BEHALF_OF,
    ...APPLY,
  },
  { openApiName: 'DeviceTaintChange' },
);

export const deviceTaintChangeOutcome = object(
  'DeviceTaintChangeResponse',
  'A change of a DeviceTaintRule that was recorded, or a preview of one.',
  {
    basis: { type: answerBasis, description: 'The state that was evaluated.' },
    dryRun: { type: 'boolean', description: 'True for a dry run: nothing was stored.', example: false },
    replayed: {
      type: 'boolean',
      description: 'True if this is the response to an earlier request with the same idempotency key.',
      example: false,
    },
    change: {
      type: taintChange,
      optional: true,
      description:
        'The recorded change, made or waiting for approval; null for a dry run, and if the rule is as it should be.',
    },
    ...deviceTaintRuleChange.members,
    landing: {
      type: landings,
      optional: true,
      description: 'Where replacements of the evicted pods are scheduled; null for a replayed response.',
    },
    kubectl: {
      type: 'string',
      list: true,
      description: 'Commands that make the same change in the cluster.',
      example: ['kubectl delete devicetaintrule broken-gpu'],
    },
    guardrails: taintChangeOutcome.members.guardrails,
  },
);
