import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { JsonObject } from '../../core/json/json-value.js';
import { EXPECTATIONS_SCHEMA } from '../../core/expectations/expectations-schema.js';
import { GUARDRAILS_SCHEMA } from '../../core/guardrails/guardrails-schema.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { ERROR_TABLE } from '../errors/error-table.js';
import { Public } from '../access/require-permission.js';
import { eventSchema } from './event-schemas.js';
import { CSS, HTML, JAVASCRIPT, PackageFiles, pageHeaders } from './package-files.js';

/**
 * Injection token for a function that returns the OpenAPI document, so that its builder is loaded only when somebody
 * reads it.
 */
export const OPENAPI_DOCUMENT = Symbol('openapi document');
export type OpenApiSource = () => Promise<JsonObject>;

const SWAGGER_UI = '@fastify/swagger-ui';
const FILES = new PackageFiles({
  'swagger-ui.css': { package: SWAGGER_UI, path: 'static/swagger-ui.css', mediaType: CSS },
  'swagger-ui-bundle.js': { package: SWAGGER_UI, path: 'static/swagger-ui-bundle.js', mediaType: JAVASCRIPT },
  'favicon-32x32.png': { package: SWAGGER_UI, path: 'static/favicon-32x32.png', mediaType: 'image/png' },
});

// URLs are relative, so that the page works behind any path prefix.
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>kube-placement API</title>
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
<link rel="icon" href="docs/assets/favicon-32x32.png">
<div id="ui"></div>
<script src="docs/assets/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</html>
`;

const START = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#ui', deepLinking: true, validatorUrl: null });\n`;

/** API documentation for browsers. */
@Controller('docs')
export class DocsController {
  constructor(@Inject(OPENAPI_DOCUMENT) private readonly document: OpenApiSource) {}

  @Get()
  @Public()
  page(@Res({ passthrough: true }) reply: FastifyReply): string {
    pageHeaders(reply);
    return PAGE;
  }

  @Get('start.js')
  @Public()
  start(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.type(JAVASCRIPT);
    return START;
  }

  @Get('openapi.json')
  @Public()
  async openapi(): Promise<object> {
    return this.document();
  }

  /** The format of files of expectations, for editors. */
  @Get('expectations.schema.json')
  @Public()
  expectations(): object {
    return EXPECTATIONS_SCHEMA;
  }

  /** The format of documents of guardrails, for editors. */
  @Get('guardrails.schema.json')
  @Public()
  guardrails(): object {
    return GUARDRAILS_SCHEMA;
  }

  /** The format of the data of CloudEvents, for receivers: the `dataschema` of each. */
  @Get('events/:file')
  @Public()
  event(@Param('file') file: string): object {
    const schema = eventSchema(file.replace(/\.schema\.json$/, ''));
    if (schema === undefined || !file.endsWith('.schema.json')) {
      throw new ServiceError('route-not-found', `There is no event of the type ${JSON.stringify(file.slice(0, 100))}.`);
    }
    return schema;
  }

  @Get('assets/:file')
  @Public()
  asset(@Param('file') file: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return FILES.send(file, reply);
  }

  /** The `type` of a problem document links to this page. */
  @Get('errors')
  @Public()
  errors(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.type(HTML);
    const rows = Object.entries(ERROR_TABLE).map(
      ([code, { status, title, description }]) =>
        `<h2 id="${code}">${code}</h2><p>HTTP ${status}, <em>${escaped(title)}</em>. ${escaped(description)}</p>`,
    );
    return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Error codes</title><h1>Error codes</h1>${rows.join('')}</html>\n`;
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
