import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The name of the file that the build writes, beside this module or the bundle with it. */
const FILE = './digest-code.txt';

/**
 * Names the code that makes what is kept of states: what other code made may be wrong by now. See scripts/digest-code.mjs. Run from its
 * sources, the program itself names it.
 */
export const DIGEST_CODE = textOf(new URL(FILE, import.meta.url)) ?? hashOf(textOf(process.argv[1] ?? '') ?? '');

function textOf(path: string | URL): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
