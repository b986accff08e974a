import { stepDrainPlan } from '../../core/disruption/step-drain-plan.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import { DEFAULT_GATES } from '../../core/kubernetes/toleration.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import type { planDrain } from '../../contract/disruptions/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { runSteps } from '../states/run-steps.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { nodesToDrain, readDrain } from './drain-request.js';
import { drainedPodView, drainHeadView } from './drain-view.js';

/** What draining nodes would do, pod by pod and node after node, beside what a NoExecute taint would. Nothing is stored. */
export class PlanDrain {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {InvalidRequestError} naming everything that is wrong with the question, and every node that is not there */
  async run(request: RequestOf<typeof planDrain>, edge: RequestContext): Promise<AnswerTo<typeof planDrain>> {
    const read = readDrain(request);
    const { cluster, readAt, page, nodes: names, nodeSelector, options: flags, rolling: pace } = request;
    const identity = ['drains', JSON.stringify([names, nodeSelector, flags, pace]), formatTaint(read.taint)];
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, identity, page, edge);
    const nodes = nodesToDrain(state, read);
    const matches = await this.digests.budgetMatches(state);
    const { options, taint, rolling } = read;
    const question = { nodes, options, taint, rolling, now: edge.now.getTime(), gates: DEFAULT_GATES };
    const plan = await runSteps(stepDrainPlan(state, matches, question), new TimeSlices({ signal: edge.signal }));
    return {
      basis,
      ...drainHeadView(state, matches, plan, { taint, now: edge.now }),
      page: mapPage(pageByPosition(plan.pods, page, list, basis.revision), (pod) =>
        drainedPodView(state, matches, plan, pod, edge.now),
      ),
    };
  }
}
