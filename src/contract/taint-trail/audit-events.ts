import { RECORD_KIND } from './record-kind.js';
import { enumType, object } from '../schema.js';

export const IGNORED_EVENT = enumType('IgnoredAuditEventReason', 'Why an audit event is ignored.', [
  'levelNone',
  'otherResource',
  'otherSubresource',
  'notAWrite',
  'namesNoNode',
]);

export const ignoredAuditEvents = object(
  'IgnoredAuditEvents',
  'Number of audit events that were ignored for one reason.',
  {
    reason: {
      type: IGNORED_EVENT,
      description:
        '`otherResource`: not about nodes; `notAWrite`: a read; `otherSubresource`: a subresource of a node, such as ' +
        '`proxy`; `namesNoNode`: a collection of nodes; `levelNone`: excluded by the audit policy.',
      example: 'otherResource',
    },
    count: { type: 'integer', description: 'Number of events.', example: 41 },
  },
);

export const auditEventProblem = object('AuditEventProblem', 'An error in one audit event.', {
  item: { type: 'integer', description: 'Position of the event in the body, from 0.', example: 3 },
  line: { type: 'integer', description: 'Line of the body on which the event starts, from 1.', example: 4 },
  pointer: {
    type: 'identifier',
    description: 'JSON pointer to the field in the event; empty if the event is not JSON.',
    example: '/stageTimestamp',
  },
  message: {
    type: 'string',
    description: 'Error message.',
    example: 'must be a time as in RFC 3339',
  },
});

export const auditEventProblems = object('AuditEventProblems', 'Errors in audit events, abridged.', {
  count: { type: 'integer', description: 'Number of errors.', example: 0 },
  first: { type: auditEventProblem, list: true, description: 'The first errors.', example: [] },
});

export const addedTrailRecords = object('AddedTrailRecords', 'Added records of one kind.', {
  kind: {
    type: RECORD_KIND,
    description: RECORD_KIND.description,
    example: 'change',
  },
  count: { type: 'integer', description: 'Number of records.', example: 1 },
});

export const nodeNames = object('NodeNames', 'Node names, abridged.', {
  count: { type: 'integer', description: 'Number of distinct names; counting stops at 100,000.', example: 1 },
  first: { type: 'string', list: true, description: 'The first names.', example: ['node-1'] },
});

export const takenAuditEvents = object(
  'TakenAuditEvents',
  'Result of an upload of audit events. Each event is kept, a duplicate, ignored or invalid.',
  {
    cluster: { type: 'identifier', description: 'Cluster name.', example: 'example' },
    bytesRead: { type: 'int64', description: 'Received size in bytes.', example: 1043 },
    bytesDecoded: { type: 'int64', description: 'Decompressed size in bytes.', example: 1043 },
    received: { type: 'integer', description: 'Events in the body.', example: 1 },
    kept: { type: 'integer', description: 'Stored events about writes to nodes and DeviceTaintRules.', example: 1 },
    duplicates: {
      type: 'integer',
      description: 'Events already stored, or repeated in the body.',
      example: 0,
    },
    ignored: {
      type: ignoredAuditEvents,
      list: true,
      description: 'Ignored events by reason, the most frequent reason first.',
      example: [],
    },
    invalid: { type: 'integer', description: 'Events that cannot be read.', example: 0 },
    problems: { type: auditEventProblems, description: 'Errors in the invalid events.' },
    records: {
      type: addedTrailRecords,
      list: true,
      description: 'Records added to the trail, by kind. A record that replaces others names them in `supersedes`.',
    },
    nodes: { type: nodeNames, description: 'Nodes that the kept events are about.' },
    deviceTaintRules: {
      type: nodeNames,
      description: 'DeviceTaintRules that the kept events are about.',
      example: { count: 0, first: [] },
    },
    unknownNodes: {
      type: nodeNames,
      description: 'Nodes of the kept events that no stored snapshot contains. The events may be from another cluster.',
      example: { count: 0, first: [] },
    },
  },
);

export const auditEventsQueryRequest = object(
  'AuditEventsQuery',
  '',
  {
    timeout: {
      type: 'identifier',
      optional: true,
      maximumLength: 40,
      description: 'Timeout that the webhook of the API server appends. Ignored.',
    },
  },
  { restOnly: true },
);

const MAX_TEXT_CHARACTERS = 16 * 1024 * 1024;

export const addAuditEventsInput = object(
  'AddAuditEventsInput',
  'For a small number of events. Use REST to stream many.',
  {
    cluster: { type: 'identifier', description: 'Cluster name.' },
    events: {
      type: 'json',
      optional: true,
      description: 'An Event or an EventList of audit.k8s.io/v1, or an array of them.',
    },
    text: {
      type: 'string',
      optional: true,
      maximumLength: MAX_TEXT_CHARACTERS,
      description: 'The events as text: JSON, or one event per line. Exactly one of `text` and `events` is required.',
    },
  },
);

export const addAuditEventsArgumentsRequest = object(
  'AddAuditEventsArguments',
  '',
  {
    input: { type: addAuditEventsInput, description: 'The events.' },
  },
  { restOnly: true },
);

/** Alice taints a node with kubectl, as the webhook of an API server reports it. */
export const AUDIT_EVENTS_EXAMPLE = {
  kind: 'EventList',
  apiVersion: 'audit.k8s.io/v1',
  metadata: {},
  items: [
    {
      level: 'RequestResponse',
      auditID: 'f8f6566c-5a34-406a-92f9-87d1a30a3075',
      stage: 'ResponseComplete',
      requestURI: '/api/v1/nodes/node-1?fieldManager=kubectl-taint&fieldValidation=Strict',
      verb: 'patch',
      user: { username: 'alice', groups: ['ops', 'system:authenticated'] },
      sourceIPs: ['192.0.2.10'],
      userAgent: 'kubectl/v1.36.2 (linux/amd64) kubernetes/98b3519',
      objectRef: { resource: 'nodes', name: 'node-1', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 200 },
      requestObject: { spec: { taints: [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }] } },
      responseObject: {
        kind: 'Node',
        apiVersion: 'v1',
        metadata: { name: 'node-1', uid: 'da1c74cc-6c68-4c46-9a04-3ce7934251f8', resourceVersion: '343' },
        spec: { taints: [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }] },
      },
      requestReceivedTimestamp: '2026-05-04T03:02:00.800730Z',
      stageTimestamp: '2026-05-04T03:02:00.804783Z',
    },
  ],
};
