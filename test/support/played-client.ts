import type { Clock } from '../../src/kube-api/reflector/clock.js';
import type { StreamingClient } from '../../src/kube-api/reflector/call.js';
import { VirtualTransport } from '../conformance/folders/wire-transports.js';
import type { Exchange } from '../conformance/folders/wire-transcript.js';

/** An answer; what is left out is a success whose body ends in order, at once. */
export interface PlayedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds after the request at which the answer begins. */
  readonly headersAtMs?: number;
  /** Each with the milliseconds after the request at which it comes; a text alone comes at once. */
  readonly chunks?: readonly (string | readonly [atMs: number, text: string])[];
  readonly ended?: 'complete' | 'reset' | 'open';
  readonly lasts?: number;
}

/** Plays answers one after another in virtual time; when there are none left, it ends what asks. */
export class PlayedClient implements StreamingClient {
  /** Each request, with the milliseconds that were slept before it since the one before. */
  readonly asked: { readonly path: string; readonly slept: number }[] = [];
  private readonly transport = new VirtualTransport(1);
  private readonly stop = new AbortController();
  private sleptBefore = 0;
  private readonly answers: PlayedAnswer[];

  constructor(answers: readonly PlayedAnswer[]) {
    this.answers = [...answers];
  }

  get clock(): Clock {
    return this.transport.clock;
  }

  async get(path: string, signal: AbortSignal): ReturnType<StreamingClient['get']> {
    this.asked.push({ path, slept: this.transport.slept - this.sleptBefore });
    this.sleptBefore = this.transport.slept;
    const answer = this.answers.shift();
    if (answer === undefined) {
      this.stop.abort();
      throw new Error('nothing is left to play');
    }
    const { status = 200, headers = {}, headersAtMs = 0, chunks = [], ended = 'complete', lasts = 0 } = answer;
    const timed = chunks.map((chunk) => (typeof chunk === 'string' ? ([0, chunk] as const) : chunk));
    const exchange: Exchange = {
      request: { method: 'GET', path },
      response: {
        status,
        headers: { 'Content-Type': 'application/json', ...headers },
        headersAtMs,
        chunks: timed.map(([atMs, text]) => ({ atMs, text })),
        ended,
      },
      startedAtMs: 0,
      endedAtMs: Math.max(lasts, ...timed.map(([atMs]) => atMs)),
    };
    return this.transport.answer(exchange, path, signal);
  }

  /** Runs until nothing is left to play. */
  run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    return this.transport.drive(work(this.stop.signal));
  }
}
