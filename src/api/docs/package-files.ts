import type { FastifyReply } from 'fastify';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ServiceError } from '../../app/errors/service-error.js';

/** A file of an installed package. */
export interface PackageFile {
  readonly package: string;
  /** Its path in the package. */
  readonly path: string;
  readonly mediaType: string;
}

export const CSS = 'text/css; charset=utf-8';
export const JAVASCRIPT = 'text/javascript; charset=utf-8';
export const HTML = 'text/html; charset=utf-8';

/**
 * Files of installed packages under names of our own, so that a page fetches nothing from another host.
 * Only the files listed are ever read.
 */
export class PackageFiles {
  private readonly files: ReadonlyMap<string, PackageFile>;

  constructor(files: Readonly<Record<string, PackageFile>>) {
    this.files = new Map(Object.entries(files));
  }

  /** The file's bytes, with the headers of the reply set. Throws route-not-found for another name. */
  async send(name: string, reply: FastifyReply): Promise<Buffer> {
    const file = this.files.get(name);
    if (file === undefined) throw new ServiceError('route-not-found', 'There is no such file.');
    const folder = dirname(createRequire(import.meta.url).resolve(`${file.package}/package.json`));
    const bytes = await readFile(join(folder, file.path));
    void reply.type(file.mediaType).header('cache-control', 'public, max-age=86400');
    return bytes;
  }
}

/** The headers of a page whose scripts, styles and requests are the service's own. */
export function pageHeaders(reply: FastifyReply): void {
  void reply.type(HTML);
  reply.header(
    'content-security-policy',
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'",
  );
}
