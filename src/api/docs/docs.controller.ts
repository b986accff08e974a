import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ServiceError } from '../../app/errors/service-error.js';
import { ERROR_TABLE } from '../error-table.js';

/** Gives the OpenAPI document; a token, so that the document's builder need not be loaded before somebody asks. */
export const OPENAPI_DOCUMENT = Symbol('openapi document');
export type OpenApiSource = () => Promise<object>;

/** The files that the page needs, from the installed package: nothing is fetched from elsewhere. */
const ASSETS: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>kube-placement API</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<div id="ui"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`;

const START = `SwaggerUIBundle({ url: '/docs/openapi.json', dom_id: '#ui', deepLinking: true, validatorUrl: null });\n`;

/** The documentation for a browser. */
@Controller('docs')
export class DocsController {
  constructor(@Inject(OPENAPI_DOCUMENT) private readonly document: OpenApiSource) {}

  @Get()
  page(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.type('text/html; charset=utf-8');
    reply.header(
      'content-security-policy',
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    );
    return PAGE;
  }

  @Get('start.js')
  start(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.type('text/javascript; charset=utf-8');
    return START;
  }

  @Get('openapi.json')
  async openapi(): Promise<object> {
    return this.document();
  }

  @Get('assets/:file')
  async asset(@Param('file') file: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    const mediaType = ASSETS.get(file);
    if (mediaType === undefined) throw new ServiceError('route-not-found', 'There is no such file.');
    void reply.type(mediaType).header('cache-control', 'public, max-age=86400');
    const folder = dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json'));
    return readFile(join(folder, 'static', file));
  }

  /** Where the `type` of a problem document points. */
  @Get('errors')
  errors(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.type('text/html; charset=utf-8');
    const rows = Object.entries(ERROR_TABLE).map(
      ([code, { status, title, description }]) =>
        `<h2 id="${code}">${code}</h2><p>HTTP ${status}, <em>${escaped(title)}</em>. ${escaped(description)}</p>`,
    );
    return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Error codes</title><h1>Error codes</h1>${rows.join('')}</html>\n`;
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
