import type { AnswerTo } from '../../contract/question.js';
import type { explainPodResources } from '../../contract/resources/questions.js';
import type { Addition } from '../../core/admission/additions.js';
import { shownAllocatable } from '../../core/allocation/allocation-table.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { describeTolerations } from '../../core/kubectl-text/describe-taints.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import { QuantityError } from '../../core/kubernetes/quantity.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { ServiceError } from '../errors/service-error.js';
import { nodeNotFound } from '../nodes/get-node.js';
import { placedSubject } from '../placements/placed-subject.js';
import { checkQuestion, type PlacementQuestion } from '../placements/placement-request.js';
import { ReadState } from '../reads/read-state.js';
import { stateUnderGates } from '../reads/state-under-gates.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { stepPodResourcesResponse } from './pod-resources-response.js';
import { valueMaskFor } from './value-mask.js';

type PodResourcesRequest = Omit<RequestOf<typeof explainPodResources>, 'root'>;

interface Subject {
  readonly pod: Pod;
  readonly source: AnswerTo<typeof explainPodResources>['source'];
  readonly added: readonly Addition[];
  readonly notKnown: readonly string[];
}

/** Explains the resources of a pod from admission to its cgroup, with every sum. */
export class ExplainPodResources {
  constructor(private readonly readState: ReadState) {}

  /**
   * @throws {InvalidRequestError} none or several subjects
   * @throws {ServiceError} `invalid-object` with every invalid field of the manifest; `admission-refused`;
   *   `object-not-found` for the pod, the workload or the node; `invalid-object` also for an invalid stored quantity
   */
  async run(request: PodResourcesRequest, context: RequestContext): Promise<AnswerTo<typeof explainPodResources>> {
    const { cluster, readAt, node } = request;
    checkQuestion(request);
    const { basis, state: stored } = await this.readState.run(cluster, readAt, context);
    const state = stateUnderGates(stored, request.featureGates);
    const { source, notKnown, ...subject } = subjectOf(request, state);
    const shown = nodeOf(state, node, subject.pod);
    const viewed = {
      ...subject,
      rules: state.rules,
      node: shown,
      kubelet: request,
      valueMask: valueMaskFor(cluster, context),
    };
    const slices = new TimeSlices({ signal: context.signal });
    await slices.pause();
    const view = await runSteps(stepPodResourcesResponse(viewed, context.now.getTime()), slices).catch(unreadable);
    return { basis, source, notKnown, ...view };
  }

  /**
   * Returns the tolerations of a pod as `kubectl describe pod` prints them.
   * @throws {ServiceError} as `run`
   */
  async describe(
    request: Pick<PodResourcesRequest, 'cluster' | 'readAt' | 'podRef'>,
    context: RequestContext,
  ): Promise<string> {
    checkQuestion(request);
    const { state } = await this.readState.run(request.cluster, request.readAt, context);
    return describeTolerations(subjectOf(request, state).pod.spec.tolerations ?? []);
  }
}

function subjectOf(question: PlacementQuestion, state: ClusterState): Subject {
  const field = checkQuestion(question);
  if (field === 'podRef') return storedPod(state, question.podRef!);
  const { pod, source, added, unknowns } = placedSubject(question, field, state, gatesOf(state.rules));
  return { pod, source, added, notKnown: unknowns.map(({ message }) => message) };
}

/** A stored pod, with its node and the resources in its status. */
function storedPod(
  { pods }: ClusterState,
  { namespace = 'default', name }: NonNullable<PlacementQuestion['podRef']>,
): Subject {
  const index = pods.indexOf(namespace, name);
  if (index < 0) {
    const key = JSON.stringify(`${namespace}/${name}`);
    throw new ServiceError('object-not-found', `Pod ${key} does not exist in this revision.`);
  }
  return { pod: pods.pod(index), source: 'stored', added: [], notKnown: [] };
}

function nodeOf(
  { nodes }: ClusterState,
  wished: string | undefined,
  { spec: { nodeName = '' } }: Pod,
): { readonly name: string; readonly allocatable: ReturnType<typeof shownAllocatable> } | undefined {
  const name = wished ?? nodeName;
  const index = name === '' ? -1 : nodes.indexOf(name);
  if (index >= 0) return { name, allocatable: readable(() => shownAllocatable(nodes.node(index).status)) };
  if (wished !== undefined) throw nodeNotFound(wished);
  return undefined;
}

function readable<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    return unreadable(error);
  }
}

/** Stored objects may contain invalid quantities, since a dump need not come from an API server. */
function unreadable(error: unknown): never {
  if (!(error instanceof QuantityError)) throw error;
  throw new ServiceError('invalid-object', `A stored quantity is invalid: ${error.message}.`);
}
