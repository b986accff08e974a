import { queryOptions } from '@tanstack/react-query';
import type { Moment } from '../../api/moment.js';
import { clusterKey } from '../../api/queries.js';
import { service } from '../../api/service.js';

export const nodeSummaryOf = (cluster: string, node: string, moment: Moment) =>
  queryOptions({
    queryKey: [...clusterKey(cluster), 'node', node, moment],
    queryFn: ({ signal }) =>
      service.get('/api/v1/clusters/{cluster}/nodes/{node}/summary', {
        path: { cluster, node },
        query: { ...moment },
        signal,
      }),
    enabled: node !== '',
    // What is shown meanwhile must not be about another node.
    placeholderData: (former) => (former?.node.name === node ? former : undefined),
  });
