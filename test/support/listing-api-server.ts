import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { testCertificate } from './certificates.js';

interface Resource {
  readonly apiVersion: string;
  readonly plural: string;
  readonly kind: string;
  readonly items: readonly object[];
  /** Why it may not be listed. */
  readonly denied?: string;
}

/** An API server with fixed objects, over TLS: discovery, lists in pages, and watches of what a test pushes. It takes one token. */
export class ListingApiServer {
  /** Paths with their queries, in order. */
  readonly asked: string[] = [];
  resourceVersion = 100;
  /** Watches from before it are too old. */
  oldest = 0;
  /** A path in front of all others. */
  basePath = '';
  /** Answers some requests itself, before anything else is looked at. */
  answers: (url: string, response: ServerResponse) => boolean = () => false;
  /** Whether the second page of a list comes too late. */
  expires = false;

  private readonly events: { readonly plural: string; readonly version: number; readonly line: string }[] = [];
  private readonly watches = new Map<string, Set<ServerResponse>>();

  private constructor(
    private readonly server: Server,
    /** PEM. */
    readonly ca: string,
    readonly token: string,
    public resources: readonly Resource[],
  ) {}

  static async start(resources: readonly Resource[], token = 'the-token'): Promise<ListingApiServer> {
    const { cert, key } = await testCertificate('kube-apiserver');
    const server = createServer({ cert, key });
    const listing = new ListingApiServer(server, cert.toString(), token, resources);
    server.on('request', ({ url: whole = '', headers }, response) => {
      const url = whole.startsWith(listing.basePath) ? whole.slice(listing.basePath.length) : '';
      listing.asked.push(url);
      if (listing.answers(url, response)) return;
      if (listing.watch(url, headers.authorization, response)) return;
      const [status, body] =
        headers.authorization === `Bearer ${listing.token}` ? listing.answer(url) : failure(401, 'Unauthorized');
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return listing;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** A kubeconfig with one context. */
  kubeconfig(user: object = { token: this.token }, context = 'here'): object {
    const ca = Buffer.from(this.ca).toString('base64');
    return {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': context,
      contexts: [{ name: context, context: { cluster: context, user: context } }],
      clusters: [
        { name: context, cluster: { server: `${this.url}${this.basePath}`, 'certificate-authority-data': ca } },
      ],
      users: [{ name: context, user }],
    };
  }

  /** Sends an event to all watches of a resource, also to those that begin later at an older resourceVersion. */
  push(plural: string, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: object): void {
    const { resourceVersion } = (object as { metadata: { resourceVersion: string } }).metadata;
    const event = { plural, version: Number(resourceVersion), line: `${JSON.stringify({ type, object })}\n` };
    this.events.push(event);
    for (const response of this.watches.get(plural) ?? []) response.write(event.line);
  }

  /** Answers lists of a resource only once the returned function has been called. */
  holdList(plural: string): () => void {
    const held: (() => void)[] = [];
    this.answers = (url, response) => {
      const { pathname, searchParams } = new URL(url, 'https://x');
      if (!pathname.endsWith(`/${plural}`) || searchParams.get('watch') === 'true') return false;
      held.push(() => {
        const [status, body] = this.answer(url);
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
      return true;
    };
    return () => {
      this.answers = () => false;
      for (const answer of held) answer();
    };
  }

  /** Cuts the watches of a resource. */
  cutWatches(plural: string): void {
    for (const response of this.watches.get(plural) ?? []) response.destroy();
  }

  /** Has other resources from now on, and no events. */
  restart(resources: readonly Resource[]): void {
    this.resources = resources;
    this.oldest = 0;
    this.resourceVersion = 100;
    this.events.length = 0;
  }

  private watch(url: string, authorization: string | undefined, response: ServerResponse): boolean {
    const { pathname, searchParams } = new URL(url, 'https://x');
    const found = this.resources.find(({ plural }) => pathname.endsWith(`/${plural}`));
    const isAllowed = authorization === `Bearer ${this.token}` && found?.denied === undefined;
    if (searchParams.get('watch') !== 'true' || found === undefined || !isAllowed) return false;
    const ofResource = this.watches.get(found.plural) ?? new Set();
    this.watches.set(found.plural, ofResource.add(response));
    response.on('close', () => ofResource.delete(response));
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    const from = Number(searchParams.get('resourceVersion') ?? 0);
    if (from < this.oldest) {
      const [, object] = failure(410, `too old resource version: ${from} (${this.oldest})`);
      response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
      return true;
    }
    for (const { plural, version, line } of this.events) {
      if (plural === found.plural && version > from) response.write(line);
    }
    return true;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }

  private objectAt(pathname: string): object | undefined {
    const [plural, name] = pathname.split('/').slice(-2);
    const found = this.resources.find((resource) => resource.plural === plural);
    return found?.items.find((item) => (item as { metadata: { name?: string } }).metadata.name === name);
  }

  private answer(url: string): readonly [number, object] {
    const { pathname, searchParams } = new URL(url, 'https://x');
    if (pathname === '/apis') {
      const versions = [...new Set(this.resources.map(({ apiVersion }) => apiVersion))].filter((one) => one !== 'v1');
      return [200, { groups: versions.map((groupVersion) => ({ versions: [{ groupVersion }] })) }];
    }
    const rootOf = ({ apiVersion }: Resource): string => (apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`);
    const within = this.resources.filter((resource) => rootOf(resource) === pathname);
    if (within.length > 0 || pathname === '/api/v1') {
      return [200, { resources: within.map(({ plural }) => ({ name: plural, verbs: ['get', 'list', 'watch'] })) }];
    }
    const found = this.resources.find(
      (resource) => pathname.startsWith(`${rootOf(resource)}/`) && pathname.endsWith(`/${resource.plural}`),
    );
    if (found === undefined) {
      const object = this.objectAt(pathname);
      return object === undefined ? failure(404, 'the server could not find the requested resource') : [200, object];
    }
    if (found.denied !== undefined) return failure(403, found.denied);
    const start = Number(searchParams.get('continue') ?? 0);
    if (start > 0 && this.expires) return failure(410, 'The provided continue parameter is too old');
    const limit = Number(searchParams.get('limit') ?? 0) || Infinity;
    const items = found.items.slice(start, start + limit);
    const more = start + items.length < found.items.length;
    // Later pages are of the moment of the first, but say a later one: only the first counts.
    const resourceVersion = String(this.resourceVersion + start);
    const metadata = { resourceVersion, ...(more && { continue: String(start + items.length) }) };
    return [200, { kind: `${found.kind}List`, apiVersion: found.apiVersion, metadata, items }];
  }
}

const failure = (code: number, message: string): readonly [number, object] => [
  code,
  { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code, ...(code === 410 && { reason: 'Expired' }) },
];
