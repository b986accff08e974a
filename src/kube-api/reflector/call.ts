import type { Clock } from './clock.js';
import { readFailure, type ApiStatus } from './api-status.js';

/** The beginning of an answer; its body is read at the pace of the reader. */
export interface StreamedAnswer {
  readonly status: number;
  readonly contentType: string;
  /** Seconds, of the header Retry-After. */
  readonly retryAfter: number | undefined;
  /** Decompressed. */
  readonly body: AsyncIterable<Buffer>;
}

export interface StreamingClient {
  /**
   * @param path with its query
   * @throws why no answer came, without credentials
   */
  get(path: string, signal: AbortSignal): Promise<StreamedAnswer>;
}

/** The connection was refused, cut or silent. */
export class Lost extends Error {
  override readonly name = 'Lost';

  constructor(
    message: string,
    /** Whether a deadline passed. */
    readonly isLate = false,
  ) {
    super(message);
  }
}

/** Whoever asked wants no answer any more. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** The server answered, but not with what was asked for. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly status: ApiStatus,
    /** Seconds. */
    readonly retryAfter: number | undefined,
  ) {
    super(`${status.code}${status.message === '' ? '' : `: ${status.message}`}`);
  }
}

/** A failure is a sentence; what is longer is no message. */
const MOST_FAILURE_BYTES = 64 * 1024;

/** One request, with deadlines for whatever is waited for. The time that the reader of the body takes does not count. */
export class Call {
  private readonly stop = new AbortController();
  private chunks: AsyncIterator<Buffer> | undefined;
  private isOver = false;
  private rejectPending: ((reason: Stopped) => void) | undefined;
  private readonly stopped = (): void => {
    this.stop.abort(this.outer.reason);
    this.rejectPending?.(new Stopped('stopped'));
  };

  constructor(
    private readonly clock: Clock,
    private readonly outer: AbortSignal,
  ) {
    if (outer.aborted) this.stopped();
    else outer.addEventListener('abort', this.stopped, { once: true });
  }

  /**
   * Asks, and resolves when a success begins.
   *
   * @param within milliseconds
   * @throws {Lost | Refused}
   */
  async open(client: StreamingClient, path: string, within: number): Promise<void> {
    const answer = await this.waitFor(client.get(path, this.stop.signal), within, 'no answer');
    this.chunks = answer.body[Symbol.asyncIterator]();
    if (answer.status === 200) {
      if (/^application\/json\b/.test(answer.contentType)) return;
      throw new Refused(readFailure(200, `the answer is ${answer.contentType || 'of no type'}, not JSON`), undefined);
    }
    const status = readFailure(answer.status, await this.failure(within));
    throw new Refused(status, answer.retryAfter ?? status.retryAfter);
  }

  /**
   * The next part of the body; undefined at its end.
   *
   * @param within milliseconds
   * @throws {Lost}
   */
  async next(within: number): Promise<Buffer | undefined> {
    const read = await this.waitFor(this.chunks!.next(), within, 'nothing came');
    if (read.done !== true) return read.value;
    this.isOver = true;
    return undefined;
  }

  /** Ends the request, unless the answer has ended already: then its connection can be used again. */
  close(): void {
    this.outer.removeEventListener('abort', this.stopped);
    if (!this.isOver) this.stop.abort(new Lost('closed'));
  }

  private async failure(within: number): Promise<string> {
    const parts: Buffer[] = [];
    let size = 0;
    try {
      for (let part = await this.next(within); part !== undefined; part = await this.next(within)) {
        parts.push(part);
        size += part.length;
        if (size > MOST_FAILURE_BYTES) break;
      }
    } catch (error) {
      // The status says enough.
      if (!(error instanceof Lost)) throw error;
    }
    return Buffer.concat(parts).toString('utf8', 0, MOST_FAILURE_BYTES);
  }

  private waitFor<T>(awaited: Promise<T>, within: number, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.outer.aborted) {
        reject(new Stopped('stopped'));
        awaited.catch(() => undefined);
        return;
      }
      const cancel = this.clock.after(within, () => {
        const late = new Lost(`${what} within ${Math.round(within / 1000)} s`, true);
        reject(late);
        this.stop.abort(late);
      });
      this.rejectPending = (reason) => {
        cancel();
        reject(reason);
      };
      awaited.then(
        (value) => {
          cancel();
          resolve(value);
        },
        (error: unknown) => {
          cancel();
          reject(error instanceof Lost ? error : new Lost(error instanceof Error ? error.message : String(error)));
        },
      );
    });
  }
}
