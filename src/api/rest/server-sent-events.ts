import type { EventStream, StreamItem } from '../../app/live/event-stream.js';
import { writePosition } from '../../app/live/event-position.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { problemOf } from '../errors/problem.js';
import { type NewsResponse, renderNews } from '../live/rendered-news.js';
import { transportErrorOf } from '../errors/transport-error-of.js';

/** The reconnection delay for clients, in milliseconds; clients may override it. */
const RETRY_MS = 2_000;

/**
 * An event stream as text/event-stream (HTML, section 9.2). It starts with the current position, and each heartbeat
 * repeats it, so that a client that is disconnected before its first event can resume. If the service ends the stream,
 * the last event is `end`, with a problem document as data.
 */
export class ServerSentEvents implements AsyncIterableIterator<string> {
  private begun = false;
  private over = false;

  constructor(
    private readonly stream: EventStream,
    private readonly view: NewsResponse,
    private readonly requestId: string,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    if (this.over) return { done: true, value: undefined };
    if (!this.begun) {
      this.begun = true;
      return { done: false, value: `retry: ${RETRY_MS}\nid: ${this.stream.resumeAfter}\n\n` };
    }
    try {
      const { done, value } = await this.stream.next();
      return done === true ? { done, value } : { done: false, value: this.written(value) };
    } catch (thrown) {
      this.over = true;
      return { done: false, value: this.lastEvent(thrown) };
    }
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    await this.stream.return();
    return { done: true, value: undefined };
  }

  private written(item: StreamItem): string {
    const id = writePosition(item.position);
    if (item.kind === 'heartbeat') return `: still here\nid: ${id}\n\n`;
    const { event, text } = renderNews(item.event, this.view);
    return `event: ${event.type}\nid: ${id}\ndata: {"id":"${id}",${text.slice(1)}\n\n`;
  }

  private lastEvent(thrown: unknown): string {
    const problem = problemOf(transportErrorOf(thrown), this.requestId);
    return `event: end\ndata: ${stringifyJson({ ...problem, resumeAfter: this.stream.resumeAfter })}\n\n`;
  }
}
