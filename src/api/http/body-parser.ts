import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { callerKey } from '../../app/caller-key.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { readJsonBody } from './json-body.js';
import { JSON_MEDIA_TYPE, type MediaType, parseMediaType, YAML_MEDIA_TYPES } from './media-type.js';
import type { SlowBodyLimits } from './slow-body-timeout.js';
import { readBody } from './read-body.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler reads the request body as a stream, of any content type, and enforces its own limits. */
    streamBody?: boolean;
    /**
     * The body comes from an API server: an object and its previous version, of any size that the API server accepts,
     * as JSON that Go would read.
     */
    fromApiServer?: boolean;
    /** Accepts only JSON, not YAML. */
    jsonOnly?: boolean;
    /** The body may also be manifests, without the question's own object around them. */
    takesManifests?: boolean;
  }
}

/**
 * An API server accepts requests of up to 3 MiB, and sends a change with the object and its previous version in full.
 */
const REVIEW_BYTES = 16 * 1024 * 1024;

/**
 * A caller without permission for any cluster can only use GraphQL and check manifests; neither requires a long body.
 */
const STRANGER_BYTES = 128 * 1024;

const SLOW_BODY_LIMITS: SlowBodyLimits = { ms: 30_000, bytesPerSecond: 1024 };

/**
 * Parses all request bodies instead of Fastify's parsers: JSON without loss of precision, or YAML. A route with
 * `streamBody` receives the unparsed stream.
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
      slowBody: SLOW_BODY_LIMITS,
    };
    const body = await readBody(payload, headers['content-length'], limits);
    if (body.length === 0) return undefined;
    const caller = callerKey(request.requestContext);
    if (config.takesManifests === true) {
      const { readManifestBody } = await import('./manifest-body.js');
      return readManifestBody(body, caller, isJson);
    }
    if (isJson) return readJsonBody(body, caller, fromApiServer ? 'last' : 'reject');
    // The YAML parser is loaded when the first YAML body arrives.
    const { readYamlBody } = await import('./yaml-body.js');
    return readYamlBody(body, caller);
  });
}

export function unsupported(what: string, jsonOnly = false): ServiceError {
  const taken = jsonOnly ? JSON_MEDIA_TYPE : `${JSON_MEDIA_TYPE} or ${YAML_MEDIA_TYPES[0]}`;
  return new ServiceError('unsupported-media-type', `This operation does not accept ${what}. Send ${taken}.`);
}

/**
 * Content types that a page may send to any other site without a preflight
 * (https://fetch.spec.whatwg.org/#cors-safelisted-request-header).
 */
const SIMPLE_TYPES = new Set(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']);

/**
 * Rejects content types that a web page can send to any address without a preflight, or no content type at all. All
 * other streamed bodies are accepted: their format is detected from their content.
 */
function refuseSimpleType(mediaType: MediaType | undefined): void {
  if (mediaType !== undefined && mediaType.essence !== '' && !SIMPLE_TYPES.has(mediaType.essence)) return;
  const isForm = mediaType?.essence === 'application/x-www-form-urlencoded';
  throw new ServiceError(
    'unsupported-media-type',
    `This operation does not accept ${typeText(mediaType)}, which any web page can send${isForm ? " and which is curl's default" : ''}. ` +
      "Send application/octet-stream (curl: -H 'content-type: application/octet-stream'), application/json, " +
      'application/yaml or application/x-ndjson; the format is detected from the body.',
  );
}

const typeText = (mediaType: MediaType | undefined): string =>
  mediaType === undefined ? 'a body without a content type' : `content type ${quoted(mediaType.essence)}`;

const quoted = (text: string | undefined): string => JSON.stringify((text ?? '').slice(0, 100));
