import { LineProgress } from '../cli/line-progress.js';
import type { LeftOutKind } from '../kube-api/cluster-lists.js';
import type { ClusterOptions } from './cluster-command.js';
import { CommandFailed } from './command-failed.js';
import { currentContext, KubectlProxy } from './kubectl.js';
import type { ClusterReading, ReadOptions } from './read-cluster.js';
import { unreadLines } from './unread-lines.js';

/** A cluster that was read, and the proxy for what comes after. */
export interface OpenCluster {
  readonly proxy: KubectlProxy;
  /** Of the context. */
  readonly name: string;
  readonly namespace: string;
  readonly reading: ClusterReading;
}

/** @throws {CommandFailed} */
export async function readThroughKubectl(
  options: ClusterOptions,
  reads: Omit<ReadOptions, 'progress'>,
): Promise<OpenCluster> {
  const progress = new LineProgress(process.stderr);
  const starting = KubectlProxy.start(options);
  // The first one that fails is told.
  starting.catch(() => undefined);
  const [{ readCluster }, { name, namespace }, proxy] = await Promise.all([
    import('./read-cluster.js'),
    currentContext(options),
    starting,
  ]).catch(async (error: unknown) => {
    (await starting.catch(() => undefined))?.close();
    throw error;
  });
  try {
    const reading = await readCluster(proxy, {
      ...reads,
      progress: (objects) => {
        progress.show(`read ${objects.toLocaleString('en')} objects of ${name}`);
      },
    });
    checkReadable(reading.leftOut);
    return { proxy, name, namespace: options.namespace ?? namespace, reading };
  } catch (error) {
    proxy.close();
    throw error;
  } finally {
    progress.end();
  }
}

/** Without nodes or pods, nothing can be said; other kinds matter to some answers. @throws {CommandFailed} */
function checkReadable(leftOut: readonly LeftOutKind[]): void {
  const missing = leftOut.filter(({ kind: { kind } }) => kind === 'Node' || kind === 'Pod');
  if (missing.length > 0) throw new CommandFailed('this cannot be answered without', unreadLines(missing));
}
