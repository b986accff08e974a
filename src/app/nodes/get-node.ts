import type { getNode } from '../../contract/nodes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ServiceError } from '../errors/service-error.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { nodeResponse } from './node-response.js';

/** Reads a node of a revision. */
export class GetNode {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} `object-not-found` */
  async run(
    { cluster, name, readAt }: Omit<RequestOf<typeof getNode>, 'root'>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof getNode>> {
    const { basis, state } = await this.readState.run(cluster, readAt, context);
    const index = state.nodes.indexOf(name);
    if (index < 0) throw nodeNotFound(name);
    return { basis, node: nodeResponse(state, index) };
  }
}

export function nodeNotFound(name: string): ServiceError {
  return new ServiceError('object-not-found', `Node ${JSON.stringify(name)} does not exist in this revision.`);
}
