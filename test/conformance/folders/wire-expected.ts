import {
  askedBy,
  bodyOf,
  headerOf,
  seenObject,
  type Asked,
  type Exchange,
  type PlainObject,
  type TrueObject,
} from './wire-transcript.js';

/** What a reflection must be told. */
export type Told =
  | { readonly tells: 'list'; readonly resourceVersion: string; readonly items: readonly TrueObject[] }
  | { readonly tells: 'event'; readonly type: string; readonly object: TrueObject };

/** A request that may follow. */
export interface Follows {
  readonly type: Asked['type'];
  readonly resourceVersion?: string;
  readonly continue?: string;
}

/** What a correct reflector makes of one answer, computed from the whole body at once. */
export interface Expected {
  readonly told: readonly Told[];
  /** Items of a page that is followed by another. */
  readonly page?: readonly TrueObject[];
  readonly follows: readonly Follows[];
  /** Milliseconds that it must wait at least before it asks again. */
  readonly waits: number;
  /** The state that must be shown; undefined: any. */
  readonly state?: 'denied' | 'notServed' | 'retrying';
}

/** The least that client-go waits after a failure. */
const BACKOFF = 800;

interface Situation {
  /** What the reflector asked, other than what was asked in the recording where one answer stands for several requests. */
  readonly asked: Asked;
  readonly kind: string;
  /** Where the watch is; undefined before the first list. */
  readonly position: string | undefined;
  /** Pages that came before, and the resourceVersion of the first one. */
  readonly pages: readonly TrueObject[];
  readonly listedAt: string | undefined;
}

export function expectedOf(exchange: Exchange, situation: Situation): Expected {
  const { asked } = situation;
  if (exchange.response.status !== 200) return afterRefusal(exchange, situation);
  if (!/^application\/json/.test(headerOf(exchange, 'content-type') ?? '')) return again(asked, situation);
  return asked.type === 'list' ? afterList(exchange, situation) : afterWatch(exchange, situation);
}

function afterList(exchange: Exchange, situation: Situation): Expected {
  const { asked, kind, pages, listedAt } = situation;
  let list: PlainObject & { readonly items?: readonly PlainObject[] | null };
  try {
    list = JSON.parse(bodyOf(exchange).toString('utf8')) as typeof list;
  } catch {
    return again(asked, situation);
  }
  if (exchange.response.ended !== 'complete' || list.kind !== `${kind}List`) return again(asked, situation);
  const page = (list.items ?? []).map(seenObject);
  const next = list.metadata?.continue ?? '';
  const resourceVersion = listedAt ?? list.metadata?.resourceVersion ?? '';
  if (next !== '') return { told: [], page, follows: [{ type: 'list', continue: next }], waits: 0 };
  return {
    told: [{ tells: 'list', resourceVersion, items: [...pages, ...page] }],
    follows: [{ type: 'watch', resourceVersion }],
    waits: 0,
  };
}

function afterWatch(exchange: Exchange, { asked, kind, position: from }: Situation): Expected {
  const text = bodyOf(exchange).toString('utf8');
  const lines = text.split('\n');
  const isCut = lines.pop() !== '';
  const told: Told[] = [];
  const initial: TrueObject[] = [];
  /** Live events that come before the end of the initial ones; an API server sends them in its order. */
  const early: Told[] = [];
  let isListing = asked.type === 'watchList';
  let position = isListing ? undefined : from;
  let failure: 'expired' | 'other' | undefined;
  let wait = BACKOFF;
  let sawAnything = false;
  for (const line of lines.filter((one) => one !== '')) {
    let event: { readonly type?: string; readonly object?: PlainObject & Readonly<Record<string, unknown>> };
    try {
      event = JSON.parse(line) as typeof event;
    } catch {
      failure = 'other';
      break;
    }
    const { type, object } = event;
    if (type === 'ERROR') {
      const { code, details } = (object ?? {}) as unknown as StatusObject;
      const isAhead = details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') ?? false;
      failure = code === 410 || isAhead ? 'expired' : 'other';
      wait = Math.max(BACKOFF, (details?.retryAfterSeconds ?? 0) * 1000);
      break;
    }
    if (object?.kind !== kind) {
      failure = 'other';
      break;
    }
    const seen = seenObject(object);
    sawAnything = true;
    if (type === 'BOOKMARK') {
      if (isListing && object.metadata?.annotations?.['k8s.io/initial-events-end'] === 'true') {
        isListing = false;
        told.push({ tells: 'list', resourceVersion: seen.resourceVersion, items: initial }, ...early);
      }
      if (!isListing) position = seen.resourceVersion;
    } else if (isListing && type === 'ADDED' && early.length === 0) initial.push(seen);
    else if (isListing) early.push({ tells: 'event', type: type ?? '', object: seen });
    else {
      told.push({ tells: 'event', type: type ?? '', object: seen });
      position = seen.resourceVersion;
    }
  }
  if (isListing || failure === 'expired' || position === undefined) {
    // An unfinished list is asked for again, in this way or in pages; pages may come at once.
    const waits = isListing && asked.type === 'watchList' ? 0 : wait;
    return { told, follows: [{ type: 'list' }, { type: 'watchList' }], waits };
  }
  const lasted = (exchange.endedAtMs ?? exchange.startedAtMs) - exchange.startedAtMs;
  const isFine = failure === undefined && !isCut && exchange.response.ended === 'complete';
  const isShort = !sawAnything && lasted < 1000;
  return {
    told,
    follows: [{ type: 'watch', resourceVersion: position }],
    waits: isFine && !isShort ? 0 : wait,
    ...(!isFine && { state: 'retrying' }),
  };
}

interface StatusObject {
  readonly code?: number;
  readonly message?: string;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string }[];
  };
}

function afterRefusal(exchange: Exchange, situation: Situation): Expected {
  const { asked, position } = situation;
  const { status } = exchange.response;
  const retryAfter = Number(headerOf(exchange, 'retry-after') ?? 0);
  const waits = Math.max(BACKOFF, retryAfter * 1000);
  const anew: readonly Follows[] = [{ type: 'list' }, { type: 'watchList' }];
  const state =
    status === 401 || status === 403 ? 'denied' : status === 404 || status === 405 ? 'notServed' : 'retrying';
  if (asked.type === 'list') {
    const samePage: readonly Follows[] = asked.continue === '' ? [] : [{ type: 'list', continue: asked.continue }];
    return { told: [], follows: status === 410 ? anew : [...anew, ...samePage], waits, state };
  }
  if (asked.type === 'watchList') {
    // What is refused for good is asked for in another way, which may be at once.
    const isForGood = [400, 403, 422].includes(status) || (status === 0 && exchange.response.ended === 'open');
    return { told: [], follows: anew, waits: isForGood ? 0 : waits, ...(!isForGood && { state }) };
  }
  const isUnreadable = /resourceVersion: Invalid value/.test(bodyOf(exchange).toString('utf8'));
  const isLost = isUnreadable || [400, 404, 405, 410, 422].includes(status);
  if (isLost || position === undefined) return { told: [], follows: anew, waits, state };
  return { told: [], follows: [{ type: 'watch', resourceVersion: position }], waits, state };
}

/** Nothing of the answer can be used. */
function again(asked: Asked, { position }: Situation): Expected {
  if (asked.type === 'watch') {
    return {
      told: [],
      follows: [position === undefined ? { type: 'list' } : { type: 'watch', resourceVersion: position }],
      waits: BACKOFF,
      state: 'retrying',
    };
  }
  const isList = asked.type === 'list';
  return {
    told: [],
    follows: [{ type: 'list' }, { type: 'watchList' }],
    waits: isList ? BACKOFF : 0,
    ...(isList && { state: 'retrying' }),
  };
}

export const askedOf = (exchange: Exchange): Asked => askedBy(exchange.request)!;
