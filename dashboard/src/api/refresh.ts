import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Asks stale questions of the page again, each by itself: one that is being asked is not cancelled but asked once more after its
 * answer. Otherwise changes that come faster than an answer would put it off for ever.
 */
export class Refresher {
  private readonly asking = new Set<Query>();
  private readonly again = new Set<Query>();

  constructor(private readonly client: QueryClient) {}

  /** @param queryKey everything below it is stale from now on */
  refresh(queryKey: QueryKey): void {
    void this.client.invalidateQueries({ queryKey, refetchType: 'none' });
    for (const query of this.client.getQueryCache().findAll({ queryKey, type: 'active' })) this.ask(query);
  }

  private ask(query: Query): void {
    if (this.asking.has(query)) {
      this.again.add(query);
      return;
    }
    this.asking.add(query);
    void this.client.refetchQueries({ queryKey: query.queryKey, exact: true, type: 'active' }).finally(() => {
      this.asking.delete(query);
      if (!this.again.delete(query)) return;
      query.invalidate();
      if (query.isActive()) this.ask(query);
    });
  }
}
