import { Database } from './database.js';

/** A named Kubernetes cluster whose state is stored. */
export interface Cluster {
  readonly id: number;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  /** The newest revision; 0 while there is none. */
  readonly headRevision: number;
}

/** What went with a deleted cluster. */
export interface DeletedCluster {
  readonly cluster: Cluster;
  readonly revisions: number;
  readonly objectVersions: number;
}

/** The clusters by name. Names and labels are stored as given: their syntax is the caller's to check. */
export class ClusterStore {
  constructor(private readonly database: Database) {}

  /**
   * Creates the cluster, or gives an existing one these labels; without `labels` an existing one keeps its own.
   * Saying the same twice changes nothing.
   */
  put(_name: string, _labels?: Readonly<Record<string, string>>): Promise<{ cluster: Cluster; created: boolean }> {
    throw new Error('not built yet');
  }

  get(_name: string): Promise<Cluster | undefined> {
    throw new Error('not built yet');
  }

  getById(_id: number): Promise<Cluster | undefined> {
    throw new Error('not built yet');
  }

  /** Every cluster, by name in byte order. */
  list(): Promise<readonly Cluster[]> {
    throw new Error('not built yet');
  }

  /** Deletes the cluster with its revisions and objects, waiting for a commit that is under way. */
  delete(_name: string): Promise<DeletedCluster | undefined> {
    throw new Error('not built yet');
  }
}
