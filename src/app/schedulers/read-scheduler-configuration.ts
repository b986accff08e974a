import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { schedulerConfigurationView, type SchedulerConfigurationView } from './scheduler-configuration-view.js';

/** How the scheduler of a cluster is configured, as of a revision. */
export class ReadSchedulerConfiguration {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `ReadState` does */
  async run(
    cluster: string,
    readAt: ReadAt,
    edge: RequestContext,
  ): Promise<SchedulerConfigurationView & { readonly basis: Basis }> {
    const { basis, state } = await this.readState.run(cluster, readAt, edge);
    return { basis, ...schedulerConfigurationView(state) };
  }
}
