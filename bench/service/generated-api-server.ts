import { type ChildProcess, execFile, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { KINDS } from '../../src/core/kubernetes/kinds.js';
import type { ClusterShape } from '../generator/cluster-shape.js';
import { generateCluster } from '../generator/generate-cluster.js';

/** What the process is told to do. */
type Order =
  | { readonly do: 'serve'; readonly shape: Partial<ClusterShape> }
  /** Sends events of pods that changed, as fast as they are read. */
  | { readonly do: 'events'; readonly cluster: string; readonly count: number }
  /** Sends events of pods that changed to many clusters in turn, at a fixed rate however they are read. */
  | { readonly do: 'spread'; readonly clusters: readonly string[]; readonly rate: number; readonly seconds: number }
  /** Gives a node a taint with the key. */
  | { readonly do: 'taint'; readonly cluster: string; readonly key: string }
  /** Renews the lease of each node of all clusters that are watched, as often as kubelets do. */
  | { readonly do: 'renew'; readonly seconds: number };

interface Served {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
}

/** When something was sent, in milliseconds since 1970; `version` is that of the last event. */
interface Sent {
  readonly at: number;
  readonly version: string;
  readonly node: string;
}

const PAGE = 500;
/**
 * Milliseconds between two bookmarks of a watch, as of an API server (k8s.io/apiserver v0.36.2, pkg/storage/cacher/cacher.go,
 * `defaultBookmarkFrequency`); those of many watches come at different times.
 */
const BOOKMARKS_EVERY = 60_000;
/** Milliseconds between two renewals of the lease of a node. */
const RENEWED_EVERY = 10_000;
const LEASES = 'coordination.k8s.io/v1/leases';

/**
 * An API server in a process of its own, over TLS, whose lists and events are generated. `/NAME` in front of a path is a cluster; all have
 * the same objects.
 */
export class GeneratedApiServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly served: Served,
  ) {}

  static async start(shape: Partial<ClusterShape>): Promise<GeneratedApiServer> {
    const child = fork(fileURLToPath(import.meta.url), ['serve'], { serialization: 'advanced' });
    const served = (await told(child, { do: 'serve', shape })) as Served;
    return new GeneratedApiServer(child, served);
  }

  kubeconfig(cluster: string): object {
    const { url, ca } = this.served;
    const access = { server: `${url}/${cluster}`, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
    return {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: access }],
      users: [{ name: 'u', user: { token: 'a-token' } }],
    };
  }

  events(cluster: string, count: number): Promise<Sent> {
    return told(this.child, { do: 'events', cluster, count }) as Promise<Sent>;
  }

  /** @returns the version of the last event of each cluster; undefined if none was sent because its pods were not watched */
  spread(clusters: readonly string[], rate: number, seconds: number): Promise<readonly (string | undefined)[]> {
    const sent = told(this.child, { do: 'spread', clusters, rate, seconds });
    return sent as Promise<readonly (string | undefined)[]>;
  }

  taint(cluster: string, key: string): Promise<Sent> {
    return told(this.child, { do: 'taint', cluster, key }) as Promise<Sent>;
  }

  /** @returns how many renewals were sent */
  renewLeases(seconds: number): Promise<number> {
    return told(this.child, { do: 'renew', seconds }) as Promise<number>;
  }

  stop(): void {
    this.child.kill();
  }
}

let orders = 0;

/** Several may be under way. */
async function told(child: ChildProcess, order: Order): Promise<unknown> {
  const number = (orders += 1);
  return new Promise((resolve, reject) => {
    const early = (): void => reject(new Error('the generated API server ended early'));
    const hear = ({ of, answer }: Told): void => {
      if (of !== number) return;
      child.off('exit', early).off('message', hear);
      resolve(answer);
    };
    child.on('exit', early).on('message', hear);
    child.send({ number, order } satisfies Given);
  });
}

interface Given {
  readonly number: number;
  readonly order: Order;
}

interface Told {
  readonly of: number;
  readonly answer: unknown;
}

interface Generated {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

interface Listed {
  readonly kind: string;
  readonly apiVersion: string;
  /** JSON texts. */
  readonly items: string[];
}

/** What it uses of a response over HTTP/1.1 or HTTP/2. */
interface Response extends EventEmitter {
  setHeader(name: string, value: string): unknown;
  writeHead(status: number): unknown;
  /** HTTP/2 sends them at once. */
  flushHeaders?(): void;
  write(text: string): boolean;
  end(text: string): unknown;
}

class Server {
  private version = 0;
  /** By version and plural name: `apps/v1/deployments`. */
  private readonly lists = new Map<string, Listed>();
  private readonly watches = new Map<string, Response>();
  /** Those that have ended. */
  private readonly ended = new WeakSet<Response>();
  /** The version from which a watch began. */
  private readonly starts = new WeakMap<Response, number>();
  /** Emits the key of a watch that has begun. */
  private readonly begun = new EventEmitter();
  /** Events of nodes that were told, by cluster, for watches that begin later. */
  private readonly told = new Map<string, { readonly version: number; readonly line: string }[]>();

  follow(order: Order): Promise<unknown> {
    switch (order.do) {
      case 'serve':
        return this.serve(order.shape);
      case 'events':
        return this.events(order.cluster, order.count);
      case 'spread':
        return this.spread(order.clusters, order.rate, order.seconds);
      case 'taint':
        return this.taint(order.cluster, order.key);
      case 'renew':
        return this.renew(order.seconds);
    }
  }

  private async serve(shape: Partial<ClusterShape>): Promise<Served> {
    const byKind = new Map<string, Listed>();
    for (const { kind, servedAs = kind, plural, apiVersions } of KINDS) {
      const list = { kind: servedAs, apiVersion: apiVersions[0], items: [] };
      this.lists.set(`${list.apiVersion}/${plural}`, list);
      byKind.set(kind, list);
    }
    const add = (kind: string, metadata: object, rest: object): void => {
      const version = String((this.version += 1));
      byKind.get(kind)?.items.push(JSON.stringify({ metadata: { ...metadata, resourceVersion: version }, ...rest }));
    };
    for (const object of generateCluster(shape)) {
      const { kind, metadata } = object as unknown as Generated;
      // The items of a list come without their type.
      const rest = Object.entries(object).filter(([name]) => !['apiVersion', 'kind', 'metadata'].includes(name));
      add(kind, metadata, Object.fromEntries(rest));
      if (kind === 'Node') add('Lease', ...leaseOf(metadata.name));
    }
    const { cert, key } = await certificate();
    // Whoever speaks HTTP/2 has one connection for all its watches.
    const server = createSecureServer({ cert, key, allowHTTP1: true }, ({ url }, response) => {
      response.setHeader('content-type', 'application/json');
      this.answer(url, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, ca: cert };
  }

  private async events(cluster: string, count: number): Promise<Sent> {
    const { items } = this.lists.get('v1/pods')!;
    const first = this.version;
    let watch = await this.watchOf(`${cluster} v1/pods`);
    for (let sent = 0; sent < count; sent += 1) {
      if (this.ended.has(watch)) {
        watch = await this.watchOf(`${cluster} v1/pods`);
        // A watch that begins again gets what it has not seen.
        sent = Math.max(0, Math.min(sent, (this.starts.get(watch) ?? 0) - first));
      }
      const version = first + sent + 1;
      this.version = Math.max(this.version, version);
      if (watch.write(changed(items[sent % items.length]!, version))) continue;
      const waiting = new AbortController();
      const { signal } = waiting;
      await Promise.race([once(watch, 'drain', { signal }), once(watch, 'close', { signal })]);
      waiting.abort();
    }
    return { at: Date.now(), version: String(this.version), node: '' };
  }

  private async spread(
    clusters: readonly string[],
    rate: number,
    seconds: number,
  ): Promise<readonly (string | undefined)[]> {
    const { items } = this.lists.get('v1/pods')!;
    const versions = clusters.map((): string | undefined => undefined);
    const started = performance.now();
    for (let sent = 0; sent < rate * seconds;) {
      for (const due = ((performance.now() - started) / 1000) * rate; sent < due; sent += 1) {
        const at = sent % clusters.length;
        const watch = this.watches.get(`${clusters[at]!} v1/pods`);
        if (watch === undefined) continue;
        const version = (this.version += 1);
        versions[at] = String(version);
        watch.write(changed(items[Math.floor(sent / clusters.length) % items.length]!, version));
      }
      await sleep(10);
    }
    return versions;
  }

  /** The watch that is open, or the next one. */
  private async watchOf(key: string): Promise<Response> {
    for (;;) {
      const watch = this.watches.get(key);
      if (watch !== undefined && !this.ended.has(watch)) return watch;
      await once(this.begun, key);
    }
  }

  private taint(cluster: string, key: string): Promise<Sent> {
    const [first] = this.lists.get('v1/nodes')!.items;
    const version = String((this.version += 1));
    const node = JSON.parse(first!) as { metadata: { name: string; resourceVersion: string }; spec: object };
    node.metadata.resourceVersion = version;
    const object = {
      apiVersion: 'v1',
      kind: 'Node',
      ...node,
      spec: { ...node.spec, taints: [{ key, effect: 'NoSchedule' }] },
    };
    const line = `${JSON.stringify({ type: 'MODIFIED', object })}\n`;
    const told = this.told.get(cluster) ?? [];
    this.told.set(cluster, told);
    told.push({ version: this.version, line });
    const at = performance.timeOrigin + performance.now();
    this.watches.get(`${cluster} v1/nodes`)?.write(line);
    return Promise.resolve({ at, version, node: node.metadata.name });
  }

  /** Not all at once: kubelets do not start at the same time. */
  private async renew(seconds: number): Promise<number> {
    const { items } = this.lists.get(LEASES)!;
    const perTurn = Math.ceil(items.length / (RENEWED_EVERY / 100));
    const ends = performance.now() + seconds * 1000;
    let sent = 0;
    for (let first = 0; performance.now() < ends; first = (first + perTurn) % items.length) {
      const due = performance.now() + 100;
      const leases = items.slice(first, first + perTurn);
      for (const [key, watch] of this.watches) {
        if (!key.endsWith(LEASES)) continue;
        for (const lease of leases) watch.write(renewed(lease, (this.version += 1)));
        sent += leases.length;
      }
      await sleep(Math.max(0, due - performance.now()));
    }
    return sent;
  }

  /** Sends bookmarks until the watch ends: after the time that the client asked for, or when the client leaves. */
  private async keepOpen(key: string, watch: Response, seconds: number): Promise<void> {
    const { kind, apiVersion } = this.lists.get(key.slice(key.indexOf(' ') + 1))!;
    const bookmarks = setInterval(() => {
      const object = { kind, apiVersion, metadata: { resourceVersion: String(this.version) } };
      watch.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
    }, BOOKMARKS_EVERY);
    const end = setTimeout(() => {
      this.forget(key, watch);
      watch.end('');
    }, seconds * 1000);
    await once(watch, 'close').catch(() => undefined);
    clearInterval(bookmarks);
    clearTimeout(end);
    this.forget(key, watch);
  }

  private forget(key: string, watch: Response): void {
    this.ended.add(watch);
    if (this.watches.get(key) === watch) this.watches.delete(key);
  }

  private answer(url: string, response: Response): void {
    const { pathname, searchParams } = new URL(url, 'https://x');
    const [, cluster = '', ...parts] = pathname.split('/');
    const path = `/${parts.join('/')}`;
    const resource = path.replace(/^\/apis?\//, '').replace(/\/namespaces\/[^/]+\//, '/');
    const groups = [...new Set([...this.lists.values()].map(({ apiVersion }) => apiVersion))];
    if (path === '/version') response.end('{"gitVersion":"v1.36.2"}');
    else if (path === '/apis') {
      response.end(JSON.stringify({ groups: groups.map((groupVersion) => ({ versions: [{ groupVersion }] })) }));
    } else if (groups.some((group) => path === (group === 'v1' ? '/api/v1' : `/apis/${group}`))) {
      const resources = [...this.lists].flatMap(([key, list]) =>
        list.apiVersion === resource ? [{ name: key.slice(resource.length + 1), verbs: ['get', 'list', 'watch'] }] : [],
      );
      response.end(JSON.stringify({ resources }));
    } else if (searchParams.has('watch')) {
      const key = `${cluster} ${resource}`;
      this.watches.set(key, response);
      this.starts.set(response, Number(searchParams.get('resourceVersion') ?? 0));
      this.begun.emit(key);
      response.writeHead(200);
      response.flushHeaders?.();
      const from = Number(searchParams.get('resourceVersion') ?? 0);
      const told = resource === 'v1/nodes' ? (this.told.get(cluster) ?? []) : [];
      for (const { version, line } of told) if (version > from) response.write(line);
      void this.keepOpen(key, response, Number(searchParams.get('timeoutSeconds') ?? 600));
    } else this.page(resource, Number(searchParams.get('continue') ?? 0), response);
  }

  private page(resource: string, start: number, response: Response): void {
    const list = this.lists.get(resource);
    if (list === undefined) {
      response.writeHead(404);
      response.end('{}');
      return;
    }
    const items = list.items.slice(start, start + PAGE);
    const more = start + items.length < list.items.length ? { continue: String(start + items.length) } : {};
    const metadata = JSON.stringify({ resourceVersion: String(this.version), ...more });
    const head = `{"kind":"${list.kind}List","apiVersion":"${list.apiVersion}","metadata":${metadata},"items":[`;
    response.end(`${head}${items.join(',')}]}\n`);
  }
}

/** A self-signed certificate for this machine, and its key, as PEM. */
async function certificate(): Promise<{ readonly cert: string; readonly key: string }> {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=kube-apiserver', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const output = ['-keyout', '-', '-out', '-'];
  const { stdout } = await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...subject, ...output]);
  const part = (type: string): string =>
    new RegExp(`-----BEGIN ${type}-----[^-]+-----END ${type}-----\\n`).exec(stdout)![0];
  return { cert: part('CERTIFICATE'), key: part('PRIVATE KEY') };
}

/** As of a kubelet. */
function leaseOf(node: string): [metadata: object, rest: object] {
  const metadata = { name: node, namespace: 'kube-node-lease', uid: randomUUID() };
  const renewTime = '2026-01-01T00:00:00.000000Z';
  return [metadata, { spec: { holderIdentity: node, leaseDurationSeconds: 40, renewTime } }];
}

/** The event of a lease that was renewed. */
function renewed(item: string, version: number): string {
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const text = withVersion(item, String(version)).replace(/"renewTime":"[^"]+"/, `"renewTime":"${renewTime}"`);
  return `{"type":"MODIFIED","object":{"apiVersion":"coordination.k8s.io/v1","kind":"Lease",${text.slice(1)}}\n`;
}

/** The event of a pod that has another label. */
function changed(item: string, version: number): string {
  const text = withVersion(item.replace('"labels":{', `"labels":{"changed":"${version}",`), String(version));
  return `{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"Pod",${text.slice(1)}}\n`;
}

const withVersion = (item: string, version: string): string =>
  item.replace(/"resourceVersion":"\d+"/, `"resourceVersion":"${version}"`);

if (process.send !== undefined && process.argv[2] === 'serve') {
  const server = new Server();
  process.on('message', ({ number, order }: Given) => {
    void server.follow(order).then((answer) => process.send!({ of: number, answer } satisfies Told));
  });
  process.on('disconnect', () => process.exit());
}
