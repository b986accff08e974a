import { Controller, Get, Headers, Inject, Res } from '@nestjs/common';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import type { FastifyReply } from 'fastify';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { preferredType } from '../http/preferred-type.js';
import { Public } from '../access/require-permission.js';
import { OPENAPI_DOCUMENT, type OpenApiSource } from './docs.controller.js';
import { pageHeaders } from './package-files.js';

/** Links of the index page, relative to it. */
const LINKS: readonly (readonly [name: string, path: string, what: string])[] = [
  ['dashboard', 'ui/', 'dashboard'],
  ['documentation', 'docs', 'REST API reference with a console'],
  ['clusters', 'api/v1/clusters', 'stored clusters, and everything about them'],
  ['openapi', 'openapi.json', 'OpenAPI 3.1 document; also available as openapi.yaml'],
  ['openapi30', 'openapi-3.0.json', 'the same as OpenAPI 3.0, for generators; also available as openapi-3.0.yaml'],
  ['graphql', 'graphql', 'GraphQL API with the same operations, by POST'],
  ['graphiql', 'graphiql', 'GraphQL console'],
  ['schema', 'schema.graphql', 'GraphQL schema'],
  ['errors', 'docs/errors', 'reference of the error codes'],
  ['health', 'healthz', 'liveness; see also readyz for readiness and metrics for Prometheus metrics'],
];

const TITLE = 'kube-placement';
const YAML = 'application/yaml; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

/** The index page, and the machine-readable documents. */
@Controller()
export class IndexController {
  private yaml: Promise<string> | undefined;
  private yaml30: Promise<string> | undefined;
  private sdl: string | undefined;

  constructor(
    @Inject(OPENAPI_DOCUMENT) private readonly document: OpenApiSource,
    private readonly schema: GraphQLSchemaHost,
  ) {}

  /** A browser gets the dashboard. */
  @Get()
  @Public()
  index(
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): object | string | undefined {
    if (preferredType(accept, ['application/json', 'text/html', 'text/plain']) !== 'text/html') {
      return this.answer('', accept, reply);
    }
    void reply.code(302).header('location', 'ui/').header('vary', 'Accept');
    return undefined;
  }

  @Get('api/v1')
  @Public()
  api(@Headers('accept') accept: string | undefined, @Res({ passthrough: true }) reply: FastifyReply): object | string {
    return this.answer('../', accept, reply);
  }

  @Get('openapi.json')
  @Public()
  openapi(): Promise<object> {
    return this.document();
  }

  @Get('openapi.yaml')
  @Public()
  openapiYaml(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.type(YAML);
    return (this.yaml ??= writeYaml(this.document()));
  }

  @Get('openapi-3.0.json')
  @Public()
  async openapi30(): Promise<object> {
    const [{ inOpenApi30 }, document] = await Promise.all([import('./openapi-30.js'), this.document()]);
    return inOpenApi30(document);
  }

  @Get('openapi-3.0.yaml')
  @Public()
  openapi30Yaml(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.type(YAML);
    return (this.yaml30 ??= writeYaml(this.openapi30()));
  }

  @Get('schema.graphql')
  @Public()
  schemaDocument(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.type(TEXT);
    return (this.sdl ??= `${printSchema(lexicographicSortSchema(this.schema.schema))}\n`);
  }

  /**
   * @param base relative URL from the page to the index; the service may be behind a prefix that only the browser knows
   */
  private answer(base: string, accept: string | undefined, reply: FastifyReply): object | string {
    const type = preferredType(accept, ['application/json', 'text/html', 'text/plain']);
    reply.header('vary', 'Accept');
    const links = LINKS.map(([name, path, what]) => ({ name, href: `${base}${path}`, what }));
    if (type === 'text/html') {
      pageHeaders(reply);
      const items = links.map(({ href, what }) => `<li><a href="${href}">${href}</a>: ${what}`).join('\n');
      return `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>${TITLE}</title>\n<h1>${TITLE}</h1>\n<ul>\n${items}\n</ul>\n</html>\n`;
    }
    if (type === 'text/plain') {
      void reply.type(TEXT);
      return `${TITLE}\n\n${links.map(({ href, what }) => `${href.padEnd(20)}${what}\n`).join('')}`;
    }
    return {
      service: TITLE,
      links: Object.fromEntries(links.map(({ name, href, what }) => [name, { href, description: what }])),
    };
  }
}

async function writeYaml(document: Promise<object>): Promise<string> {
  const { openapiYaml } = await import('./openapi-yaml.js');
  return openapiYaml(await document);
}
