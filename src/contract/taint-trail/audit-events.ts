import { RECORD_KIND } from './record-kind.js';
import { enumType, object } from '../schema.js';

export const IGNORED_EVENT = enumType('IgnoredAuditEventReason', 'Why an audit event is of no interest here.', [
  'levelNone',
  'otherResource',
  'otherSubresource',
  'notAWrite',
  'namesNoNode',
]);

export const ignoredAuditEvents = object(
  'IgnoredAuditEvents',
  'Audit events that are of no interest here, for one reason.',
  {
    reason: {
      type: IGNORED_EVENT,
      description:
        '`otherResource`: about something else than nodes; `notAWrite`: it only reads; `otherSubresource`: of a node, such ' +
        'as `proxy`; `namesNoNode`: about many nodes at once; `levelNone`: the audit policy had nothing written down.',
      example: 'otherResource',
    },
    count: { type: 'integer', description: 'How many.', example: 41 },
  },
);

export const auditEventProblem = object('AuditEventProblem', 'Something that is wrong with one audit event.', {
  item: { type: 'integer', description: 'Position of the event in the body, from 0.', example: 3 },
  line: { type: 'integer', description: 'The line of the body on which it begins, from 1.', example: 4 },
  pointer: {
    type: 'string',
    description: 'The field, as a JSON pointer into the event; empty where it is no JSON.',
    example: '/stageTimestamp',
  },
  message: { type: 'string', description: 'In words.', example: 'must be a time as in RFC 3339' },
});

export const auditEventProblems = object('AuditEventProblems', 'What is wrong with audit events, shortened.', {
  count: { type: 'integer', description: 'How many there are.', example: 0 },
  first: { type: auditEventProblem, list: true, description: 'The first of them.', example: [] },
});

export const addedTrailRecords = object('AddedTrailRecords', 'Records of one kind that the trail was given.', {
  kind: {
    type: RECORD_KIND,
    description:
      '`change`: a change of one node; `attempt`: a request that changed nothing, refused, failed or a dry run; `write`: ' +
      'one of which it is not known what it wrote; `found`: what stood when it was first seen; `intent`: what became of ' +
      'a change made here; `withdrawn`: a record that does not hold any more.',
    example: 'change',
  },
  count: { type: 'integer', description: 'How many.', example: 1 },
});

export const nodeNames = object('NodeNames', 'Names of nodes.', {
  count: { type: 'integer', description: 'How many there are, of up to 100,000 that are told apart.', example: 1 },
  first: { type: 'string', list: true, description: 'The first of them.', example: ['node-1'] },
});

export const takenAuditEvents = object(
  'TakenAuditEvents',
  'What became of a body of audit events. Each event is either kept, or a duplicate, or ignored, or invalid.',
  {
    cluster: { type: 'string', description: 'The cluster.', example: 'example' },
    bytesRead: { type: 'int64', description: 'Bytes as they were received.', example: 1043 },
    bytesDecoded: { type: 'int64', description: 'Bytes once they were unpacked.', example: 1043 },
    received: { type: 'integer', description: 'Events, whatever they are about.', example: 1 },
    kept: { type: 'integer', description: 'Events about writes to nodes that are kept from now on.', example: 1 },
    duplicates: {
      type: 'integer',
      description: 'Events that had been kept before, or come twice in the body.',
      example: 0,
    },
    ignored: {
      type: ignoredAuditEvents,
      list: true,
      description: 'Events that are left out, the most frequent reason first.',
      example: [],
    },
    invalid: { type: 'integer', description: 'Events that cannot be read.', example: 0 },
    problems: { type: auditEventProblems, description: 'What is wrong with those.' },
    records: {
      type: addedTrailRecords,
      list: true,
      description: 'Records that the trail was given, by kind; those that take the place of others name them.',
    },
    nodes: { type: nodeNames, description: 'The nodes that kept events are about.' },
    unknownNodes: {
      type: nodeNames,
      description: 'Those of them that no stored snapshot shows: perhaps the events are of another cluster.',
      example: { count: 0, first: [] },
    },
  },
);

export const auditEventsQueryRequest = object(
  'AuditEventsQuery',
  '',
  {
    timeout: {
      type: 'string',
      optional: true,
      maximumLength: 40,
      description: "How long the API server's webhook waits for an answer, which it says by itself. Without effect.",
    },
  },
  { restOnly: true },
);

const LONGEST_TEXT = 16 * 1024 * 1024;

export const addAuditEventsInput = object('AddAuditEventsInput', 'For few events; many are streamed over REST.', {
  cluster: { type: 'string', description: 'The cluster.' },
  events: {
    type: 'json',
    optional: true,
    description: 'An Event or an EventList of audit.k8s.io/v1, or an array of them.',
  },
  text: {
    type: 'string',
    optional: true,
    maximumLength: LONGEST_TEXT,
    description: 'The same as text: JSON, or one event on each line. Either this or `events`.',
  },
});

export const addAuditEventsArgumentsRequest = object(
  'AddAuditEventsArguments',
  '',
  {
    input: { type: addAuditEventsInput, description: 'The events.' },
  },
  { restOnly: true },
);

/** Alice taints a node with kubectl, as an API server's webhook tells of it. */
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
