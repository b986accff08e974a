import { clusterEvent } from '../../contract/clusters/cluster-event.js';
import { queueTotals } from '../../contract/scheduling/queue-run.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { responseClass } from '../contract/object-classes.js';
import type { ObjectSchemas } from './object-schemas.js';

/**
 * Extension keyword for the schema of one item of a stream: a line of NDJSON, or the data of a server-sent event.
 * OpenAPI 3.2 has the keyword `itemSchema` for it.
 */
export const ITEM_SCHEMA = 'x-item-schema';

/** Extension keyword with the same structure as `content`, for the formats of a response besides JSON. */
export const OTHER_FORMATS = 'x-other-formats';

/** Formats of operations whose handlers write the response themselves. */
const FORMATS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  exportTrail: {
    'text/csv':
      'cluster,clusterId,sequence,recordedAt,kind,happenedFrom,happenedAt,node,summary,author,impersonatedBy,onBehalfOf,actor,' +
      'channel,basis,certainty,status,reason,link,change,revision,taintKeys,effects,supersedes,supersededBy,previousHash,hash,' +
      'deviceTaintRule\r\n',
  },
};

/** The additional media types of an operation, with an example of each. */
export function furtherFormats(operationId: string): Readonly<Record<string, string>> {
  return FORMATS[operationId] ?? {};
}

/** The media type object of a text response; for a stream, with the schema of one item. */
export function textMedia(
  operationId: string,
  mediaType: string,
  answer: JsonObject | undefined,
  schemas: ObjectSchemas,
): JsonObject {
  const item =
    mediaType === 'text/event-stream' || mediaType === 'application/x-ndjson'
      ? itemOf(operationId, answer, schemas)
      : undefined;
  // A type of JSON is an object to whoever reads the response.
  const type = mediaType.endsWith('+json') ? 'object' : 'string';
  return { schema: { type }, ...(item !== undefined && { [ITEM_SCHEMA]: item }) };
}

function itemOf(operationId: string, answer: JsonObject | undefined, schemas: ObjectSchemas): JsonObject | undefined {
  switch (operationId) {
    case 'followCluster':
      return {
        anyOf: [schemas.reference(responseClass(clusterEvent), 'answer'), { $ref: '#/components/schemas/EndOfStream' }],
      };
    case 'exportTrail':
      return {
        type: 'object',
        description: 'A record: its hash, and the content that was hashed.',
        required: ['hash', 'content'],
        properties: { hash: { type: 'string' }, content: { type: 'object', additionalProperties: true } },
      };
    case 'exportStoredObjects':
      return {
        type: 'object',
        description: 'An object, without its content.',
        required: ['kind', 'namespace', 'name', 'uid', 'resourceVersion', 'hash'],
        properties: {
          kind: { type: 'string' },
          namespace: { type: 'string', description: 'Empty for cluster-scoped kinds.' },
          name: { type: 'string' },
          uid: { type: ['string', 'null'] },
          resourceVersion: { type: ['string', 'null'], description: 'That with which it was last sent.' },
          hash: { type: 'string', description: 'The hash of what is kept of it, in hexadecimal digits.' },
        },
      };
    case 'runQueue':
      return {
        description: 'Progress of the run; the last line is the final response.',
        anyOf: [
          {
            type: 'object',
            required: ['progress'],
            properties: {
              progress: {
                type: 'object',
                required: ['waiting', 'totals'],
                properties: {
                  waiting: { type: 'integer' },
                  totals: schemas.reference(responseClass(queueTotals), 'answer'),
                },
              },
            },
          },
          { type: 'object', required: ['result'], properties: { result: answer ?? { type: 'object' } } },
        ],
      };
    default:
      return undefined;
  }
}
