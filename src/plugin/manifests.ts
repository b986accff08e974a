import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CommandFailed } from './command-failed.js';

const EXTENSIONS = ['.yaml', '.yml', '.json'];

/**
 * The text of manifests, one after another: files, the manifests directly in folders, or standard input.
 * @throws {CommandFailed} naming every file that cannot be read
 */
export async function manifestText(names: readonly string[] | undefined): Promise<string> {
  if (names === undefined || names.length === 0) throw new CommandFailed('name a file with manifests: -f FILE');
  const results = await Promise.allSettled(names.map(async (name) => textsOf(name)));
  const failed = results.flatMap((result) => (result.status === 'rejected' ? [messageOf(result.reason)] : []));
  if (failed.length > 0) throw new CommandFailed('the manifests cannot be read', failed);
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])).join('\n---\n');
}

/** It can be read once, and a question may be asked again and again. */
let standardInput: Promise<string> | undefined;

async function textsOf(name: string): Promise<readonly string[]> {
  if (name === '-') return [await (standardInput ??= text(process.stdin))];
  if (!(await stat(name)).isDirectory()) return [await readFile(name, 'utf8')];
  const files = (await readdir(name)).filter((file) => EXTENSIONS.includes(extname(file))).sort();
  if (files.length === 0) throw new Error(`${name} has no file that ends in ${EXTENSIONS.join(', ')}`);
  return Promise.all(files.map((file) => readFile(join(name, file), 'utf8')));
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
