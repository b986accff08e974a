import { ServiceError } from '../errors/service-error.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { nodeView, type NodeView } from './node-view.js';

/** One node of a revision. */
export class GetNode {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} `object-not-found` */
  async run(
    cluster: string,
    name: string,
    readAt: ReadAt,
    edge: RequestContext,
  ): Promise<{ basis: Basis; node: NodeView }> {
    const { basis, state } = await this.readState.run(cluster, readAt, edge);
    const index = state.nodes.indexOf(name);
    if (index < 0) throw nodeNotFound(name);
    return { basis, node: nodeView(state, index) };
  }
}

export function nodeNotFound(name: string): ServiceError {
  return new ServiceError('object-not-found', `There is no node ${JSON.stringify(name)} in this revision.`);
}
