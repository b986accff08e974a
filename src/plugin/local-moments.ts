import type { ClusterOptions } from './cluster-command.js';
import { LocalAnswers } from './local-answers.js';
import { readThroughKubectl } from './open-cluster.js';
import { ObjectHashes, WatchedCluster, type WatchOptions } from './watched-cluster.js';
import type { Moment } from './watching.js';

/** A cluster that is read and then watched through kubectl. @throws {CommandFailed} */
export async function* localMoments(
  options: ClusterOptions,
  { tell, wantsWhole }: Pick<WatchOptions, 'tell' | 'wantsWhole'>,
): AsyncGenerator<Moment, void> {
  const { rulesVersion } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const hashes = new ObjectHashes();
  const { proxy, name, namespace, reading } = await readThroughKubectl(options, {
    signal,
    object: (object) => hashes.set(object),
    wantsWhole,
  });
  try {
    const cluster = WatchedCluster.start(proxy, reading, { hashes, signal, wantsWhole, tell });
    for (let now = reading; ; now = await cluster.next()) {
      const { capturedAt } = now;
      yield {
        answers: new LocalAnswers(name, now, signal, { now: capturedAt, rulesVersion }),
        namespace,
        now: capturedAt,
      };
    }
  } finally {
    stop.abort();
    proxy.close();
  }
}
