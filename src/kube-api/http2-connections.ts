import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { AddressGuard } from './address-guard.js';
import { ApiUnreachable } from './api-client.js';

/** Bytes of an answer that may be on their way before they are read: those of one request, and of all on a connection. */
const REQUEST_WINDOW = 256 * 1024;
const CONNECTION_WINDOW = 16 * 1024 * 1024;
/** Requests that a server has not begun to answer, because it closes the connection, are sent once more (RFC 9113, 8.7). */
const ATTEMPTS = 2;

export interface Http2Times {
  /** Milliseconds until a connection is made, encrypted and agreed on. */
  readonly connectWithin: number;
  /**
   * How often a connection is asked for a sign of life, and how long it has for that, in milliseconds. As in client-go
   * (k8s.io/apimachinery v0.36.2, pkg/util/net/http.go, `configureHTTP2Transport`).
   */
  readonly pingEvery?: number;
  readonly pingWithin?: number;
}

const PING_EVERY = 30_000;
const PING_WITHIN = 15_000;

/** What a connection is made with; a connection serves requests with the same values. */
export type TlsIdentity = Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'servername'>;

export interface Http2Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Buffer>;
}

/**
 * Connections of one server, each of which serves as many requests at a time as the server allows: a cluster with a watch of each kind
 * needs one connection, where HTTP/1.1 needs one for each watch.
 */
export class Http2Connections {
  private readonly connections = new Set<Connection>();
  private connecting: Promise<void> | undefined;
  private socket: TLSSocket | undefined;
  private isHttp1 = false;
  private isClosed = false;

  constructor(
    private readonly guard: AddressGuard,
    private readonly times: Http2Times,
  ) {}

  /**
   * Asks with GET.
   * @returns undefined if the server does not speak HTTP/2
   * @throws why no answer came
   */
  async get(
    url: URL,
    headers: Readonly<Record<string, string>>,
    identity: TlsIdentity,
    signal: AbortSignal,
  ): Promise<Http2Answer | undefined> {
    for (let attempts = 0; ;) {
      signal.throwIfAborted();
      if (this.isClosed) throw new ApiUnreachable('the client is closed');
      if (this.isHttp1) return undefined;
      const connection = this.withRoom(identity);
      if (connection === undefined) {
        // Those who wait for it share it.
        await (this.connecting ??= this.connect(url, identity).finally(() => (this.connecting = undefined)));
        continue;
      }
      // Its room is taken before anybody else looks for some.
      const answer = await connection.get(url, headers, signal, (attempts += 1) === ATTEMPTS);
      if (answer !== 'refused') return answer;
    }
  }

  close(): void {
    this.isClosed = true;
    this.socket?.destroy();
    for (const { session } of this.connections) session.destroy();
  }

  /** Those of another identity, such as one of before credentials were rotated, end with their last request. */
  private withRoom(identity: TlsIdentity): Connection | undefined {
    let found: Connection | undefined;
    for (const connection of this.connections) {
      if (!isSame(connection.identity, identity)) connection.session.close();
      else if (connection.hasRoom) found ??= connection;
    }
    return found;
  }

  private async connect(url: URL, identity: TlsIdentity): Promise<void> {
    const { connectWithin } = this.times;
    const socket = connectTls({ ...this.endpointOf(url, identity), ALPNProtocols: ['h2', 'http/1.1'] });
    this.socket = socket;
    const timer = setTimeout(() => {
      socket.destroy(new ApiUnreachable(`no connection within ${connectWithin / 1000} s`));
    }, connectWithin);
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once('secureConnect', resolve).once('error', reject);
        socket.once('close', () => reject(new ApiUnreachable('the connection was closed')));
      });
      if (socket.alpnProtocol !== 'h2') {
        this.isHttp1 = true;
        socket.destroy();
        return;
      }
      const session = await agreed(socket, url);
      this.add(session, socket, identity);
      if (session.remoteSettings.maxConcurrentStreams === 0) {
        session.destroy();
        throw new ApiUnreachable('the server takes no requests on a new connection');
      }
    } finally {
      clearTimeout(timer);
      this.socket = undefined;
    }
  }

  private endpointOf(url: URL, identity: TlsIdentity): ConnectionOptions {
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    // An address is no name that a server could be asked for.
    const servername = identity.servername ?? (isIP(host) === 0 ? host : '');
    return { ...identity, host, port: url.port === '' ? 443 : Number(url.port), servername, lookup: this.guard.lookup };
  }

  private add(session: ClientHttp2Session, socket: TLSSocket, identity: TlsIdentity): void {
    const { pingEvery = PING_EVERY, pingWithin = PING_WITHIN } = this.times;
    const connection = new Connection(session, identity);
    // Before the session ends its requests as if nobody had wanted them any longer.
    socket.prependListener('close', () => {
      connection.fail(new ApiUnreachable('the connection was closed'));
    });
    const timer = setInterval(() => {
      ping(session, pingWithin);
    }, pingEvery);
    // Its requests have the error, too.
    session.on('error', () => undefined);
    session.once('close', () => {
      clearInterval(timer);
      this.connections.delete(connection);
    });
    if (this.isClosed) session.destroy();
    else this.connections.add(connection);
  }
}

const CUT = 'the answer was cut';

/**
 * What comes over a stream, for one reader. It keeps less for those who wait than the stream's own iterator does: a replica has tens of
 * thousands of watches, which wait nearly all the time.
 */
class Body implements AsyncIterableIterator<Buffer> {
  private isClosed = false;
  private isBegun = false;
  private wake: (() => void) | undefined;

  constructor(private readonly stream: ClientHttp2Stream) {
    stream.once('close', () => {
      this.isClosed = true;
      this.wake?.();
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @throws if the answer is cut: its stream may end as that of a whole one does, and only its code tells */
  async next(): Promise<IteratorResult<Buffer, undefined>> {
    if (!this.isBegun) {
      this.isBegun = true;
      this.stream.on('readable', () => this.wake?.());
    }
    for (;;) {
      const part = this.stream.read() as Buffer | null;
      if (part !== null) return { done: false, value: part };
      if (this.isClosed) break;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    const { errored, readableEnded, rstCode } = this.stream;
    if (errored !== null) throw errored;
    if (!readableEnded || rstCode !== constants.NGHTTP2_NO_ERROR) throw new ApiUnreachable(CUT);
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<Buffer, undefined>> {
    this.stream.close(constants.NGHTTP2_CANCEL);
    return Promise.resolve({ done: true, value: undefined });
  }
}

class Connection {
  private readonly streams = new Set<ClientHttp2Stream>();

  constructor(
    readonly session: ClientHttp2Session,
    readonly identity: TlsIdentity,
  ) {}

  get hasRoom(): boolean {
    const { closed, destroyed, remoteSettings } = this.session;
    return !closed && !destroyed && this.streams.size < (remoteSettings.maxConcurrentStreams ?? Infinity);
  }

  /** @param isLast whether it fails if the server refuses to begin */
  get(
    { pathname, search }: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    isLast: boolean,
  ): Promise<Http2Answer | 'refused'> {
    return new Promise((resolve, reject) => {
      const stream = this.session.request({ ...headers, ':path': `${pathname}${search}` }, { endStream: true });
      this.streams.add(stream);
      const stop = (): void => {
        stream.close(constants.NGHTTP2_CANCEL);
      };
      signal.addEventListener('abort', stop, { once: true });
      stream.once('response', ({ ':status': status = 0, ...answered }) => {
        resolve({ status, headers: answered, body: new Body(stream) });
      });
      // Of an answer that has begun, the error comes to whoever reads; nobody may be reading.
      stream.on('error', (error: Error) => {
        if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM && !isLast) resolve('refused');
        else reject(error);
      });
      stream.once('close', () => {
        this.streams.delete(stream);
        signal.removeEventListener('abort', stop);
        reject(new ApiUnreachable('the server ended the request without an answer'));
      });
    });
  }

  /** Ends its requests. */
  fail(error: Error): void {
    for (const stream of this.streams) stream.destroy(error);
  }
}

/** Resolves when the server has said how many requests it takes at a time. */
function agreed(socket: TLSSocket, { origin }: URL): Promise<ClientHttp2Session> {
  const session = connectHttp2(origin, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: REQUEST_WINDOW },
  });
  return new Promise((resolve, reject) => {
    session.once('connect', () => {
      session.setLocalWindowSize(CONNECTION_WINDOW);
    });
    session.once('remoteSettings', () => {
      session.off('error', reject);
      resolve(session);
    });
    session.once('error', reject);
    session.once('close', () => {
      reject(new ApiUnreachable('the connection was closed'));
    });
  });
}

/** Ends a connection whose other end is gone without a word. */
function ping(session: ClientHttp2Session, within: number): void {
  // Between its end and `close`.
  if (session.destroyed) return;
  const timer = setTimeout(() => {
    session.destroy(new ApiUnreachable(`no sign of life within ${within / 1000} s`));
  }, within);
  session.ping(() => {
    clearTimeout(timer);
  });
}

const isSame = (one: TlsIdentity, other: TlsIdentity): boolean =>
  one.ca === other.ca && one.cert === other.cert && one.key === other.key && one.servername === other.servername;
