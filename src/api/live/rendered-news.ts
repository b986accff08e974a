import type { ClusterNews, ToldNews } from '../../app/live/cluster-events.js';
import type { RequestContext } from '../../app/request-context.js';
import type { clusterEvent } from '../../contract/clusters/cluster-event.js';
import type { Response } from '../../contract/schema.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { maskJson } from '../masking/mask-json.js';

/** An event without its id, which differs between readers. */
type NewsShape = WithoutId<Response<typeof clusterEvent>>;

type WithoutId<Event> = Event extends unknown ? Omit<Event, 'id'> : never;

/** An event as one kind of reader may see it. */
export interface RenderedNews {
  readonly shape: NewsShape;
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

const rendered = new WeakMap<ToldNews, Map<string, RenderedNews>>();

/** Renders an event once for all readers with the same permissions. */
export function renderNews(told: ToldNews, view: NewsResponse): RenderedNews {
  const views = rendered.get(told) ?? new Map<string, RenderedNews>();
  rendered.set(told, views);
  const key = `${view.taintValues} ${view.authors}`;
  let found = views.get(key);
  if (found === undefined) views.set(key, (found = render(told, view)));
  return found;
}

function render({ news, values }: ToldNews, { taintValues, authors }: NewsResponse): RenderedNews {
  const whole = newsShape(news, authors);
  // Streams bypass the hook that masks responses.
  const shape = taintValues ? whole : (maskJson(whole as unknown as JsonObject, values) as unknown as NewsShape);
  return { shape, text: stringifyJson(shape) };
}

/** @param tellsAuthors whether the reader may know the author of a change that was not made through this service */
function newsShape(news: ClusterNews, tellsAuthors: boolean): NewsShape {
  if (news.type !== 'taintChangeRecorded' || tellsAuthors || news.taintChangeRecorded.channel === 'api') return news;
  return { type: news.type, taintChangeRecorded: { ...news.taintChangeRecorded, by: null } };
}
