import { harmlessWebhooksIn } from '../../core/admission/surroundings-in.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { ChosenRules } from '../../core/kubernetes/cluster-version.js';
import type { PageRequest } from '../../contract/page.js';
import { readPageToken, type ListIdentity } from '../paging/page-token.js';
import type { Revision } from '../../storage/revision.js';
import type { RequestContext } from '../request-context.js';
import { StoredStates } from '../states/stored-states.js';
import { ScenarioStates, type AppliedScenario } from '../states/scenario-states.js';
import { basisOf, type Basis } from './basis.js';
import type { ReadAt } from './read-at.js';
import { ResolveRevision, type ResolvedRevision } from './resolve-revision.js';
import { rulesOfRevision } from './rules-of-revision.js';

/** A state, and the basis of the response. */
export interface StateReading {
  readonly basis: Basis;
  readonly state: ClusterState;
}

/** A state with its revision. */
interface RevisionReading extends StateReading {
  readonly revision: Revision;
}

/** A state to create one page of a list from. */
export interface PageReading extends RevisionReading {
  /** The identity of the list, for its tokens. */
  readonly list: ListIdentity;
}

interface Loaded extends AppliedScenario {
  readonly resolved: ResolvedRevision;
  readonly rules: ChosenRules;
}

/**
 * Finds and loads the state that a request selects. Equal selections within one request get the same state, even if a
 * new head arrives in between.
 */
export class ReadState {
  private readonly requests = new WeakMap<RequestContext, Map<string, Promise<Loaded>>>();

  constructor(
    private readonly resolveRevision: Pick<ResolveRevision, 'resolve'>,
    private readonly states: Pick<StoredStates, 'of'>,
    private readonly scenarioStates: ScenarioStates,
  ) {}

  /** @throws {ServiceError} as `ResolveRevision.resolve`, `ClusterStates.get` and `ScenarioStates.apply` */
  async run(cluster: string, readAt: ReadAt, context: RequestContext): Promise<RevisionReading> {
    const { resolved, rules, state, scenario } = await this.loaded(cluster, readAt, context);
    const { intents } = readAt;
    const basis = basisOf(resolved, context.now, context.nextDecisionId(), {
      rules,
      scenario,
      intents,
      harmlessWebhooks: harmlessWebhooksIn(state),
    });
    return { basis, revision: resolved.revision, state };
  }

  /**
   * Loads the state for a page of a list; further pages use the same revision as the first one.
   * @param list name of the list and its filters; cluster, revision and scenario are added
   * @throws {ServiceError} `invalid-continue-token`, and as `run`
   */
  async runPage(
    cluster: string,
    readAt: ReadAt,
    list: ListIdentity,
    page: PageRequest,
    context: RequestContext,
  ): Promise<PageReading> {
    const { revision, at, ...others } = readAt;
    const identity = [
      ...list,
      cluster,
      revision,
      at?.toISOString(),
      readAt.scenario?.hash,
      readAt.intents,
      readAt.rulesVersion,
    ];
    if (page.after === undefined) return { ...(await this.run(cluster, readAt, context)), list: identity };
    const former = readPageToken(identity, page.after, page.afterName).revision;
    const same: ReadAt = former === undefined ? readAt : { ...others, revision: former };
    return { ...(await this.run(cluster, same, context)), list: identity };
  }

  private loaded(cluster: string, readAt: ReadAt, context: RequestContext): Promise<Loaded> {
    const ofRequest = this.requests.get(context) ?? new Map<string, Promise<Loaded>>();
    this.requests.set(context, ofRequest);
    const { revision, at, maxAgeSeconds, scenario, intents, rulesVersion } = readAt;
    const key = JSON.stringify([cluster, revision, at, maxAgeSeconds, scenario?.hash, intents, rulesVersion]);
    let loading = ofRequest.get(key);
    if (loading === undefined) ofRequest.set(key, (loading = this.load(cluster, readAt, context)));
    return loading;
  }

  private async load(cluster: string, readAt: ReadAt, context: RequestContext): Promise<Loaded> {
    const resolved = await this.resolveRevision.resolve(cluster, readAt, context.now);
    const rules = rulesOfRevision(resolved.revision, readAt.rulesVersion);
    const stored = await this.states.of(resolved.revision, readAt.intents, context.signal, rules.rules);
    const applied = await this.scenarioStates.apply(stored, readAt.scenario, { cluster, context });
    if (!context.access.seesTaintValues(cluster)) context.withheld.addState(applied.state);
    return { resolved, rules, ...applied };
  }
}
