import type { changesSincePlaced } from '../../contract/pods/pod-ranking.js';
import { DEFAULT_AHEAD, type rankPlacedPod } from '../../contract/pods/pod-ranking-questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import { defined } from '../../core/collections/defined.js';
import type { NodeDifference } from '../../core/cluster/node-difference.js';
import type { StateDifference } from '../../core/cluster/state-difference.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { NodeRanking } from '../../core/scheduling/node-ranking.js';
import { PodPlacements, type PlacedSince } from '../../storage/pod-placements.js';
import { EvaluatePlacement } from '../placements/evaluate-placement.js';
import { schedulerOf } from '../placements/placement-head.js';
import { rankDifferenceResponse, rankedNodeResponse } from '../placements/ranking-response.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import type { RequestOf } from '../request-of.js';
import { DiffRevisions } from '../snapshots/diff-revisions.js';
import { GetCluster } from '../clusters/get-cluster.js';

const MAX_NAMED = 10;

/** Explains why a running pod is on its node. */
export class RankPlacedPod {
  constructor(
    private readonly readState: ReadState,
    private readonly evaluatePlacement: EvaluatePlacement,
    private readonly history: PlacedHistory,
  ) {}

  /** @throws {ServiceError} `object-not-found`, and as `ReadState` and `DiffRevisions` do */
  async run(
    { cluster, namespace, name, readAt, limit = DEFAULT_AHEAD }: RequestOf<typeof rankPlacedPod>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof rankPlacedPod>> {
    const reading = await this.readState.run(cluster, readAt, context);
    const slices = new TimeSlices({ signal: context.signal });
    const result = await this.evaluatePlacement.evaluateInSlices({ podRef: { namespace, name } }, reading, slices);
    const { evaluated } = result;
    const { state } = evaluated.placement;
    const ranking = await runSteps(evaluated.stepRanking(), slices);
    const pod = reading.state.pods.indexOf(namespace, name);
    const index = reading.state.pods.nodeIndex(pod);
    const place = index < 0 ? undefined : ranking.node(index);
    const nodeAnswer = index < 0 ? undefined : evaluated.node(index);
    const aheadCount = place === undefined ? ranking.count : place.rank - 1;
    const difference = place === undefined || place.rank === 1 ? undefined : ranking.difference(index);
    const { revision } = reading.basis;
    const since = index < 0 ? undefined : await this.history.since(cluster, revision, { namespace, name });
    return {
      basis: reading.basis,
      scheduler: schedulerOf(result),
      node: index < 0 ? null : reading.state.nodes.name(index),
      verdict: nodeAnswer?.verdict ?? null,
      reasons: nodeAnswer?.reasons ?? [],
      place: place === undefined ? null : rankedNodeResponse(state, place),
      nodeCount: ranking.count,
      tied: ranking.tied,
      aheadCount,
      ahead: ranking.nodes(0, Math.min(limit, aheadCount)).map((node) => rankedNodeResponse(state, node)),
      difference: difference === undefined ? null : rankDifferenceResponse(state, difference),
      uncertain: ranking.uncertain,
      assumptions: [...evaluated.placement.assumptions, ...ranking.assumptions].map(({ message }) => message),
      changes:
        since === undefined
          ? null
          : changesSince(since, await this.history.difference(cluster, since, readAt, context), {
              ranking,
              state,
              aheadCount,
              node: reading.state.nodes.name(index),
            }),
    };
  }
}

/** Changes since a revision. */
export class PlacedHistory {
  constructor(
    private readonly getCluster: GetCluster,
    private readonly diffRevisions: DiffRevisions,
    private readonly placements: PodPlacements,
  ) {}

  /** Since when a pod of a revision has been on its node. */
  async since(
    cluster: string,
    revision: number,
    pod: { readonly namespace: string; readonly name: string },
  ): Promise<PlacedSince | undefined> {
    return this.placements.since((await this.getCluster.run(cluster)).id, revision, pod);
  }

  async difference(
    cluster: string,
    { revision }: PlacedSince,
    to: ReadAt,
    context: RequestContext,
  ): Promise<StateDifference> {
    const { intents } = to;
    return (await this.diffRevisions.between({ cluster, from: { revision }, to, ...defined({ intents }) }, context))
      .difference;
  }
}

function changesSince(
  { revision, capturedAt, isOldest }: PlacedSince,
  { nodes, pods }: StateDifference,
  own: {
    readonly ranking: NodeRanking;
    readonly state: ClusterState;
    readonly aheadCount: number;
    readonly node: string;
  },
): Response<typeof changesSincePlaced> {
  const kinds = { added: 0, removed: 0, changed: 0 };
  for (const { change } of nodes) kinds[change]++;
  const changes = new Map(nodes.map(({ node, change }) => [node, change]));
  const ahead = own.ranking.indexes(0, own.aheadCount).map((node) => own.state.nodes.name(node));
  const named = (kind: NodeDifference['change']): readonly string[] =>
    ahead.filter((node) => changes.get(node) === kind).slice(0, MAX_NAMED);
  return {
    revision,
    capturedAt,
    isOldest,
    nodesAdded: kinds.added,
    nodesRemoved: kinds.removed,
    nodesChanged: kinds.changed,
    aheadAdded: named('added'),
    aheadChanged: named('changed'),
    pods,
    node: nodes.find(({ node }) => node === own.node) ?? null,
  };
}
