import type { newNodes } from '../../contract/placements/new-nodes.js';
import type { Response } from '../../contract/schema.js';
import { defined } from '../../core/collections/defined.js';
import { describeTaintKey } from '../../core/kubernetes/well-known-taints.js';
import { INSTANCE_TYPE } from '../../core/new-nodes/label-requirements.js';
import { DaemonPods } from '../../core/new-nodes/daemon-pods.js';
import { newNodeOf, nodeGroups, type NewNode } from '../../core/new-nodes/new-nodes.js';
import { GROUP_OBJECTS } from '../../core/new-nodes/node-group.js';
import { runSteps } from '../states/run-steps.js';
import type { RequestContext } from '../request-context.js';
import { TimeSlices } from '../states/time-slices.js';
import type { EvaluatedPlacement } from './evaluated-placement.js';
import { explanationResponse, nodeTaint } from './node-response.js';
import { NODES_BUDGET } from './render-nodes.js';
import { ResponseBudget } from './response-budget.js';

type NewNodesResponse = Response<typeof newNodes>;

/**
 * Whether new nodes would take the pod of a placement.
 * @throws {ServiceError} `cancelled`, `budget-exceeded`
 */
export async function newNodesResponse(
  evaluated: EvaluatedPlacement,
  context: Pick<RequestContext, 'signal'>,
): Promise<NewNodesResponse> {
  const { placement, subject, profile, filterNames } = evaluated;
  const { state, input } = placement;
  const { gates, filters } = profile.plugins;
  const question = { pod: input.pod, gates, filters, unknowns: subject.unknowns, ...defined({ filterNames }) };
  const daemons = new DaemonPods(state, gates);
  const slices = new TimeSlices({ budgetMs: NODES_BUDGET, signal: context.signal });
  const budget = ResponseBudget.of(context);
  const groups: NewNodesResponse['groups'][number][] = [];
  // Many placements of one request may get here in the same turn.
  if (slices.due()) await slices.pause();
  for (const group of nodeGroups(state)) {
    const answer = newNodeResponse(evaluated, await runSteps(newNodeOf(state, group, question, daemons), slices));
    budget.add({ ...answer, toleratedTaints: [] });
    groups.push(answer);
  }
  return { groups, notLoaded: GROUP_OBJECTS.filter((kind) => !state.loadedKinds.has(kind)) };
}

function newNodeResponse(
  { placement, subject }: EvaluatedPlacement,
  answer: NewNode,
): NewNodesResponse['groups'][number] {
  const { group, explanation, shape, verdict, groupReasons, startupTaints, daemonPods, daemonRequests } = answer;
  const { kind, namespace = null, name, weight = null, limits } = group;
  const { firstFail, reasons, untoleratedTaints } = explanationResponse({ placement, subject }, explanation);
  return {
    kind,
    namespace,
    name,
    weight,
    verdict,
    groupReasons,
    firstFail,
    reasons,
    untoleratedTaints,
    startupTaints: startupTaints.map(({ taint, tolerated }) => ({
      taint: nodeTaint(taint, placement.state),
      tolerated,
      removedBy: describeTaintKey(taint.key)?.removedBy ?? null,
    })),
    machine:
      shape === undefined
        ? null
        : {
            source: shape.source,
            like: shape.like ?? null,
            instanceType: shape.labels[INSTANCE_TYPE] ?? null,
            allocatable: shape.status.allocatable ?? {},
          },
    zone: answer.zone ?? null,
    daemonPods,
    daemonRequests,
    limits,
  };
}
