import { setMaxListeners } from 'node:events';
import { ClusterFollower, followerShares } from '../../app/following/cluster-follower.js';
import type { FollowStatus, KindStatus } from '../../app/following/follow-status.js';
import type { ServiceError } from '../../app/errors/service-error.js';
import type { AddressGuard } from '../../kube-api/address-guard.js';
import { ApiClient } from '../../kube-api/api-client.js';
import type { ApiServer } from '../../kube-api/api-server.js';
import { type AskPath, discoverKinds } from '../../kube-api/discover-kinds.js';
import { readServerVersion } from '../../kube-api/server-version.js';
import { KubeconfigError } from '../../kube-api/local-kubeconfig.js';
import { Backoff } from '../../kube-api/reflector/backoff.js';
import type { Clock } from '../../kube-api/reflector/clock.js';
import { AgentTools } from './agent-tools.js';
import type { ClusterAccess } from './cluster-access.js';
import { reasonOf, ServiceClient, type ServiceAddress, TokenUnreadable } from './service-client.js';

export interface Agent {
  readonly access: ClusterAccess;
  readonly guard: AddressGuard;
  readonly service: ServiceAddress;
  readonly clock: Clock;
  readonly random: () => number;
  readonly coalesceMs: number;
  readonly tell: (line: string) => void;
}

/** How often the state of the kinds is looked at, in milliseconds. */
const STATES_EVERY = 500;

/** Refusals that the same agent would meet again. */
const FINAL: readonly ServiceError['code'][] = ['forbidden', 'route-not-found'];

/**
 * Follows the cluster until the signal is aborted; begins anew after whatever goes wrong in between.
 * @throws {KubeconfigError | TokenUnreadable} at the beginning; {ServiceError} if the service will never take anything
 */
export async function runAgent(agent: Agent, signal: AbortSignal): Promise<void> {
  const { clock, tell } = agent;
  const backoff = new Backoff(agent.random);
  await agent.access.current();
  while (!signal.aborted) {
    try {
      await followOnce(agent, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof TokenUnreadable || error instanceof KubeconfigError || isFinal(error)) throw error;
      const wait = backoff.next(clock.now());
      tell(`${reasonOf(error)}; beginning anew in ${Math.ceil(wait / 1000)} s`);
      await clock.sleep(wait, signal).catch(() => undefined);
    }
  }
}

const isFinal = (error: unknown): boolean =>
  FINAL.includes((error as { readonly code?: ServiceError['code'] }).code as ServiceError['code']);

async function followOnce(agent: Agent, signal: AbortSignal): Promise<void> {
  const { access, clock, random, coalesceMs, tell } = agent;
  const client = new ApiClient(agent.guard);
  const apiServer = await access.current();
  const ask: AskPath = (path) => client.ask(apiServer, { method: 'GET', path }, signal);
  const [served, version] = await Promise.all([discoverKinds(ask), readServerVersion(ask)]);
  const uid = await clusterUid(client, await access.current(), signal);
  const own = new AbortController();
  // Each kind and each request listens to it.
  setMaxListeners(0, own.signal);
  const stop = (): void => {
    own.abort();
  };
  signal.addEventListener('abort', stop, { once: true });
  const service = new ServiceClient(agent.service, clock, random, own.signal, tell);
  const tools = new AgentTools(service, tell, uid);
  const follower = new ClusterFollower(
    { id: 0, name: agent.service.cluster, connectedAt: new Date(clock.now()) },
    'agent',
    { served, version },
    access,
    {
      snapshots: tools.snapshots,
      deltas: tools.deltas,
      follows: tools.follows,
      leases: tools.leases,
      clock,
      random,
      coalesceMs,
      ...followerShares(),
      counts: { events: () => undefined, relist: () => undefined },
    },
  );
  const shown = new Map<string, string>();
  const timer = setInterval(() => {
    showStates(follower.status, shown, tell);
  }, STATES_EVERY);
  try {
    await follower.run(own.signal);
  } finally {
    clearInterval(timer);
    showStates(follower.status, shown, tell);
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/**
 * The uid of the namespace kube-system, which lives as long as its cluster (k8s.io/kubernetes v1.36.2,
 * plugin/pkg/admission/namespace/lifecycle: it cannot be deleted); undefined if it cannot be read.
 */
async function clusterUid(client: ApiClient, apiServer: ApiServer, signal: AbortSignal): Promise<string | undefined> {
  const { body } = await client.ask(apiServer, { method: 'GET', path: '/api/v1/namespaces/kube-system' }, signal);
  const { uid } = (body?.['metadata'] ?? {}) as { readonly uid?: unknown };
  return typeof uid === 'string' ? uid : undefined;
}

/** Tells of each kind whose state is another than last time. */
function showStates({ kinds }: FollowStatus, shown: Map<string, string>, tell: (line: string) => void): void {
  const changed = new Map<string, string[]>();
  for (const kind of kinds) {
    const text = textOf(kind);
    if (shown.get(kind.kind) === text) continue;
    shown.set(kind.kind, text);
    changed.set(text, [...(changed.get(text) ?? []), kind.kind]);
  }
  for (const [text, names] of changed) tell(`${names.join(', ')}: ${text}`);
}

function textOf({ state, message, rule }: KindStatus): string {
  const missing = rule === null ? '' : `; missing in a ClusterRole: ${JSON.stringify(rule)}`;
  return `${state}${message === null ? '' : `: ${message}`}${missing}`;
}
