import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { callerKey } from '../../app/caller-key.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { readJsonBody } from './json-body.js';
import { JSON_MEDIA_TYPE, type MediaType, parseMediaType, YAML_MEDIA_TYPES } from './media-type.js';
import type { PatienceLimits } from './patience.js';
import { readBody } from './read-body.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler gets the request's body as a stream, of any content type, and answers for its limits itself. */
    streamBody?: boolean;
    /** It is what API servers send: an object, and the one before it, of any size that they take themselves; JSON as Go reads it. */
    fromApiServer?: boolean;
    /** Only JSON is taken, not YAML. */
    jsonOnly?: boolean;
  }
}

/** An API server takes requests of up to 3 MiB, and tells of a change with the object before it, both written out. */
const REVIEW_BYTES = 16 * 1024 * 1024;

/** Who has no right to any cluster can ask GraphQL, and look at a manifest of its own; neither takes a long body. */
const STRANGER_BYTES = 128 * 1024;

const PATIENCE: PatienceLimits = { ms: 30_000, bytesPerSecond: 1024 };

/**
 * Reads every request body in the place of Fastify's parsers: JSON without loss, or YAML; a route with `streamBody`
 * gets the stream untouched.
 */
export function installBodyParser(fastify: FastifyInstance, bytes: number): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable): Promise<unknown> => {
    const { config } = request.routeOptions;
    const { headers } = request;
    const mediaType = parseMediaType(headers['content-type']);
    if (config.streamBody === true) {
      refuseSimpleType(mediaType);
      return payload;
    }
    const isJson = mediaType?.essence === JSON_MEDIA_TYPE;
    const isYaml = config.jsonOnly !== true && YAML_MEDIA_TYPES.some((type) => type === mediaType?.essence);
    if (!isJson && !isYaml) throw unsupported(typeText(mediaType), config.jsonOnly);
    if (mediaType?.charset !== undefined && !/^utf-?8$/.test(mediaType.charset)) {
      throw unsupported(`charset ${quoted(mediaType.charset)}; it must be UTF-8`, config.jsonOnly);
    }
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      throw unsupported(`content encoding ${quoted(encoding)}; send the body uncompressed`, config.jsonOnly);
    }
    const fromApiServer = config.fromApiServer === true;
    const greatest = fromApiServer ? Math.max(bytes, REVIEW_BYTES) : bytes;
    const limits = {
      bytes: request.requestContext.access.isNothing ? Math.min(greatest, STRANGER_BYTES) : greatest,
      patience: PATIENCE,
    };
    const body = await readBody(payload, headers['content-length'], limits);
    if (body.length === 0) return undefined;
    const caller = callerKey(request.requestContext);
    if (isJson) return readJsonBody(body, caller, fromApiServer ? 'last' : 'reject');
    // The YAML reader is loaded when somebody first sends YAML.
    const { readYamlBody } = await import('./yaml-body.js');
    return readYamlBody(body, caller);
  });
}

export function unsupported(what: string, jsonOnly = false): ServiceError {
  const taken = jsonOnly ? JSON_MEDIA_TYPE : `${JSON_MEDIA_TYPE} or ${YAML_MEDIA_TYPES[0]}`;
  return new ServiceError('unsupported-media-type', `This operation does not take ${what}. Send ${taken}.`);
}

/** What a page may send to any other site without asking first (https://fetch.spec.whatwg.org/#cors-safelisted-request-header). */
const SIMPLE_TYPES = new Set(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']);

/**
 * A streamed body is read by what it holds, whatever its type; but one that a web page could send to any address without the
 * browser asking first is not read at all. A body without a type is one of these.
 */
function refuseSimpleType(mediaType: MediaType | undefined): void {
  if (mediaType !== undefined && mediaType.essence !== '' && !SIMPLE_TYPES.has(mediaType.essence)) return;
  const isForm = mediaType?.essence === 'application/x-www-form-urlencoded';
  throw new ServiceError(
    'unsupported-media-type',
    `This operation does not take ${typeText(mediaType)}, which any web page can send${isForm ? ' and curl sends by default' : ''}. ` +
      "Send application/octet-stream (curl: -H 'content-type: application/octet-stream'), application/json, " +
      'application/yaml or application/x-ndjson; what the body is, is seen from the body.',
  );
}

const typeText = (mediaType: MediaType | undefined): string =>
  mediaType === undefined ? 'a body without a content type' : `content type ${quoted(mediaType.essence)}`;

const quoted = (text: string | undefined): string => JSON.stringify((text ?? '').slice(0, 100));
