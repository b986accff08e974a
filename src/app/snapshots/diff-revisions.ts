import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { stateDifference, type StateDifference } from '../../core/cluster/state-difference.js';
import { defined } from '../../core/collections/defined.js';
import { DEFAULT_PAGE_SIZE } from '../../contract/page.js';
import type { AnswerTo } from '../../contract/question.js';
import type { diffRevisions } from '../../contract/snapshots/questions.js';
import { ServiceError } from '../errors/service-error.js';
import { readPageToken } from '../paging/page-token.js';
import { basisOf, type Basis } from '../reads/basis.js';
import { scenarioOf } from '../reads/given-scenario.js';
import type { Intents, ReadAt } from '../reads/read-at.js';
import { maxAgeSeconds, readMoment } from '../reads/read-moment.js';
import { ResolveRevision, type ResolvedRevision } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { ScenarioStates } from '../states/scenario-states.js';
import { StoredStates } from '../states/stored-states.js';
import { TimeSlices } from '../states/time-slices.js';
import { differencePage } from './difference-pages.js';

/** What is to be compared. */
interface Compared {
  readonly cluster: string;
  /** By default the revision before `to`; where `to` has a scenario, the same revision without it. */
  readonly from?: ReadAt;
  readonly to: ReadAt;
  /** Of both; `include` by default. */
  readonly intents?: Intents;
}

/** The same as a request names it. */
type GivenDiff = Pick<RequestOf<typeof diffRevisions>, 'cluster' | 'from' | 'to' | 'maxAge' | 'intents' | 'scenario'>;

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

  /**
   * A page of what differs. The pages of one list all rest on the state of the first one, wherever the head is by now.
   * @throws {ServiceError} as `between`; `invalid-continue-token`
   */
  async run(
    request: RequestOf<typeof diffRevisions>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof diffRevisions>> {
    const { cluster, from, to, limit = DEFAULT_PAGE_SIZE, continue: after } = request;
    const compared = comparedIn(request);
    const list = ['diff', cluster, from, to, compared.to.scenario?.hash, compared.intents];
    const pinned = after === undefined ? undefined : readPageToken(list, after, 'continue').revision;
    const found = await this.between(pinned === undefined ? compared : pinnedTo(compared, pinned), context);
    return differencePage(found, { size: limit, afterName: 'continue', ...defined({ after }) }, list);
  }

  /** All that differs; throws as `between`. */
  async all(request: GivenDiff, context: RequestContext): Promise<RevisionsDifference> {
    return this.between(comparedIn(request), context);
  }

  /** @throws {ServiceError} as `ResolveRevision` does; `revision-not-found` where nothing is stored before `to` */
  async between(compared: Compared, context: RequestContext): Promise<RevisionsDifference> {
    const { cluster, intents } = compared;
    const { signal } = context;
    const to = await this.resolveRevision.resolve(cluster, compared.to, context.now);
    const from = await this.resolveRevision.resolve(cluster, compared.from ?? formerly(to, compared.to), context.now);
    // One after the other: the second is made from the first.
    const load = (of: ResolvedRevision): Promise<ClusterState> => this.states.of(of.revision, intents, signal);
    const { state, scenario } = await this.scenarioStates.apply(await load(to), compared.to.scenario, {
      cluster,
      context,
    });
    const before = await load(from);
    if (!context.access.seesTaintValues(cluster)) for (const shown of [before, state]) context.withheld.addState(shown);
    const difference = await compare(before, state, signal);
    return {
      basis: basisOf(to, context.now, context.nextDecisionId(), { scenario, intents }),
      from: { revision: from.revision.number, capturedAt: from.revision.capturedAt },
      difference,
    };
  }
}

function comparedIn({ cluster, from, to = 'head', maxAge, intents, scenario }: GivenDiff): Compared {
  return {
    cluster,
    to: {
      ...readMoment(to, 'to'),
      ...maxAgeSeconds(maxAge),
      ...(scenario !== undefined && { scenario: scenarioOf(scenario) }),
    },
    ...(from !== undefined && { from: readMoment(from, 'from') }),
    ...defined({ intents }),
  };
}

/** The same comparison once the revision of `to` is known. */
function pinnedTo({ to: { maxAgeSeconds: maxAge, scenario }, ...compared }: Compared, revision: number): Compared {
  return { ...compared, to: { revision, ...defined({ maxAgeSeconds: maxAge, scenario }) } };
}

function formerly({ cluster, revision }: ResolvedRevision, wished: ReadAt): ReadAt {
  if (wished.scenario !== undefined) return { revision: revision.number };
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
