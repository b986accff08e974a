import { harmlessWebhooksIn } from '../../core/admission/surroundings-in.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { ChosenRules } from '../../core/kubernetes/cluster-version.js';
import type { PageRequest } from '../../contract/page.js';
import { readPageToken, type ListIdentity } from '../paging/page-token.js';
import type { Revision } from '../../storage/revision.js';
import type { RequestContext } from '../request-context.js';
import { StoredStates } from '../states/stored-states.js';
import { ScenarioStates, type AppliedScenario } from '../states/scenario-states.js';
import { basisOf, serverOfRevision, type Basis } from './basis.js';
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

/** The revision that a request selects, and the rules by which it is answered. */
export interface Selected {
  readonly resolved: ResolvedRevision;
  readonly rules: ChosenRules;
}

interface Loaded extends AppliedScenario, Selected {}

type OfRequests<Value> = WeakMap<RequestContext, Map<string, Promise<Value>>>;

/**
 * Finds and loads the state that a request selects. Equal selections within one request get the same revision, even if a
 * new head arrives in between. The request does not keep its states in memory: it may be about many clusters.
 */
export class ReadState {
  private readonly selections: OfRequests<Selected> = new WeakMap();

  constructor(
    private readonly resolveRevision: Pick<ResolveRevision, 'resolve'>,
    private readonly states: Pick<StoredStates, 'of'>,
    private readonly scenarioStates: ScenarioStates,
  ) {}

  /** @throws {ServiceError} as `ResolveRevision.resolve`, `ClusterStates.get` and `ScenarioStates.apply` */
  async run(cluster: string, readAt: ReadAt, context: RequestContext): Promise<RevisionReading> {
    const { resolved, rules, state, scenario } = await this.load(cluster, readAt, context);
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
    const { identity, selected } = pageSelection(cluster, readAt, list, page);
    return { ...(await this.run(cluster, selected, context)), list: identity };
  }

  /**
   * Finds the revision that a request selects, without loading its state, and checks the fields of its manifests by the rules that apply.
   * @throws {ServiceError} as `ResolveRevision.resolve` and `ManifestChecks.by`
   */
  async select(cluster: string, readAt: ReadAt, context: RequestContext): Promise<Selected> {
    const { revision, at, maxAgeSeconds, rulesVersion } = readAt;
    const key = JSON.stringify([cluster, revision, at, maxAgeSeconds, rulesVersion]);
    const selected = await inRequest(this.selections, context, key, async () => {
      const resolved = await this.resolveRevision.resolve(cluster, readAt, context.now);
      return { resolved, rules: rulesOfRevision(resolved.revision, rulesVersion) };
    });
    const { resolved, rules } = selected;
    readAt.manifests?.by(serverOfRevision(resolved.revision, rules));
    return selected;
  }

  private async load(cluster: string, readAt: ReadAt, context: RequestContext): Promise<Loaded> {
    const { resolved, rules } = await this.select(cluster, readAt, context);
    const stored = await this.states.of(resolved.revision, readAt.intents, context, rules.rules);
    const applied = await this.scenarioStates.apply(stored, readAt.scenario, { cluster, context });
    if (!context.access.seesTaintValues(cluster)) context.withheld.addState(applied.state);
    return { resolved, rules, ...applied };
  }
}

function inRequest<Value>(
  requests: OfRequests<Value>,
  context: RequestContext,
  key: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const ofRequest = requests.get(context) ?? new Map<string, Promise<Value>>();
  requests.set(context, ofRequest);
  let result = ofRequest.get(key);
  if (result === undefined) ofRequest.set(key, (result = work()));
  return result;
}

/**
 * The identity of a list, and the state to read for a page of it: further pages use the same revision as the first one.
 * @param list name of the list and its filters; cluster, revision and scenario are added
 * @throws {ServiceError} `invalid-continue-token`
 */
export function pageSelection(
  cluster: string,
  readAt: ReadAt,
  list: ListIdentity,
  page: PageRequest,
): { readonly identity: ListIdentity; readonly selected: ReadAt } {
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
  if (page.after === undefined) return { identity, selected: readAt };
  const former = readPageToken(identity, page.after, page.afterName).revision;
  return { identity, selected: former === undefined ? readAt : { ...others, revision: former } };
}
