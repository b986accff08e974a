import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { JsonObject } from '../../src/core/json/json-value.js';
import { testCertificate } from './certificates.js';

interface LivingObject {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
}

interface Change {
  readonly plural: string;
  readonly version: number;
  readonly type: string;
  readonly object: LivingObject;
}

const KINDS: Readonly<Record<string, string>> = { nodes: 'Node', namespaces: 'Namespace' };

/**
 * An API server over TLS, with HTTP/2 and HTTP/1.1, with nodes and namespaces that change: discovery, lists, and watches from any of its
 * versions.
 */
export class LivingApiServer {
  /** Paths with their queries, in order. */
  readonly asked: string[] = [];
  /** The only one that is taken; another one than that of a kubeconfig has expired. */
  token = 'the-token';
  private oldest = 0;
  /** Lists are not answered while this is pending. */
  lists: Promise<unknown> = Promise.resolve();
  /** Lists that are asked and not answered. */
  listing = 0;
  /** Called when a list is asked. */
  onList: () => void = () => undefined;
  private garbles = 0;
  private version = 10;
  private readonly objects = new Map<string, Map<string, LivingObject>>(
    Object.keys(KINDS).map((plural) => [plural, new Map<string, LivingObject>()]),
  );
  private readonly changes: Change[] = [];
  private readonly watches = new Set<{ readonly plural: string; readonly response: ServerResponse }>();

  private constructor(
    private readonly server: Http2SecureServer,
    private readonly sockets: ReadonlySet<Socket>,
    /** PEM. */
    private readonly ca: string,
  ) {}

  static async start(): Promise<LivingApiServer> {
    const { cert, key } = await testCertificate('kube-apiserver');
    const server = createSecureServer({ cert, key, allowHTTP1: true });
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    const living = new LivingApiServer(server, sockets, cert.toString());
    server.on('request', ({ url, headers }, answered) => {
      // A response over HTTP/2 has what is used here.
      const response = answered as unknown as ServerResponse;
      living.asked.push(url);
      response.setHeader('content-type', 'application/json');
      if (headers.authorization === `Bearer ${living.token}`) living.answer(url, response);
      else response.writeHead(401).end(JSON.stringify(failure(401, 'Unauthorized', 'Unauthorized')));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return living;
  }

  get kubeconfig(): object {
    const { port } = this.server.address() as AddressInfo;
    const cluster = {
      server: `https://127.0.0.1:${port}`,
      'certificate-authority-data': Buffer.from(this.ca).toString('base64'),
    };
    return {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token: this.token } }],
    };
  }

  /** Watches that are open. */
  get watching(): number {
    return this.watches.size;
  }

  /** All objects as they are. */
  get truth(): readonly JsonObject[] {
    return [...this.objects.values()].flatMap((ofKind) => [...ofKind.values()]) as unknown as readonly JsonObject[];
  }

  /** Lists that were asked. */
  get listed(): number {
    return this.asked.filter((path) => path.includes('limit=')).length;
  }

  /** Forgets older versions, as after a compaction of etcd: watches from them are refused. */
  compact(): void {
    this.oldest = this.version += 1;
  }

  /** Cuts every connection. */
  cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Garbles the next event, then cuts nothing: what follows comes in order. */
  garbleNext(): void {
    this.garbles += 1;
  }

  get hasGarbled(): boolean {
    return this.garbles === 0;
  }

  put(plural: string, name: string, more: { readonly metadata?: object } & object = {}): void {
    const known = this.objects.get(plural)!;
    const uid = known.get(name)?.metadata.uid ?? `uid-${name}-${this.version}`;
    const metadata = { ...more.metadata, name, uid, resourceVersion: String((this.version += 1)) };
    const object = { apiVersion: 'v1', kind: KINDS[plural], ...more, metadata };
    this.tell(plural, known.has(name) ? 'MODIFIED' : 'ADDED', object);
    known.set(name, object);
  }

  delete(plural: string, name: string): void {
    const object = this.objects.get(plural)!.get(name)!;
    this.objects.get(plural)!.delete(name);
    const metadata = { ...object.metadata, resourceVersion: String((this.version += 1)) };
    this.tell(plural, 'DELETED', { ...object, metadata });
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.cutAll();
    await closed;
  }

  private tell(plural: string, type: string, object: LivingObject): void {
    const change = { plural, version: this.version, type, object };
    this.changes.push(change);
    for (const watch of this.watches) {
      if (watch.plural !== plural) continue;
      const isGarbled = this.garbles > 0;
      if (isGarbled) this.garbles -= 1;
      watch.response.write(isGarbled ? lineOf(change).replace('"object":', '"object"') : lineOf(change));
    }
  }

  private answer(url: string, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'https://x');
    const plural = pathname.replace('/api/v1/', '');
    const kind = KINDS[plural];
    if (pathname === '/version') response.end('{"gitVersion":"v1.36.2"}');
    else if (pathname === '/apis') response.end('{"groups":[]}');
    else if (pathname === '/api/v1') {
      const resources = Object.keys(KINDS).map((name) => ({ name, verbs: ['list', 'watch'] }));
      response.end(JSON.stringify({ resources }));
    } else if (kind === undefined) response.writeHead(404).end();
    else if (searchParams.has('watch')) {
      const from = Number(searchParams.get('resourceVersion'));
      response.flushHeaders();
      if (from < this.oldest) {
        const object = failure(410, 'Expired', `too old resource version: ${from} (${this.oldest})`);
        response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
        return;
      }
      for (const change of this.changes) {
        if (change.plural === plural && change.version > from) response.write(lineOf(change));
      }
      const watch = { plural, response };
      this.watches.add(watch);
      response.on('close', () => this.watches.delete(watch));
    } else {
      const metadata = { resourceVersion: String(this.version) };
      const items = [...this.objects.get(plural)!.values()];
      const list = JSON.stringify({ kind: `${kind}List`, apiVersion: 'v1', metadata, items });
      this.listing += 1;
      response.on('close', () => (this.listing -= 1));
      this.onList();
      void this.lists.then(() => response.end(list));
    }
  }
}

const failure = (code: number, reason: string, message: string): object => ({
  ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code },
});

const lineOf = ({ type, object }: Change): string => `${JSON.stringify({ type, object })}\n`;
