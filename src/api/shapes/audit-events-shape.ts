import { ArgsType, InputType, ObjectType } from '@nestjs/graphql';
import type { JsonValue } from '../../core/json/json-value.js';
import type { TakenAuditEvents } from '../../app/taint-trail/take-audit-events.js';
import type { Plain } from './plain.js';
import { Given, Shown } from './property.js';

@ObjectType('IgnoredAuditEvents', { description: 'Audit events that are of no interest here, for one reason.' })
export class IgnoredAuditEventsShape {
  @Shown({
    type: 'string',
    description:
      '`otherResource`: about something else than nodes; `notAWrite`: it only reads; `otherSubresource`: of a node, such ' +
      'as `proxy`; `namesNoNode`: about many nodes at once; `levelNone`: the audit policy had nothing written down.',
    example: 'otherResource',
  })
  reason!: string;

  @Shown({ type: 'integer', description: 'How many.', example: 41 })
  count!: number;
}

@ObjectType('AuditEventProblem', { description: 'Something that is wrong with one audit event.' })
export class AuditEventProblemShape {
  @Shown({ type: 'integer', description: 'Position of the event in the body, from 0.', example: 3 })
  item!: number;

  @Shown({ type: 'integer', description: 'The line of the body on which it begins, from 1.', example: 4 })
  line!: number;

  @Shown({
    type: 'string',
    description: 'The field, as a JSON pointer into the event; empty where it is no JSON.',
    example: '/stageTimestamp',
  })
  pointer!: string;

  @Shown({ type: 'string', description: 'In words.', example: 'must be a time as in RFC 3339' })
  message!: string;
}

@ObjectType('AuditEventProblems')
export class AuditEventProblemsShape {
  @Shown({ type: 'integer', description: 'How many there are.', example: 0 })
  count!: number;

  @Shown({ type: () => AuditEventProblemShape, list: true, description: 'The first of them.' })
  first!: readonly Plain<AuditEventProblemShape>[];
}

@ObjectType('AddedTrailRecords', { description: 'Records of one kind that the trail was given.' })
export class AddedTrailRecordsShape {
  @Shown({
    type: 'string',
    description:
      '`change`: a change of one node; `attempt`: a request that changed nothing, refused, failed or a dry run; `write`: ' +
      'one of which it is not known what it wrote; `found`: what stood when it was first seen; `intent`: what became of ' +
      'a change made here; `withdrawn`: a record that does not hold any more.',
    example: 'change',
  })
  kind!: string;

  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  count!: number;
}

@ObjectType('NodeNames', { description: 'Names of nodes.' })
export class NodeNamesShape {
  @Shown({ type: 'integer', description: 'How many there are, of up to 100,000 that are told apart.', example: 1 })
  count!: number;

  @Shown({ type: 'string', list: true, description: 'The first of them.', example: ['node-1'] })
  first!: readonly string[];
}

@ObjectType('TakenAuditEvents', {
  description:
    'What became of a body of audit events. Each event is either kept, or a duplicate, or ignored, or invalid.',
})
export class TakenAuditEventsShape {
  @Shown({ type: 'string', description: 'The cluster.', example: 'example' })
  cluster!: string;

  @Shown({ type: 'int64', description: 'Bytes as they were received.', example: 1024 })
  bytesRead!: number;

  @Shown({ type: 'int64', description: 'Bytes once they were unpacked.', example: 8192 })
  bytesDecoded!: number;

  @Shown({ type: 'integer', description: 'Events, whatever they are about.', example: 42 })
  received!: number;

  @Shown({ type: 'integer', description: 'Events about writes to nodes that are kept from now on.', example: 1 })
  kept!: number;

  @Shown({ type: 'integer', description: 'Events that had been kept before, or come twice in the body.', example: 0 })
  duplicates!: number;

  @Shown({
    type: () => IgnoredAuditEventsShape,
    list: true,
    description: 'Events that are left out, the most frequent reason first.',
  })
  ignored!: readonly Plain<IgnoredAuditEventsShape>[];

  @Shown({ type: 'integer', description: 'Events that cannot be read.', example: 0 })
  invalid!: number;

  @Shown({ type: () => AuditEventProblemsShape, description: 'What is wrong with those.' })
  problems!: Plain<AuditEventProblemsShape>;

  @Shown({
    type: () => AddedTrailRecordsShape,
    list: true,
    description: 'Records that the trail was given, by kind; those that take the place of others name them.',
  })
  records!: readonly Plain<AddedTrailRecordsShape>[];

  @Shown({ type: () => NodeNamesShape, description: 'The nodes that kept events are about.' })
  nodes!: Plain<NodeNamesShape>;

  @Shown({
    type: () => NodeNamesShape,
    description: 'Those of them that no stored snapshot shows: perhaps the events are of another cluster.',
  })
  unknownNodes!: Plain<NodeNamesShape>;
}

export function takenAuditEventsShape(taken: TakenAuditEvents): Plain<TakenAuditEventsShape> {
  return taken;
}

export class AuditEventsQuery {
  @Given({
    type: 'string',
    optional: true,
    maximumLength: 40,
    description: "How long the API server's webhook waits for an answer, which it says by itself. Without effect.",
  })
  timeout?: string;
}

const LONGEST_TEXT = 16 * 1024 * 1024;

@InputType('AddAuditEventsInput', { description: 'For few events; many are streamed over REST.' })
export class AddAuditEventsInput {
  @Given({ type: 'string', description: 'The cluster.' })
  cluster!: string;

  @Given({
    type: 'json',
    optional: true,
    description: 'An Event or an EventList of audit.k8s.io/v1, or an array of them.',
  })
  events?: JsonValue;

  @Given({
    type: 'string',
    optional: true,
    maximumLength: LONGEST_TEXT,
    description: 'The same as text: JSON, or one event on each line. Either this or `events`.',
  })
  text?: string;
}

@ArgsType()
export class AddAuditEventsArguments {
  @Given({ type: () => AddAuditEventsInput, description: 'The events.' })
  input!: AddAuditEventsInput;
}
