import type { drainedPodGroup } from '../../contract/disruptions/drain.js';
import type { Response } from '../../contract/schema.js';
import { AlikePods } from '../../core/collections/alike-pods.js';
import type { DrainedPod } from '../../core/drain/drain-plan.js';
import { stepDrainPlan } from '../../core/drain/step-drain-plan.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { groupedPages, listInView } from '../paging/grouped-pages.js';
import { stepPodGroupResponse } from '../paging/pod-group-response.js';
import type { planDrain } from '../../contract/disruptions/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { holdsFrom } from '../../storage/revision.js';
import { startOf } from '../evictions/as-of.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { runSteps } from '../states/run-steps.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { nodesToDrain, readDrain } from './drain-request.js';
import { DRAINED_ALIKE, inDrainOrder } from './drain-groups.js';
import { drainedPodResponse, drainHeadResponse } from './drain-response.js';

/**
 * Simulates draining nodes, pod by pod and one node after another, and compares it with a NoExecute taint. Nothing is
 * stored.
 */
export class PlanDrain {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {InvalidRequestError} with every error in the request and every node that does not exist */
  async run(request: RequestOf<typeof planDrain>, context: RequestContext): Promise<AnswerTo<typeof planDrain>> {
    const read = readDrain(request);
    const { cluster, readAt, page, nodes: names, nodeSelector, options: flags, rolling: pace } = request;
    const identity = listInView(
      ['drains', JSON.stringify([names, nodeSelector, flags, pace]), formatTaint(read.taint)],
      request.view,
    );
    const { state, basis, list, revision } = await this.readState.runPage(cluster, readAt, identity, page, context);
    const madeAt = holdsFrom(revision).getTime();
    const now = startOf(read.asOf, { readAt, madeAt, now: context.now });
    const nodes = nodesToDrain(state, read, { asOf: now, madeAt });
    const matches = await this.digests.budgetMatches(state);
    const { options, taint, rolling } = read;
    const question = { nodes, options, taint, rolling, now, gates: gatesOf(state.rules) };
    const asOf = new Date(now);
    const slices = new TimeSlices({ signal: context.signal });
    const plan = await runSteps(stepDrainPlan(state, matches, question), slices);
    const shown = (pod: DrainedPod) => drainedPodResponse(state, matches, plan, pod, asOf);
    const alike = new AlikePods(DRAINED_ALIKE);
    return {
      basis,
      ...drainHeadResponse(state, matches, plan, { taint, asOf }),
      pages: groupedPages({
        list,
        view: 'pods',
        revision: basis.revision,
        items: plan.pods,
        renderItem: shown,
        groups: async () => {
          for (const pod of plan.pods) {
            if (slices.due()) await slices.pause();
            alike.add(shown(pod));
          }
          return inDrainOrder(await runSteps(alike.stepGroups(), slices));
        },
        renderGroup: (group) => stepPodGroupResponse<Response<typeof drainedPodGroup>>(alike, group),
        slices,
      }),
    };
  }
}
