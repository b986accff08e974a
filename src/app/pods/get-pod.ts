import type { getPod } from '../../contract/pods/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ServiceError } from '../errors/service-error.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { podResponse } from './pod-response.js';

/** Reads a pod of a revision. */
export class GetPod {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} `object-not-found` */
  async run(
    { cluster, namespace, name, readAt }: RequestOf<typeof getPod>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof getPod>> {
    const { basis, state } = await this.readState.run(cluster, readAt, context);
    const index = state.pods.indexOf(namespace, name);
    if (index < 0) {
      const key = JSON.stringify(`${namespace}/${name}`);
      throw new ServiceError('object-not-found', `Pod ${key} does not exist in this revision.`);
    }
    return { basis, pod: podResponse(state, index) };
  }
}
