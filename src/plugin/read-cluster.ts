import { setMaxListeners } from 'node:events';
import { ClusterStateBuilder, type ClusterState } from '../core/cluster/cluster-state.js';
import { chooseRules } from '../core/kubernetes/cluster-version.js';
import type { KeptKind } from '../core/kubernetes/kinds.js';
import type { KubernetesRules } from '../core/kubernetes/kubernetes-rules.js';
import type { KubernetesObject } from '../core/kubernetes/objects/meta.js';
import type { Node } from '../core/kubernetes/objects/node.js';
import { newestKubernetesVersion } from '../core/kubernetes/versions.js';
import { Semaphore } from '../event-loop/semaphore.js';
import { type LeftOutKind, listItems, PagesExpired } from '../kube-api/cluster-lists.js';
import { type AskPath, discoverKinds, DiscoveryFailed, type ServedKind } from '../kube-api/discover-kinds.js';
import { realClock } from '../kube-api/reflector/clock.js';
import { readServerVersion } from '../kube-api/server-version.js';
import { CommandFailed } from './command-failed.js';
import type { KubectlProxy } from './kubectl.js';
import { PageValues } from './page-values.js';
import { readObject, type WantsWhole } from './read-object.js';

/** A cluster as it was read. */
export interface ClusterReading {
  readonly state: ClusterState;
  readonly capturedAt: Date;
  /** Of the newest kubelet. */
  readonly kubernetesVersion: string | null;
  /** As the API server reports it; null if it does not. */
  readonly apiServerVersion: string | null;
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
  readonly object?: (object: KubernetesObject) => void;
  readonly wantsWhole?: WantsWhole | undefined;
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
    const ask: AskPath = (path) => proxy.ask(path);
    // The lists of pods and nodes are read under its rules.
    const apiServerVersion = await readServerVersion(ask);
    const cluster = { kinds: discoverKinds(ask), apiServerVersion };
    try {
      return await readKinds(proxy, cluster, PAGE, options);
    } catch (error) {
      if (!(error instanceof PagesExpired)) throw error;
      return await readKinds(proxy, cluster, 0, options);
    }
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    if (error instanceof DiscoveryFailed) throw new CommandFailed(error.message);
    throw new CommandFailed(`the cluster cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A cluster before its objects are read. */
interface ClusterToRead {
  readonly kinds: Promise<readonly ServedKind[]>;
  readonly apiServerVersion: string | null;
}

/** What every API server serves: their lists, the longest ones, are read while the others are discovered. */
const ALWAYS_SERVED: readonly ServedKind[] = [
  { kind: 'Pod', servedAs: 'Pod', group: '', version: 'v1', plural: 'pods' },
  { kind: 'Node', servedAs: 'Node', group: '', version: 'v1', plural: 'nodes' },
];

async function readKinds(
  proxy: KubectlProxy,
  { kinds: discovered, apiServerVersion }: ClusterToRead,
  pageSize: number,
  { signal, progress, object: tell, wantsWhole }: ReadOptions,
): Promise<ClusterReading> {
  // Of each list, two pages are asked for.
  setMaxListeners(2 * AT_ONCE, signal);
  const capturedAt = new Date();
  const rulesFor = (kubelets: string | null): KubernetesRules =>
    chooseRules({ declared: null, apiServer: apiServerVersion, kubelets }).rules;
  const builder = new ClusterStateBuilder([], rulesFor(null));
  const leftOut: LeftOutKind[] = [];
  const loaded: KeptKind[] = [];
  const positions = new Map<ServedKind, string>();
  let objects = 0;
  const read = async (kind: ServedKind): Promise<void> => {
    const lists = listItems(proxy, kind, {
      clock: realClock,
      pageSize,
      signal,
      leaveOut: (left) => leftOut.push(left),
      listed: () => undefined,
      reader: () => new PageValues(),
    });
    let isComplete = true;
    for (;;) {
      const next = await lists.next();
      if (next.done === true) {
        if (next.value === undefined) return;
        positions.set(kind, next.value.resourceVersion);
        if (isComplete) loaded.push(kind.kind);
        return;
      }
      for (const item of next.value) {
        const object = readObject(item, kind, wantsWhole);
        if (object === undefined) isComplete = false;
        else {
          builder.add(object);
          tell?.(object);
        }
      }
      progress((objects += next.value.length));
    }
  };
  const turns = new Semaphore(AT_ONCE);
  const readInTurn = (kinds: readonly ServedKind[]): Promise<void> =>
    allEnded(
      kinds.map(async (kind) => {
        const leave = await turns.take();
        try {
          await read(kind);
        } finally {
          leave();
        }
      }),
    );
  const early = readInTurn(ALWAYS_SERVED);
  early.catch(() => undefined);
  const kinds = await discovered;
  await allEnded([early, readInTurn(kinds.filter(({ kind }) => !ALWAYS_SERVED.some((one) => one.kind === kind)))]);
  const made = builder.finish().apply({ upserts: [], deletes: [], loadedKinds: loaded });
  const kubernetesVersion = newestKubelet(made);
  const state = made.under(rulesFor(kubernetesVersion));
  const order = new Map(kinds.map(({ kind }, index) => [kind, index]));
  leftOut.sort((a, b) => order.get(a.kind.kind)! - order.get(b.kind.kind)!);
  return { state, capturedAt, kubernetesVersion, apiServerVersion, leftOut, positions };
}

/** Waits for all of them, so that none goes on in the background. @throws what the first one threw */
async function allEnded(promises: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(promises)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function newestKubelet(state: ClusterState): string | null {
  const nodes = state.objects('Node') as readonly Node[];
  return newestKubernetesVersion(nodes.map(({ status }) => status?.nodeInfo?.kubeletVersion ?? '')) ?? null;
}
