import { parse } from 'yaml';
import type { deleteConnection, putConnection, readConnection } from '../../contract/connections/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { ApiClient, ApiUnreachable } from '../../kube-api/api-client.js';
import type { ApiServer, ApiUser } from '../../kube-api/api-server.js';
import { inClusterServer } from '../../kube-api/in-cluster.js';
import { readKubeconfig, type ReadKubeconfig } from '../../kube-api/kubeconfig.js';
import type { Cluster } from '../../storage/cluster-store.js';
import { ConnectionStore, type ConnectionDetails, type StoredConnection } from '../../storage/connection-store.js';
import { ClusterNotFound } from '../../storage/storage-error.js';
import { FollowLeases } from '../../storage/follow-leases.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { faultAt } from '../errors/fault-at.js';
import { followedCluster } from '../following/followed-cluster.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';
import { placeIn } from '../evictions/read-question.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { ConnectionKeys } from './connection-keys.js';

/** A connection that can be used. */
export interface OpenConnection {
  readonly apiServer: ApiServer;
  readonly dryRuns: boolean;
  readonly writes: boolean;
}

type Answer = AnswerTo<typeof readConnection>;

interface Needed {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

const verbs = (group: string, resource: string, ...needed: readonly string[]): readonly Needed[] =>
  needed.map((verb) => ({ verb, group, resource }));

/** What the user does in a cluster to write taint changes, by what changes. */
const NEEDED_FOR_WRITES = {
  nodes: verbs('', 'nodes', 'get', 'patch'),
  deviceTaintRules: verbs('resource.k8s.io', 'devicetaintrules', 'get', 'create', 'patch', 'delete'),
} as const;
export type WriteSubject = keyof typeof NEEDED_FOR_WRITES;

const patch = (group: string, resource: string): Needed => ({ verb: 'patch', group, resource });

/** What the user does in a cluster for dry runs, as RBAC names it. */
const NEEDED_FOR_DRY_RUNS: readonly Needed[] = [
  { verb: 'create', group: '', resource: 'pods' },
  ...['deployments', 'statefulsets', 'daemonsets', 'replicasets'].map((resource) => patch('apps', resource)),
  ...['jobs', 'cronjobs'].map((resource) => patch('batch', resource)),
];

/** How clusters are connected to their API servers. */
export class Connections {
  constructor(
    private readonly clusters: GetCluster,
    private readonly store: ConnectionStore,
    private readonly keys: ConnectionKeys,
    private readonly client: ApiClient,
    private readonly leases: FollowLeases,
  ) {}

  /**
   * @throws {InvalidRequestError} with everything that is wrong with the kubeconfig
   * @throws {ServiceError} `connections-not-configured`
   */
  async put(
    request: RequestOf<typeof putConnection>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof putConnection>> {
    const { details, user } = detailsOf(request);
    const cluster = await this.clusters.run(request.cluster);
    const secret = user.kind === 'serviceAccount' ? null : await this.keys.seal(JSON.stringify(user), ownerOf(cluster));
    const stored: StoredConnection = { details, secret, createdAt: context.now, createdBy: context.caller.name };
    if (!(await this.store.put(cluster.id, stored))) throw new ClusterNotFound(request.cluster);
    return this.answer(stored, cluster, context);
  }

  /** @throws {ServiceError} `connection-not-found`, `connections-not-configured` */
  async read({ cluster: name }: RequestOf<typeof readConnection>, context: RequestContext): Promise<Answer> {
    const cluster = await this.clusters.run(name);
    return this.answer(await this.stored(cluster), cluster, context);
  }

  async delete({ cluster: name }: RequestOf<typeof deleteConnection>): Promise<AnswerTo<typeof deleteConnection>> {
    const { id } = await this.clusters.run(name);
    return { cluster: name, deleted: await this.store.delete(id) };
  }

  /** @throws {ServiceError} `connection-not-found`, `connections-not-configured` */
  async open(name: string): Promise<OpenConnection> {
    const cluster = await this.clusters.run(name);
    const stored = await this.stored(cluster);
    return {
      apiServer: await this.apiServerOf(stored, cluster),
      dryRuns: stored.details.dryRuns,
      writes: stored.details.writes === true,
    };
  }

  private async stored(cluster: Cluster): Promise<StoredConnection> {
    const stored = await this.store.find(cluster.id);
    if (stored === undefined) {
      throw new ServiceError(
        'connection-not-found',
        `Cluster ${cluster.name} has no connection; PUT it at clusters/${cluster.name}/connection.`,
      );
    }
    return stored;
  }

  private async apiServerOf({ details, secret }: StoredConnection, cluster: Cluster): Promise<ApiServer> {
    const { server, ca, serverName } = details;
    if (server === null || secret === null) return ownServer();
    const user = JSON.parse(await this.keys.open(secret, ownerOf(cluster))) as ApiUser;
    return { server, user, ...(ca !== null && { ca }), ...(serverName !== null && { serverName }) };
  }

  private async answer(stored: StoredConnection, cluster: Cluster, { now, signal }: RequestContext): Promise<Answer> {
    const { context, user, dryRuns, writes = false, follow = false } = stored.details;
    const { createdAt, createdBy } = stored;
    const apiServer = await this.apiServerOf(stored, cluster);
    const following = follow ? followedCluster(await this.leases.status(cluster.id), now) : null;
    const known = { server: apiServer.server, context, user, dryRuns, writes, follow, following, createdAt, createdBy };
    try {
      const { status, body } = await this.client.ask(apiServer, { method: 'GET', path: '/version' }, signal);
      if (status !== 200)
        return { ...known, reachable: false, version: null, message: refusalIn(status, body), permissions: [] };
      const needed = [
        ...(dryRuns ? NEEDED_FOR_DRY_RUNS : []),
        ...(writes ? Object.values(NEEDED_FOR_WRITES).flat() : []),
      ];
      const permissions = await Promise.all(needed.map((one) => this.permission(apiServer, one, signal)));
      const version = body?.['gitVersion'];
      return {
        ...known,
        reachable: true,
        version: typeof version === 'string' ? version : null,
        message: null,
        permissions,
      };
    } catch (error) {
      if (!(error instanceof ApiUnreachable)) throw error;
      return { ...known, reachable: false, version: null, message: error.message, permissions: [] };
    }
  }

  /** The permissions that the user of a connection lacks to write taint changes. @throws {ApiUnreachable} */
  async lackingForWrites(
    { apiServer }: OpenConnection,
    subject: WriteSubject,
    signal: AbortSignal,
  ): Promise<readonly Answer['permissions'][number][]> {
    const known = await Promise.all(NEEDED_FOR_WRITES[subject].map((one) => this.permission(apiServer, one, signal)));
    return known.filter(({ allowed }) => !allowed);
  }

  /** @throws {ApiUnreachable} */
  private async permission(
    apiServer: ApiServer,
    { verb, group, resource }: Needed,
    signal: AbortSignal,
  ): Promise<Answer['permissions'][number]> {
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb, resource, group, namespace: '' } },
    };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const { body } = await this.client.ask(apiServer, { method: 'POST', path, body: review }, signal);
    const allowed = (body?.['status'] as JsonObject | undefined)?.['allowed'] === true;
    return {
      verb,
      group,
      resource,
      allowed,
      rule: allowed ? null : { apiGroups: [group], resources: [resource], verbs: [verb] },
    };
  }
}

const ownerOf = ({ id, name }: Cluster): string => `${id} ${name}`;

/** The message of a `Status`. */
export function refusalIn(status: number, body: JsonObject | undefined): string {
  const message = body?.['message'];
  return `the API server answered ${status}${typeof message === 'string' ? `: ${message}` : ''}`;
}

function ownServer(): ApiServer {
  const server = inClusterServer(process.env);
  if (server === undefined) throw new ServiceError('connections-not-configured', NOT_IN_CLUSTER);
  return server;
}

const NOT_IN_CLUSTER = 'This service does not run in a pod of a cluster: KUBERNETES_SERVICE_HOST is not set.';

/** What is wrong with a connection that the form of the request does not show. */
export function connectionErrors(
  { kubeconfig, context, inCluster }: Partial<GivenConnection>,
  { invalid }: { readonly invalid: ReadonlySet<string> },
): readonly ErrorDetail[] {
  // Which contexts there are is not known.
  if (invalid.has('inCluster') || invalid.has('kubeconfig')) return [];
  return readGiven({ kubeconfig, context, inCluster, root: '' }).faults;
}

interface GivenConnection {
  readonly kubeconfig?: unknown;
  readonly context?: string | undefined;
  readonly inCluster?: boolean | undefined;
  readonly root: string;
}

function readGiven({ kubeconfig, context, inCluster = false, root }: GivenConnection): {
  readonly faults: readonly ErrorDetail[];
  readonly read: ReadKubeconfig | undefined;
} {
  const faults: ErrorDetail[] = [];
  const complain = (name: string, code: string, message: string): void => {
    faults.push(faultAt(placeIn(root, name), code, message));
  };
  if (kubeconfig !== undefined && inCluster)
    complain('inCluster', 'conflicting-fields', 'give either kubeconfig or inCluster, not both');
  if (kubeconfig === undefined && !inCluster) complain('kubeconfig', 'required', 'give either kubeconfig or inCluster');
  if (kubeconfig === undefined && context !== undefined)
    complain('context', 'conflicting-fields', 'is the context of a kubeconfig');
  const read = kubeconfig === undefined ? undefined : kubeconfigIn(kubeconfig, context);
  if (read?.outcome === 'invalid') {
    const place = placeIn(root, 'kubeconfig');
    for (const { pointer, message } of read.faults) {
      faults.push({ pointer: `${place.toPointer()}${pointer}`, code: 'invalid', message });
    }
  }
  return { faults, read };
}

function detailsOf(request: RequestOf<typeof putConnection>): {
  readonly details: ConnectionDetails;
  readonly user: ApiUser;
} {
  const { dryRuns = false, writes = false, follow = false } = request;
  const { faults, read } = readGiven(request);
  if (faults.length > 0) throw new InvalidRequestError(faults);
  if (read?.outcome !== 'read') {
    const { user } = ownServer();
    const own = { server: null, ca: null, serverName: null, context: null, user: 'serviceAccount' } as const;
    return { details: { ...own, dryRuns, writes, follow }, user };
  }
  const { server, ca = null, serverName = null, user } = read.apiServer;
  return { details: { server, ca, serverName, context: read.context, user: user.kind, dryRuns, writes, follow }, user };
}

/** The greatest kubeconfig in characters: many contexts, each with certificates. */
const MOST_CHARACTERS = 1_000_000;

function kubeconfigIn(given: unknown, context: string | undefined): ReadKubeconfig {
  if (typeof given !== 'string') return readKubeconfig(given, context);
  const invalid = (message: string): ReadKubeconfig => ({ outcome: 'invalid', faults: [{ pointer: '', message }] });
  if (given.length > MOST_CHARACTERS) return invalid(`must have at most ${MOST_CHARACTERS} characters`);
  try {
    // Errors of YAML quote the text, which has credentials.
    return readKubeconfig(parse(given, { maxAliasCount: 0, logLevel: 'silent' }), context);
  } catch {
    return invalid('must be YAML');
  }
}
