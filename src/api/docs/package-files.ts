import type { FastifyReply } from 'fastify';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ServiceError } from '../../app/errors/service-error.js';

/** A file of an installed package. */
export interface PackageFile {
  readonly package: string;
  /** Path in the package. */
  readonly path: string;
  readonly mediaType: string;
}

export const CSS = 'text/css; charset=utf-8';
export const JAVASCRIPT = 'text/javascript; charset=utf-8';
export const HTML = 'text/html; charset=utf-8';

/**
 * Serves listed files of installed packages under fixed names, so that pages load nothing from another host. No other
 * file is ever read.
 */
export class PackageFiles {
  private readonly files: ReadonlyMap<string, PackageFile>;

  constructor(files: Readonly<Record<string, PackageFile>>) {
    this.files = new Map(Object.entries(files));
  }

  /**
   * Returns the bytes of the file and sets the headers of the reply.
   * @throws {ServiceError} `route-not-found` for any other name
   */
  async send(name: string, reply: FastifyReply): Promise<Buffer> {
    const file = this.files.get(name);
    if (file === undefined) throw new ServiceError('route-not-found', 'This file does not exist.');
    const folder = dirname(createRequire(import.meta.url).resolve(`${file.package}/package.json`));
    const bytes = await readFile(join(folder, file.path));
    void reply.type(file.mediaType).header('cache-control', 'public, max-age=86400');
    return bytes;
  }
}

/** The headers of a page whose scripts, styles and requests all come from this service. */
export function pageHeaders(reply: FastifyReply): void {
  void reply.type(HTML);
  reply.header(
    'content-security-policy',
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'",
  );
}
