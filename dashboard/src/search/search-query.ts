import { queryOptions } from '@tanstack/react-query';
import type { Moment } from '../api/moment.js';
import { service, type Schemas } from '../api/service.js';

export type SearchHit = Schemas['SearchHit'];
export type SearchKind = Schemas['SearchKind'];

/** What has the text in its name: in the given cluster as of a moment, and in the others. */
export const found = (text: string, cluster: string | undefined, { revision, at }: Moment) =>
  queryOptions({
    queryKey: ['search', text, cluster, revision, at],
    queryFn: ({ signal }) => {
      const moment = revision === undefined ? at : String(revision);
      return service.get('/api/v1/search', {
        query: {
          text,
          ...(cluster !== undefined && { cluster, ...(moment !== undefined && { moment }) }),
        },
        signal,
      });
    },
    enabled: text.trim() !== '',
  });
