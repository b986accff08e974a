import { Controller, Get, Headers, Inject, Res } from '@nestjs/common';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import type { FastifyReply } from 'fastify';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { preferredType } from '../http/preferred-type.js';
import { Public } from '../access/require-permission.js';
import { OPENAPI_DOCUMENT, type OpenApiSource } from './docs.controller.js';
import { pageHeaders } from './package-files.js';

/** What there is, relative to the index itself. */
const LINKS: readonly (readonly [name: string, path: string, what: string])[] = [
  ['documentation', 'docs', 'the REST API, to read and to try'],
  ['clusters', 'api/v1/clusters', 'the clusters that are stored; everything else is below them'],
  ['openapi', 'openapi.json', 'the OpenAPI 3.1 document; openapi.yaml is the same'],
  ['graphql', 'graphql', 'the same questions in GraphQL, by POST'],
  ['graphiql', 'graphiql', 'GraphQL to try'],
  ['schema', 'schema.graphql', 'its schema'],
  ['errors', 'docs/errors', 'what each error code means'],
  ['health', 'healthz', 'whether it is alive; readyz says whether it is ready, metrics what it measures'],
];

const TITLE = 'kube-placement';
const YAML = 'application/yaml; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

/** Where to go from here, and the documents for machines. */
@Controller()
export class IndexController {
  private yaml: Promise<string> | undefined;
  private sdl: string | undefined;

  constructor(
    @Inject(OPENAPI_DOCUMENT) private readonly document: OpenApiSource,
    private readonly schema: GraphQLSchemaHost,
  ) {}

  @Get()
  @Public()
  index(
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): object | string {
    return this.answer('', accept, reply);
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
    return (this.yaml ??= this.writeYaml());
  }

  @Get('schema.graphql')
  @Public()
  schemaDocument(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.type(TEXT);
    return (this.sdl ??= `${printSchema(lexicographicSortSchema(this.schema.schema))}\n`);
  }

  /** @param base from the page to the index: what is asked for may lie under a prefix of which only the browser knows */
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

  private async writeYaml(): Promise<string> {
    const [{ openapiYaml }, document] = await Promise.all([import('./openapi-yaml.js'), this.document()]);
    return openapiYaml(document);
  }
}
