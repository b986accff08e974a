import { clusterEvent } from '../../contract/clusters/cluster-event.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import { type ClusterNews } from '../../app/live/cluster-events.js';
import type { Plain } from './plain.js';

export const ClusterEventShape = responseClass(clusterEvent);
export type ClusterEventShape = Response<typeof clusterEvent>;

/** An event without its id, which is its reader's own. */
export type NewsShape = Omit<Plain<ClusterEventShape>, 'id'>;

/** @param tellsAuthors whether the reader may know who did what was not done here */
export function newsShape(news: ClusterNews, tellsAuthors: boolean): NewsShape {
  const nothing = { headChanged: null, taintChangeRecorded: null, scheduleChanged: null, evictionDue: null };
  if (news.type !== 'taintChangeRecorded' || tellsAuthors) return { ...nothing, ...news };
  const { taintChangeRecorded: told } = news;
  return { ...nothing, type: news.type, taintChangeRecorded: told.channel === 'api' ? told : { ...told, by: null } };
}
