import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { VERSION } from './version.js';

/**
 * Names the code of a program: its version, and a hash of its file. A bundle names its other files by their content, so that its first
 * file differs with any of them.
 */
export function buildIdOf(program: string | undefined): string {
  try {
    return `${VERSION}+${createHash('sha256')
      .update(readFileSync(program ?? ''))
      .digest('hex')
      .slice(0, 12)}`;
  } catch {
    return VERSION;
  }
}

/** Of this process: what other code computed may be wrong by now. */
export const BUILD_ID = buildIdOf(process.argv[1]);
