import type { readAdmissionConfiguration } from '../../contract/admission/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { admissionConfigurationResponse } from './admission-configuration-response.js';

/** Reads the admission configuration of a cluster's API server at a revision. */
export class ReadAdmissionConfiguration {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `ReadState` does */
  async run(
    { cluster, readAt }: RequestOf<typeof readAdmissionConfiguration>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof readAdmissionConfiguration>> {
    const { basis, state } = await this.readState.run(cluster, readAt, context);
    return { basis, ...admissionConfigurationResponse(state) };
  }
}
