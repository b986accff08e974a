import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { callerKey } from '../../app/caller-key.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { rawProblem, rawResponse } from './raw-problem.js';

/** The WebSocket subprotocol of GraphQL: https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md */
const PROTOCOL = 'graphql-transport-ws';
/** The path of subscriptions. */
const PATH = '/graphql';
/** Maximum bytes of a message: enough for the longest query with its variables. */
const MAX_MESSAGE_BYTES = 128 * 1024;
/** How long a new connection may wait before its first message, which authenticates it, in milliseconds. */
const INIT_TIMEOUT_MS = 10_000;
/** How long a client may take to close its connection when the service stops, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1_000;

/** graphql-transport-ws: the first message did not arrive in time. */
const INITIALISATION_TIMEOUT = 4408;
/** RFC 6455: the server is shutting down. */
const GOING_AWAY = 1001;

/** The part of the interface that is used here; the package's own types depend on packages that are not installed. */
export interface Socket {
  close(code?: number, reason?: string): void;
  terminate(): void;
}

interface SocketServer {
  readonly clients: ReadonlySet<Socket>;
  on(event: 'connection', listener: (socket: Socket) => void): void;
  on(event: 'wsClientError', listener: (error: Error, socket: Duplex) => void): void;
  close(done: () => void): void;
}

const greeted = new WeakSet<Socket>();

/** Notes that the first message of a connection has arrived. */
export function noteGreeting(socket: Socket): void {
  greeted.add(socket);
}

export interface SocketLimits {
  /** Open connections, for each caller and in total. */
  readonly perCaller: number;
  readonly inTotal: number;
}

/** Counts connections, by address until they are authenticated. */
class OpenSockets {
  private readonly byCaller = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: SocketLimits) {}

  /** @throws {ServiceError} `too-many-streams` */
  open(request: FastifyRequest): void {
    const { inTotal } = this.limits;
    if (this.total >= inTotal) {
      throw new ServiceError(
        'too-many-streams',
        `This replica has ${inTotal} open WebSockets, which is the limit; retry later.`,
      );
    }
    let caller = callerKey(request.requestContext);
    this.add(caller);
    this.total += 1;
    owners.set(request, () => {
      const named = callerKey(request.requestContext);
      if (named === caller) return;
      this.add(named);
      this.remove(caller);
      caller = named;
    });
    request.raw.socket.once('close', () => {
      this.total -= 1;
      this.remove(caller);
    });
  }

  private add(caller: string): void {
    const { perCaller } = this.limits;
    const own = this.byCaller.get(caller) ?? 0;
    if (own >= perCaller) {
      throw new ServiceError(
        'too-many-streams',
        `You have ${own} open WebSockets, which is the limit; close one first.`,
      );
    }
    this.byCaller.set(caller, own + 1);
  }

  private remove(caller: string): void {
    const left = (this.byCaller.get(caller) ?? 1) - 1;
    if (left === 0) this.byCaller.delete(caller);
    else this.byCaller.set(caller, left);
  }
}

const owners = new WeakMap<FastifyRequest, () => void>();

/**
 * Counts a connection for its caller, once it is authenticated.
 * @throws {ServiceError} `too-many-streams`
 */
export function nameSocket(request: FastifyRequest): void {
  owners.get(request)?.();
}

/**
 * Serves WebSockets for GraphQL subscriptions. Must be installed before the authentication hook, which treats them
 * differently from other requests.
 */
export async function installWebSockets(fastify: FastifyInstance, limits: SocketLimits): Promise<void> {
  const sockets = new OpenSockets(limits);
  await fastify.register(websocket, {
    options: { maxPayload: MAX_MESSAGE_BYTES, handleProtocols: () => PROTOCOL },
    preClose: (done) => {
      const server = serverOf(fastify);
      for (const client of server.clients) {
        client.close(GOING_AWAY);
        setTimeout(() => {
          client.terminate();
        }, CLOSE_TIMEOUT_MS).unref();
      }
      fastify.server.removeAllListeners('upgrade');
      server.close(() => {
        done();
      });
    },
  });
  fastify.addHook('onRequest', (request, _reply, done) => {
    const offered = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
    if (!request.ws) done();
    else if (request.routeOptions.url !== PATH) done(malformed(`WebSockets are served only at ${PATH}.`));
    else if (!offered.includes(PROTOCOL)) done(malformed(`The WebSocket must use the subprotocol ${PROTOCOL}.`));
    else {
      try {
        sockets.open(request);
        done();
      } catch (error) {
        done(error as ServiceError);
      }
    }
  });
  serverOf(fastify).on('wsClientError', (error, socket) => {
    socket.end(rawResponse(rawProblem('malformed-http', `Invalid WebSocket handshake: ${error.message}.`)));
  });
  serverOf(fastify).on('connection', (socket) => {
    setTimeout(() => {
      if (!greeted.has(socket)) socket.close(INITIALISATION_TIMEOUT, 'Connection initialisation timeout');
    }, INIT_TIMEOUT_MS).unref();
  });
}

const malformed = (message: string): ServiceError => new ServiceError('malformed-http', message);

function serverOf(fastify: FastifyInstance): SocketServer {
  const { websocketServer } = fastify as unknown as { readonly websocketServer: SocketServer };
  return websocketServer;
}

/**
 * Once a server handles upgrades, Node treats every request with an `Upgrade` header as one. Clients that offer HTTP/2
 * this way (Java's do so on each first request) expect an ordinary response if the offer is not accepted.
 */
export class UpgradableRequest extends IncomingMessage {
  private asked = false;

  get upgrade(): boolean {
    return this.asked && (this.method === 'CONNECT' || /^websocket$/i.test(this.headers.upgrade ?? ''));
  }

  set upgrade(asked: boolean | null) {
    this.asked = asked === true;
  }
}
