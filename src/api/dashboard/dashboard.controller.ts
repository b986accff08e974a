import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../app/errors/service-error.js';
import { Public } from '../access/require-permission.js';
import { HTML } from '../docs/package-files.js';
import { BuiltDashboard } from './built-dashboard.js';

/** Everything comes from this service, and nothing is inline: what a cluster's objects say can never run. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The dashboard: one page for all paths below `/ui/`, and its files. */
@Controller('ui')
export class DashboardController {
  private built: Promise<BuiltDashboard | undefined> | undefined;

  @Get('assets/:file')
  @Public()
  async asset(@Param('file') file: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    const found = (await this.read())?.asset(file);
    if (found === undefined) throw new ServiceError('route-not-found', 'This file does not exist.');
    // Its name has a hash of its content.
    void reply
      .type(found.mediaType)
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('x-content-type-options', 'nosniff');
    return found.bytes;
  }

  @Get()
  @Public()
  root(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    return this.page(request, reply);
  }

  @Get('*')
  @Public()
  anyPath(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    return this.page(request, reply);
  }

  private async page(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const built = await this.read();
    if (built === undefined) {
      throw new ServiceError('route-not-found', 'The dashboard has not been built; `npm start` builds it.');
    }
    void reply
      .type(HTML)
      .header('cache-control', 'no-cache')
      .header('content-security-policy', POLICY)
      .header('referrer-policy', 'no-referrer')
      .header('x-content-type-options', 'nosniff');
    return built.page.replace('<base href="./"', `<base href="${baseOf(request.url)}"`);
  }

  private read(): Promise<BuiltDashboard | undefined> {
    return (this.built ??= BuiltDashboard.read());
  }
}

/**
 * The relative URL from a page to the dashboard's root. It is derived from the number of segments below `/ui`, because the
 * service may be behind a prefix that only the browser knows.
 */
function baseOf(url: string): string {
  const path = url.split('?', 1)[0]!;
  const below = path.slice(path.indexOf('/ui') + '/ui'.length);
  if (below === '') return './ui/';
  return '../'.repeat(below.split('/').length - 2) || './';
}
