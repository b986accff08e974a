import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { LineProgress } from '../cli/line-progress.js';
import { renderSnapshot } from '../cli/snapshot-output.js';
import { clusterLists, type LeftOutKind, leftOutText } from '../kube-api/cluster-lists.js';
import { type AskPath, discoverKinds } from '../kube-api/discover-kinds.js';
import { readServerVersion } from '../kube-api/server-version.js';
import { realClock } from '../kube-api/reflector/clock.js';
import type { ClusterOptions } from './cluster-command.js';
import { CommandFailed } from './command-failed.js';
import { KubectlProxy } from './kubectl.js';
import { serviceOf } from './service-answers.js';

/** Objects in a page, as kubectl asks for them. */
const PAGE = 500;

/**
 * Writes the lists of a cluster to a file, or sends them to a service. What is left out is told.
 * @returns 0, or 2 if kinds were left out
 * @throws {CommandFailed}
 */
export async function takeSnapshot(file: string | undefined, options: ClusterOptions): Promise<0 | 2> {
  if ((file === undefined) === (options.server === undefined)) {
    throw new CommandFailed('name either a file or a service: --server URL --cluster NAME');
  }
  const service = options.server === undefined ? undefined : await serviceOf(options);
  const proxy = await KubectlProxy.start(options);
  const progress = new LineProgress(process.stderr);
  const left: LeftOutKind[] = [];
  try {
    const capturedAt = new Date();
    const ask: AskPath = (path) => proxy.ask(path);
    const [kinds, version] = await Promise.all([discoverKinds(ask), readServerVersion(ask)]);
    const lists = clusterLists(proxy, kinds, {
      clock: realClock,
      pageSize: PAGE,
      signal: new AbortController().signal,
      leaveOut: (one) => left.push(one),
      listed: ({ kind }, objects) => {
        progress.show(`${objects.toLocaleString('en')} ${kind}`);
      },
    });
    if (service !== undefined) {
      const said = await service.sendSnapshot(Readable.from(lists), { capturedAt, version });
      progress.end();
      process.stdout.write(renderSnapshot(said));
    } else await writeLists(lists, file!);
  } catch (error) {
    throw error instanceof CommandFailed ? error : new CommandFailed(`no snapshot was taken: ${messageOf(error)}`);
  } finally {
    progress.end();
    proxy.close();
  }
  for (const one of left) process.stderr.write(`left out: ${leftOutText(one)}\n`);
  return left.some(({ isDenied }) => isDenied) ? 2 : 0;
}

/** A file that is not complete is removed. */
async function writeLists(lists: AsyncIterable<Buffer>, file: string): Promise<void> {
  if (file === '-') {
    for await (const part of lists) process.stdout.write(part);
    return;
  }
  const to = createWriteStream(file);
  try {
    await (file.endsWith('.gz') ? pipeline(lists, createGzip(), to) : pipeline(lists, to));
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
