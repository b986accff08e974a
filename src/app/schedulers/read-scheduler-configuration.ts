import type { AnswerTo } from '../../contract/question.js';
import type { readSchedulerConfiguration } from '../../contract/scheduling/scheduler-configuration-questions.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { schedulerConfigurationResponse } from './scheduler-configuration-response.js';

/** Reads the scheduler configuration of a cluster at a revision. */
export class ReadSchedulerConfiguration {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} as `ReadState` does */
  async run(
    { cluster, readAt }: RequestOf<typeof readSchedulerConfiguration>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof readSchedulerConfiguration>> {
    const { basis, state } = await this.readState.run(cluster, readAt, context);
    return { basis, ...schedulerConfigurationResponse(state) };
  }
}
