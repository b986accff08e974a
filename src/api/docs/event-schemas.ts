import { EVENT_TYPES, eventType } from '../../app/notifications/render-event.js';
import type { NotificationKind } from '../../app/notifications/notification-event.js';
import { EVENT_DATA } from '../../contract/notifications/event-data.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { responseClass } from '../contract/object-classes.js';
import { ObjectSchemas } from './object-schemas.js';

const TEXT = { type: 'string' };

/** Of the test of a rule. */
const TEST_DATA = { requestedBy: { ...TEXT, description: 'Who requested the test.' } };

/**
 * The JSON schema of the data of a CloudEvent, by the type of the event; undefined for other types. Members may be added within a version
 * of a type.
 */
export function eventSchema(type: string): JsonObject | undefined {
  for (const [kind, states] of Object.entries(EVENT_TYPES)) {
    if (!states.some((state) => state !== undefined && eventType(state) === type)) continue;
    return kind === 'test'
      ? schemaOf(type, TEST_DATA, 'requestedBy', {})
      : schemaOfKind(type, kind as NotificationKind);
  }
  return undefined;
}

function schemaOfKind(type: string, kind: NotificationKind): JsonObject {
  const schemas = new ObjectSchemas();
  const [member, declared] = EVENT_DATA[kind];
  const reference = schemas.reference(responseClass(declared), 'answer');
  const revision = { type: 'integer', description: 'Revision of the cluster.' };
  return schemaOf(type, { [member]: reference, ...(kind === 'quotaAtRisk' && { revision }) }, member, schemas.all());
}

function schemaOf(type: string, own: JsonObject, member: string, definitions: JsonObject): JsonObject {
  const schema: JsonObject = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Data of CloudEvents of the type ${type}`,
    type: 'object',
    required: ['cluster', 'rule', 'status', 'summary'],
    properties: {
      cluster: { ...TEXT, description: 'The cluster; `all` in the test of a rule about several.' },
      rule: { ...TEXT, description: 'The rule that tells of it.' },
      status: { ...TEXT, enum: ['happened', 'active', 'over'] },
      summary: { ...TEXT, description: 'The event in one line.' },
      ...own,
      isTruncated: { const: true, description: 'The event was too large and lost its other data.' },
    },
    anyOf: [{ required: [member] }, { required: ['isTruncated'] }],
    $defs: definitions,
  };
  return withOwnReferences(schema) as JsonObject;
}

/** References to the components of the OpenAPI document become references to the definitions of the schema. */
function withOwnReferences(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withOwnReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      name === '$ref' && typeof one === 'string'
        ? one.replace('#/components/schemas/', '#/$defs/')
        : withOwnReferences(one),
    ]),
  );
}
