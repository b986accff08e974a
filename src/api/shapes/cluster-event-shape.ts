import { clusterEvent } from '../../contract/clusters/cluster-event.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import { type ClusterNews } from '../../app/live/cluster-events.js';

export const ClusterEventShape = responseClass(clusterEvent);
export type ClusterEventShape = Response<typeof clusterEvent>;

type WithoutId<Event> = Event extends unknown ? Omit<Event, 'id'> : never;

/** An event without its id, which is its reader's own. */
export type NewsShape = WithoutId<ClusterEventShape>;

/** @param tellsAuthors whether the reader may know who did what was not done here */
export function newsShape(news: ClusterNews, tellsAuthors: boolean): NewsShape {
  if (news.type !== 'taintChangeRecorded' || tellsAuthors || news.taintChangeRecorded.channel === 'api') return news;
  return { type: news.type, taintChangeRecorded: { ...news.taintChangeRecorded, by: null } };
}
