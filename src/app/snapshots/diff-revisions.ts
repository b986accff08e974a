import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { stateDifference, type StateDifference } from '../../core/cluster/state-difference.js';
import { ServiceError } from '../errors/service-error.js';
import { basisOf, type Basis } from '../reads/basis.js';
import type { Intents, ReadAt } from '../reads/read-at.js';
import { ResolveRevision, type ResolvedRevision } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';
import { ScenarioStates } from '../states/scenario-states.js';
import { StoredStates } from '../states/stored-states.js';
import { TimeSlices } from '../states/time-slices.js';

export interface DiffRevisionsRequest {
  readonly cluster: string;
  /** Absent: the revision before `to`; where `to` has a scenario, the same revision without it. */
  readonly from?: ReadAt;
  /** Absent: the head. */
  readonly to?: ReadAt;
  /** Of both; `include` by default. */
  readonly intents?: Intents;
  readonly signal?: AbortSignal;
}

export interface RevisionsDifference {
  /** Of `to`. */
  readonly basis: Basis;
  readonly from: { readonly revision: number; readonly capturedAt: Date };
  readonly difference: StateDifference;
}

/** How long the comparison itself may take, in milliseconds. */
const BUDGET = 30_000;

/** What changed between two revisions of a cluster, in either direction of time. */
export class DiffRevisions {
  constructor(
    private readonly resolveRevision: ResolveRevision,
    private readonly states: StoredStates,
    private readonly scenarioStates: ScenarioStates,
  ) {}

  /** @throws {ServiceError} as `ResolveRevision` does; `revision-not-found` where nothing is stored before `to` */
  async run(request: DiffRevisionsRequest, edge: RequestContext): Promise<RevisionsDifference> {
    const { cluster, signal } = request;
    const to = await this.resolveRevision.resolve(cluster, request.to ?? {}, edge.now);
    const from = await this.resolveRevision.resolve(cluster, request.from ?? formerly(to, request.to), edge.now);
    // One after the other: the second is made from the first.
    const { intents } = request;
    const load = (of: ResolvedRevision): Promise<ClusterState> => this.states.of(of.revision, intents, signal);
    const { state, scenario } = await this.scenarioStates.apply(await load(to), request.to?.scenario, {
      cluster,
      edge,
    });
    const before = await load(from);
    if (!edge.access.seesTaintValues(cluster)) for (const shown of [before, state]) edge.withheld.addState(shown);
    const difference = await compare(before, state, signal);
    return {
      basis: basisOf(to, edge.now, edge.nextDecisionId(), { scenario, intents }),
      from: { revision: from.revision.number, capturedAt: from.revision.capturedAt },
      difference,
    };
  }
}

function formerly({ cluster, revision }: ResolvedRevision, wished: ReadAt | undefined): ReadAt {
  if (wished?.scenario !== undefined) return { revision: revision.number };
  if (revision.number > 1) return { revision: revision.number - 1 };
  throw new ServiceError(
    'revision-not-found',
    `Revision 1 of ${cluster.name} is its first; name another with \`from\`.`,
  );
}

async function compare(before: ClusterState, after: ClusterState, signal?: AbortSignal): Promise<StateDifference> {
  const slices = new TimeSlices({ budgetMs: BUDGET, signal });
  const steps = stateDifference(before, after);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (slices.due()) await slices.pause();
  }
}
