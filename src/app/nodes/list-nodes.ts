import { defined } from '../../core/collections/defined.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { stepSelectNodes, type NodeCriteria } from '../../core/inventory/select-nodes.js';
import type { Toleration } from '../../core/kubernetes/objects/taints.js';
import { NODE_FIELDS } from '../../core/kubernetes/selectable-fields.js';
import { parseTaintPattern, type TaintPattern } from '../../core/kubernetes/taint-text.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { authorizeValues } from '../authorize.js';
import { ServiceError } from '../errors/service-error.js';
import { readFieldSelector, readPodKey, readTaintTexts } from '../filter-parameters.js';
import { readLabelSelector } from '../label-selector-parameter.js';
import { mapPageInSlices } from '../paging/page-by-position.js';
import type { listNodes } from '../../contract/nodes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { pageOf } from '../paging/page.js';
import { placedSubject } from '../placements/placed-subject.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { nodeResponse } from './node-response.js';

/** A list of nodes, or a search. */
type ListNodesRequest = RequestOf<typeof listNodes>;

type NodeFilter = Pick<ListNodesRequest, 'labelSelector' | 'fieldSelector' | 'untoleratedBy' | 'untoleratedByManifest'>;

/** Lists the nodes of a revision that match a filter, sorted by name. */
export class ListNodes {
  constructor(private readonly readState: ReadState) {}

  /**
   * @throws {InvalidRequestError} a filter is invalid
   * @throws {ServiceError} `object-not-found` for the pod of `untoleratedBy`; `invalid-object` for the manifest
   */
  async run(request: ListNodesRequest, context: RequestContext): Promise<AnswerTo<typeof listNodes>> {
    const { cluster, readAt, page } = request;
    const { labelSelector, fieldSelector, taint = [], untoleratedBy, untoleratedByManifest: given } = request;
    const taints = readTaintTexts(taint, 'taint', parseTaintPattern);
    authorizeValues(context, cluster, 'taint', taints);
    const criteria = readFilter(request, taints);
    const parts = [labelSelector, fieldSelector, JSON.stringify(taint), untoleratedBy];
    const list = ['nodes', ...parts, given === undefined ? undefined : stringifyJson(given)];
    const reading = await this.readState.runPage(cluster, readAt, list, page, context);
    const { state, basis } = reading;
    const slices = new TimeSlices({ signal: context.signal });
    const nodes = await runSteps(stepSelectNodes(state, criteria(state), gatesOf(state.rules)), slices);
    const indexes = pageOf(nodes, (index) => state.nodes.name(index), page, reading.list, basis.revision);
    return { basis, page: await mapPageInSlices(indexes, (index) => nodeResponse(state, index), slices) };
  }
}

/** Parses the filters that do not depend on the state before the state is loaded. */
function readFilter(filter: NodeFilter, taints: readonly TaintPattern[]): (state: ClusterState) => NodeCriteria {
  const labels = readLabelSelector(filter.labelSelector);
  const fields = readFieldSelector(filter.fieldSelector, NODE_FIELDS);
  const { untoleratedBy, untoleratedByManifest: manifest } = filter;
  const stored = untoleratedBy === undefined ? undefined : readPodKey(untoleratedBy, 'untoleratedBy');
  return (state) => ({
    ...defined({ labels, fields }),
    taints,
    ...(stored === undefined ? {} : { untoleratedBy: tolerationsOfStored(state, stored) }),
    // Includes the additions of the pod's controller and RuntimeClass.
    ...(manifest === undefined
      ? {}
      : {
          untoleratedBy:
            placedSubject({ pod: manifest }, 'pod', state, gatesOf(state.rules)).pod.spec.tolerations ?? [],
        }),
  });
}

function tolerationsOfStored(
  { pods, tolerationSets }: ClusterState,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): readonly Toleration[] {
  const index = pods.indexOf(namespace, name);
  if (index < 0)
    throw new ServiceError('object-not-found', `Pod ${namespace}/${name} does not exist in this revision.`);
  return tolerationSets[pods.tolerationSetId(index)]!;
}
