/** The head of a cluster moved, here or in another replica; or the cluster was deleted. */
export type HeadEvent =
  | { readonly type: 'head'; readonly clusterId: number; readonly revision: number }
  | { readonly type: 'deleted'; readonly clusterId: number };

/**
 * Hears of new heads over LISTEN/NOTIFY on a connection of its own, and reads all heads again after that connection was
 * lost, so that nothing is missed. An event may come twice; a revision never goes backwards.
 */
export class HeadListener {
  /** @param url where to connect: `Database.url` */
  constructor(private readonly url: string) {}

  /** Resolves when listening has begun. */
  start(): Promise<void> {
    throw new Error('not built yet');
  }

  /** @returns a function that ends the subscription */
  subscribe(_listener: (event: HeadEvent) => void): () => void {
    throw new Error('not built yet');
  }

  close(): Promise<void> {
    throw new Error('not built yet');
  }
}
