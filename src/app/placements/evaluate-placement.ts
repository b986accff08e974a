import { ruleDifferences } from '../../core/kubernetes/versions.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Selector } from '../../core/kubernetes/label-selector.js';
import { SUCCESS } from '../../core/placement/plugin.js';
import type { Verdict } from '../../core/placement/placement.js';
import { ServiceError } from '../errors/service-error.js';
import { DEFAULT_GATES } from '../gates.js';
import { readLabelSelector } from '../label-selector-parameter.js';
import type { VIEW } from '../../contract/placements/placement-request.js';
import type { PlacementGroup } from '../../core/placement/node-groups.js';
import type { Page, PageRequest } from '../../contract/page.js';
import { pageOf } from '../paging/page.js';
import { checkTokenRevision, readPageToken, type ListIdentity } from '../paging/page-token.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState, type StateReading } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { ServiceMetrics } from '../service-metrics.js';
import { EvaluatedPlacement, EvaluatedPlacements } from './evaluated-placement.js';
import { placedSubject, type PlacedSubject } from './placed-subject.js';
import { placingProfile } from './placing-profile.js';
import { checkQuestion, questionHash, type PlacementQuestion } from './placement-request.js';

/** Which nodes are told of; a node must meet every part that is given. */
export interface NodesWanted {
  readonly names?: readonly string[];
  /** kubectl's syntax. */
  readonly labelSelector?: string;
  readonly verdict?: Verdict;
}

export interface PlacementRequest extends PlacementQuestion {
  readonly cluster: string;
  readonly readAt: ReadAt;
}

/** How the rules of the cluster's version differ from ours, where that can show in this answer. */
export interface RuleDifferenceAnswer {
  readonly code: string;
  readonly since: string;
  readonly message: string;
}

/** An answered question about one cluster; its nodes are asked for page by page. */
export interface PlacementAnswer {
  readonly basis: Basis;
  readonly evaluated: EvaluatedPlacement;
  readonly ruleDifferences: readonly RuleDifferenceAnswer[];
  /** Of the question, for the tokens of its pages and for the log. */
  readonly hash: string;
  /** Whether the question says by which scheduler. */
  readonly asksScheduler: boolean;
}

/** A page of the nodes that were asked for, by name. */
export interface NodesPage extends Page<number> {
  /** Names that were asked for and that no node has. */
  readonly missing: readonly string[];
}

/** A page of the groups of the nodes that were asked for. */
export interface GroupsPage extends Page<PlacementGroup> {
  readonly missing: readonly string[];
}

/** Whether nodes that are equal for the pod are listed together, or each by itself. */
export type PlacementView = (typeof VIEW)['values'][number];

/** Where one pod can go, and why not elsewhere. */
export class EvaluatePlacement {
  constructor(
    private readonly readState: ReadState,
    private readonly known: EvaluatedPlacements,
    private readonly metrics: ServiceMetrics,
  ) {}

  /**
   * Refuses what can be refused without a look at any cluster; the manifest is not read yet.
   * @throws {InvalidRequestError}
   */
  static check(question: PlacementQuestion, { labelSelector }: NodesWanted): void {
    checkQuestion(question);
    readLabelSelector(labelSelector, 'nodes.labelSelector');
  }

  /**
   * @param first the page that is asked for along with the answer: its token pins the revision that its list began with
   * @throws {ServiceError} as `ReadState` does; `invalid-object` (422) with every bad field of the manifest;
   *   `admission-refused`; `object-not-found` for a reference to nothing; `invalid-request`
   */
  async run(
    request: PlacementRequest,
    edge: RequestContext,
    first?: { readonly wanted: NodesWanted; readonly page: PageRequest; readonly view?: PlacementView },
  ): Promise<PlacementAnswer> {
    EvaluatePlacement.check(request, first?.wanted ?? {});
    const hash = questionHash(request);
    const readAt = first === undefined ? request.readAt : pinned(request, hash, first);
    const reading = await this.readState.run(request.cluster, readAt, edge);
    return this.answer(request, reading, hash);
  }

  /** Answers a question on a state that is loaded. @throws {ServiceError} as `run` */
  answer(question: PlacementQuestion, { basis, state }: StateReading, hash = questionHash(question)): PlacementAnswer {
    const field = checkQuestion(question);
    const evaluated = this.known.get(state, hash, () => {
      const started = performance.now();
      const { featureGates, rules, scheduler } = question;
      const comparisonOperators = featureGates?.TaintTolerationComparisonOperators ?? DEFAULT_GATES.comparisonOperators;
      const gates = { comparisonOperators };
      const subject = placedSubject(question, field, state, gates);
      checkCost(subject);
      const profile = placingProfile(subject.state, subject.pod, scheduler, gates);
      const made = new EvaluatedPlacement(subject, profile, rules);
      this.metrics.observeEvaluation('placement', (performance.now() - started) / 1000);
      return made;
    });
    return {
      basis,
      evaluated,
      ruleDifferences: differences(evaluated, basis.kubernetesVersion),
      hash,
      asksScheduler: question.scheduler !== undefined,
    };
  }

  /**
   * A page of the nodes of an answer, by name.
   * @throws {ServiceError} `invalid-continue-token` for a token of another question, of other nodes, or another revision
   */
  nodes(answer: PlacementAnswer, wanted: NodesWanted, page: PageRequest): NodesPage {
    const { basis, evaluated } = answer;
    const { nodes } = evaluated.placement.state;
    const list = listOfAnswer(answer, wanted, 'nodes', page);
    const { picked, missing } = pick(evaluated, wanted);
    return { ...pageOf(picked, (node) => nodes.name(node), page, list, basis.revision), missing };
  }

  /**
   * A page of the groups of those nodes that were asked for.
   * @throws {ServiceError} as `nodes`; `budget-exceeded`
   */
  groups(answer: PlacementAnswer, wanted: NodesWanted, page: PageRequest): GroupsPage {
    const { basis, evaluated } = answer;
    const list = listOfAnswer(answer, wanted, 'groups', page);
    const { picked, missing } = pick(evaluated, wanted);
    const ordered = evaluated.groupsOf(picked).map((group, index) => ({ group, key: String(index).padStart(9, '0') }));
    const { items, ...rest } = pageOf(ordered, ({ key }) => key, page, list, basis.revision);
    const groups = items.map((one) => ({
      item: one.item.group,
      get token() {
        return one.token;
      },
    }));
    return { ...rest, items: groups, missing };
  }
}

/** @throws {ServiceError} `invalid-continue-token` for the token of another list, or of another revision */
function listOfAnswer(
  { basis, hash }: PlacementAnswer,
  wanted: NodesWanted,
  view: PlacementView,
  page: PageRequest,
): ListIdentity {
  const list = listIdentity(basis.cluster, hash, wanted, {
    view,
    scenario: basis.scenario?.hash,
    intents: basis.intents.included,
  });
  checkTokenRevision(list, page, basis.revision);
  return list;
}

function listIdentity(
  cluster: string,
  hash: string,
  { names, labelSelector, verdict }: NodesWanted,
  {
    view,
    scenario,
    intents,
  }: { readonly view: PlacementView; readonly scenario: string | undefined; readonly intents: boolean },
): ListIdentity {
  return [
    view === 'nodes' ? 'placement' : 'placement-groups',
    cluster,
    hash,
    names?.join(','),
    labelSelector,
    verdict,
    scenario,
    intents,
  ];
}

/** Requirements on nodes times nodes that one evaluation may look at: some 0.5 s of work, which nothing interrupts. */
const MOST_LOOKS = 10_000_000;
/** So many requirements are looked at on any number of nodes. */
const FEW_REQUIREMENTS = 200;

/** @throws {ServiceError} `budget-exceeded` for a pod with more requirements on nodes than can be looked at in good time */
function checkCost({ pod, state }: PlacedSubject): void {
  const { nodeSelector = {}, affinity } = pod.spec;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const ofTerms = terms.map(
    ({ matchExpressions = [], matchFields = [] }) => 1 + matchExpressions.length + matchFields.length,
  );
  const requirements = ofTerms.reduce((sum, count) => sum + count, Object.keys(nodeSelector).length);
  const nodes = state.nodes.count;
  const most = Math.max(FEW_REQUIREMENTS, Math.floor(MOST_LOOKS / Math.max(1, nodes)));
  if (requirements <= most) return;
  throw new ServiceError(
    'budget-exceeded',
    `The pod has ${requirements} requirements and terms of node selector and node affinity; on ${nodes} nodes at most ${most} are evaluated.`,
  );
}

/** The pages of one list rest on one revision: a token brings it along unless the request names one itself. */
function pinned(
  { cluster, readAt }: PlacementRequest,
  hash: string,
  {
    wanted,
    page,
    view = 'nodes',
  }: { readonly wanted: NodesWanted; readonly page: PageRequest; readonly view?: PlacementView },
): ReadAt {
  if (page.after === undefined || readAt.revision !== undefined || readAt.at !== undefined) return readAt;
  const { revision } = readPageToken(
    listIdentity(cluster, hash, wanted, {
      view,
      scenario: readAt.scenario?.hash,
      intents: readAt.intents !== 'exclude',
    }),
    page.after,
    page.afterName,
  );
  return revision === undefined ? readAt : { ...readAt, revision };
}

function pick(
  { placement }: EvaluatedPlacement,
  { names, labelSelector, verdict }: NodesWanted,
): { readonly picked: readonly number[]; readonly missing: readonly string[] } {
  const { nodes } = placement.state;
  const selector: Selector | undefined = readLabelSelector(labelSelector, 'nodes.labelSelector');
  if (names === undefined && selector === undefined && verdict === undefined) {
    return { picked: allNodes(placement.state), missing: [] };
  }
  const missing: string[] = [];
  const candidates = new Set<number>();
  for (const name of names ?? []) {
    const node = nodes.indexOf(name);
    if (node < 0) missing.push(name);
    else candidates.add(node);
  }
  const picked: number[] = [];
  for (let node = 0; node < nodes.count; node++) {
    if (names !== undefined && !candidates.has(node)) continue;
    if (verdict !== undefined && placement.verdict(node) !== verdict) continue;
    if (selector?.matches(nodes.labels(node)) === false) continue;
    picked.push(node);
  }
  return { picked, missing };
}

const everyNode = new WeakMap<ClusterState, readonly number[]>();

function allNodes(state: ClusterState): readonly number[] {
  let all = everyNode.get(state);
  if (all === undefined) everyNode.set(state, (all = Array.from({ length: state.nodes.count }, (_, node) => node)));
  return all;
}

function differences(
  { placement }: EvaluatedPlacement,
  kubernetesVersion: string | null,
): readonly RuleDifferenceAnswer[] {
  const found = kubernetesVersion === null ? undefined : ruleDifferences(kubernetesVersion);
  if (found === undefined || found.length === 0) return [];
  const taints = placement.plugins.find(({ name }) => name === 'TaintToleration')?.statuses;
  const question = {
    pod: placement.input.pod,
    untoleratedTaints: taints?.some((status) => status !== SUCCESS) ?? false,
  };
  return found
    .filter((difference) => difference.touches(question))
    .map(({ code, since, message }) => ({ code, since, message }));
}
