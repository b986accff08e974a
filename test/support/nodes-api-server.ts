import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sameValue } from '../../src/core/json/same-value.js';
import { testCertificate } from './certificates.js';
import { PlayedRules } from './played-rules.js';

interface PlayedNode {
  apiVersion: 'v1';
  kind: 'Node';
  metadata: {
    name: string;
    uid: string;
    resourceVersion: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    managedFields?: Managed[];
  };
  spec: { taints?: PlayedTaint[]; unschedulable?: true };
  status?: object;
}
interface PlayedTaint {
  key: string;
  value?: string;
  effect: string;
}
interface Managed {
  manager: string;
  operation: string;
  apiVersion: 'v1';
  fieldsType: 'FieldsV1';
  fieldsV1: { 'f:spec': Record<string, object> };
}
interface Operation {
  readonly op: 'test' | 'add' | 'remove' | 'replace';
  readonly path: string;
  readonly value?: unknown;
}

/** One request that changed a node, or would have as a dry run. */
interface PlayedWrite {
  readonly node: string;
  readonly dryRun: boolean;
  readonly tested: string | undefined;
  /** The version afterwards; undefined if it was refused. */
  readonly resourceVersion: string | undefined;
}

/**
 * What happens to a request instead: an answer of a recorded form; a connection cut before the request is executed, or after; an answer
 * that says that it was not executed in time although it was; silence until the server is told to end.
 */
type Fault = 'overloaded' | 'webhook' | 'forbidden' | 'cut' | 'cutAfter' | 'timeoutAfter' | 'hang';

/** Plays what an API server of v1.36.2 does with nodes, over TLS: versions, JSON Patch, dry runs, owners of fields, refusals. */
export class NodesApiServer {
  readonly nodes = new Map<string, PlayedNode>();
  readonly rules = new PlayedRules();
  readonly writes: PlayedWrite[] = [];
  readonly asked: string[] = [];
  /** The header `traceparent` of each of those. */
  readonly traceParents: string[] = [];
  /** Decides on a fault before a request is executed; it can change nodes, as other clients do. A rule is `devicetaintrules/name`. */
  meddle: (request: { readonly method: string; readonly node: string; readonly dryRun: boolean }) => Fault | undefined =
    () => undefined;
  /** Awaited before the answer to what the user may do. */
  beforeReview: () => Promise<unknown> = () => Promise.resolve();
  /** Verbs of nodes that the user lacks, and others as `create devicetaintrules`. */
  readonly lacks = new Set<string>();
  private version = 100;
  private readonly held: ServerResponse[] = [];

  private constructor(
    private readonly server: Server,
    /** PEM. */
    readonly ca: string,
  ) {}

  static async start(): Promise<NodesApiServer> {
    const { cert, key } = await testCertificate('kube-apiserver');
    const server = createServer({ cert, key });
    const played = new NodesApiServer(server, cert.toString());
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => played.serve(request, response, Buffer.concat(parts).toString()));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return played;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  kubeconfig(token = 'token'): object {
    return {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [
        {
          name: 'c',
          cluster: { server: this.url, 'certificate-authority-data': Buffer.from(this.ca).toString('base64') },
        },
      ],
      users: [{ name: 'u', user: { token } }],
    };
  }

  /** Adds a node, or replaces it by one with another uid. */
  addNode(
    name: string,
    {
      taints,
      ...metadata
    }: { taints?: PlayedTaint[]; labels?: Record<string, string>; annotations?: Record<string, string> } = {},
  ): void {
    this.nodes.set(name, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, uid: `uid-${name}-${++this.version}`, resourceVersion: String(this.version), ...metadata },
      spec: taints === undefined ? {} : { taints },
    });
  }

  /** Writes as another client does. */
  change(name: string, edit: (node: PlayedNode) => void, manager = 'kubectl-taint'): void {
    const node = this.nodes.get(name)!;
    const copy = structuredClone(node);
    edit(copy);
    this.nodes.set(name, this.stored(node, copy, manager));
  }

  taintsOf(name: string): readonly string[] {
    return (this.nodes.get(name)?.spec.taints ?? []).map(
      ({ key, value, effect }) => `${key}${value === undefined ? '' : `=${value}`}:${effect}`,
    );
  }

  /** The writes that changed a node. */
  get done(): readonly PlayedWrite[] {
    return this.writes.filter(
      ({ dryRun, tested, resourceVersion }) => !dryRun && resourceVersion !== undefined && resourceVersion !== tested,
    );
  }

  /** The nodes as a snapshot. */
  list(): object {
    return { apiVersion: 'v1', kind: 'List', items: [...this.nodes.values()] };
  }

  /** Lets go of requests that hang. */
  release(): void {
    for (const response of this.held.splice(0)) response.destroy();
  }

  private serve({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse, body: string): void {
    this.asked.push(`${method} ${url}`);
    this.traceParents.push(String(headers['traceparent']));
    const answer = (status: number, value: unknown, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    };
    const at = new URL(url, this.url);
    if (at.pathname === '/version') {
      answer(200, { major: '1', minor: '36', gitVersion: 'v1.36.2' });
      return;
    }
    if (at.pathname.startsWith('/apis/authorization.k8s.io/')) {
      const { verb, resource } = (
        JSON.parse(body) as { spec: { resourceAttributes: { verb: string; resource: string } } }
      ).spec.resourceAttributes;
      void this.beforeReview().then(() => {
        const lacks = this.lacks.has(resource === 'nodes' ? verb : `${verb} ${resource}`);
        answer(201, { status: { allowed: !lacks } });
      });
      return;
    }
    const nodeName = /^\/api\/v1\/nodes\/([^/]+)$/.exec(at.pathname)?.[1];
    const name = nodeName ?? this.rules.subjectOf(at.pathname) ?? '';
    const ofRule = (): readonly [number, object] | undefined =>
      this.rules.answer({ method, path: at.pathname, query: at.searchParams, body });
    if (name === '') {
      const discovered = ofRule();
      if (discovered !== undefined) {
        answer(...discovered);
        return;
      }
      answer(404, status(404, 'NotFound', 'the server could not find the requested resource'));
      return;
    }
    const dryRun = at.searchParams.get('dryRun') === 'All' || body.includes('"dryRun":["All"]');
    const fault = this.meddle({ method, node: name, dryRun });
    switch (fault) {
      case 'hang':
        this.held.push(response);
        return;
      case 'cut':
        response.destroy();
        return;
      case 'overloaded':
        response.writeHead(429, { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1' });
        response.end('Too many requests, please try again later.\n');
        return;
      case 'webhook':
        answer(500, status(500, 'InternalError', WEBHOOK, { causes: [{ message: WEBHOOK }] }));
        return;
      case 'forbidden':
        answer(
          403,
          status(
            403,
            'Forbidden',
            `nodes "${name}" is forbidden: User "u" cannot patch resource "nodes" in API group "" at the cluster scope`,
            { name, kind: 'nodes' },
          ),
        );
        return;
      default:
    }
    const [code, value] =
      (nodeName === undefined ? ofRule() : undefined) ??
      (method === 'PATCH'
        ? this.patch(name, JSON.parse(body) as Operation[], dryRun, at.searchParams.get('fieldManager') ?? 'unknown')
        : this.get(name));
    if (fault === 'cutAfter') response.destroy();
    else if (fault === 'timeoutAfter') answer(504, status(504, 'Timeout', TIMEOUT));
    else answer(code, value);
  }

  private get(name: string): readonly [number, object] {
    const node = this.nodes.get(name);
    return node === undefined ? [404, notFound(name)] : [200, node];
  }

  private patch(
    name: string,
    operations: readonly Operation[],
    dryRun: boolean,
    manager: string,
  ): readonly [number, object] {
    const node = this.nodes.get(name);
    if (node === undefined) return [404, notFound(name)];
    const tested = operations.find(({ op, path }) => op === 'test' && path === '/metadata/resourceVersion')
      ?.value as string;
    const patched = structuredClone(node);
    if (!operations.every((operation) => execute(patched, operation))) {
      this.writes.push({ node: name, dryRun, tested, resourceVersion: undefined });
      return [422, status(422, 'Invalid', 'the server rejected our request due to an error in our request')];
    }
    const after = this.stored(node, patched, manager, dryRun);
    if (!dryRun) this.nodes.set(name, after);
    this.writes.push({ node: name, dryRun, tested, resourceVersion: after.metadata.resourceVersion });
    return [200, after];
  }

  /** A node as it is stored: with a new version if it differs, and with the new owner of what was changed. */
  private stored(before: PlayedNode, after: PlayedNode, manager: string, dryRun = false): PlayedNode {
    if (after.spec.taints?.length === 0) delete after.spec.taints;
    if (sameValue(before, after)) return before;
    for (const field of ['taints', 'unschedulable'] as const) {
      if (!sameValue(before.spec[field], after.spec[field])) own(after, manager, field);
    }
    after.metadata.resourceVersion = dryRun ? before.metadata.resourceVersion : String(++this.version);
    return after;
  }
}

const WEBHOOK =
  'Internal error occurred: failed calling webhook "broken.example.com": failed to call webhook: Post "https://127.0.0.1:1/x?timeout=2s": dial tcp 127.0.0.1:1: connect: connection refused';
const TIMEOUT = 'Timeout: request did not complete within the allotted timeout';

function status(code: number, reason: string, message: string, details: object = {}): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details, code };
}
const notFound = (name: string): object =>
  status(404, 'NotFound', `nodes "${name}" not found`, { name, kind: 'nodes' });

function own(node: PlayedNode, manager: string, field: string): void {
  const entries = node.metadata.managedFields ?? [];
  for (const entry of entries) Reflect.deleteProperty(entry.fieldsV1['f:spec'], `f:${field}`);
  const owns = (node.spec as Record<string, unknown>)[field] !== undefined;
  let entry = entries.find((one) => one.manager === manager);
  if (entry === undefined) {
    entry = { manager, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': {} } };
    entries.push(entry);
  }
  if (owns) entry.fieldsV1['f:spec'][`f:${field}`] = {};
  node.metadata.managedFields = entries.filter(({ fieldsV1 }) => Object.keys(fieldsV1['f:spec']).length > 0);
}

/** Executes an operation on objects; false if it fails. `null` is what a test finds where nothing is. */
function execute(node: PlayedNode, { op, path, value }: Operation): boolean {
  const names = path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = names.pop()!;
  let parent: Record<string, unknown> = node as unknown as Record<string, unknown>;
  for (const name of names) {
    const next = parent[name];
    if (typeof next !== 'object' || next === null) return op === 'test' && value === null;
    parent = next as Record<string, unknown>;
  }
  switch (op) {
    case 'test':
      return sameValue(parent[last] ?? null, value ?? null);
    case 'add':
    case 'replace':
      parent[last] = value;
      return true;
    case 'remove':
      if (parent[last] === undefined) return false;
      return Reflect.deleteProperty(parent, last);
  }
}
