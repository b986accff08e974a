import type { ClusterNews, MaskableNews } from '../../app/live/cluster-events.js';
import type { RequestContext } from '../../app/request-context.js';
import { clusterEvent } from '../../contract/clusters/cluster-event.js';
import type { Response } from '../../contract/schema.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { objectMask } from '../masking/mask-object.js';

/** An event without its id, which differs between readers. */
type RenderedEvent = WithoutId<Response<typeof clusterEvent>>;

type WithoutId<Event> = Event extends unknown ? Omit<Event, 'id'> : never;

/** An event as one kind of reader may see it. */
export interface RenderedNews {
  readonly event: RenderedEvent;
  /** The event as JSON. */
  readonly text: string;
}

/** What a reader may see of an event. */
export interface NewsResponse {
  readonly taintValues: boolean;
  readonly authors: boolean;
}

export function newsViewOf({ access }: Pick<RequestContext, 'access'>, cluster: string): NewsResponse {
  return { taintValues: access.seesTaintValues(cluster), authors: access.may('audit', cluster) };
}

const rendered = new WeakMap<MaskableNews, Map<string, RenderedNews>>();

/** Renders an event once for all readers with the same permissions. */
export function renderNews(item: MaskableNews, view: NewsResponse): RenderedNews {
  const views = rendered.get(item) ?? new Map<string, RenderedNews>();
  rendered.set(item, views);
  const key = `${view.taintValues} ${view.authors}`;
  let found = views.get(key);
  if (found === undefined) views.set(key, (found = render(item, view)));
  return found;
}

function render({ news, values }: MaskableNews, { taintValues, authors }: NewsResponse): RenderedNews {
  const whole = eventFor(news, authors);
  // Streams bypass the hook that masks responses.
  const event = taintValues
    ? whole
    : (objectMask(clusterEvent)!.mask(whole as unknown as JsonObject, values) as unknown as RenderedEvent);
  return { event, text: stringifyJson(event) };
}

/** @param showsAuthors whether the reader may know the author of a change that was not made through this service */
function eventFor(news: ClusterNews, showsAuthors: boolean): RenderedEvent {
  if (news.type !== 'taintChangeRecorded' || showsAuthors || news.taintChangeRecorded.channel === 'api') return news;
  return { type: news.type, taintChangeRecorded: { ...news.taintChangeRecorded, by: null } };
}
