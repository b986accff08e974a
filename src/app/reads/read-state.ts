import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { PageRequest } from '../../contract/page.js';
import { readPageToken, type ListIdentity } from '../paging/page-token.js';
import type { Revision } from '../../storage/revision.js';
import type { RequestContext } from '../request-context.js';
import { StoredStates } from '../states/stored-states.js';
import { ScenarioStates, type AppliedScenario } from '../states/scenario-states.js';
import { basisOf, type Basis } from './basis.js';
import type { ReadAt } from './read-at.js';
import { ResolveRevision, type ResolvedRevision } from './resolve-revision.js';

/** A state, and the head of the answer that rests on it. */
export interface StateReading {
  readonly basis: Basis;
  readonly state: ClusterState;
}

/** The same with the revision that the state is of. */
interface RevisionReading extends StateReading {
  readonly revision: Revision;
}

/** A state to make one page of a list from. */
export interface PageReading extends StateReading {
  /** What the list is of; the tokens of the page are made with it. */
  readonly list: ListIdentity;
}

interface Loaded extends AppliedScenario {
  readonly resolved: ResolvedRevision;
}

/**
 * Finds the revision that a question is about, and its state. The questions of one request that wish for the same get
 * the same, although a new head may come in between.
 */
export class ReadState {
  private readonly requests = new WeakMap<RequestContext, Map<string, Promise<Loaded>>>();

  constructor(
    private readonly resolveRevision: ResolveRevision,
    private readonly states: StoredStates,
    private readonly scenarioStates: ScenarioStates,
  ) {}

  /** @throws {ServiceError} as `ResolveRevision.resolve`, `ClusterStates.get` and `ScenarioStates.apply` */
  async run(cluster: string, readAt: ReadAt, context: RequestContext): Promise<RevisionReading> {
    const { resolved, state, scenario } = await this.loaded(cluster, readAt, context);
    const { intents } = readAt;
    const basis = basisOf(resolved, context.now, context.nextDecisionId(), { scenario, intents });
    return { basis, revision: resolved.revision, state };
  }

  /**
   * The state for a page of a list: a page that follows another rests on the same revision as that one.
   * @param list the list's name and its filters; the cluster, the wished revision and the scenario are added
   * @throws {ServiceError} `invalid-continue-token` besides
   */
  async runPage(
    cluster: string,
    readAt: ReadAt,
    list: ListIdentity,
    page: PageRequest,
    context: RequestContext,
  ): Promise<PageReading> {
    const { revision, at, ...others } = readAt;
    const identity = [...list, cluster, revision, at?.toISOString(), readAt.scenario?.hash, readAt.intents];
    if (page.after === undefined) return { ...(await this.run(cluster, readAt, context)), list: identity };
    const former = readPageToken(identity, page.after, page.afterName).revision;
    const same: ReadAt = former === undefined ? readAt : { ...others, revision: former };
    return { ...(await this.run(cluster, same, context)), list: identity };
  }

  private loaded(cluster: string, readAt: ReadAt, context: RequestContext): Promise<Loaded> {
    const ofRequest = this.requests.get(context) ?? new Map<string, Promise<Loaded>>();
    this.requests.set(context, ofRequest);
    const { revision, at, maxAgeSeconds, scenario, intents } = readAt;
    const key = JSON.stringify([cluster, revision, at, maxAgeSeconds, scenario?.hash, intents]);
    let loading = ofRequest.get(key);
    if (loading === undefined) ofRequest.set(key, (loading = this.load(cluster, readAt, context)));
    return loading;
  }

  private async load(cluster: string, readAt: ReadAt, context: RequestContext): Promise<Loaded> {
    const resolved = await this.resolveRevision.resolve(cluster, readAt, context.now);
    const stored = await this.states.of(resolved.revision, readAt.intents, context.signal);
    const applied = await this.scenarioStates.apply(stored, readAt.scenario, { cluster, context });
    if (!context.access.seesTaintValues(cluster)) context.withheld.addState(applied.state);
    return { resolved, ...applied };
  }
}
