import { LocalCounts, type SharedCounts } from './shared-counts.js';

/** What a process of this replica shares with the others. */
export interface ReplicaProcesses {
  readonly counts: SharedCounts;
  /** The metrics of all of them, as `ServiceMetrics.collect` returns them; absent: this process is the only one. */
  readonly metrics?: () => Promise<readonly unknown[]>;
}

/** A replica that is one process. */
export const alone = (): ReplicaProcesses => ({ counts: new LocalCounts() });
