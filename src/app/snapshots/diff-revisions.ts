import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { stateDifference, type StateDifference } from '../../core/cluster/state-difference.js';
import { defined } from '../../core/collections/defined.js';
import { DEFAULT_PAGE_SIZE } from '../../contract/page.js';
import type { AnswerTo } from '../../contract/question.js';
import type { diffRevisions } from '../../contract/snapshots/questions.js';
import { ServiceError } from '../errors/service-error.js';
import type { WithManifests } from '../manifests/manifest-checks.js';
import { readPageToken } from '../paging/page-token.js';
import { basisOf, serverOfRevision, type Basis } from '../reads/basis.js';
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

/** The states to compare. */
interface Compared {
  readonly cluster: string;
  /** By default the revision before `to`; if `to` has a scenario, the same revision without it. */
  readonly from?: ReadAt;
  readonly to: ReadAt;
  /** Applies to both; by default `include`. */
  readonly intents?: Intents;
}

/** The states to compare, as in a request. */
type GivenDiff = Pick<RequestOf<typeof diffRevisions>, 'cluster' | 'from' | 'to' | 'maxAge' | 'intents' | 'scenario'> &
  WithManifests;

export interface RevisionsDifference {
  /** Basis of `to`. */
  readonly basis: Basis;
  readonly from: { readonly revision: number; readonly capturedAt: Date };
  readonly difference: StateDifference;
}

/** Maximum duration of the comparison, in milliseconds. */
const BUDGET = 30_000;

/** Compares two revisions of a cluster, in either order. */
export class DiffRevisions {
  constructor(
    private readonly resolveRevision: ResolveRevision,
    private readonly states: StoredStates,
    private readonly scenarioStates: ScenarioStates,
  ) {}

  /**
   * Returns a page of the differences. All pages are based on the state of the first one, even if the head changes.
   * @throws {ServiceError} as `between`; `invalid-continue-token`
   */
  async run(
    request: RequestOf<typeof diffRevisions> & WithManifests,
    context: RequestContext,
  ): Promise<AnswerTo<typeof diffRevisions>> {
    const { cluster, from, to, limit = DEFAULT_PAGE_SIZE, continue: after } = request;
    const compared = comparedIn(request);
    const list = ['diff', cluster, from, to, compared.to.scenario?.hash, compared.intents];
    const pinned = after === undefined ? undefined : readPageToken(list, after, 'continue').revision;
    const found = await this.between(pinned === undefined ? compared : pinnedTo(compared, pinned), context);
    return differencePage(found, { size: limit, afterName: 'continue', ...defined({ after }) }, list);
  }

  /** Returns all differences; throws as `between`. */
  async all(request: GivenDiff, context: RequestContext): Promise<RevisionsDifference> {
    return this.between(comparedIn(request), context);
  }

  /** @throws {ServiceError} as `ResolveRevision` does; `revision-not-found` if there is no revision before `to` */
  async between(compared: Compared, context: RequestContext): Promise<RevisionsDifference> {
    const { cluster, intents } = compared;
    const { signal } = context;
    const to = await this.resolveRevision.resolve(cluster, compared.to, context.now);
    compared.to.manifests?.by(serverOfRevision(to.revision));
    const from = await this.resolveRevision.resolve(cluster, compared.from ?? formerly(to, compared.to), context.now);
    // Sequential, since the second state is created from the first.
    const load = (of: ResolvedRevision): Promise<ClusterState> => this.states.of(of.revision, intents, context);
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

function comparedIn({ cluster, from, to = 'head', maxAge, intents, scenario, manifests }: GivenDiff): Compared {
  return {
    cluster,
    to: {
      ...readMoment(to, 'to'),
      ...maxAgeSeconds(maxAge),
      ...(scenario !== undefined && { scenario: scenarioOf(scenario) }),
      ...defined({ manifests }),
    },
    ...(from !== undefined && { from: readMoment(from, 'from') }),
    ...defined({ intents }),
  };
}

/** The same comparison with the resolved revision of `to`. */
function pinnedTo(
  { to: { maxAgeSeconds: maxAge, scenario, manifests }, ...compared }: Compared,
  revision: number,
): Compared {
  return { ...compared, to: { revision, ...defined({ maxAgeSeconds: maxAge, scenario, manifests }) } };
}

function formerly({ cluster, revision }: ResolvedRevision, wished: ReadAt): ReadAt {
  if (wished.scenario !== undefined) return { revision: revision.number };
  if (revision.number > 1) return { revision: revision.number - 1 };
  throw new ServiceError(
    'revision-not-found',
    `Revision 1 of ${cluster.name} is its first; set \`from\` to another revision.`,
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
