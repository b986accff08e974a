import { readdir, readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CSS, HTML, JAVASCRIPT } from '../docs/package-files.js';

/** The folder of the built dashboard, in the folder of the service. */
const BUILT = join('dist', 'dashboard');
const ASSETS = 'assets';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': JAVASCRIPT,
  '.css': CSS,
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.html': HTML,
};

export interface BuiltFile {
  readonly bytes: Buffer;
  readonly mediaType: string;
}

/** The files of the dashboard as `npm start` builds them, in memory. */
export class BuiltDashboard {
  private constructor(
    /** The page; URLs in it are relative to the dashboard's root. */
    readonly page: string,
    private readonly assets: ReadonlyMap<string, BuiltFile>,
  ) {}

  /** Undefined if it has not been built. */
  static async read(): Promise<BuiltDashboard | undefined> {
    const folder = builtFolder();
    if (folder === undefined) return undefined;
    const names = await readdir(join(folder, ASSETS));
    const files = await Promise.all(
      names.map(async (name): Promise<[string, BuiltFile]> => {
        const mediaType = MEDIA_TYPES[extname(name)] ?? 'application/octet-stream';
        return [name, { bytes: await readFile(join(folder, ASSETS, name)), mediaType }];
      }),
    );
    return new BuiltDashboard(await readFile(join(folder, 'index.html'), 'utf8'), new Map(files));
  }

  asset(name: string): BuiltFile | undefined {
    return this.assets.get(name);
  }
}

/** Looks upwards: this file may be in a bundle. */
function builtFolder(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const built = join(folder, BUILT);
    if (existsSync(join(built, 'index.html'))) return built;
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
}
