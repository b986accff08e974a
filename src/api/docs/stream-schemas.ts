import { clusterEvent } from '../../contract/clusters/cluster-event.js';
import { queueTotals } from '../../contract/scheduling/queue-run.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { responseClass } from '../contract/object-classes.js';
import type { ObjectSchemas } from './object-schemas.js';

/**
 * What one piece of a stream is: the JSON of a line of NDJSON, or of the data of an event. OpenAPI has a keyword for it from 3.2 on,
 * `itemSchema`.
 */
export const ITEM_SCHEMA = 'x-item-schema';

/** What is like `content`, of the formats that a response has beside JSON. */
export const OTHER_FORMATS = 'x-other-formats';

/** Formats of an operation that its handler writes itself. */
const FORMATS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  exportTrail: {
    'text/csv':
      'cluster,clusterId,sequence,recordedAt,kind,happenedFrom,happenedAt,node,summary,author,impersonatedBy,onBehalfOf,actor,' +
      'channel,basis,certainty,status,reason,link,change,revision,taintKeys,effects,supersedes,supersededBy,previousHash,hash\r\n',
  },
};

/** What an operation answers beside what is declared where it is: media types with an example of each. */
export function furtherFormats(operationId: string): Readonly<Record<string, string>> {
  return FORMATS[operationId] ?? {};
}

/** The media of a response that is text, with what one piece of it is where it is a stream. */
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
  return { schema: { type: 'string' }, ...(item !== undefined && { [ITEM_SCHEMA]: item }) };
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
        description: 'A record: the hash, and the content that it is of.',
        required: ['hash', 'content'],
        properties: { hash: { type: 'string' }, content: { type: 'object', additionalProperties: true } },
      };
    case 'runQueue':
      return {
        description: 'How far the run is, or in the last line its response.',
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
          { type: 'object', required: ['answer'], properties: { answer: answer ?? { type: 'object' } } },
        ],
      };
    default:
      return undefined;
  }
}
