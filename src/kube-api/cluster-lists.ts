import { apiVersionOf, type ServedKind } from './discover-kinds.js';
import { isExpired } from './reflector/api-status.js';
import { Call, Refused, type StreamingClient } from './reflector/call.js';
import type { Clock } from './reflector/clock.js';
import { BadAnswer } from './reflector/json-scan.js';
import { type ListEnvelope, ListReader } from './reflector/list-reader.js';
import { pathOf } from './reflector/reflection.js';

/** A kind that is not in the lists, and why. */
export interface LeftOutKind {
  readonly kind: ServedKind;
  /** In the API server's words. */
  readonly why: string;
  /** Whether the user may not list it. */
  readonly isDenied: boolean;
}

/** What is missing, in words, and the rule that a ClusterRole lacks. */
export function leftOutText({ kind: { kind, group, plural }, why, isDenied }: LeftOutKind): string {
  const rule = { apiGroups: [group], resources: [plural], verbs: ['list'] };
  return `${kind}: ${why}${isDenied ? `\n  missing in a ClusterRole: ${JSON.stringify(rule)}` : ''}`;
}

export interface ListOptions {
  readonly clock: Clock;
  /** Objects in a page; 0: whole lists. */
  readonly pageSize: number;
  readonly signal: AbortSignal;
  readonly leaveOut: (left: LeftOutKind) => void;
  readonly listed: (kind: ServedKind, objects: number) => void;
}

/** The list took longer than the API server keeps its moment, so that its pages do not belong together. */
export class PagesExpired extends Error {
  override readonly name = 'PagesExpired';
}

/** In milliseconds. The API server itself ends a request after 60 s. */
const ANSWER = 70_000;
const SILENCE = 30_000;

/**
 * The complete lists of kinds as JSON, one after another, each with the resourceVersion of its moment. Pages are joined as they come. Kinds that
 * the user may not list, or that are not served, are left out.
 *
 * @throws {PagesExpired | Lost | Refused | BadAnswer} in the middle of the text, which is worth nothing then
 */
export async function* clusterLists(
  client: StreamingClient,
  kinds: readonly ServedKind[],
  options: ListOptions,
): AsyncGenerator<Buffer, void> {
  for (const kind of kinds) yield* listOf(client, kind, options);
}

async function* listOf(client: StreamingClient, kind: ServedKind, options: ListOptions): AsyncGenerator<Buffer, void> {
  const head = `{"kind":"${kind.servedAs}List","apiVersion":"${apiVersionOf(kind)}","items":[`;
  const items = listItems(client, kind, { ...options, reader: () => new ItemBytes() });
  let objects: number | undefined;
  for (;;) {
    const next = await items.next();
    if (next.done === true) {
      if (next.value !== undefined) yield Buffer.from(`],"metadata":${JSON.stringify(next.value)}}\n`);
      return;
    }
    if (objects === undefined) yield Buffer.from(head);
    objects ??= 0;
    const parts: Buffer[] = [];
    for (const item of next.value) parts.push(Buffer.from(objects++ === 0 ? '\n' : ',\n'), item);
    if (parts.length > 0) yield Buffer.concat(parts);
  }
}

/** Reads the items of a page as it comes. */
export interface PageReader<Item> {
  /** The items that are complete. @throws {BadAnswer} */
  push(chunk: Buffer): Iterable<Item>;
  /** The token of the next page, where it is known before the page ends. */
  readonly next: string | undefined;
  /** @returns the rest of the items, too @throws {BadAnswer} */
  end(): ListEnvelope & { readonly items: readonly Item[] };
}

/** The bytes of each item. */
class ItemBytes extends ListReader implements PageReader<Buffer> {
  override end(): ListEnvelope & { readonly items: readonly Buffer[] } {
    return { ...super.end(), items: [] };
  }
}

/** One page that was asked for. */
interface AskedPage {
  readonly call: Call;
  readonly opened: Promise<void>;
}

/**
 * The items of the complete list of a kind, as they come; the next page is asked for as soon as its token is known, so that the API server works on it
 * meanwhile. Yields at least once, and returns the resourceVersion of the list's moment; without either if the kind is left out.
 *
 * @throws {PagesExpired | Lost | Refused | BadAnswer}
 */
export async function* listItems<Item>(
  client: StreamingClient,
  kind: ServedKind,
  { clock, pageSize, signal, leaveOut, listed, reader: readerOfPage }: ListOptions & { reader: () => PageReader<Item> },
): AsyncGenerator<readonly Item[], { readonly resourceVersion: string } | undefined> {
  const open = (token?: string): AskedPage => {
    const call = new Call(clock, signal);
    const opened = call.open(client, pathFor(kind, pageSize, token), ANSWER);
    // A page whose turn never comes fails unseen.
    opened.catch(() => undefined);
    return { call, opened };
  };
  let resourceVersion: string | undefined;
  let objects = 0;
  let asked = open();
  let following: AskedPage | undefined;
  try {
    for (;;) {
      try {
        await asked.opened;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        const isFirst = resourceVersion === undefined;
        if (!isFirst && isExpired(error.status)) throw new PagesExpired(error.message);
        const isDenied = error.status.code === 403;
        if (!isFirst || !(isDenied || [404, 405].includes(error.status.code))) throw error;
        leaveOut({ kind, why: error.message, isDenied });
        return undefined;
      }
      if (resourceVersion === undefined) yield [];
      const reader = readerOfPage();
      for (let chunk = await asked.call.next(SILENCE); chunk !== undefined; chunk = await asked.call.next(SILENCE)) {
        const items = [...reader.push(chunk)];
        objects += items.length;
        if (reader.next !== undefined) following ??= open(reader.next);
        if (items.length > 0) yield items;
      }
      const page = reader.end();
      if (page.kind !== `${kind.servedAs}List`) {
        throw new BadAnswer(`the answer is ${page.kind}, not ${kind.servedAs}List`);
      }
      // All pages are of the moment of the first one.
      resourceVersion ??= page.resourceVersion;
      if (page.next !== undefined) following ??= open(page.next);
      objects += page.items.length;
      if (page.items.length > 0) yield page.items;
      if (following === undefined) {
        listed(kind, objects);
        return { resourceVersion };
      }
      asked.call.close();
      asked = following;
      following = undefined;
    }
  } finally {
    asked.call.close();
    following?.call.close();
  }
}

function pathFor(kind: ServedKind, pageSize: number, next: string | undefined): string {
  const query = new URLSearchParams({
    ...(pageSize > 0 && { limit: String(pageSize) }),
    ...(next !== undefined && { continue: next }),
  }).toString();
  return query === '' ? pathOf(kind) : `${pathOf(kind)}?${query}`;
}
