import { performance } from 'node:perf_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Entry, PlaceLimits, SharedCounts, Window } from '../app/shared-counts.js';
import type { Answers, Question, ToParent, ToWorker } from './messages.js';

/** How often a worker says how busy it is, in milliseconds. */
const REPORT_MS = 500;

/** A worker's side of the channel to its parent, which hands it the connections and counts for all workers. */
export class WorkerLink implements SharedCounts {
  private readonly waiting = new Map<number, (answer: never) => void>();
  private readonly sockets = new Set<Socket>();
  private asked = 0;
  /** Connections to close after their next response. */
  private toClose = 0;
  private lastLoad = performance.eventLoopUtilization();
  private reports: NodeJS.Timeout | undefined;
  private noneLeft: (() => void) | undefined;

  private collect: () => Promise<unknown> = () => Promise.resolve([]);

  /** @param stop called when the parent wants this process to end, or has gone */
  constructor(private readonly stop: () => void) {
    process.on('message', (message, handle) => {
      this.receive(message as ToWorker, handle as Socket | undefined);
    });
    process.once('disconnect', stop);
  }

  /**
   * Serves the connections that the parent hands over, from now on.
   * @param collect the metrics of this process
   */
  serve(server: Server, collect: () => Promise<unknown>): void {
    this.collect = collect;
    this.take = (socket, head) => {
      this.sockets.add(socket);
      socket.once('close', () => {
        this.sockets.delete(socket);
        if (this.sockets.size === 0) this.noneLeft?.();
      });
      socket.setNoDelay(true);
      server.emit('connection', socket);
      if (head.length > 0) socket.emit('data', head);
      socket.resume();
    };
    server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
      if (this.toClose === 0) return;
      this.toClose -= 1;
      response.setHeader('connection', 'close');
    });
    this.reports = setInterval(() => {
      this.report();
    }, REPORT_MS).unref();
    send({ type: 'ready' });
  }

  /** Resolves when the last connection that was handed over is closed. */
  async drained(): Promise<void> {
    clearInterval(this.reports);
    if (this.sockets.size > 0) await new Promise<void>((resolve) => (this.noneLeft = resolve));
  }

  hit(key: string, windowMs: number): Promise<Window> {
    return this.ask({ about: 'hit', key, windowMs });
  }

  async enter(kind: string, caller: string, limits: PlaceLimits): Promise<Entry> {
    const entry = await this.ask({ about: 'enter', kind, caller, limits });
    if (!('place' in entry)) return entry;
    const { place } = entry;
    return {
      leave: () => {
        send({ type: 'leave', place });
      },
    };
  }

  /** The metrics of all workers. */
  allMetrics(): Promise<readonly unknown[]> {
    return this.ask({ about: 'metrics' });
  }

  private take: (socket: Socket, head: Buffer) => void = (socket) => {
    socket.destroy();
  };

  private receive(message: ToWorker, socket: Socket | undefined): void {
    switch (message.type) {
      case 'connection':
        // Absent if it was closed on the way.
        if (socket !== undefined) this.take(socket, Buffer.from(message.head, 'base64'));
        break;
      case 'relieve':
        this.toClose = Math.min(message.connections, this.sockets.size);
        break;
      case 'answer':
        this.waiting.get(message.id)?.(message.answer as never);
        this.waiting.delete(message.id);
        break;
      case 'collect':
        void this.collect().then((metrics) => {
          send({ type: 'collected', id: message.id, metrics });
        });
        break;
      case 'stop':
        this.stop();
    }
  }

  private report(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.lastLoad);
    this.lastLoad = now;
    send({ type: 'load', utilization, connections: this.sockets.size });
  }

  private ask<Asked extends Question>(question: Asked): Promise<Answers[Asked['about']]> {
    const id = ++this.asked;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      send({ type: 'ask', id, question });
    });
  }
}

/** Says why this process cannot start. @returns after the parent has it */
export function reportFailure(reason: string): Promise<void> {
  return new Promise((resolve) => process.send!({ type: 'failed', reason } satisfies ToParent, () => resolve()));
}

function send(message: ToParent): void {
  // A parent that has gone needs no message; this process ends, too.
  if (process.connected) process.send!(message, () => undefined);
}
