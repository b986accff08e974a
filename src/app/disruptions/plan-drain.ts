import { stepDrainPlan } from '../../core/disruption/step-drain-plan.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import { DEFAULT_GATES } from '../gates.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import type { Page, PageRequest } from '../../contract/page.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { runSteps } from '../states/run-steps.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { nodesToDrain, readDrain, type GivenDrain } from './drain-request.js';
import { drainedPodView, drainHeadView, type DrainedPodView, type DrainHeadView } from './drain-view.js';

export interface PlanDrainRequest {
  readonly cluster: string;
  readonly readAt: ReadAt;
  readonly drain: GivenDrain;
  readonly page: PageRequest;
}

export interface DrainAnswer extends DrainHeadView {
  readonly basis: Basis;
  readonly page: Page<DrainedPodView>;
}

/** What draining nodes would do, pod by pod and node after node, beside what a NoExecute taint would. Nothing is stored. */
export class PlanDrain {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {InvalidRequestError} naming everything that is wrong with the question, and every node that is not there */
  async run({ cluster, readAt, drain, page }: PlanDrainRequest, edge: RequestContext): Promise<DrainAnswer> {
    const read = readDrain(drain);
    const { nodes: names, nodeSelector, options: flags, rolling: pace } = drain;
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
