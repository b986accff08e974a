import { randomInt } from 'node:crypto';
import { ClusterStateBuilder, type ClusterState } from '../core/cluster/cluster-state.js';
import type { ObjectRow } from '../core/cluster/object-row.js';
import { parseJson } from '../core/json/lossless-json.js';
import type { KeptKind } from '../core/kubernetes/kinds.js';
import type { KubernetesObject } from '../core/kubernetes/objects/meta.js';
import { Semaphore } from '../event-loop/semaphore.js';
import { IngestError } from '../ingest/ingest-error.js';
import { ingestStream } from '../ingest/ingest-stream.js';
import { clusterLists, type LeftOutKind, PagesExpired } from '../kube-api/cluster-lists.js';
import { discoverKinds, DiscoveryFailed, type ServedKind } from '../kube-api/discover-kinds.js';
import { realClock } from '../kube-api/reflector/clock.js';
import { CommandFailed } from './command-failed.js';
import type { KubectlProxy } from './kubectl.js';

/** A cluster as it was read. */
export interface ClusterReading {
  readonly state: ClusterState;
  readonly capturedAt: Date;
  /** Of the newest kubelet. */
  readonly kubernetesVersion: string | null;
  /** Kinds that could not be read, and why. */
  readonly leftOut: readonly LeftOutKind[];
  /** The resourceVersion of the list of each kind that was read. */
  readonly positions: ReadonlyMap<ServedKind, string>;
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Called often, with the number of objects so far. */
  readonly progress: (objects: number) => void;
  /** Called with each object. */
  readonly row?: (row: ObjectRow) => void;
}

/** Objects in a page, as kubectl asks for them. */
const PAGE = 500;
/** Lists that are read at the same time: most are short, so that waiting for them takes longer than reading them. */
const AT_ONCE = 6;

/**
 * Reads every kind that decides something, as far as the user may list it. Objects are pruned while they are read, so that their text
 * is never in memory as a whole. If the pages of a list expire meanwhile, everything is read again as whole lists.
 *
 * @throws {CommandFailed}
 */
export async function readCluster(proxy: KubectlProxy, options: ReadOptions): Promise<ClusterReading> {
  try {
    const kinds = await discoverKinds((path) => proxy.ask(path));
    try {
      return await readKinds(proxy, kinds, PAGE, options);
    } catch (error) {
      if (!(error instanceof PagesExpired)) throw error;
      return await readKinds(proxy, kinds, 0, options);
    }
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    if (error instanceof DiscoveryFailed) throw new CommandFailed(error.message);
    throw new CommandFailed(`the cluster cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function readKinds(
  proxy: KubectlProxy,
  kinds: readonly ServedKind[],
  pageSize: number,
  { signal, progress, row }: ReadOptions,
): Promise<ClusterReading> {
  const capturedAt = new Date();
  const builder = new ClusterStateBuilder([]);
  const leftOut: LeftOutKind[] = [];
  const loaded: KeptKind[] = [];
  const listedAt = new Map<ServedKind, string>();
  let kubernetesVersion: string | null = null;
  let objects = 0;
  const read = async (kind: ServedKind): Promise<void> => {
    let isLeftOut = false;
    const lists = clusterLists(proxy, [kind], {
      clock: realClock,
      pageSize,
      signal,
      leaveOut: (left) => {
        isLeftOut = true;
        leftOut.push(left);
      },
      listed: () => undefined,
    });
    const batches = ingestStream(lists, { invalid: 'keep' }, randomInt(2 ** 32));
    try {
      for (;;) {
        const next = await batches.next();
        if (next.done === true) {
          const { kubeletVersions, incompleteKinds, positions } = next.value;
          const [position] = positions;
          if (position !== undefined) listedAt.set(kind, position.resourceVersion);
          kubernetesVersion = kubeletVersions?.newest ?? kubernetesVersion;
          if (!incompleteKinds.includes(kind.kind)) loaded.push(kind.kind);
          return;
        }
        for (const one of next.value) {
          builder.add(parseJson(one.content) as unknown as KubernetesObject);
          row?.(one);
        }
        progress((objects += next.value.length));
      }
    } catch (error) {
      if (isLeftOut && error instanceof IngestError && error.code === 'empty') return;
      throw error;
    }
  };
  const turns = new Semaphore(AT_ONCE);
  // The longest list first.
  const inOrder = [...kinds].sort((a, b) => Number(b.kind === 'Pod') - Number(a.kind === 'Pod'));
  const results = await Promise.allSettled(
    inOrder.map(async (kind) => {
      const leave = await turns.take();
      try {
        await read(kind);
      } finally {
        leave();
      }
    }),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  const state = builder.finish().apply({ upserts: [], deletes: [], loadedKinds: loaded });
  const order = new Map(kinds.map(({ kind }, index) => [kind, index]));
  leftOut.sort((a, b) => order.get(a.kind.kind)! - order.get(b.kind.kind)!);
  return { state, capturedAt, kubernetesVersion, leftOut, positions: listedAt };
}
