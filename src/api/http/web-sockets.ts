import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { callerKey } from '../../app/caller-key.js';
import { ServiceError } from '../../app/errors/service-error.js';
import type { PlaceLimits, SharedCounts } from '../../app/shared-counts.js';
import { leaveWhenClosed } from './leave-when-closed.js';
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

/** Counts connections, by address until they are authenticated. */
class OpenSockets {
  constructor(
    private readonly limits: PlaceLimits,
    private readonly counts: SharedCounts,
  ) {}

  /** @throws {ServiceError} `too-many-streams` */
  async open(request: FastifyRequest): Promise<void> {
    let caller = callerKey(request.requestContext);
    let leave = await this.enter(caller, this.limits);
    owners.set(request, async () => {
      const named = callerKey(request.requestContext);
      if (named === caller) return;
      // It still has its first place, which counts in the total.
      const enterAgain = { ...this.limits, inTotal: this.limits.inTotal + 1 };
      const leaveNamed = await this.enter(named, enterAgain);
      leave();
      [caller, leave] = [named, leaveNamed];
      if (request.raw.socket.closed) leave();
    });
    leaveWhenClosed(request.raw.socket, () => {
      leave();
    });
  }

  private async enter(caller: string, limits: PlaceLimits): Promise<() => void> {
    const entry = await this.counts.enter('sockets', caller, limits);
    if ('leave' in entry) return entry.leave;
    throw new ServiceError(
      'too-many-streams',
      entry.full === 'perCaller'
        ? `You have ${entry.taken} open WebSockets, which is the limit; close one first.`
        : `This replica has ${entry.taken} open WebSockets, which is the limit; retry later.`,
    );
  }
}

const owners = new WeakMap<FastifyRequest, () => Promise<void>>();

/**
 * Counts a connection for its caller, once it is authenticated.
 * @throws {ServiceError} `too-many-streams`
 */
export async function nameSocket(request: FastifyRequest): Promise<void> {
  await owners.get(request)?.();
}

/**
 * Serves WebSockets for GraphQL subscriptions. Must be installed before the authentication hook, which treats them
 * differently from other requests.
 */
export async function installWebSockets(
  fastify: FastifyInstance,
  limits: PlaceLimits,
  counts: SharedCounts,
): Promise<void> {
  const sockets = new OpenSockets(limits, counts);
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
  fastify.addHook('onRequest', async (request) => {
    if (!request.ws) return;
    const offered = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
    if (request.routeOptions.url !== PATH) throw malformed(`WebSockets are served only at ${PATH}.`);
    if (!offered.includes(PROTOCOL)) throw malformed(`The WebSocket must use the subprotocol ${PROTOCOL}.`);
    await sockets.open(request);
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
