import type { allowedPods } from '../../contract/pods/pods-allowed.js';
import type { listPodsAllowedByTaints } from '../../contract/pods/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import { barringTaints, stepPodsAllowed, type AllowedEntry } from '../../core/inventory/pods-allowed.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { Taint } from '../../core/kubernetes/objects/taints.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { faultAt } from '../errors/fault-at.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { placeIn } from '../evictions/read-question.js';
import { nodeNotFound } from '../nodes/get-node.js';
import { mapPageInSlices, pageByPosition } from '../paging/page-by-position.js';
import { ReadState, type StateReading } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { readTaints, type GivenTaint } from '../taints/given-taint.js';
import { taintResponse } from '../taints/taint-response.js';

type ListPodsAllowedRequest = RequestOf<typeof listPodsAllowedByTaints>;

/** Lists the workloads whose pods tolerate a node, or given taints, and what the others lack. */
export class ListPodsAllowed {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /**
   * @throws {InvalidRequestError} a taint is invalid
   * @throws {ServiceError} `object-not-found` for the node; `invalid-object` for taints that the API server would
   *   reject
   */
  async run(
    request: ListPodsAllowedRequest,
    context: RequestContext,
  ): Promise<AnswerTo<typeof listPodsAllowedByTaints>> {
    const { cluster, readAt, allowed, namespace, page } = request;
    const on = heldAgainst(request);
    const given = 'taints' in on ? readTaints(on.taints) : undefined;
    const what = 'node' in on ? on.node : stringifyJson(given);
    const name = ['pods-allowed', 'node' in on, what, allowed, namespace];
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, name, page, context);
    const taints = 'node' in on ? taintsOfNode(state, on.node) : given!;
    const groups = await this.digests.podGroups(state);
    const slices = new TimeSlices({ signal: context.signal });
    const answer = await runSteps(stepPodsAllowed(state, groups, taints, gatesOf(state.rules)), slices);
    const entries = answer.entries.filter(
      (entry) =>
        (allowed === undefined || entry.allowed === allowed) &&
        (namespace === undefined || entry.workload.namespace === namespace),
    );
    const view = ({
      workload,
      examples,
      untolerated,
      discouraged,
      ...entry
    }: AllowedEntry): Response<typeof allowedPods> => ({
      ...entry,
      workload: { kind: workload.kind, namespace: workload.namespace, name: workload.name },
      examples: examples.map((index) => state.pods.key(index)),
      untolerated: untolerated.map(taintResponse),
      discouraged: discouraged.map(taintResponse),
    });
    return {
      basis,
      taints: taints.map(taintResponse),
      pods: answer.pods,
      workloads: answer.workloads,
      page: await mapPageInSlices(pageByPosition(entries, page, list, basis.revision), view, slices),
    };
  }
}

function heldAgainst({
  node,
  taints,
  root,
}: ListPodsAllowedRequest): { readonly node: string } | { readonly taints: readonly GivenTaint[] } {
  if (node !== undefined && taints === undefined) return { node };
  if (taints !== undefined && node === undefined) return { taints };
  throw new InvalidRequestError([faultAt(placeIn(root, 'node'), 'one-of', 'give either node or taints')]);
}

function taintsOfNode({ nodes }: StateReading['state'], name: string): readonly Taint[] {
  const index = nodes.indexOf(name);
  if (index < 0) throw nodeNotFound(name);
  return barringTaints(nodes.node(index));
}
