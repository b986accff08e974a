import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { admissionConfigurationView, type AdmissionConfigurationView } from './admission-configuration-view.js';

/** How the API server of a cluster admits, as of a revision. */
export class ReadAdmissionConfiguration {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `ReadState` does */
  async run(
    cluster: string,
    readAt: ReadAt,
    edge: RequestContext,
  ): Promise<AdmissionConfigurationView & { readonly basis: Basis }> {
    const { basis, state } = await this.readState.run(cluster, readAt, edge);
    return { basis, ...admissionConfigurationView(state) };
  }
}
