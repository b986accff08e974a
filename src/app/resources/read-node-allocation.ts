import { nodeAllocation } from '../../core/allocation/node-allocation.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { describeNodeResources } from '../../core/kubectl-text/describe-node.js';
import { describeTaints } from '../../core/kubectl-text/describe-taints.js';
import { nodeNotFound } from '../nodes/get-node.js';
import { mapPage } from '../paging/page-by-position.js';
import type { AnswerTo } from '../../contract/question.js';
import type { readNodeAllocation } from '../../contract/resources/questions.js';
import { pageOf } from '../paging/page.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { nodeAllocationResponse, podAllocationResponse } from './allocation-response.js';

/** Explains what the pods of a node use, as `kubectl describe node` shows it, and what is free. */
export class ReadNodeAllocation {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} `object-not-found` for the node */
  async run(
    { cluster, readAt, node, page }: RequestOf<typeof readNodeAllocation>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof readNodeAllocation>> {
    const reading = await this.readState.runPage(cluster, readAt, ['node-allocation', node], page, context);
    const { basis, state, list } = reading;
    const found = nodeAllocation(state, nodeIn(state, node));
    const pods = pageOf(found.pods, ({ share }) => `${share.namespace}/${share.name}`, page, list, basis.revision);
    return { basis, ...nodeAllocationResponse(state, found), page: mapPage(pods, podAllocationResponse) };
  }

  /**
   * Returns what `kubectl describe node` prints about the taints and pods of a node.
   * @throws {ServiceError} `object-not-found` for the node
   */
  async describe(
    { cluster, readAt, node }: Pick<RequestOf<typeof readNodeAllocation>, 'cluster' | 'readAt' | 'node'>,
    context: RequestContext,
  ): Promise<string> {
    const { state } = await this.readState.run(cluster, readAt, context);
    const index = nodeIn(state, node);
    const taints = describeTaints(state.nodes.node(index).spec?.taints ?? []);
    return taints + describeNodeResources(nodeAllocation(state, index), { now: context.now.getTime() });
  }
}

function nodeIn({ nodes }: ClusterState, name: string): number {
  const index = nodes.indexOf(name);
  if (index < 0) throw nodeNotFound(name);
  return index;
}
