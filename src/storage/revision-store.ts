import type { JsonValue } from '../core/json/json-value.js';
import { Database } from './database.js';
import type { Revision } from './revision.js';

export interface RevisionPage {
  readonly items: readonly Revision[];
  /** Pass as `before` to read on; null at the end. */
  readonly next: number | null;
}

/** The head of one cluster, as the ages of all clusters are watched. */
export interface ClusterHead {
  readonly clusterId: number;
  readonly clusterName: string;
  readonly revision: number;
  readonly capturedAt: Date;
}

/** The revisions of clusters, without their objects. */
export class RevisionStore {
  constructor(private readonly database: Database) {}

  get(_clusterId: number, _revision: number): Promise<Revision | undefined> {
    throw new Error('not built yet');
  }

  head(_clusterId: number): Promise<Revision | undefined> {
    throw new Error('not built yet');
  }

  /** The state as of a moment: the greatest `capturedAt` not after it; of equal ones the highest number. */
  at(_clusterId: number, _time: Date): Promise<Revision | undefined> {
    throw new Error('not built yet');
  }

  /** Newest first, at most `limit`, those with a number below `before`. */
  list(_clusterId: number, _page: { readonly limit: number; readonly before?: number }): Promise<RevisionPage> {
    throw new Error('not built yet');
  }

  /** What ingest found in the snapshot, as it was given; undefined when there is no such revision. */
  findings(_clusterId: number, _revision: number): Promise<JsonValue | undefined> {
    throw new Error('not built yet');
  }

  /** The head of every cluster that has one. */
  heads(): Promise<readonly ClusterHead[]> {
    throw new Error('not built yet');
  }
}
