import { isExpired, isFromTheFuture, isUnreadableVersion } from './api-status.js';
import { Backoff, REFLECTOR_BACKOFF } from './backoff.js';
import { Call, Lost, Refused, type StreamingClient } from './call.js';
import type { Clock } from './clock.js';
import { identify } from './identity.js';
import { BadAnswer } from './json-scan.js';
import { ListReader, type ListEnvelope } from './list-reader.js';
import {
  pathOf,
  type ListSink,
  type ObjectEvent,
  type ReflectedResource,
  type Reflection,
  type ReflectorState,
  type WireObject,
} from './reflection.js';
import { LineCutter, readWatchLine } from './watch-reader.js';

export interface ReflectorOptions {
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Objects in a page. */
  readonly pageSize: number;
  /** `auto`: the first list comes as a watch where the server can do that. */
  readonly watchList: 'auto' | 'never';
  /** Where a reflection of before has ended. Absent: everything is listed first. */
  readonly resumeFrom?: string;
}

/** In milliseconds. */
const LIST_ANSWER = 70_000; // The API server itself ends a request after 60 s.
const LIST_SILENCE = 30_000;
/** Bookmarks come about each minute (k8s.io/apiserver v0.36.2, pkg/storage/cacher/cacher.go, `bookmarkFrequency`). */
const WATCH_SILENCE = 100_000;
/** An API server responds at once; nginx 1.22 holds back the response over HTTP/2 until the first event or bookmark. */
const WATCH_ANSWER = WATCH_SILENCE;
/** For the state that comes as events: from one to the next, and for all. */
const WATCH_LIST_SILENCE = 20_000;
const WATCH_LIST_TOTAL = 300_000;
/** How much longer than was asked a watch may last. */
const OVERTIME = 30_000;
/** A watch that ends sooner without an event is a failure, as in client-go. */
const SHORT_WATCH = 1000;
const LONG_WATCH = 60_000;
const DENIED_BACKOFF = { ...REFLECTOR_BACKOFF, first: 2000 };
const NOT_SERVED_BACKOFF = { ...REFLECTOR_BACKOFF, first: 2000, most: 120_000, reset: 600_000 };
/** Failures of a watch in a row, without an event in between, until everything is listed anew. */
const MOST_FAILURES = 3;
/** Events that may come between the initial ones of a WatchList and its end. */
const MOST_HELD_EVENTS = 10_000;

/** Seconds. */
const LONGEST_RETRY_AFTER = 600;

/** Where the reflection stands, and how long to wait before it goes on. `position` undefined: everything must be listed. */
interface Step {
  readonly position: string | undefined;
  readonly wait: number;
}

type Verb = 'list' | 'watch';

/**
 * Keeps a reflection equal to a resource of an API server: lists it, then watches it from there, and lists it again only when
 * the server no longer knows what came since. It ends only by its signal.
 *
 * Source of the rules: k8s.io/client-go v0.36.2, tools/cache/reflector.go. It differs where that one would list anew: a watch that
 * is lost, garbled or silent is resumed from the last whole event; and every wait has a deadline.
 */
export class Reflector {
  private readonly path: string;
  private readonly backoff: Backoff;
  private deniedBackoff: Backoff | undefined;
  private notServedBackoff: Backoff | undefined;
  private usesWatchList: boolean;
  private listsInPages = true;
  /** Watches in a row that failed, or that brought nothing, since the last event or bookmark. */
  private failures = 0;
  private emptyWatches = 0;
  private shown: ReflectorState['state'] | undefined;

  constructor(
    private readonly client: StreamingClient,
    private readonly resource: ReflectedResource,
    private readonly options: ReflectorOptions,
  ) {
    this.path = pathOf(resource);
    this.usesWatchList = options.watchList === 'auto';
    this.backoff = new Backoff(options.random);
  }

  /** Resolves when the signal is aborted. @throws what the reflection throws */
  async run(reflection: Reflection, signal: AbortSignal): Promise<void> {
    const { clock, resumeFrom } = this.options;
    let position = resumeFrom;
    try {
      for (;;) {
        signal.throwIfAborted();
        const step: Step =
          position === undefined ? await this.list(reflection, signal) : await this.watch(reflection, position, signal);
        position = step.position;
        if (step.wait > 0) await clock.sleep(step.wait, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async list(reflection: Reflection, signal: AbortSignal): Promise<Step> {
    this.show(reflection, { state: 'listing', since: this.now() });
    if (!this.usesWatchList) return this.listPages(reflection, signal);
    return (await this.listByWatch(reflection, signal)) ?? this.listPages(reflection, signal);
  }

  private async listPages(reflection: Reflection, signal: AbortSignal): Promise<Step> {
    const sink = await reflection.beginList();
    const begun = this.now();
    let resourceVersion: string | undefined;
    let next: string | undefined;
    try {
      do {
        const page: Page = await this.page(sink, next, signal);
        // All pages are of the moment of the first one.
        resourceVersion ??= page.resourceVersion;
        next = page.next;
      } while (next !== undefined);
    } catch (error) {
      await sink.discard(reasonOf(error));
      if (next !== undefined && error instanceof Refused && isExpired(error.status)) {
        // What cannot be read in pages fast enough is read as a whole; client-go's pager does the same.
        this.listsInPages = false;
      }
      return { position: undefined, wait: this.failed(reflection, error, 'list') };
    }
    this.listsInPages = true;
    await sink.commit(resourceVersion);
    reflection.progress(resourceVersion, begun);
    return { position: resourceVersion, wait: 0 };
  }

  private async page(sink: ListSink, next: string | undefined, signal: AbortSignal): Promise<Page> {
    const { kind } = this.resource;
    const query = new URLSearchParams({
      ...(this.listsInPages && { limit: String(this.options.pageSize) }),
      ...(next !== undefined && { continue: next }),
    }).toString();
    const call = new Call(this.options.clock, signal);
    try {
      await call.open(this.client, query === '' ? this.path : `${this.path}?${query}`, LIST_ANSWER);
      const page = await this.readList(call, (item) => sink.item(identify(item, { start: 0, end: item.length }, kind)));
      if (page.kind !== `${kind}List`) throw new BadAnswer(`the answer is ${page.kind}, not ${kind}List`);
      if (page.resourceVersion === '') throw new BadAnswer('the list has no resourceVersion');
      return page;
    } finally {
      call.close();
    }
  }

  private async readList(call: Call, take: (item: Buffer) => void | Promise<void>): Promise<ListEnvelope> {
    const reader = new ListReader();
    for (let chunk = await call.next(LIST_SILENCE); chunk !== undefined; chunk = await call.next(LIST_SILENCE)) {
      for (const item of reader.push(chunk)) await take(item);
    }
    return reader.end();
  }

  /** The state as events, then the watch that they belong to. Undefined if the server cannot do that. */
  private async listByWatch(reflection: Reflection, signal: AbortSignal): Promise<Step | undefined> {
    const { clock } = this.options;
    const query = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' };
    const sink = await reflection.beginList();
    const begun = this.now();
    const call = new Call(clock, signal);
    try {
      const events = new Events(call, this.resource.kind, clock);
      let position: string;
      const lasts = this.drawTimeout();
      try {
        await call.open(this.client, this.watchPath(query, lasts), WATCH_ANSWER);
        position = await initialState(events, sink, begun.getTime() + WATCH_LIST_TOTAL);
      } catch (error) {
        await sink.discard(reasonOf(error));
        signal.throwIfAborted();
        const code = error instanceof Refused ? error.status.code : 0;
        if (isPassing(error) && (this.failures += 1) < MOST_FAILURES) {
          return { position: undefined, wait: this.failed(reflection, error, 'watch') };
        }
        if (code === 404 || code === 405) {
          return { position: undefined, wait: this.failed(reflection, error, 'list') };
        }
        if (!isOurs(error)) throw error;
        // Who may list may not be allowed to watch.
        if (code !== 403) this.usesWatchList = false;
        this.failures = 0;
        return undefined;
      }
      await sink.commit(position);
      for (const { type, object } of events.held) await reflection.event(type, object);
      reflection.progress(position, begun);
      return await this.readEvents(reflection, call, events, { position, ends: begun.getTime() + lasts * 1000 });
    } finally {
      call.close();
    }
  }

  private async watch(reflection: Reflection, position: string, signal: AbortSignal): Promise<Step> {
    const { clock } = this.options;
    if (this.emptyWatches >= 2) {
      this.emptyWatches = 0;
      if (await this.isBehind(position, signal)) return { position: undefined, wait: 0 };
    }
    const call = new Call(clock, signal);
    const lasts = this.drawTimeout();
    try {
      const ends = clock.now() + lasts * 1000;
      try {
        await call.open(this.client, this.watchPath({ resourceVersion: position }, lasts), WATCH_ANSWER);
      } catch (error) {
        return this.afterFailure(reflection, error, position);
      }
      return await this.readEvents(reflection, call, new Events(call, this.resource.kind, clock), { position, ends });
    } finally {
      call.close();
    }
  }

  private async readEvents(
    reflection: Reflection,
    call: Call,
    events: Events,
    from: { readonly position: string; readonly ends: number },
  ): Promise<Step> {
    const { clock } = this.options;
    const begun = clock.now();
    let { position } = from;
    let isEmpty = true;
    this.show(reflection, { state: 'watching', since: this.now() });
    try {
      for (;;) {
        const line = await events.next(WATCH_SILENCE, from.ends + OVERTIME);
        if (line === undefined) break;
        if (line.type === 'ERROR') throw new Refused(line.status, line.status.retryAfter);
        isEmpty = false;
        this.failures = 0;
        this.emptyWatches = 0;
        if (line.type === 'BOOKMARK') position = line.resourceVersion;
        else {
          await reflection.event(line.type, line.object);
          position = line.object.resourceVersion;
        }
        reflection.progress(position, this.now());
      }
    } catch (error) {
      if (isEmpty && clock.now() - begun >= LONG_WATCH) this.emptyWatches += 1;
      return this.afterFailure(reflection, error, position);
    }
    if (!isEmpty) return { position, wait: 0 };
    const lasted = clock.now() - begun;
    if (lasted >= LONG_WATCH) this.emptyWatches += 1;
    if (lasted >= SHORT_WATCH) return { position, wait: 0 };
    const why = 'the watch ended at once, without an event';
    return { position, wait: this.retrying(reflection, why, this.backoff.next(clock.now())) };
  }

  /** What to do after a watch from a position has failed. */
  private afterFailure(reflection: Reflection, error: unknown, position: string): Step {
    const wait = this.failed(reflection, error, 'watch');
    if (error instanceof Refused) {
      const { status } = error;
      const isLost =
        isExpired(status) ||
        isFromTheFuture(status) ||
        isUnreadableVersion(status) ||
        // The kind is not served any more, or the parameters are not understood.
        [400, 404, 405, 422].includes(status.code);
      if (isLost) return { position: undefined, wait };
      if (!isPassing(error)) this.failures += 1;
    } else if (error instanceof BadAnswer) this.failures += 1;
    if (this.failures < MOST_FAILURES) return { position, wait };
    this.failures = 0;
    return { position: undefined, wait };
  }

  /**
   * Whether the server is at an older moment than the position, as after its data were restored from a backup: a watch from the
   * future brings nothing, and no error. ResourceVersions of one resource can be compared as integers
   * (k8s.io/apimachinery v0.36.2, pkg/util/resourceversion).
   */
  private async isBehind(position: string, signal: AbortSignal): Promise<boolean> {
    const call = new Call(this.options.clock, signal);
    try {
      await call.open(this.client, `${this.path}?limit=1`, LIST_ANSWER);
      const { resourceVersion: now } = await this.readList(call, () => undefined);
      return /^\d+$/.test(now) && /^\d+$/.test(position) && BigInt(now) < BigInt(position);
    } catch (error) {
      if (signal.aborted || !isOurs(error)) throw error;
      return false;
    } finally {
      call.close();
    }
  }

  /** Shows why something failed. @returns how long to wait, in milliseconds */
  private failed(reflection: Reflection, error: unknown, verb: Verb): number {
    if (!isOurs(error)) throw error;
    const now = this.options.clock.now();
    if (!(error instanceof Refused)) return this.retrying(reflection, reasonOf(error), this.backoff.next(now));
    const { status } = error;
    const retryAfter = Math.min(error.retryAfter ?? 0, LONGEST_RETRY_AFTER);
    const why = error.message;
    if (status.code === 401 || status.code === 403) {
      this.deniedBackoff ??= new Backoff(this.options.random, DENIED_BACKOFF);
      const wait = this.deniedBackoff.next(now, retryAfter * 1000);
      const { group, plural } = this.resource;
      const rule = status.code === 401 ? null : { apiGroups: [group], resources: [plural], verbs: [verb] };
      this.show(reflection, { state: 'denied', since: this.now(), why, rule, nextTry: new Date(now + wait) });
      return wait;
    }
    if (status.code === 404 || status.code === 405) {
      this.notServedBackoff ??= new Backoff(this.options.random, NOT_SERVED_BACKOFF);
      const wait = this.notServedBackoff.next(now, retryAfter * 1000);
      this.show(reflection, { state: 'notServed', since: this.now(), why, nextTry: new Date(now + wait) });
      return wait;
    }
    return this.retrying(reflection, why, this.backoff.next(now, retryAfter * 1000));
  }

  private retrying(reflection: Reflection, why: string, wait: number): number {
    const nextTry = new Date(this.options.clock.now() + wait);
    this.show(reflection, { state: 'retrying', since: this.now(), why, nextTry });
    return wait;
  }

  private show(reflection: Reflection, state: ReflectorState): void {
    // A watch that is resumed in order is the same state.
    const isSame = this.shown === state.state && (state.state === 'watching' || state.state === 'listing');
    this.shown = state.state;
    if (!isSame) reflection.state(state);
  }

  /** Seconds; client-go draws them so, too, that not all watches end together. */
  private drawTimeout(): number {
    return Math.floor(300 * (1 + this.options.random()));
  }

  private watchPath(query: Readonly<Record<string, string>>, lasts: number): string {
    const all = { watch: 'true', allowWatchBookmarks: 'true', ...query, timeoutSeconds: String(lasts) };
    return `${this.path}?${new URLSearchParams(all).toString()}`;
  }

  private now(): Date {
    return new Date(this.options.clock.now());
  }
}

interface Page {
  readonly resourceVersion: string;
  readonly next: string | undefined;
}

interface HeldEvent {
  readonly type: ObjectEvent;
  readonly object: WireObject;
}

/** The lines of a watch. */
class Events {
  private readonly cutter = new LineCutter();
  private lines: Iterator<Buffer> | undefined;
  /** Live events that came before the end of the initial ones. */
  readonly held: HeldEvent[] = [];

  constructor(
    private readonly call: Call,
    private readonly kind: string,
    private readonly clock: Clock,
  ) {}

  /**
   * The next line; undefined at the end.
   *
   * @param silence milliseconds without a byte that are a failure
   * @param until when the watch must have ended
   * @throws {Lost | BadAnswer}
   */
  async next(silence: number, until: number): Promise<ReturnType<typeof readWatchLine> | undefined> {
    for (;;) {
      const line = this.lines?.next();
      if (line?.done === false) {
        if (line.value.length === 0) continue;
        return readWatchLine(line.value, this.kind);
      }
      // A watch waits for most of its time, and keeps nothing of what it has read.
      this.lines = undefined;
      const left = until - this.clock.now();
      if (left <= 0) throw new Lost('the watch does not end', true);
      const chunk = await this.call.next(Math.min(silence, left));
      if (chunk === undefined) {
        if (this.cutter.isInside) throw new Lost('the watch was cut in the middle of an event');
        return undefined;
      }
      this.lines = this.cutter.push(chunk);
    }
  }
}

/**
 * Reads the state that a watch begins with, up to the bookmark that ends it.
 *
 * Source: k8s.io/client-go v0.36.2, tools/cache/reflector.go, `watchList`.
 *
 * @returns the resourceVersion of that moment
 */
async function initialState(events: Events, sink: ListSink, until: number): Promise<string> {
  for (;;) {
    const line = await events.next(WATCH_LIST_SILENCE, until);
    if (line === undefined) throw new BadAnswer('the watch ended before the whole state had come');
    if (line.type === 'ERROR') throw new Refused(line.status, line.status.retryAfter);
    if (line.type === 'BOOKMARK') {
      if (line.endsInitialEvents) return line.resourceVersion;
    } else if (line.type === 'ADDED' && events.held.length === 0) {
      await sink.item(line.object);
    } else {
      if (events.held.length >= MOST_HELD_EVENTS) throw new BadAnswer('too many events came before the state had');
      events.held.push({ type: line.type, object: { ...line.object, bytes: Buffer.from(line.object.bytes) } });
    }
  }
}

/** Whether the same request may succeed later. */
function isPassing(error: unknown): boolean {
  if (error instanceof Lost) return !error.isLate;
  if (!(error instanceof Refused)) return false;
  const { code } = error.status;
  return code === 401 || code === 429 || (code >= 500 && !isFromTheFuture(error.status));
}

const isOurs = (error: unknown): boolean =>
  error instanceof Lost || error instanceof Refused || error instanceof BadAnswer;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
