import { type ChildProcess, fork } from 'node:child_process';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { LocalCounts } from '../app/shared-counts.js';
import { askedCluster } from './asked-cluster.js';
import { workerFor, workerToRelieve, type WorkerLoad } from './home.js';
import type { Answers, Question, ToParent, ToWorker } from './messages.js';
import { WorkerFailed } from './worker-failed.js';

/** How long a connection may be silent before it is handed over without knowing what it asks, in milliseconds. */
const SILENT_MS = 1_000;
/** How often it is looked for workers that are too busy, in milliseconds. */
const BALANCE_MS = 500;
/** The share of its connections that a busy worker gives away at a time. */
const GIVEN_AWAY = 0.25;
/** How long a worker may take to hand in its metrics, in milliseconds. */
const COLLECT_MS = 2_000;
/** The wait before a worker that has ended is replaced, in milliseconds; doubled each time that it ends soon after. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** A worker that ran this long is replaced as if it were the first time. */
const STEADY_MS = 60_000;
/** How long a worker may say nothing before it is taken to hang, in milliseconds: no request holds its event loop that long. */
const HANGS_AFTER_MS = 60_000;
/** What a worker may take to end after its own limit, in milliseconds. */
const GRACE_MS = 5_000;

export interface PoolOptions {
  readonly workers: number;
  /** How many of them may answer for one cluster. */
  readonly workersPerCluster: number;
  /** The program of a worker, and its environment by index. */
  readonly program: string;
  readonly environment: (index: number) => NodeJS.ProcessEnv;
  /** Whether connections are encrypted, so that their first bytes say nothing. */
  readonly isEncrypted: boolean;
  /** For how long workers wait for requests in progress when they stop, in milliseconds. */
  readonly shutdownTimeoutMs: number;
  /** After how long a worker that says nothing is killed and replaced, in milliseconds; a minute by default. */
  readonly hangsAfterMs?: number;
  readonly log: (level: 'info' | 'warn' | 'error', details: object, message: string) => void;
}

interface Worker {
  readonly index: number;
  readonly child: ChildProcess;
  readonly since: number;
  isReady: boolean;
  utilization: number;
  connections: number;
  /** How often it was looked at since it last said something: time in which this process, too, stood still does not count. */
  silentFor: number;
  /** What ends the places that it has taken. */
  readonly places: Map<number, () => void>;
}

/**
 * The processes that serve one port. This one accepts connections and hands each to a worker: see `workerFor`. It counts for all
 * of them what the limits of the service count, and replaces workers that end.
 */
export class WorkerPool {
  private readonly workers = new Map<number, Worker>();
  private readonly counts = new LocalCounts();
  private readonly collecting = new Map<number, (metrics: unknown) => void>();
  private readonly waits = new Map<number, number>();
  private readonly server: Server;
  private readonly balance: NodeJS.Timeout;
  private numbers = 0;
  private isStopping = false;

  private constructor(private readonly options: PoolOptions) {
    // Nothing is read before it is decided who reads it.
    this.server = createServer({ pauseOnConnect: true }, (socket) => {
      this.accept(socket);
    });
    this.balance = setInterval(() => {
      this.endHanging();
      this.relieve();
    }, BALANCE_MS).unref();
  }

  /**
   * Starts the workers, then listens.
   * @throws {WorkerFailed} or the error of `listen`; nothing is left running then
   */
  static async start(options: PoolOptions, at: { readonly host: string; readonly port: number }): Promise<WorkerPool> {
    const pool = new WorkerPool(options);
    try {
      await Promise.all(Array.from({ length: options.workers }, (_, index) => pool.startWorker(index)));
      await new Promise<void>((resolve, reject) => {
        pool.server.once('error', reject);
        pool.server.listen(at, resolve);
      });
      return pool;
    } catch (error) {
      await pool.stop();
      throw error;
    }
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Accepts no more connections, and waits until the workers have answered what they were asked. */
  async stop(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.balance);
    this.server.close();
    await Promise.all([...this.workers.values()].map((worker) => this.end(worker)));
  }

  private async end({ child }: Worker): Promise<void> {
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    if (child.exitCode !== null || child.signalCode !== null) return;
    const timeout = setTimeout(() => child.kill('SIGKILL'), this.options.shutdownTimeoutMs + GRACE_MS);
    tell(child, { type: 'stop' });
    await ended;
    clearTimeout(timeout);
  }

  /** Resolves when it serves. @throws {WorkerFailed} */
  private async startWorker(index: number): Promise<void> {
    const { program, environment } = this.options;
    const child = fork(program, [], { env: environment(index) });
    const worker: Worker = {
      index,
      child,
      since: performance.now(),
      isReady: false,
      utilization: 0,
      connections: 0,
      silentFor: 0,
      places: new Map(),
    };
    this.workers.set(index, worker);
    let reason: string | undefined;
    await new Promise<void>((resolve, reject) => {
      child.on('message', (message) => {
        const said = message as ToParent;
        if (said.type === 'failed') reason = said.reason;
        else if (said.type === 'ready') {
          worker.isReady = true;
          resolve();
        } else this.receive(worker, said);
      });
      child.once('exit', (code, signal) => {
        reject(new WorkerFailed(reason ?? `A worker ended with ${signal ?? `code ${code ?? 0}`} before it was ready.`));
        this.lost(worker, signal ?? code);
      });
      child.once('error', reject);
    });
  }

  /** Gives back what a worker had, and replaces it. */
  private lost(worker: Worker, how: number | string | null): void {
    const { index, places, isReady, since } = worker;
    if (this.workers.get(index) === worker) this.workers.delete(index);
    for (const leave of places.values()) leave();
    places.clear();
    // One that has never been ready has failed with the start of the service, or is tried again by whoever started it.
    if (this.isStopping || !isReady) return;
    const wasSteady = performance.now() - since > STEADY_MS;
    this.replace(index, wasSteady ? FIRST_WAIT_MS : (this.waits.get(index) ?? FIRST_WAIT_MS), { how });
  }

  private replace(index: number, wait: number, why: object): void {
    this.options.log('error', { worker: index, ...why, retryInMs: wait }, 'a worker ended; it is replaced');
    this.waits.set(index, Math.min(wait * 2, LONGEST_WAIT_MS));
    setTimeout(() => {
      if (this.isStopping) return;
      this.startWorker(index).then(
        () => {
          this.options.log('info', { worker: index }, 'a worker was replaced');
        },
        (error: unknown) => {
          if (!this.isStopping) this.replace(index, this.waits.get(index)!, { err: error });
        },
      );
    }, wait).unref();
  }

  private receive(worker: Worker, said: ToParent): void {
    worker.silentFor = 0;
    switch (said.type) {
      case 'load':
        worker.utilization = said.utilization;
        worker.connections = said.connections;
        break;
      case 'ask':
        void this.answer(worker, said.question).then((answer) => {
          tell(worker.child, { type: 'answer', id: said.id, answer });
        });
        break;
      case 'leave':
        worker.places.get(said.place)?.();
        worker.places.delete(said.place);
        break;
      case 'collected':
        this.collecting.get(said.id)?.(said.metrics);
        break;
      default:
    }
  }

  private async answer(worker: Worker, question: Question): Promise<Answers[keyof Answers]> {
    switch (question.about) {
      case 'hit':
        return this.counts.hit(question.key, question.windowMs);
      case 'enter': {
        const entry = await this.counts.enter(question.kind, question.caller, question.limits);
        if (!('leave' in entry)) return entry;
        const place = ++this.numbers;
        worker.places.set(place, entry.leave);
        return { place };
      }
      case 'metrics': {
        const all = await Promise.all([...this.workers.values()].map((one) => this.metricsOf(one)));
        return all.filter((metrics) => metrics !== undefined);
      }
    }
  }

  /** @returns undefined if the worker does not hand them in */
  private metricsOf({ child, isReady }: Worker): Promise<unknown> {
    if (!isReady) return Promise.resolve(undefined);
    const id = ++this.numbers;
    return new Promise((resolve) => {
      const over = (metrics?: unknown): void => {
        clearTimeout(timeout);
        this.collecting.delete(id);
        resolve(metrics);
      };
      const timeout = setTimeout(over, COLLECT_MS);
      this.collecting.set(id, over);
      tell(child, { type: 'collect', id });
    });
  }

  private accept(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    if (this.options.isEncrypted) {
      this.hand(socket, Buffer.alloc(0));
      return;
    }
    const silent = setTimeout(() => {
      socket.removeAllListeners('data');
      this.hand(socket, Buffer.alloc(0));
    }, SILENT_MS);
    socket.once('close', () => {
      clearTimeout(silent);
    });
    socket.once('data', (head: Buffer) => {
      clearTimeout(silent);
      this.hand(socket, head);
    });
    socket.resume();
  }

  private hand(socket: Socket, head: Buffer): void {
    socket.pause();
    stopReading(socket);
    const ready = [...this.workers.values()].filter(({ isReady, child }) => isReady && child.connected);
    if (ready.length === 0) {
      socket.destroy();
      return;
    }
    const { index } = workerFor(askedCluster(head), ready.map(loadOf), this.options.workersPerCluster);
    const worker = this.workers.get(index)!;
    worker.connections += 1;
    const message: ToWorker = { type: 'connection', head: head.toString('base64') };
    worker.child.send(message, socket, {}, (error) => {
      if (error !== null) socket.destroy();
    });
  }

  /** Kills workers whose event loop stands still; they are replaced as those that end. */
  private endHanging(): void {
    const { hangsAfterMs = HANGS_AFTER_MS } = this.options;
    for (const worker of this.workers.values()) {
      if (!worker.isReady || ++worker.silentFor * BALANCE_MS <= hangsAfterMs) continue;
      worker.silentFor = 0;
      this.options.log('error', { worker: worker.index, silentMs: hangsAfterMs }, 'a worker hangs; it is killed');
      worker.child.kill('SIGKILL');
    }
  }

  private relieve(): void {
    const ready = [...this.workers.values()].filter(({ isReady }) => isReady);
    if (ready.length < 2 || this.options.workersPerCluster === 1) return;
    const busy = workerToRelieve(ready.map(loadOf));
    if (busy === undefined) return;
    const connections = Math.ceil(busy.connections * GIVEN_AWAY);
    tell(this.workers.get(busy.index)!.child, { type: 'relieve', connections });
  }
}

const loadOf = ({ index, utilization, connections }: Worker): WorkerLoad => ({ index, utilization, connections });

/**
 * Leaves what else arrives to the worker. Node stops reading only once its own buffer is full, and what is in there when the socket is
 * sent would be lost.
 */
function stopReading(socket: Socket): void {
  (socket as unknown as { readonly _handle: { readStop(): void } | null })._handle?.readStop();
}

function tell(child: ChildProcess, message: ToWorker): void {
  // A worker that has gone is replaced, and needs no message.
  if (child.connected) child.send(message, () => undefined);
}
