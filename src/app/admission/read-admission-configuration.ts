import type { readAdmissionConfiguration } from '../../contract/admission/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { admissionConfigurationView } from './admission-configuration-view.js';

/** How the API server of a cluster admits, as of a revision. */
export class ReadAdmissionConfiguration {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `ReadState` does */
  async run(
    { cluster, readAt }: RequestOf<typeof readAdmissionConfiguration>,
    edge: RequestContext,
  ): Promise<AnswerTo<typeof readAdmissionConfiguration>> {
    const { basis, state } = await this.readState.run(cluster, readAt, edge);
    return { basis, ...admissionConfigurationView(state) };
  }
}
