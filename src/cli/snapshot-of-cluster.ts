import { AddressGuard } from '../kube-api/address-guard.js';
import { ApiClient } from '../kube-api/api-client.js';
import { clusterLists, type LeftOutKind, leftOutText, PagesExpired } from '../kube-api/cluster-lists.js';
import { type AskPath, discoverKinds } from '../kube-api/discover-kinds.js';
import { readLocalKubeconfig } from '../kube-api/local-kubeconfig.js';
import { realClock } from '../kube-api/reflector/clock.js';
import { readServerVersion } from '../kube-api/server-version.js';
import { StreamClient } from '../kube-api/stream-client.js';

/** Objects in a page, as kubectl asks for them. */
const PAGE = 500;

/** When a cluster was read, and the version of its API server if it says so. */
export interface ClusterTaken {
  readonly capturedAt: string;
  readonly version: string | null;
}

/** Sends a cluster. If its pages expire while they are read, they are read again as whole lists. */
export async function sendCluster(
  { context, kubeconfig: file }: { readonly context?: string; readonly kubeconfig?: string },
  send: (lists: AsyncIterable<Uint8Array>, taken: ClusterTaken) => Promise<number>,
): Promise<number> {
  const environment = { env: process.env, isInteractive: process.stdin.isTTY };
  const guard = new AddressGuard(true);
  const { apiServer } = await readLocalKubeconfig({ context, file }, environment);
  const api = new ApiClient(guard);
  const ask: AskPath = (path) => api.ask(apiServer, { method: 'GET', path });
  const [kinds, version] = await Promise.all([discoverKinds(ask), readServerVersion(ask)]);
  const client = new StreamClient(guard, apiServer);
  const read = async (pageSize: number): Promise<number> => {
    const left: LeftOutKind[] = [];
    const lists = clusterLists(client, kinds, {
      clock: realClock,
      pageSize,
      signal: new AbortController().signal,
      leaveOut: (one) => left.push(one),
      listed: () => undefined,
    });
    const code = await send(lists, { capturedAt: new Date().toISOString(), version });
    for (const one of left) process.stderr.write(`left out: ${leftOutText(one)}\n`);
    return code;
  };
  try {
    return await read(PAGE);
  } catch (error) {
    if (!(error instanceof PagesExpired)) throw error;
    process.stderr.write(`${error.message}; reading whole lists\n`);
    return await read(0);
  } finally {
    client.close();
  }
}
